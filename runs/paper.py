"""The paper's tables and figures beside ours, for docs/paper.md.

    python runs/paper.py [--only table1,table2,fig5,fig6] [--rows policies,heuristics] [--first N]
        [--beside 2]
    python runs/paper.py --plan
    python runs/paper.py --quick
    python runs/paper.py --training DIR --networks DIR
    python runs/paper.py --report --update-docs --partial

Says how many runs are left in each part and how many hours they take, then does them, one thread
each, --beside of them side by side. Raw lines go to out/paper.jsonl (with --quick to
out/paper-quick.jsonl), and the same command goes on after a stop. --first 50 runs the first 50
instances of every cell: half a table is fair too, and the same command without it does the rest.
Policies are decoded the paper's way: temperature 1, no split. Networks of the paper that have no
weights yet are left out, and their cells say so; --networks names a folder with
paper-20.safetensors and so on. Fig. 5 is drawn from the published curves, and from those of `fripn
train` in the folders below --training, which may go on from released weights.

What is made of new and published lines is printed; --update-docs writes it into docs/paper.md and
docs/results/. --quick takes about ten minutes and publishes nothing; --toy, for the checks, takes
seconds.
"""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from fripn.batch.lines import Line, LineFormat, iter_lines
from fripn.bench.page import Block
from fripn.bench.paper import fig5, fig6, table1, table2
from fripn.bench.paper.protocol import SCALES, Networks, Planned, Scale
from fripn.bench.publish import Lines, parse_options, present
from fripn.bench.script import ScriptParser, integer, list_of, one_of, run
from fripn.policy import default_weights
from fripn.problem.io.atomic import write_atomically
from fripn.settings import NonNegative, PositiveCount

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results"
PAGE = ROOT / "docs" / "paper.md"
PARTS = ("table1", "table2", "fig5", "fig6")
ROWS = ("policies", "heuristics")

#: Seconds between two reports of progress.
REPORT_EVERY = 30.0


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--only", type=list_of(one_of(PARTS)), default=list(PARTS), help="parts")
    parser.add_argument(
        "--rows", type=list_of(one_of(ROWS)), default=list(ROWS), help="rows of table1 to run"
    )
    parser.add_argument(
        "--first", type=integer(1), metavar="N", help="run the first N instances of each cell"
    )
    parser.add_argument("--quick", action="store_true", help="few instances, about ten minutes")
    parser.add_argument("--toy", action="store_true", help="one instance each, some seconds")
    parser.add_argument(
        "--networks", type=Path, metavar="DIR", help="weights of the paper's networks, paper-20 …"
    )
    parser.add_argument(
        "--training", type=Path, metavar="DIR", help="folders of fripn train, paper-20 and so on"
    )
    parser.add_argument(
        "--plan", action="store_true", help="only say what is left and how many hours it takes"
    )
    parser.add_argument("--beside", type=integer(1), default=2, help="runs at the same time")
    options = parse_options(parser, ROOT / "out" / "paper.jsonl")
    if options.quick and options.toy:
        parser.error("--quick and --toy are two sizes; give one")
    size = "quick" if options.quick else "toy" if options.toy else "full"
    if size != "full":
        if options.update_docs:
            parser.error(f"--update-docs publishes the full size; leave --{size} out")
        if options.lines == ROOT / "out" / "paper.jsonl":
            options.lines = options.lines.with_stem(f"paper-{size}")
    scale, networks = SCALES[size], Networks(options.networks)
    lines = Lines(RESULTS / "paper.jsonl" if size == "full" else options.lines, options.lines)
    if not options.report or options.plan:
        part = scale if options.first is None else scale.first(options.first)
        measure(options, lines, part, networks)
    if options.plan:
        return
    points = fig5.read_points(RESULTS / "paper_training.csv")
    if options.training is not None:
        points = fig5.joined(points, fig5.runs_in(options.training))
    blocks, missing = made(options, lines.all(), points, scale, networks)
    present(options, blocks, missing, lines)
    draw(options, lines.all(), points, scale)


def measure(options: Namespace, lines: Lines, scale: Scale, networks: Networks) -> None:
    """Do the runs that are left, part by part."""
    rows = {
        "policies": lambda: table1.policy_runs(scale, networks),
        "heuristics": lambda: table1.heuristic_runs(scale),
    }
    plans = {
        "table1": lambda: chain.from_iterable(rows[name]() for name in options.rows),
        "table2": lambda: table2.planned(scale, networks),
        "fig6": lambda: fig6.planned(scale, networks),
    }
    for part in (one for one in options.only if one in plans):
        planned = list(plans[part]())
        left = set(map(id, lines.left(one.item for one in planned)))
        todo = [one for one in planned if id(one.item) in left]
        progress = Progress(part, todo, options.beside)
        if options.plan:
            continue
        lines.run([one.item for one in todo], options.beside, on_line=progress.advance)


class Progress:
    """Says what is left of a part, at the beginning and now and then.

    Parameters
    ----------
    part
        Its name.
    planned
        The runs that are left.
    beside
        How many run at the same time.
    """

    def __init__(self, part: str, planned: Sequence[Planned], beside: int) -> None:
        self._part, self._beside = part, beside
        self._seconds = sum(one.expected for one in planned)
        self._expected = {self._key(one.item.fields): one.expected for one in planned}
        self._total, self._done = len(planned), 0
        self._reported = time.monotonic()
        self._say()

    def advance(self, line: Line) -> None:
        """Count a run that has ended."""
        self._done += 1
        self._seconds -= self._expected[self._key(line)]
        if time.monotonic() - self._reported >= REPORT_EVERY or self._done == self._total:
            self._reported = time.monotonic()
            self._say()

    def _say(self) -> None:
        hours = max(0.0, self._seconds) / 3600.0 / self._beside
        print(
            f"{self._part}: {self._done:,} of {self._total:,} runs, about {hours:.2f} h left",
            file=sys.stderr,
            flush=True,
        )

    @staticmethod
    def _key(fields: Line) -> tuple[object, ...]:
        return fields["instance"], fields["method"], fields["seed"]


def made(
    options: Namespace,
    lines: list[Line],
    points: list[fig5.Point],
    scale: Scale,
    networks: Networks,
) -> tuple[list[Block], list[str]]:
    """Return the texts of the parts, and what is missing in them."""
    texts = {
        "table1": lambda: table1.text(lines, earlier_lines(), scale, networks),
        "table2": lambda: table2.text(lines, scale, networks),
        "fig5": lambda: fig5.text(points, "paper-fig5.svg"),
        "fig6": lambda: fig6.text(lines, scale, "paper-fig6.svg"),
    }
    gaps = {
        "table1": lambda: table1.missing(lines, scale, networks),
        "table2": lambda: table2.missing(lines, scale, networks),
        "fig5": lambda: fig5.missing(points),
        "fig6": lambda: fig6.missing(lines, scale),
    }
    missing = [f"{part}: {one}" for part in options.only for one in gaps[part]()]
    blocks = [Block(PAGE, f"paper_{part}", texts[part]()) for part in options.only]
    by_part = [
        f"- {part}: {'complete' if not (found := gaps[part]()) else count_of(found)}"
        for part in PARTS
    ]
    blocks.insert(0, Block(PAGE, "paper_state", "\n".join(by_part)))
    return blocks, missing


def count_of(missing: list[str]) -> str:
    """Return how many cells are missing, and the first of them."""
    cells = "1 cell is" if len(missing) == 1 else f"{len(missing)} cells are"
    return f"{cells} not measured yet ({missing[0]}{', …' if len(missing) > 1 else ''})"


def earlier_lines() -> list[Line]:
    """Return the published lines of our network at its default temperature."""
    path = RESULTS / "policy_table.jsonl"
    fields = {
        "instance": str,
        "size": PositiveCount,
        "cost": NonNegative,
        "decoding": str,
        "weights": str,
    }
    if not path.is_file():
        return []
    current = default_weights().fingerprint
    form = LineFormat("runs/policy_table.py", fields)
    return [line for _, _, line in iter_lines(path, form) if line["weights"] == current]


def draw(options: Namespace, lines: list[Line], points: list[fig5.Point], scale: Scale) -> None:
    """Draw the figures that have data: into docs/, or beside the new lines."""
    folder = ROOT / "docs" if options.update_docs else options.lines.parent
    if "fig5" in options.only and points:
        folder.mkdir(parents=True, exist_ok=True)
        fig5.draw(points, folder / "paper-fig5.svg")
        if options.update_docs:
            write_atomically(RESULTS / "paper_training.csv", fig5.points_text(points))
    if "fig6" in options.only and fig6.gaps_of(lines, scale):
        folder.mkdir(parents=True, exist_ok=True)
        fig6.draw(lines, scale, folder / "paper-fig6.svg")


if __name__ == "__main__":
    run(main)

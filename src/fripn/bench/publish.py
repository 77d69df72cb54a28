"""From raw lines to published tables: what the scripts of ``runs/`` share.

Published lines are kept in ``docs/results/``. A script appends what it measures to a file of its
own and prints the table of both; only with an option it writes the table into the pages and adds
the new lines to the published ones.
"""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fripn.batch.runner import WorkItem, run_batch
from fripn.bench.lines import RECORD, Line, key_of, read_lines
from fripn.bench.page import Block, write_blocks
from fripn.bench.run import current_commit
from fripn.bench.script import ScriptParser
from fripn.errors import InvalidSetting
from fripn.executors import local_executor
from fripn.problem.io.atomic import write_atomically

#: How many missing cells a message names.
MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Lines:
    """The raw lines of a script: the published ones, and those measured since.

    Parameters
    ----------
    published, new
        The two files, neither of which need exist.
    read
        Reads the lines of a file and refuses those of others.
    key
        What makes two lines the same run, of which the newer one counts.
    is_publishable
        Whether a line may stand behind a published table: is of a run of that table, and of a
        commit without changes (`is_clean`), for example. Published lines that may not, any more,
        do not count and are left out when new ones are published.
    """

    published: Path
    new: Path
    read: Callable[[Path], list[Line]] = read_lines
    key: Callable[[Line], Hashable] = key_of
    is_publishable: Callable[[Line], bool] = lambda line: True

    def all(self) -> list[Line]:
        """Return the newest line of every run."""
        return list((self._published() | self._by_key(self.new)).values())

    def left(self, items: Iterable[WorkItem], *, again: bool = False) -> list[WorkItem]:
        """Return the runs that have no line yet; with `again`, no new one."""
        done = self._by_key(self.new).keys() if again else set(map(self.key, self.all()))
        return [item for item in items if self.key(item.fields) not in done]

    def run(
        self,
        items: Sequence[WorkItem],
        workers: int,
        *,
        again: bool = False,
        on_line: Callable[[Line], None] | None = None,
    ) -> None:
        """Do the runs that have no line yet and append them to the new ones.

        Parameters
        ----------
        items
            What to do, from `fripn.bench.run.bench_item`.
        workers
            Runs at the same time.
        again
            Whether published runs are repeated; new ones are not, so a stopped call can go on.
        on_line
            Called with each new line; by default it is printed.
        """
        left = self.left(items, again=again)
        commit = current_commit()
        if left and not self.is_publishable({**left[0].fields, "commit": commit}):
            _say(f"these runs cannot be published: they are of commit {commit}, with changes (+)")
        self.new.parent.mkdir(parents=True, exist_ok=True)
        for entry in run_batch(left, RECORD, output=self.new, executor=local_executor(workers)):
            (print_line if on_line is None else on_line)(entry.line)

    def refuse_unpublishable(self) -> None:
        """Stop before lines are published that may not be.

        Raises
        ------
        InvalidSetting
            With their number and commits.
        """
        new = self._by_key(self.new).values()
        refused = [line for line in new if not self.is_publishable(line)]
        if not refused:
            return
        commits = ", ".join(sorted({str(line.get("commit")) for line in refused}))
        raise InvalidSetting(
            f"the docs are not updated, because {len(refused)} lines of {self.new} are not of the "
            f"table, or not of a commit without changes: {commits}",
            field="lines",
            value=self.new,
            remedy="commit the changes, remove these lines and measure them again",
        )

    def publish(self) -> None:
        """Move new lines to the published ones; those of the same runs are replaced."""
        new = self._by_key(self.new)
        if not new:
            return
        kept = {key: line for key, line in self._published().items() if key not in new}
        self.published.parent.mkdir(parents=True, exist_ok=True)
        _write(self.published, [*kept.values(), *new.values()])
        self.new.unlink()

    def _published(self) -> dict[Hashable, Line]:
        lines = self._by_key(self.published)
        return {key: line for key, line in lines.items() if self.is_publishable(line)}

    def _by_key(self, path: Path) -> dict[Hashable, Line]:
        return {self.key(line): line for line in self.read(path)} if path.exists() else {}


def is_clean(line: Line) -> bool:
    """Return whether a line is of a known commit, and of a checkout without changes."""
    commit = line.get("commit")
    return commit is not None and not commit.endswith("+")


def _write(path: Path, lines: Sequence[Line]) -> None:
    text = "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)
    write_atomically(path, text)


def parse_options(parser: ScriptParser, new: Path | None = None) -> Namespace:
    """Add the options that all scripts of published tables and figures have, and read them all.

    Parameters
    ----------
    parser
        The script's, with its own options.
    new
        Where new lines go by default; None when the script has no raw lines.
    """
    if new is not None:
        default = f"{new.parent.name}/{new.name}"
        parser.add_argument(
            "--lines",
            type=Path,
            metavar="FILE",
            default=new,
            help=f"where new raw lines go, and are found after a stop (default {default})",
        )
    parser.add_argument(
        "--report", action="store_true", help="measure nothing, only make the table"
    )
    parser.add_argument(
        "--update-docs",
        action="store_true",
        help="write what is published into README.md, docs/ and docs/results/",
    )
    parser.add_argument(
        "--partial", action="store_true", help="update the docs even if cells are missing"
    )
    options = parser.parse_args()
    if options.partial and not options.update_docs:
        parser.error("--partial does nothing without --update-docs; add it, or leave both out")
    return options


def refuse_missing(options: Namespace, missing: Sequence[str]) -> None:
    """Stop before the docs get a table with cells missing, unless that is allowed.

    Parameters
    ----------
    options
        The script's.
    missing
        The cells of the published table that lack runs.

    Raises
    ------
    InvalidSetting
        With the names of the cells.
    """
    if not (options.update_docs and missing) or options.partial:
        return
    named = "; ".join(missing[:MOST_NAMED])
    more = f"; and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    raise InvalidSetting(
        f"the docs are not updated, because these cells lack runs: {named}{more}",
        field="cells",
        value=missing,
        remedy="measure them, or add --partial",
    )


def present(
    options: Namespace, blocks: Sequence[Block], missing: Sequence[str], *lines: Lines
) -> None:
    """Print the tables; when the docs are to be updated, write tables and new lines there instead.

    Parameters
    ----------
    options
        The script's.
    blocks
        Tables, the whole one of a name before its excerpts, which are not printed.
    missing
        The cells of the published tables that lack lines.
    lines
        What the tables are made of.

    Raises
    ------
    InvalidSetting
        See `refuse_missing` and `Lines.refuse_unpublishable`.
    """
    if not options.update_docs:
        whole = {block.name: block.text for block in reversed(blocks)}
        print("\n\n".join(whole[name] for name in dict.fromkeys(block.name for block in blocks)))
        return
    refuse_missing(options, missing)
    for one in lines:
        one.refuse_unpublishable()
    write_blocks(blocks)
    for one in lines:
        one.publish()
    print(f"wrote {' and '.join(dict.fromkeys(block.page.name for block in blocks))}")


def print_line(line: Line) -> None:
    """Print the outcome of a run."""
    cost = line["error"] if line["cost"] is None else f"{line['cost']:.4f}"
    gap = "" if line["gap_percent"] is None else f", gap {line['gap_percent']:z.3f} %"
    limit = line["time_limit"]
    budget = "" if limit is None else f", {limit:g} s"
    _say(f"{line['instance']}, {line['method']}, seed {line['seed']}{budget}: {cost}{gap}")


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)

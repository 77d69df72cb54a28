"""Runs of the policy's decodings: what the scripts of their tables share."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fripn.batch.lines import Line, LineFormat, append, iter_lines, repair
from fripn.bench.decodings import best_plans, is_greedy, num_samples
from fripn.bench.publish import Lines, parse_options
from fripn.bench.script import ScriptParser, integer, positive
from fripn.policy.decode import Policy
from fripn.policy.weights import default_weights, load_weights
from fripn.problem import Instance, evaluate
from fripn.settings import PositiveCount

#: Trajectories per view behind the paper's figures, and ours.
SAMPLES = 1000

#: Digits of a temperature in a line.
TEMPERATURE_DIGITS = 4


def parse_decoding_options(parser: ScriptParser, new: Path) -> Namespace:
    """Read the command line of a script that decodes; see `publish.parse_options`."""
    parser.add_argument(
        "--weights", type=Path, metavar="FILE", help="of the policy (default: the shipped ones)"
    )
    parser.add_argument("--samples", type=integer(1), default=SAMPLES, help="per view")
    parser.add_argument(
        "--temperature",
        type=positive,
        metavar="T",
        help="of sampling (default: 1 up to 25 customers, less beyond); 1 is the paper's",
    )
    parser.add_argument("--threads", type=integer(1), default=2)
    options = parse_options(parser, new)
    if options.update_docs and options.weights is not None:
        parser.error("--update-docs publishes the shipped weights; leave --weights out")
    if options.update_docs and options.samples != SAMPLES:
        parser.error(f"--update-docs publishes {SAMPLES} samples; leave --samples out")
    if options.update_docs and options.temperature is not None:
        parser.error("--update-docs publishes the default temperature; leave --temperature out")
    return options


def decoding_key(line: Line) -> tuple[str, str, int, str, float | None]:
    """Return what makes two lines the same run."""
    temperature = other_temperature(
        line["decoding"], line.get("size", line.get("customers")), line.get("temperature")
    )
    return line["instance"], line["decoding"], line["samples"], line["weights"], temperature


def other_temperature(
    decoding: str, num_customers: int | None, temperature: float | None
) -> float | None:
    """Return a temperature that makes a difference; None where it is the default, or greedy."""
    if is_greedy(decoding) or temperature is None or num_customers is None:
        return None
    rounded = round(temperature, TEMPERATURE_DIGITS)
    default = round(Policy().temperature_for(num_customers), TEMPERATURE_DIGITS)
    return None if rounded == default else rounded


class DecodingRuns:
    """The runs of one policy: those that have a line, and a method to add more.

    Parameters
    ----------
    options
        From `parse_decoding_options`.
    published
        The file of published lines.
    writer
        The script, for messages.
    fields
        What every line has besides instance, decoding, samples and weights; the lines begin with
        the first of all.
    """

    def __init__(
        self, options: Namespace, published: Path, writer: str, fields: Mapping[str, Any]
    ) -> None:
        given = options.weights
        self.weights = default_weights() if given is None else load_weights(given)
        self._mark = self.weights.fingerprint  # a hash of all weights: computed once
        self._options = options
        common = {"instance": str, "decoding": str, "samples": PositiveCount, "weights": str}
        self._form = LineFormat(writer, {**fields, **common})
        self.lines = Lines(
            published,
            options.lines,
            lambda path: [line for _, _, line in iter_lines(path, self._form)],
            decoding_key,
            lambda line: line["weights"] == self._mark,
        )
        self._done = set(map(decoding_key, self.lines.all()))

    def missing(self, instance: str, num_customers: int, decodings: Iterable[str]) -> list[str]:
        """Return the decodings of an instance that have no line."""
        options = self._options
        return [
            one
            for one in decodings
            if (
                instance,
                one,
                num_samples(one, options.samples),
                self._mark,
                other_temperature(one, num_customers, options.temperature),
            )
            not in self._done
        ]

    def decode(self, instance: Instance, decodings: Sequence[str]) -> Iterator[Line]:
        """Yield a line per decoding, for the caller to add columns about the instance.

        Decodings that share their trajectories share the seconds, too.
        """
        samples, threads = self._options.samples, self._options.threads
        temperature = self._options.temperature
        used = Policy(temperature=temperature).temperature_for(instance.num_customers)
        for greedy in (True, False):
            wanted = [one for one in decodings if is_greedy(one) == greedy]
            if not wanted:
                continue
            began = time.perf_counter()
            plans = best_plans(instance, self.weights, wanted, samples, threads, temperature)
            seconds = time.perf_counter() - began
            for decoding in wanted:
                evaluation = evaluate(instance, plans[decoding])
                assert evaluation.is_feasible
                yield {
                    "decoding": decoding,
                    "samples": num_samples(decoding, samples),
                    "temperature": round(used, TEMPERATURE_DIGITS),
                    "weights": self._mark,
                    "cost": evaluation.cost,
                    "threads": threads,
                    "seconds": round(seconds, 4),
                }

    def record(self, lines: Iterable[Line]) -> Iterator[Line]:
        """Append lines to the file of new ones, and yield each when it is there."""
        path = self.lines.new
        path.parent.mkdir(parents=True, exist_ok=True)
        repair(path, self._form)
        for line in lines:
            append(path, line)
            yield line

    def measured(self) -> list[Line]:
        """Return the lines of these weights with this number of samples and temperature."""
        options = self._options
        return [
            line
            for line in self.lines.all()
            if line["weights"] == self._mark
            and line["samples"] in (1, options.samples)
            and decoding_key(line)[-1]
            == other_temperature(
                line["decoding"], line.get("size", line.get("customers")), options.temperature
            )
        ]

"""A result in a few lines of text: what ``print(result)`` and the command line show."""

from __future__ import annotations

from fripn.messages import named
from fripn.problem import Evaluation
from fripn.problem.library import BestKnown, best_known_of
from fripn.result import Result, Status, gap_percent, highest_equal


def summary(result: Result) -> str:
    """Return cost, fleet, gap and how the run ended, a line each."""
    instance = result.instance
    known = best_known_of(instance)
    head = f"{named(instance.name)}, {instance.num_customers:,} customers"
    if result.solution is None:
        return "\n".join([f"{head}: no plan", *_ending_lines(result, known)])
    routes = sum(1 for route in result.routes if route.customers)
    head += f": {routes:,} route{'' if routes == 1 else 's'}"
    return "\n".join([head, *summary_lines(result, known)])


def summary_lines(result: Result, known: BestKnown | None) -> list[str]:
    """Return the lines of a result that has a plan.

    Parameters
    ----------
    result
        What a run returned.
    known
        The best-known cost of the instance, if there is one.
    """
    evaluation = result.evaluation
    assert evaluation is not None
    fleet = ", ".join(f"{count} × {named(name)}" for name, count in result.fleet.items())
    lines = [f"fleet   {fleet}", cost_line(evaluation)]
    if known is not None:
        gap = percent_text(gap_percent(result.cost, known.cost))
        lines.append(f"gap     {gap} to the best known, {known.cost:.2f} ({known.status})")
    return [*lines, *_ending_lines(result, known)]


def cost_line(evaluation: Evaluation) -> str:
    """Return the cost of a plan and its parts."""
    parts = [f"fixed {evaluation.fixed_cost:.2f}", f"travel {evaluation.travel_cost:.2f}"]
    if evaluation.time_cost:
        parts.append(f"time {evaluation.time_cost:.2f}")
    return f"cost    {evaluation.cost:.2f}  ({', '.join(parts)})"


def percent_text(percent: float) -> str:
    """Return a difference in percent with its sign; what rounds to 0 has none."""
    text = f"{percent:+.2f}"
    return f"{text[1:] if float(text) == 0.0 else text} %"


def ending(result: Result, known: BestKnown | None) -> str:
    """Return how a run ended in one word, where a plan of a proven optimum is optimal."""
    is_optimal = (
        known is not None
        and known.status == "optimal"
        and result.status is Status.FEASIBLE
        and result.cost <= highest_equal(known.cost)
    )
    return Status.OPTIMAL.value if is_optimal else result.status.value


def _ending_lines(result: Result, known: BestKnown | None) -> list[str]:
    lines = []
    if result.lower_bound is not None:
        text = f"bound   {result.lower_bound:.2f} ({result.proved_by})"
        if result.gap is not None:
            text += f": at most {result.gap:.2f} % could be saved"
        lines.append(text)
    word = ending(result, known).replace("_", " ")
    lines.append(f"method  {result.method}, {word} after {result.seconds:.2f} s")
    return [*lines, *(f"note    {note}" for note in result.notes)]

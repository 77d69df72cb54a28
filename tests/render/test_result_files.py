"""The ending of the file chooses the format of a result."""

import pytest

from fripn import Status, solve
from fripn.errors import NoPlanFound
from fripn.render.result_files import write_result
from fripn.result import Result


@pytest.mark.parametrize("ending", ["json", "sol", "csv", "svg", "png", "html"])
def test_every_ending_is_written(tmp_path, ending):
    """Plans, pictures and the report."""
    path = tmp_path / f"plan.{ending}"
    write_result(solve("golden-03", "savings"), path, best_known=961.03)
    assert path.stat().st_size > 0
    assert ("961.03" in path.read_text(encoding="latin-1")) == (ending == "html")


def test_nothing_is_not_written(tmp_path):
    """Without a plan there is a sentence, and no file."""
    plan = solve("golden-03", "savings")
    nothing = Result.from_solution(
        plan.instance, None, method="m", status=Status.FEASIBLE, seconds=1.0
    )
    with pytest.raises(NoPlanFound, match="no plan for golden-03 to write"):
        write_result(nothing, tmp_path / "plan.json")
    assert not list(tmp_path.iterdir())

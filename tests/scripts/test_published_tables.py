"""The pages hold what the scripts make of the published lines, and nothing typed by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.pure

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "docs" / "benchmarks.md"

#: The pages and marks that a script writes, in its order.
SCRIPTS = {
    "engine_table.py": (
        (BENCHMARKS, "engine_table"),
        (BENCHMARKS, "engine_scaling"),
        (ROOT / "README.md", "readme_table"),
    ),
    "hybrid_table.py": ((BENCHMARKS, "hybrid_table"),),
    "policy_table.py": ((BENCHMARKS, "policy_table"),),
    "policy_unseen.py": ((BENCHMARKS, "policy_unseen"),),
    "baselines_table.py": ((BENCHMARKS, "baselines_table"),),
    "day_table.py": ((BENCHMARKS, "day_table"),),
}


def block(page: Path, name: str) -> str:
    """Return what stands between the marks of a name."""
    text = page.read_text(encoding="utf-8")
    found = re.search(rf"<!-- {name}: begin -->\n(.*?)\n<!-- {name}: end -->", text, re.S)
    assert found, f"{page} has no marks of {name}"
    return found[1]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_page_has_the_table_of_the_published_lines(script, run_script, tmp_path):
    """Run the script with --report --update-docs when this fails; docs/results/ has the lines."""
    new = tmp_path / "none.jsonl"
    ended = run_script(ROOT / "runs" / script, "--report", "--lines", new)
    blocks = [block(page, name) for page, name in SCRIPTS[script]]
    assert ended.out.strip() == "\n\n".join(blocks)

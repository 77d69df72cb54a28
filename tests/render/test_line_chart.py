"""Charts of measurements."""

import pytest

from fripn.render.line_chart import Panel, draw_panels

pytestmark = pytest.mark.pure


def test_every_series_is_drawn_and_named(tmp_path):
    """Titles, labels and names are in the file; the same numbers make the same file."""
    pytest.importorskip("matplotlib")
    panels = [
        Panel(f"chart {number}", "seconds", "gap", {"engine": ([1.0, 2.0], [3.0, number])}, True)
        for number in range(4)
    ]
    for name in ("a.svg", "b.svg"):
        draw_panels(panels, tmp_path / name)
    text = (tmp_path / "a.svg").read_text("utf-8")
    for word in ("chart 0", "chart 3", "seconds", "gap", "engine"):
        assert f"<!-- {word} -->" in text
    assert text == (tmp_path / "b.svg").read_text("utf-8")

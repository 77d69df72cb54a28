"""What a run says at its beginning and while it runs."""

from __future__ import annotations

import re

from train_helpers import make_config

from fripn.train.announce import duration, opening, position
from fripn.train.loop import train


def test_a_run_says_what_it_is_and_when_it_ends(labels, tmp_path):
    """Before the first step: network, parameters, device, limits; after three: the end."""
    said: list[str] = []
    train(make_config(labels, steps=4), tmp_path / "run", report=said.append)
    assert re.fullmatch(
        r"network: (1 layer|\d+ layers) of width \d+, [\d,]+ parameters; "
        r"device: cpu, threads: \d+; 4 steps",
        said[0],
    )
    assert re.fullmatch(r"expected end: \d{4}-\d\d-\d\d \d\d:\d\d, in \d+ s", said[1])
    assert said[-1].startswith("finished: 4 steps")


def test_opening_of_a_continued_run(labels):
    """Names both limits, and what is done."""
    config = make_config(labels, steps=1000, hours=2.5)
    assert opening(config, 1234567, 40).endswith(
        "1,234,567 parameters; device: cpu, threads: 1; 1,000 steps or 2.5 h, of which 40 are done"
    )


def test_position_and_duration():
    """Short enough for one line."""
    assert position(1200, 0.1234, 5400.0, {"cost": 12.3456}) == (
        "step 1,200, 12.3 %, cost 12.35, 1.5 h left"
    )
    assert [duration(seconds) for seconds in (5.4, 89.0, 91.0, 5399.0, 36000.0)] == [
        "5 s", "89 s", "1.5 min", "90.0 min", "10.0 h"
    ]  # fmt: skip


def test_live_line(labels, tmp_path, monkeypatch):
    """Once a second at most, with what was measured since the last validation."""
    shown: list[str] = []
    clock = iter(range(1000))
    monkeypatch.setattr("fripn.train.loop.time.monotonic", lambda: 2.0 * next(clock))
    config = make_config(labels, steps=3)
    train(config, tmp_path / "run", report=lambda _: None, live=shown.append)
    assert len(shown) == 3
    assert shown[0].startswith("step 1, 33.3 %, imitation ")

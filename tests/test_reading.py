"""`fripn.read`: files, library names and tables in memory."""

from __future__ import annotations

import pandas as pd
import pytest

import fripn
from fripn.errors import InvalidInput, InvalidSetting
from helpers import STOPS, VEHICLES


@pytest.fixture
def frames(tmp_path, monkeypatch):
    """Write the tables of the bakery and return them as DataFrames."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stops.csv").write_text(STOPS, encoding="utf-8")
    (tmp_path / "vehicles.csv").write_text(VEHICLES, encoding="utf-8")
    return pd.read_csv("stops.csv"), pd.read_csv("vehicles.csv")


def test_frames_are_read_as_their_files(frames):
    """The same instance, in any mixture of frames and files."""
    stops, vehicles = frames
    expected = fripn.read("stops.csv", "vehicles.csv")
    for pair in ((stops, vehicles), (stops, "vehicles.csv"), ("stops.csv", vehicles)):
        assert fripn.read(*pair) == expected
    assert fripn.read(stops, vehicles, name="monday").name == "monday"


def test_solve_takes_frames(frames):
    """As it takes files."""
    stops, vehicles = frames
    from_frames = fripn.solve(stops, "savings", vehicles=vehicles)
    from_files = fripn.solve("stops.csv", "savings", vehicles="vehicles.csv")
    assert from_frames.cost == from_files.cost


def test_mistakes_of_a_frame_are_named(frames):
    """With the row and the column, as in a file."""
    stops, vehicles = frames
    stops["demand"] = stops["demand"].astype(object)
    stops.loc[1, "demand"] = "many"
    with pytest.raises(InvalidInput, match=r"stops: line 3.*demand.*many"):
        fripn.read(stops, vehicles)


def test_words_of_the_user(frames):
    """Columns with other names, and a road factor."""
    stops, vehicles = frames
    renamed = stops.rename(columns={"demand": "Paletten X"})
    plain = fripn.read(stops, vehicles)
    assert fripn.read(renamed, vehicles, columns={"Paletten X": "demand"}) == plain
    longer = fripn.read(stops, vehicles, road_factor=2.0)
    assert longer.distances([0], [1]) == pytest.approx(2 * plain.distances([0], [1]))


def test_what_does_not_fit_a_frame_is_refused(frames):
    """One sentence each."""
    stops, vehicles = frames
    with pytest.raises(InvalidSetting, match="stops only; give the table of vehicles too"):
        fripn.read(stops)
    with pytest.raises(InvalidSetting, match="matrix is given beside a table in memory"):
        fripn.read(stops, vehicles, matrix="km.csv")
    with pytest.raises(InvalidSetting, match=r"vehicles .* are given, but the instance has"):
        fripn.solve(fripn.read(stops, vehicles), vehicles=vehicles)


def test_library_and_own_files():
    """A name of the library is an instance too."""
    assert fripn.read("golden-03").num_customers == 20

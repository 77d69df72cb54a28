"""What files, folders and names of a command stand for, in order and each once."""

from __future__ import annotations

import errno
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from fripn.batch.sources import find_sources
from fripn.batch.temporary_table import TemporaryTables
from fripn.errors import InvalidFile, InvalidSetting
from fripn.problem.inputs import folder_files


def names(*given, with_tables=False, apart=()):
    with find_sources(given, with_tables=with_tables, apart=apart) as sources:
        found = list(sources)
        assert len(sources) == len(found)
        assert sources.first(2) == found[:2]
        assert list(sources) == found
        return found


def test_a_folder_is_sorted_as_paths_are(tmp_path):
    """Also letters outside ASCII and capitals; other files are passed over."""
    for name in ("b.json", "B.JSON", "a.json", "ä.vrp", "\U0001f69a.json", "10.json", "9.xlsx"):
        (tmp_path / name).touch()
    (tmp_path / "notes.txt").touch()
    found = names(tmp_path)
    assert found == list(map(str, folder_files(tmp_path)))
    assert len(found) == 7


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux alone")
def test_names_that_are_not_utf_8_are_kept(tmp_path):
    """They sort and open as before."""
    for name in (b"\xff.json", b"a.json", "\U0001f69a.json".encode()):
        (tmp_path / os.fsdecode(name)).touch()
    found = names(tmp_path)
    assert found == list(map(str, folder_files(tmp_path)))
    assert all(map(os.path.exists, found))


def test_every_source_comes_once_at_its_first_place(tmp_path):
    """However often it is named; a file of a folder too."""
    for name in ("a.json", "b.json", "c.json"):
        (tmp_path / name).touch()
    a, b, c = (str(tmp_path / name) for name in ("a.json", "b.json", "c.json"))
    assert names("golden-03", b, tmp_path, c, f"{tmp_path}/", "golden-03") == ["golden-03", b, a, c]


def test_tables_of_vehicles_and_files_with_another_part_are_passed_over(tmp_path):
    """By the name that convert writes, or by the file itself, behind a link as well."""
    for name in ("mon.csv", "mon-vehicles.csv", "tue-vehicles.csv", "fleet.csv"):
        (tmp_path / name).touch()
    (tmp_path / "link.csv").symlink_to(tmp_path / "fleet.csv")
    found = names(tmp_path, with_tables=True, apart=[tmp_path / "fleet.csv"])
    assert found == [str(tmp_path / "mon.csv"), str(tmp_path / "tue-vehicles.csv")]
    # What one folder holds says nothing about another.
    other = tmp_path / "other"
    other.mkdir()
    (other / "mon-vehicles.csv").touch()
    assert names(tmp_path, other, with_tables=True)[-1] == str(other / "mon-vehicles.csv")


def test_nothing_is_refused(tmp_path):
    """No argument, and a folder without instances."""
    with pytest.raises(InvalidSetting, match="no instance is given"):
        find_sources([], with_tables=False)
    with pytest.raises(InvalidFile, match="holds no file"):
        find_sources([tmp_path], with_tables=False)


def test_a_folder_that_cannot_be_read_is_refused(tmp_path, monkeypatch):
    """With the reason of the operating system."""

    def refuse(folder):
        raise PermissionError(errno.EACCES, "Permission denied", str(folder))

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(InvalidFile, match="cannot be read: permission denied; check the rights"):
        find_sources([tmp_path], with_tables=False)


def test_without_room_for_temporary_files_there_is_a_remedy(tmp_path):
    """One sentence, not an error of the database."""
    with TemporaryTables("texts (text TEXT)") as tables:
        tables.change("PRAGMA max_page_count = 10")
        with pytest.raises(InvalidFile, match=r"\(database or disk is full\); make room"):
            tables.change_all("INSERT INTO texts VALUES (?)", [("x" * 100,)] * 1000)


def test_temporary_tables_may_be_used_in_another_thread():
    """The lines of a batch are taken where its caller wants."""
    with TemporaryTables("numbers (number INTEGER)") as tables, ThreadPoolExecutor(1) as pool:
        statement = "INSERT INTO numbers VALUES (?)"
        assert pool.submit(tables.change, statement, (7,)).result() == 1
        assert tables.row("SELECT number FROM numbers") == (7,)

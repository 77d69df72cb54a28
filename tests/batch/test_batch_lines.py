"""Files of JSON lines: ours are repaired after a kill, others are left alone."""

from __future__ import annotations

import errno
import os

import pytest

from fripn.batch.lines import LineFormat, append, iter_lines, repair
from fripn.errors import InvalidFile
from fripn.settings import Count

pytestmark = pytest.mark.pure

FORMAT = LineFormat("fripn something", {"place": Count}, {"name": str | None})


def numbers(path):
    return [line["place"] for _, _, line in iter_lines(path, FORMAT)]


@pytest.fixture
def path(tmp_path):
    """Return a file of two lines."""
    path = tmp_path / "lines.jsonl"
    append(path, {"place": 1, "name": "é"})
    append(path, {"place": 2})
    return path


def test_lines_come_back(path):
    """With their numbers; blank lines do not count."""
    path.write_bytes(path.read_bytes() + b"\n" + b'{"place": 3}\n')
    assert [number for number, _, _ in iter_lines(path, FORMAT)] == [1, 2, 4]
    assert numbers(path) == [1, 2, 3]


def test_every_cut_can_be_repaired(path):
    """Wherever a kill falls, whole lines stay, and the next one starts on its own."""
    whole = path.read_bytes()
    first = whole.index(b"\n")
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        # A line that lacks its newline alone is whole.
        expected = [1, 2][: (cut >= first) + (cut >= len(whole) - 1)]
        assert numbers(path) == expected
        repair(path, FORMAT)
        append(path, {"place": 9})
        assert numbers(path) == [*expected, 9]


@pytest.mark.parametrize(
    "content",
    [
        b'{"my": "precious"}',
        b'{"my": "precious"}\n',
        b"my diary",
        b"\n\nmy diary",
        b'{"place": 1}\nmy diary',
        b'{"place": 1}\nmy diary\n',
        b"[1, 2]",
        b"[" * 100_000,
        b'{"place": 1}\n{"my": ',
        b"\xff\xfe\x00",
    ],
)
def test_what_is_not_ours_is_refused_and_left_alone(tmp_path, content):
    """One sentence that names the line; not a byte is lost."""
    path = tmp_path / "mine.json"
    path.write_bytes(content)
    with pytest.raises(InvalidFile, match=r"mine\.json, line \d .* name another file"):
        numbers(path)
    with pytest.raises(InvalidFile):
        repair(path, FORMAT)
    assert path.read_bytes() == content


def test_a_missing_file_needs_no_mending(tmp_path):
    """Nothing there, nothing to do."""
    repair(tmp_path / "none.jsonl", FORMAT)
    assert not (tmp_path / "none.jsonl").exists()


def test_a_full_disk_is_reported_and_the_lines_before_are_kept(path, monkeypatch):
    """Half a line may be there; it is cut off as after a kill."""
    before = path.read_bytes()
    write = os.write

    def write_half(descriptor, data):
        if len(data) < 10:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[: len(data) // 2])

    monkeypatch.setattr(os, "write", write_half)
    with pytest.raises(InvalidFile, match=r"lines.jsonl cannot be written: no space left .* kept"):
        append(path, {"place": 3, "name": "longer"})
    assert path.read_bytes() != before
    repair(path, FORMAT)
    assert path.read_bytes() == before


def test_names_that_are_not_utf_8_come_back(path):
    """As Python reads names of files that are other bytes; all else stays readable."""
    append(path, {"place": 3, "name": "\udcff"})
    assert [line.get("name") for _, _, line in iter_lines(path, FORMAT)] == ["é", None, "\udcff"]
    assert "é".encode() in path.read_bytes()

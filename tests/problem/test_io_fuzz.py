"""A fuzz target per reader; `reader_fuzz.py` says how to run it for an hour."""

import pytest
from reader_fuzz import ALL_READERS, check, main, mutated, originals

pytestmark = pytest.mark.pure

#: Inputs that once failed a check, by reader.
FOUND: dict[str, list[int]] = {
    "cordeau": [2003049],  # a service longer than what VRPLIB said for "no limit"
    "day.vrp": [3000878],  # a duration that is out of range in minutes
    "json": [41822],  # ids that differ in blanks alone, which a table cannot distinguish
}

#: Inputs per reader.
COUNT = 400


@pytest.mark.parametrize("reader", ALL_READERS)
def test_correct_texts_are_accepted(reader):
    """Else mutating them would test nothing."""
    assert all(check(reader, text) for text in originals()[reader])


@pytest.mark.parametrize("reader", ALL_READERS)
def test_mutated_texts_keep_the_promises(reader):
    """A sentence of ours, or a value that can be written and read back; nothing else."""
    accepted = [check(reader, mutated(reader, n)) for n in [*FOUND.get(reader, ()), *range(COUNT)]]
    assert 0 < sum(accepted) < len(accepted)


def test_inputs_are_numbered():
    """A number found today is the same input tomorrow."""
    assert mutated("json", 7) == mutated("json", 7)
    assert mutated("json", 7) != mutated("json", 8)


def test_the_long_run_says_what_it_saw(capsys):
    """A line per reader."""
    assert main(["--inputs", str(10 * len(ALL_READERS))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(ALL_READERS)
    assert all("10 inputs" in line for line in lines)

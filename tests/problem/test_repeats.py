"""Strings that occur twice."""

import pytest

from fripn.problem.repeats import first_repeat

pytestmark = pytest.mark.pure


class Same(str):
    """A string whose hash collides with that of every other one."""

    def __hash__(self):
        return 7


@pytest.mark.parametrize("of", [str, Same])
@pytest.mark.parametrize(
    ("strings", "places"),
    [
        ("", None),
        ("a", None),
        ("abc", None),
        ("abca", (0, 3)),
        ("abcbca", (1, 3)),
        ("aaa", (0, 1)),
        ("abbccaad", (1, 2)),
    ],
)
def test_the_first_repeat_is_found(of, strings, places):
    """The earliest place whose string occurred before, also when all hashes are equal."""
    own = [of(letter) for letter in strings]
    assert first_repeat(len(own), own.__getitem__) == places

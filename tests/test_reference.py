"""The API reference reads our docstrings as they are meant."""

from pathlib import Path

import griffe
import pytest

EXTENSION = Path(__file__).resolve().parent.parent / "docs" / "_extensions" / "docstrings.py"
pytestmark = pytest.mark.pure

MODULE = '''
#: How long, in seconds;
#: at least 1.
LIMIT = 3

def run(first: int, seed: str = "a", threads: float = 1.0, last: bool = True):
    """Run.

    Parameters
    ----------
    first
        One.
    seed, threads
        Two
        lines.
    last
        Three.

    References
    ----------
    .. [1] A. Author (2004), doi 10.1000/1.
    """
'''


@pytest.fixture
def module(tmp_path):
    (tmp_path / "sample.py").write_text(MODULE, encoding="utf-8")
    extensions = griffe.load_extensions(EXTENSION)
    return griffe.load("sample", search_paths=[tmp_path], extensions=extensions)


def test_comments_above_constants_are_shown(module):
    """All lines of the comment, and nothing else."""
    assert module["LIMIT"].docstring.value == "How long, in seconds;\nat least 1."


def test_parameters_of_a_group_keep_their_types(module):
    """Each parameter has its own annotation and the common description."""
    sections = module["run"].docstring.parse("numpy")
    (parameters,) = [section.value for section in sections if section.kind.value == "parameters"]
    shown = [(one.name, str(one.annotation), one.description) for one in parameters]
    assert shown == [
        ("first", "int", "One."),
        ("seed", "str", "Two\nlines."),
        ("threads", "float", "Two\nlines."),
        ("last", "bool", "Three."),
    ]


def test_references_are_a_list(module):
    """The mark of reStructuredText does not show."""
    assert "\n- A. Author" in module["run"].docstring.value

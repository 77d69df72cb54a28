"""Errors carry what is wrong as data, and one sentence built from it."""

import ast
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from fripn import errors
from fripn.errors import FripnError, InvalidFile, InvalidInstance, InvalidSetting
from fripn.problem.io.text import located

CLASSES = [
    one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, FripnError)
]


def test_sentence_has_place_field_value_and_remedy():
    """The default sentence: where, which field, what is in it, what to do."""
    error = InvalidFile(field="demand", value="x", remedy="give a number", place="line 3")
    error.within("stops.csv")
    assert str(error) == "stops.csv: line 3: demand is 'x'; give a number"
    assert (error.place, error.field, error.value) == (("stops.csv", "line 3"), "demand", "x")


def test_a_message_alone_is_the_sentence():
    """Without fields the text stands as it is."""
    assert str(InvalidFile("there is no such file")) == "there is no such file"
    assert InvalidFile("there is no such file").to_dict()["remedy"] is None


def test_braces_of_the_input_are_not_filled_in():
    """A value of the user is never taken for a pattern."""
    error = InvalidFile("{field} is {value}", field="name", value="{field} {value}")
    assert str(error) == "name is '{field} {value}'"


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_errors_cross_processes(cls):
    """Pickling keeps class, fields and sentence."""
    error = cls("{field} is {value}", field="f", value=[1, "a"], remedy="r", place=("a", "b"))
    if isinstance(error, InvalidInstance):
        error.stop = 7
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is cls
    assert vars(again) == vars(error)
    assert str(again) == str(error)


@pytest.mark.parametrize(
    "value",
    [None, "x", 3, 10**5000, float("nan"), float("-inf"), np.float64(0.5), np.int64(2), object(),
     Path("a"), {"a": [1] * 100}, (1, 2), [[[[[1]]]]]],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_plain_form_is_json(value):
    """Whatever was given, the plain form can be sent as JSON and the error pickled."""
    error = InvalidSetting(field="f", value=value, remedy="r")
    record = json.loads(json.dumps(error.to_dict(), allow_nan=False))
    assert record["code"] == "invalid_setting"
    assert record["message"] == str(pickle.loads(pickle.dumps(error)))
    assert (record["field"], record["remedy"], record["place"]) == ("f", "r", [])


def test_values_of_numpy_are_shown_as_numbers():
    """Neither the class nor a useless decimal point."""
    assert str(InvalidSetting(field="f", value=np.float64(62), remedy="r")) == "f is 62; r"
    assert str(InvalidSetting(field="f", value=(1, 2.5), remedy="r")) == "f is [1, 2.5]; r"


@pytest.mark.parametrize("length", [10, 10_000])
def test_sentences_are_short_and_harmless(length):
    """Control characters reach no terminal, and nothing of the input makes a message long."""
    evil = "\x1b[31m\r\n\u202e\ud800" * length
    error = InvalidFile(
        f"{evil} is {{value}}", value=evil, field=evil, remedy=evil, place=(evil, "line 3")
    )
    sentence = str(error)
    assert sentence.isprintable()
    sentence.encode()
    assert len(sentence) < 5000
    assert len(str(InvalidFile("x" * length, value="x" * length, remedy="y" * length))) < 1000


def test_located_keeps_the_fields():
    """A reader that adds the file loses nothing."""
    with pytest.raises(InvalidInstance) as caught, located(Path("a.json")):
        raise InvalidInstance(field="demand", value=-1, remedy="r", stop=4)
    error = caught.value
    assert (error.place, error.field, error.value, error.stop) == (("a.json",), "demand", -1, 4)
    assert str(error) == "a.json: demand is -1; r"
    assert error.to_dict()["stop"] == 4


def _made_errors():
    """Yield file, line, text and keywords of every call in the package that makes an error."""
    names = {cls.__name__ for cls in CLASSES}
    root = Path(errors.__file__).parent
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in names:
                continue
            text = "".join(
                part.value
                for argument in node.args[:1]
                for part in ast.walk(argument)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            )
            keywords = {keyword.arg for keyword in node.keywords}
            yield path.relative_to(root).as_posix(), node.lineno, text, keywords


def test_every_error_has_its_fields():
    """Remedies are fields, not part of the text; so is what is wrong."""
    made = list(_made_errors())
    assert len(made) > 250
    bare = [f"{path}:{line}" for path, line, _, keywords in made if "remedy" not in keywords]
    assert bare == []
    mixed = [f"{path}:{line}" for path, line, text, _ in made if "; " in text]
    assert mixed == []
    # Readers of files add the place themselves (`located`).
    unnamed = [
        f"{path}:{line}"
        for path, line, _, keywords in made
        if not path.startswith("problem/") and not keywords & {"field", "value", "place"}
    ]
    assert unnamed == []

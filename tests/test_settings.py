"""Settings are checked by one function, and every settings dataclass uses it."""

import dataclasses
import importlib
import inspect
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import pytest

from fripn.errors import InvalidSetting
from fripn.settings import (
    Count,
    NonNegative,
    Positive,
    PositiveCount,
    Range,
    Seed,
    Share,
    Size,
    Threads,
    check_fields,
    check_names,
    checked,
    require,
)


@dataclass(frozen=True, slots=True)
class Example:
    """Every form a field can have."""

    rate: Share = 0.5
    steps: PositiveCount | None = None
    order: Literal["random", "sorted"] = "random"
    sizes: tuple[Size, ...] = (1,)
    ends: tuple[float, float] = (0.0, 1.0)
    is_on: bool = True
    name: str = ""
    other: Range | str | None = None

    def __post_init__(self):
        """Check."""
        check_fields(self)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rate": 1.5}, "rate is 1.5; give a number from 0 to 1"),
        ({"rate": -0.0001}, "rate is -0.0001; give a number from 0 to 1"),
        ({"rate": "0.5"}, "rate is '0.5'; give a number from 0 to 1"),
        ({"rate": True}, "rate is True; give a number from 0 to 1"),
        ({"rate": None}, "rate is None; give a number from 0 to 1"),
        ({"rate": float("nan")}, "rate is nan; give a finite number from 0 to 1"),
        ({"rate": 10**400}, "rate is an integer of over 30 digits; give a number from 0 to 1"),
        ({"steps": 0}, "steps is 0; give an integer, 1 or more"),
        ({"steps": 1.0}, "steps is 1; give an integer, 1 or more"),
        ({"steps": True}, "steps is True; give an integer, 1 or more"),
        ({"steps": 2**63}, f"steps is {2**63}; give an integer from 1 to {2**63 - 1}"),
        ({"order": "up"}, "order is 'up'; choose one of random, sorted"),
        ({"order": ["random"]}, "order is ['random']; choose one of random, sorted"),
        ({"sizes": 3}, "sizes is 3; give a list"),
        ({"sizes": (3, 0)}, "sizes is [3, 0]; give an integer, 1 or more, in each place"),
        ({"ends": (1.0,)}, "ends is [1.0]; give 2 values"),
        ({"is_on": 1}, "is_on is 1; give true or false"),
        ({"name": 5}, "name is 5; give a string"),
    ],
)
def test_a_wrong_field_is_named_with_its_value(values, message):
    """Field, value, remedy: one form for all settings."""
    with pytest.raises(InvalidSetting) as caught:
        Example(**values)
    assert str(caught.value) == message
    ((field, _),) = values.items()
    assert caught.value.field == field


def test_values_are_kept_in_the_stated_type():
    """Numpy's numbers become Python's, integers floats where floats are meant, lists tuples."""
    made = Example(np.float32(0.25), np.int64(3), sizes=[1, np.int32(2)], ends=[0, 1])
    assert made == Example(0.25, 3, "random", (1, 2), (0.0, 1.0))
    assert [type(value) for value in (made.rate, made.steps, made.ends[0])] == [float, int, float]
    assert Example(other="left as it is").other == "left as it is"


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Range(), ""),
        (Range(least=2), ", 2 or more"),
        (Range(most=9), " up to 9"),
        (Range(least=0, most=1), " from 0 to 1"),
        (Range(least=0, below=1), " from 0 to below 1"),
        (Range(above=0), " above 0"),
        (Range(above=0, below=1), " from above 0 to below 1"),
    ],
)
def test_ranges_say_what_they_allow(limits, words):
    """The words belong behind "a number"."""
    assert limits.words(None) == words


@pytest.mark.parametrize(
    ("annotation", "right", "wrong"),
    [
        (Share, [0, 1, 0.5], [-1e-9, 1.000001]),
        (Positive, [1e-300, 5], [0, -1]),
        (NonNegative, [0, 1e300], [-1e-300]),
        (Count, [0, 2**63 - 1], [-1, 2**63]),
        (Seed, [0], [-1, 1.5]),
        (Threads, [1, 1024], [0, 1025]),
        (Annotated[float, Range(above=0, below=1)], [0.5], [0, 1]),
    ],
)
def test_ends_of_the_ranges(annotation, right, wrong):
    """The ends belong to a range or not, as it says."""
    for value in right:
        assert checked("x", value, annotation) == value
    for value in wrong:
        with pytest.raises(InvalidSetting, match=r"^x is "):
            checked("x", value, annotation)


def test_conditions_and_names():
    """What concerns several fields, and names that are not there."""
    require(True, "a", 1, "r")
    with pytest.raises(InvalidSetting, match=r"^a is 1; r$"):
        require(False, "a", 1, "r")
    with pytest.raises(InvalidSetting, match=r"^the run has no setting 'rat'; did you mean 'rate'"):
        check_names({"rat": 1}, Example, "the run")


MODULES = ["search.hgs", "hybrid", "policy.decode", "policy.config", "budget", "train.config",
           "train.labelling", "baselines.alns", "baselines.genetic", "baselines.tabu",
           "baselines.sweep", "baselines.milp.method", "baselines.milp.model",
           "baselines.peers.pyvrp", "baselines.peers.ortools", "problem.generate"]  # fmt: skip

#: Dataclasses of these modules that are not settings.
NOT_SETTINGS = {"SparseRows", "Model"}


def _settings_classes():
    for name in MODULES:
        module = importlib.import_module(f"fripn.{name}")
        for cls in vars(module).values():
            if (
                inspect.isclass(cls)
                and dataclasses.is_dataclass(cls)
                and cls.__module__ == module.__name__
                and cls.__name__ not in NOT_SETTINGS
                and not cls.__name__.startswith("_")
            ):
                yield cls


@pytest.mark.parametrize("cls", list(_settings_classes()), ids=lambda cls: cls.__name__)
def test_every_number_of_every_settings_class_is_checked(cls):
    """A field that holds a number refuses what is not a number, whatever its name."""
    numbers = [
        field.name
        for field in dataclasses.fields(cls)
        if isinstance(field.default, (int, float, tuple))
    ]
    required = {
        field.name: (1, 2)
        for field in dataclasses.fields(cls)
        if field.default is field.default_factory is dataclasses.MISSING
    }
    for name in [*numbers, *required]:
        with pytest.raises(InvalidSetting, match=rf"^{name} is <obj"):
            cls(**{**required, name: object()})

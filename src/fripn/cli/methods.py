"""From the flags of the command line to methods with their settings.

Every setting of a method can be written behind its name (``-m policy:samples=100``). To offer one
as a flag too, add an option to `fripn.cli.options` that is None when not given, and a field of the
method's name for it to `MethodOptions`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from fripn.cli.options import (
    AugmentOption,
    DecodeOption,
    DecodingOption,
    ModelOption,
    SamplesOption,
    SolverOption,
    SplitOption,
    StartPlanOption,
    TemperatureOption,
    WeightsOption,
)
from fripn.errors import InvalidSetting
from fripn.method_names import build_method, setting_names
from fripn.run import Method
from fripn.settings import checked
from fripn.solve import DEFAULT_METHOD, method_class, split_method

#: Settings of a method by field; None for what was not given.
Settings = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class MethodOptions:
    """Settings of methods that have flags of their own."""

    decode: DecodeOption = None
    samples: SamplesOption = None
    augment: AugmentOption = None
    split: SplitOption = None
    temperature: TemperatureOption = None
    decoding: DecodingOption = None
    weights: WeightsOption = None
    solver: SolverOption = None
    model: ModelOption = None
    start_plan: StartPlanOption = None

    def settings(self) -> Settings:
        """Return the settings by field; ``decoding`` is for `make_method` to replace."""
        return asdict(self)


def proving_method(name: str | None) -> str:
    """Return the method that --prove stands for.

    Raises
    ------
    InvalidSetting
        When another one is named.
    """
    if name not in (None, "exact"):
        raise InvalidSetting(
            f"--prove needs method 'exact', not {name!r}",
            field="--method",
            value=name,
            remedy="leave one out",
        )
    return "exact"


def make_method(name: str | None, settings: Settings) -> Method:
    """Return a method with the settings that were named on the command line.

    Parameters
    ----------
    name
        As for `fripn.solve.get_method`; None for the default.
    settings
        By field of the method; None for what was not given.

    Raises
    ------
    InvalidSetting
        When there is no such method, it has no such setting, or settings contradict each other.
    """
    name, own = split_method(DEFAULT_METHOD if name is None else name)
    build = method_class(name)
    known = _fields_of(name)
    given = _given(settings)
    for field in given:
        if field not in known:
            raise InvalidSetting(
                f"{_flag(field)} is not an option of method {name!r}",
                field=_flag(field),
                value=given[field],
                remedy="leave it out",
            )
    _refuse_both(name, own, given)
    method: Method = build_method(name, build, {**own, **_given(with_decoding(settings, own))})
    return method


def make_methods(names: Sequence[str], settings: Settings) -> dict[str, Method]:
    """Return several methods, each with those of the settings that it has.

    Parameters
    ----------
    names
        As for `fripn.solve.get_method`.
    settings
        By field; None for what was not given.

    Returns
    -------
    dict
        By name, which includes the flags of its settings: ``milp --model paper``.

    Raises
    ------
    InvalidSetting
        When there is no such method, or none of them has a setting that was given.
    """
    given = _given(settings)
    named = [(name, split_method(name)) for name in names]
    known = {name: _fields_of(bare) for name, (bare, _) in named}
    for field in given:
        if not any(field in fields for fields in known.values()):
            raise InvalidSetting(
                f"{_flag(field)} is not an option of {', '.join(names)}",
                field=_flag(field),
                value=settings[field],
                remedy="leave it out",
            )
    methods: dict[str, Method] = {}
    for name, (bare, own) in named:
        mine = {field: value for field, value in settings.items() if field in known[name]}
        built = make_method(name, mine)
        meant = {**own, **_given(with_decoding(mine, own))}
        flags = [_flag_with_value(field, value) for field, value in meant.items()]
        methods[" ".join([bare, *flags])] = built
    return methods


def _refuse_both(name: str, own: Settings, given: Settings) -> None:
    """Refuse a setting that is written behind the method's name and given as a flag too."""
    for field in own:
        if field in given:
            raise InvalidSetting(
                f"{_flag(field)} is given, and {field} behind {name!r} too",
                field=_flag(field),
                value=given[field],
                remedy="leave one out",
            )


def with_decoding(settings: Settings, own: Settings) -> Settings:
    """Return the settings with those that ``--decoding`` stands for in its place.

    ``paper`` is the paper's decoding: temperature 1, no split, all actions and, where neither
    greedy decoding nor a number is named, 1,000 samples. Whether types may take turns is a setting
    of the weights.

    Parameters
    ----------
    settings
        By field; None for what was not given.
    own
        Those behind the method's name.

    Raises
    ------
    InvalidSetting
        When there is no such decoding, or a setting contradicts it.
    """
    rest = {field: value for field, value in settings.items() if field != "decoding"}
    decoding = settings.get("decoding")
    if decoding is None:
        return rest
    checked("--decoding", decoding, Literal["paper"])
    paper = getattr(method_class("policy"), str(decoding))()
    for field in ("temperature", "split", "top_k"):
        wanted: object = getattr(paper, field)
        for found, flag in ((rest.get(field), _flag_with_value), (own.get(field), _own_setting)):
            if found not in (None, wanted):
                raise InvalidSetting(
                    f"{flag(field, found)} contradicts --decoding paper, which means "
                    f"{flag(field, wanted)}",
                    field=_flag(field),
                    value=found,
                    remedy="leave one out",
                )
        if field not in own and field != "top_k":  # all actions are the default
            rest[field] = wanted
    is_greedy = "greedy" in (rest.get("decode"), own.get("decode"))
    if not is_greedy and rest.get("samples") is None and "samples" not in own:
        rest["samples"] = paper.samples
    return rest


def _given(settings: Settings) -> dict[str, object]:
    return {field: value for field, value in settings.items() if value is not None}


def _flag(field: str) -> str:
    return "--" + field.replace("_", "-")


def _fields_of(name: str) -> frozenset[str]:
    """Return the settings that a method takes from flags."""
    known = frozenset(setting_names(method_class(name)))
    return known | {"decoding"} if name == "policy" else known


def _own_setting(field: str, value: object) -> str:
    """Return a setting as it is written behind a method's name."""
    return f"{field}={str(value).lower() if isinstance(value, bool) else _short(value)}"


def _flag_with_value(field: str, value: object) -> str:
    if isinstance(value, bool):
        return _flag(field) if value else f"--no-{_flag(field)[2:]}"
    return f"{_flag(field)} {_short(value)}"


def _short(value: object) -> str:
    """Return a value as text that no other value has."""
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return value.as_posix() if isinstance(value, Path) else str(value)

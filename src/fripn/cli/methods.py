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
        """Return the settings by field of a method, with those that ``--decoding`` stands for.

        Raises
        ------
        InvalidSetting
            When there is no such decoding, or a setting contradicts it.
        """
        given = asdict(self)
        return with_decoding(given, given.pop("decoding"))


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
        When there is no such method, or it has no such setting.
    """
    name, own = split_method(DEFAULT_METHOD if name is None else name)
    build = method_class(name)
    given = _given(settings)
    known = setting_names(build)
    for field in given:
        if field not in known:
            raise InvalidSetting(
                f"{_flag(field)} is not an option of method {name!r}",
                field=_flag(field),
                value=given[field],
                remedy="leave it out",
            )
    _refuse_both(name, own, given)
    method: Method = build_method(name, build, {**own, **given})
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
    known = {name: setting_names(method_class(bare)) for name, (bare, _) in named}
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
        mine = {field: value for field, value in given.items() if field in known[name]}
        _refuse_both(bare, own, mine)
        flags = [_flag_with_value(field, value) for field, value in {**own, **mine}.items()]
        methods[" ".join([bare, *flags])] = make_method(name, mine)
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


def with_decoding(settings: Settings, decoding: str | None) -> Settings:
    """Return the settings with those that ``--decoding`` stands for.

    ``paper`` is the paper's decoding: temperature 1, no split and, where neither greedy decoding
    nor a number is named, 1,000 samples. Whether types may take turns is a setting of the weights.

    Raises
    ------
    InvalidSetting
        When there is no such decoding, or a setting contradicts it.
    """
    if decoding is None:
        return settings
    checked("--decoding", decoding, Literal["paper"])
    paper = getattr(method_class("policy"), decoding)()
    meant: dict[str, object] = {"temperature": paper.temperature, "split": paper.split}
    for field, value in meant.items():
        if settings.get(field) not in (None, value):
            raise InvalidSetting(
                f"{_flag_with_value(field, settings[field])} contradicts --decoding paper, which "
                f"means {_flag_with_value(field, value)}",
                field=_flag(field),
                value=settings[field],
                remedy="leave one out",
            )
    if settings.get("samples") is None and settings.get("decode") != "greedy":
        meant["samples"] = paper.samples
    return {**settings, **meant}


def _given(settings: Settings) -> dict[str, object]:
    return {field: value for field, value in settings.items() if value is not None}


def _flag(field: str) -> str:
    return "--" + field.replace("_", "-")


def _flag_with_value(field: str, value: object) -> str:
    if isinstance(value, bool):
        return _flag(field) if value else f"--no-{_flag(field)[2:]}"
    if isinstance(value, float):
        return f"{_flag(field)} {value:g}"
    return f"{_flag(field)} {value.as_posix() if isinstance(value, Path) else value}"

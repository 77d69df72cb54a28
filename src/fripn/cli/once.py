"""Commands that refuse an option given twice where only one of its values would count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup

from fripn.errors import InvalidSetting


class Command(TyperCommand):
    """A command whose options have one value each, unless they add up."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of the call as typer does; refuse options that are given twice."""
        _check_once(self.make_parser(ctx).parse_args(args=list(args))[2])
        return super().parse_args(ctx, args)


class Group(TyperGroup):
    """A group of commands whose own options have one value each, unless they add up."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of the call as typer does; refuse options that are given twice."""
        _check_once(self.make_parser(ctx).parse_args(args=list(args))[2])
        return super().parse_args(ctx, args)


def _check_once(given: Sequence[Any]) -> None:
    """Raise for the first option with one value that is given more than once.

    Parameters
    ----------
    given
        Arguments and options in the order of the call, as often as they occur in it.
    """
    for one in given:
        if one.param_type_name != "option" or one.multiple or one.is_flag:
            continue
        if (times := given.count(one)) > 1:
            raise InvalidSetting(
                f"{one.opts[0]} is given {'twice' if times == 2 else f'{times} times'}, and only "
                "one value can count",
                field=one.opts[0],
                remedy="give it once",
            )


def check_keys(flag: str, keys: Iterable[str]) -> None:
    """Raise for a key that two entries of an option set, such as two ``--set steps=…``."""
    known: set[str] = set()
    for key in keys:
        if key in known:
            raise InvalidSetting(
                f"{flag} sets {{value}} twice, and only one value can count",
                field=flag,
                value=key,
                remedy="set it once",
            )
        known.add(key)

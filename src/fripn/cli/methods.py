"""From the flags of the command line to a method with its settings.

A method with settings of its own is a dataclass. To offer one of its fields as a flag, add an
option to `fripn.cli.solve.solve` that is None when not given, and put it into the settings there
under the name of the field.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from fripn.errors import InvalidSetting
from fripn.run import Method
from fripn.solve import DEFAULT_METHOD, method_class


def make_method(name: str | None, settings: Mapping[str, object]) -> Method:
    """Return a method with the settings that were named on the command line.

    Parameters
    ----------
    name
        A name from `METHODS`; None for the default.
    settings
        By field of the method; None for what was not given.

    Raises
    ------
    InvalidSetting
        When there is no such method, or it has no such setting.
    """
    name = DEFAULT_METHOD if name is None else name
    build = method_class(name)
    given = {field: value for field, value in settings.items() if value is not None}
    known = _fields(build)
    for field in given:
        if field not in known:
            flag = "--" + field.replace("_", "-")
            raise InvalidSetting(f"{flag} is not an option of method {name!r}; leave it out")
    return build(**given)


def _fields(build: object) -> set[str]:
    if not dataclasses.is_dataclass(build):
        return set()
    return {field.name for field in dataclasses.fields(build) if field.init}

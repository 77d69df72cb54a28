"""Groups of options: a dataclass stands for them in the signature of a command.

A command that takes a parameter of such a dataclass has one option per field, in the place of the
parameter::

    @dataclass(frozen=True, slots=True)
    class Example:
        seed: SeedOption = 0

    @with_groups
    def command(*, example: Example) -> None: ...
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter
from typing import Any, TypeVar, get_type_hints

T = TypeVar("T")


def with_groups(command: Callable[..., T]) -> Callable[..., T]:
    """Return a command whose parameters of dataclasses are options of their own, as typer reads it.

    Fields are annotated as parameters of commands are, and have defaults.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters = inspect.signature(command).parameters.values()
    groups = {one.name: hints[one.name] for one in parameters if is_dataclass(hints[one.name])}

    def expanded() -> Iterator[Parameter]:
        for one in parameters:
            if one.name not in groups:
                yield one.replace(annotation=hints[one.name])
                continue
            types = get_type_hints(groups[one.name], include_extras=True)
            for field in fields(groups[one.name]):
                yield Parameter(
                    field.name,
                    Parameter.KEYWORD_ONLY,
                    default=field.default,
                    annotation=types[field.name],
                )

    @wraps(command)
    def run(**values: Any) -> T:
        made = {
            name: group(**{field.name: values.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        return command(**values, **made)

    described = list(expanded())
    # What typer looks at; without the original, whose signature it would look at instead.
    vars(run).pop("__wrapped__")
    vars(run)["__signature__"] = inspect.Signature(described)
    run.__annotations__ = {one.name: one.annotation for one in described}
    return run

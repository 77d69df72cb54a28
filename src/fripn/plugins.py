"""Code of others: methods and readers, named by their import path or by an entry point.

A package offers a method or a reader in its ``pyproject.toml``::

    [project.entry-points."fripn.methods"]
    random-tours = "my_package.methods:RandomTours"

    [project.entry-points."fripn.readers"]
    orders = "my_package.formats:read_orders"

A method is then known by its name, a reader by the ending of its files, here ``.orders``. Without
a package, ``my_module:RandomTours`` names the same thing.
"""

from __future__ import annotations

import importlib
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from fripn.errors import InvalidSetting

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

METHODS_GROUP = "fripn.methods"
READERS_GROUP = "fripn.readers"

#: An import path: a module, a colon, and a name in it.
_IMPORT_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def is_import_path(text: str) -> bool:
    """Whether the text has the form ``module:attribute``."""
    return _IMPORT_PATH.fullmatch(text) is not None


@cache
def entry_points(group: str) -> dict[str, EntryPoint]:
    """Return what installed packages offer in a group, by name."""
    # Looking through all installed packages takes a while: on first use only.
    from importlib.metadata import entry_points as installed

    return {entry.name: entry for entry in installed(group=group)}


def load_entry_point(group: str, name: str) -> Any:
    """Import what an installed package offers under a name.

    Raises
    ------
    InvalidSetting
        When it cannot be imported.
    """
    return load_import_path(entry_points(group)[name].value, place=f"entry point {name}")


def load_import_path(text: str, *, place: str = "") -> Any:
    """Import the attribute of a module.

    Parameters
    ----------
    text
        Such as ``my_module:RandomTours``.
    place
        What names it, for messages.

    Raises
    ------
    InvalidSetting
        When the module cannot be imported, or has no such attribute.
    """
    module_name, _, attribute = text.replace(" ", "").partition(":")
    where = (place,) if place else ()
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as error:  # whatever the code of others raises while it is imported
        is_missing = isinstance(error, ModuleNotFoundError) and _is_within(module_name, error.name)
        raise InvalidSetting(
            f"there is no module {module_name!r}"
            if is_missing
            else f"the module {module_name!r} cannot be imported ({type(error).__name__}: {error})",
            field="module",
            value=module_name,
            remedy="check the name, or install its package" if is_missing else "correct it",
            place=where,
        ) from error
    for name in attribute.split("."):
        if not hasattr(found, name):
            raise InvalidSetting(
                f"the module {module_name!r} has no {attribute!r}",
                field="attribute",
                value=attribute,
                remedy="check the name after the colon",
                place=where,
            )
        found = getattr(found, name)
    return found


def _is_within(module: str, missing: str | None) -> bool:
    """Whether the module that was not found is the one named, or a package it lies in."""
    return missing is not None and f"{module}.".startswith(f"{missing}.")

"""What the API reference needs to read our docstrings."""

from __future__ import annotations

import re
from typing import Any

import griffe

#: Several parameters with one description, as in ``seed, threads``.
GROUP = re.compile(r"^(\w+(?:, \w+)+)\n((?:[ \t]+.*\n?|\n(?=[ \t]))+)", re.M)


class Docstrings(griffe.Extension):
    """Reads ``#:`` comments as docstrings of attributes, references and groups of parameters."""

    def on_attribute_instance(self, *, attr: griffe.Attribute, **kwargs: Any) -> None:
        """Make a docstring of the ``#:`` lines above an attribute that has none."""
        if attr.docstring is not None or attr.lineno is None or isinstance(attr.filepath, list):
            return
        lines = attr.lines_collection[attr.filepath]
        last = attr.lineno - 1
        first = last
        while first > 0 and lines[first - 1].lstrip().startswith("#:"):
            first -= 1
        if first < last:
            text = "\n".join(line.lstrip().removeprefix("#:").strip() for line in lines[first:last])
            attr.docstring = griffe.Docstring(
                text, lineno=first + 1, endlineno=last, parent=attr, parser="numpy"
            )

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Make a list of references, and give each parameter of a group its own entry.

        Without that, all parameters of a group would be shown with the type of the first.
        """
        if obj.docstring is not None:
            text = re.sub(r"^\.\. \[\d+\] ", "- ", obj.docstring.value, flags=re.M)
            obj.docstring.value = GROUP.sub(_one_by_one, text)


def _one_by_one(group: re.Match[str]) -> str:
    description = group[2].rstrip("\n")
    entries = "\n".join(f"{name}\n{description}" for name in group[1].split(", "))
    return entries + group[2][len(description) :]

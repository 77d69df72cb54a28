"""Lets the API reference show the ``#:`` comments above constants, which are their docstrings."""

from __future__ import annotations

from typing import Any

import griffe


class AttributeComments(griffe.Extension):
    """Makes a docstring of the ``#:`` lines above an attribute that has none."""

    def on_attribute_instance(self, *, attr: griffe.Attribute, **kwargs: Any) -> None:
        """Look at the lines above the attribute."""
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

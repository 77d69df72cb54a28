"""What the scripts of this folder share: lists as options, and one sentence for what is wrong."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection
from typing import TypeVar

from fripn.errors import FripnError

T = TypeVar("T")


def list_of(
    convert: Callable[[str], T], allowed: Collection[T] | None = None
) -> Callable[[str], list[T]]:
    """Give a reader of values with commas between them, for `type=` of an option."""

    def read(text: str) -> list[T]:
        values = []
        for part in text.split(","):
            try:
                values.append(convert(part.strip()))
            except ValueError:
                raise argparse.ArgumentTypeError(
                    f"{part!r} is not a {convert.__name__}; give them with commas between"
                ) from None
            if allowed is not None and values[-1] not in allowed:
                raise argparse.ArgumentTypeError(
                    f"{part!r} is not one of {', '.join(map(str, allowed))}"
                )
        return values

    return read


def run(main: Callable[[], None]) -> None:
    """Run a script; an error of ours is one sentence and exit code 2, as on the command line."""
    try:
        main()
    except FripnError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt as interrupt:
        print(str(interrupt) or "interrupted; what is done is kept", file=sys.stderr)
        sys.exit(130)

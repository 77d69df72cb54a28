"""What scripts share: options that check their values, and one sentence for what is wrong."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NoReturn, TypeVar

from fripn.errors import FripnError

T = TypeVar("T")

#: What a shell reports of a command that a closed pipe has ended.
CLOSED_PIPE = 141


class ScriptParser(argparse.ArgumentParser):
    """A parser whose help is the script's docstring, and whose errors are one sentence.

    Parameters
    ----------
    text
        The docstring of the script.
    """

    def __init__(self, text: str | None) -> None:
        super().__init__(
            description=text,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Print the sentence alone, without the usage, and exit with code 2."""
        self.exit(2, f"{self.prog}: {message}\n")


def integer(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return a reader of integers within a range, for `type=` of an option."""
    limits = f"{least} or more" if most is None else f"{least} to {most}"

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not an integer; give {limits}") from None
        if value < least or (most is not None and value > most):
            raise argparse.ArgumentTypeError(f"{value} is out of range; give {limits}")
        return value

    return read


def positive(text: str) -> float:
    """Read a finite number above 0, for `type=` of an option."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def one_of(allowed: Collection[str]) -> Callable[[str], str]:
    """Return a reader of words from a list, for the parts of `list_of`."""

    def read(text: str) -> str:
        if text not in allowed:
            raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(allowed)}")
        return text

    return read


def list_of(convert: Callable[[str], T]) -> Callable[[str], list[T]]:
    """Return a reader of values with commas between them, for `type=` of an option."""
    return lambda text: [convert(part.strip()) for part in text.split(",")]


def run(main: Callable[[], int | None]) -> NoReturn:
    """Run a script and exit; an error of ours is one sentence and exit code 2."""
    try:
        code = main()
        sys.stdout.flush()  # a closed pipe is noticed when the buffer is written
        sys.exit(code)
    except BrokenPipeError:
        # The reader has seen enough, as `head` does; the interpreter must not try stdout again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(CLOSED_PIPE)
    except FripnError as error:
        _say(str(error))
        sys.exit(2)
    except KeyboardInterrupt as interrupt:
        _say(str(interrupt) or "interrupted; what is done is kept")
        sys.exit(130)


def _say(sentence: str) -> None:
    print(f"{Path(sys.argv[0]).name}: {sentence}", file=sys.stderr)

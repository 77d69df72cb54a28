"""The program ``fripn``: its commands, and its handling of errors."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup
from typer.main import get_command

from fripn._version import __version__
from fripn.cli import (
    bench,
    bound,
    check,
    convert,
    exit_codes,
    fleet,
    generate,
    improve,
    instances,
    serve,
    solve,
    solve_many,
    train,
    weights,
)
from fripn.cli.own_stdout import reserve_stdout
from fripn.cli.termination import sigterm_as_interrupt
from fripn.errors import FripnError, InvalidInput, InvalidTable
from fripn.problem.io.text import MAX_MEGABYTES_VARIABLE
from fripn.settings import Size, checked

#: Mistakes of tables that are printed, at most.
_MAX_PRINTED = 20

#: Base of what typer raises for a wrong call; its module depends on the version of typer.
_WrongCall: type[Exception] = typer.BadParameter.__mro__[2]


class _FailedOutput(Exception):
    """Carries an error of the operating system past typer, which would exit without a message."""


class _Interrupted(Exception):
    """Carries a Ctrl-C past typer, which would exit without a message."""


class _Commands(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except OSError as error:
            raise _FailedOutput from error
        except KeyboardInterrupt as interrupt:
            raise _Interrupted(*interrupt.args) from None


app = typer.Typer(
    name="fripn",
    cls=_Commands,
    help="Plan which vehicles to hire and which route each drives.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("solve")(solve.solve)
app.command("fleet")(fleet.fleet)
app.command("bound")(bound.bound)
app.command("improve")(improve.improve)
app.command("solve-many")(solve_many.solve_many)
app.command("check")(check.check)
app.command("convert")(convert.convert)
app.command("generate")(generate.generate)
app.command("instances")(instances.instances)
app.command("serve")(serve.serve)
app.add_typer(bench.app, name="bench")
app.add_typer(train.app, name="train")
app.add_typer(weights.app, name="weights")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"fripn {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
    max_size: Annotated[
        int | None,
        typer.Option("--max-size", metavar="MB", help="Read files up to so many MB (default 50)."),
    ] = None,
) -> None:
    """Plan which vehicles to hire and which route each drives."""
    if max_size is not None:
        # In the environment, so that worker processes read what this one reads.
        os.environ[MAX_MEGABYTES_VARIABLE] = str(checked("--max-size", max_size, Size))


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0 done, 1 no plan or a broken one, 2 bad input.

    Parameters
    ----------
    arguments
        The words after ``fripn``; those of the process when None.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A character that the terminal cannot show must not end the program.
            stream.reconfigure(errors="replace")
    if arguments is None:
        reserve_stdout()
    try:
        with sigterm_as_interrupt():
            code = _run(arguments)
        # A full disk or a closed pipe is noticed when the buffer is written.
        sys.stdout.flush()
    except _FailedOutput as failure:
        code = _report_failed_output(failure.__cause__)
    except OSError as error:
        code = _report_failed_output(error)
    sys.exit(code)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = get_command(app).main(
            args=None if arguments is None else list(arguments),
            prog_name="fripn",
            standalone_mode=False,
        )
    except InvalidTable as error:
        return _report_mistakes(error)
    except InvalidInput as error:
        return _report(str(error), exit_codes.BAD_INPUT)
    except FripnError as error:
        return _report(str(error), exit_codes.NO_PLAN)
    except _WrongCall as error:
        return _report_wrong_call(error)
    except (_Interrupted, KeyboardInterrupt, typer.Abort) as interrupt:
        return _report(str(interrupt) or "interrupted", exit_codes.INTERRUPTED)
    except MemoryError:
        return _report(
            "the computer ran out of memory; try a smaller instance", exit_codes.BAD_INPUT
        )
    return code if isinstance(code, int) else exit_codes.DONE


def _report_wrong_call(error: Exception) -> int:
    message = str(error.format_message()) if hasattr(error, "format_message") else str(error)
    context = getattr(error, "ctx", None)
    if not message.strip():  # typer has printed the help, as for `fripn` without a command
        return exit_codes.BAD_INPUT
    command = getattr(context, "command_path", "fripn")
    sentence = message.strip().rstrip(".")
    return _report(f"{sentence}; see {command} --help", exit_codes.BAD_INPUT)


def _report(sentence: str, code: int) -> int:
    print(f"fripn: {sentence}", file=sys.stderr)
    return code


def _report_mistakes(error: InvalidTable) -> int:
    """Print every mistake of the tables on its own line."""
    print(f"fripn: {error.num_mistakes} mistakes in the tables", file=sys.stderr)
    for mistake in error.mistakes[:_MAX_PRINTED]:
        print(f"  {mistake}", file=sys.stderr)
    if (more := error.num_mistakes - _MAX_PRINTED) > 0:
        print(f"  … and {more} more", file=sys.stderr)
    return exit_codes.BAD_INPUT


def _report_failed_output(error: BaseException | None) -> int:
    """Report an error of the operating system; the interpreter must not try stdout again."""
    assert isinstance(error, OSError)
    reason = (error.strerror or str(error)).lower()
    if error.filename is None:
        sentence = f"the output cannot be written: {reason}"
    else:
        sentence = f"{error.filename} cannot be used: {reason}"
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = None
    if isinstance(error, BrokenPipeError):
        # The reader has seen enough, as `head` does: no reason for a message.
        return exit_codes.CLOSED_PIPE
    return _report(sentence, exit_codes.BAD_INPUT)

"""What scripts share: options and how they end."""

from __future__ import annotations

import argparse
import subprocess
import sys

import pytest

from fripn.bench.script import ScriptParser, integer, list_of, one_of, positive, run
from fripn.errors import InvalidFile

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (integer(1), "3", 3),
        (integer(0, 5), "5", 5),
        (positive, "0.5", 0.5),
        (list_of(integer(1)), "20, 50,20", [20, 50, 20]),
        (list_of(one_of(("a", "b c"))), "b c,a", ["b c", "a"]),
    ],
)
def test_values_are_read(read, text, value):
    """Lists keep their order, and values that come twice."""
    assert read(text) == value


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (integer(1), "0", "^0 is out of range; give 1 or more$"),
        (integer(0, 5), "6", "^6 is out of range; give 0 to 5$"),
        (integer(0), "1.5", "^'1.5' is not an integer; give 0 or more$"),
        (positive, "nan", "^'nan' is not a number above 0$"),
        (positive, "inf", "'inf' is not"),
        (positive, "x", "'x' is not"),
        (list_of(integer(1)), "20,", "'' is not an integer"),
        (list_of(one_of(("a", "b"))), "a,c", "'c' is not one of a, b"),
    ],
)
def test_wrong_values_are_refused(read, text, message):
    """The value, what is wrong with it, and the range."""
    with pytest.raises(argparse.ArgumentTypeError, match=message):
        read(text)


def test_a_parser_says_one_sentence(capsys, monkeypatch):
    """No usage in front of it, and no abbreviated options."""
    monkeypatch.setattr("sys.argv", ["runs/some.py", "--siz", "3"])
    parser = ScriptParser("Some script.")
    parser.add_argument("--sizes", type=integer(1))
    with pytest.raises(SystemExit) as ended:
        parser.parse_args()
    assert ended.value.code == 2
    assert capsys.readouterr().err == "some.py: unrecognized arguments: --siz 3\n"


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (InvalidFile("there is no file x"), 2, "some.py: there is no file x\n"),
        (KeyboardInterrupt(), 130, "some.py: interrupted; what is done is kept\n"),
    ],
)
def test_a_script_ends_with_a_sentence(error, code, message, capsys, monkeypatch):
    """Errors of ours and Ctrl-C; others are bugs and keep their traceback."""
    monkeypatch.setattr("sys.argv", ["runs/some.py"])

    def main():
        raise error

    with pytest.raises(SystemExit) as ended:
        run(main)
    assert ended.value.code == code
    assert capsys.readouterr().err == message


@pytest.mark.parametrize(("value", "code"), [(None, None), (1, 1)])
def test_what_main_returns_is_the_exit_code(value, code):
    """None stands for success."""
    with pytest.raises(SystemExit) as ended:
        run(lambda: value)
    assert ended.value.code == code


def test_a_closed_pipe_ends_a_script_silently(tmp_path):
    """As of ``script | head -1``."""
    script = tmp_path / "long.py"
    script.write_text(
        "from fripn.bench.script import run\nrun(lambda: print('line\\n' * 100_000))\n", "utf-8"
    )
    with subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141

"""What is printed on stdout is the program's own, whatever native libraries print."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from plugin_code import OWN_METHOD

NOISY = (
    OWN_METHOD
    + """

class Noisy(InOrder):
    def __call__(self, instance, run):
        import ctypes
        import os

        os.write(1, b"noise at once\\n")
        ctypes.CDLL(None).printf(b"noise at the end\\n")  # in a buffer of its own
        return super().__call__(instance, run)
"""
)


def call(folder, *arguments, **more):
    (folder / "noisy.py").write_text(NOISY, encoding="utf-8")
    command = [sys.executable, "-m", "fripn", "solve", "paper:20:3", "-m", "noisy:Noisy"]
    return subprocess.run(
        [*command, *arguments], cwd=folder, capture_output=True, text=True, check=True, **more
    )


@pytest.mark.skipif(sys.platform == "win32", reason="the C library has another name there")
def test_json_is_one_object_and_nothing_else(tmp_path):
    """HiGHS prints some messages whatever its settings; they go to stderr."""
    done = call(tmp_path, "--json")
    assert json.loads(done.stdout)["method"] == "in order"
    assert done.stdout.count("\n") == 1
    assert done.stderr.count("noise") == 2


@pytest.mark.skipif(sys.platform == "win32", reason="the C library has another name there")
def test_tables_have_no_noise_either(tmp_path):
    """What is printed for people is on stdout as before."""
    done = call(tmp_path)
    assert "noise" not in done.stdout
    assert "method  in order" in done.stdout

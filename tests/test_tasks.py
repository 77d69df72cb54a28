"""The script behind the README's two commands."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.pure


@pytest.fixture
def tasks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tasks", ROOT / "tasks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_old_python_gets_a_sentence(tasks, monkeypatch, capsys):
    """Somebody with Python 3.9 learns what to do."""
    monkeypatch.setattr(tasks.sys, "version_info", (3, 9, 0))
    monkeypatch.setattr(tasks.sys, "argv", ["tasks.py", "demo"])
    assert tasks.main() == 1
    assert "3.11 or newer" in capsys.readouterr().err


def test_missing_compiler_gets_a_sentence(tasks, monkeypatch, capsys):
    """Somebody without a compiler learns what to install."""
    monkeypatch.setattr(tasks.shutil, "which", lambda name: None)
    monkeypatch.setattr(tasks.sys, "argv", ["tasks.py", "check"])
    assert tasks.main() == 1
    assert "no C++ compiler" in capsys.readouterr().err


def test_a_failing_step_fails_the_check(tasks, monkeypatch, capsys):
    """The steps after a failed one still run; the exit code and the table say what failed."""
    ran = []

    def broken(env):
        ran.append("lint")
        raise tasks.Failed("ruff ended with exit code 1")

    def passing(env):
        ran.append("other")
        return "= 3 passed in 0.1s ="

    monkeypatch.setattr(tasks, "lint", broken)
    for name in ("install_dev", "types", "tests", "tests_under_address_sanitizer"):
        monkeypatch.setattr(tasks, name, passing)
    monkeypatch.setattr(tasks.sys, "argv", ["tasks.py", "check", "--no-tsan"])
    assert tasks.main() == 1
    assert ran == ["other", "lint", "other", "other", "other"]
    printed = capsys.readouterr()
    assert "FAIL" in printed.out
    assert "check failed: ruff" in printed.err


def test_check_ends_with_the_summary_of_the_tests(tasks, monkeypatch, capsys):
    """The last line lets CI count the tests."""
    for name in ("install_dev", "lint", "types", "tests_under_address_sanitizer"):
        monkeypatch.setattr(tasks, name, lambda env: "")
    monkeypatch.setattr(tasks, "tests", lambda env: "= 3 passed in 0.1s =")
    monkeypatch.setattr(tasks.sys, "argv", ["tasks.py", "check", "--no-tsan"])
    assert tasks.main() == 0
    assert capsys.readouterr().out.strip().endswith("= 3 passed in 0.1s =")


def test_ci_runs_the_check():
    """CI and a developer run the same thing."""
    script = ROOT / ".ci" / "run"
    assert "tasks.py check" in script.read_text(encoding="utf-8")
    assert script.stat().st_mode & 0o100


def test_help_names_both_commands():
    """Both commands are listed."""
    shown = subprocess.run(
        [sys.executable, str(ROOT / "tasks.py"), "--help"], capture_output=True, text=True
    )
    assert shown.returncode == 0
    assert "demo" in shown.stdout
    assert "check" in shown.stdout

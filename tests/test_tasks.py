"""The script behind the README's two commands."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib
import zlib
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
    steps = ("install_dev", "browser", "types", "site", "tests", "tests_under_address_sanitizer")
    for name in steps:
        monkeypatch.setattr(tasks, name, passing)
    monkeypatch.setattr(tasks.sys, "argv", ["tasks.py", "check", "--no-tsan"])
    assert tasks.main() == 1
    assert ran == ["other", "other", "lint", "other", "other", "other", "other"]
    printed = capsys.readouterr()
    assert "FAIL" in printed.out
    assert "check failed: ruff" in printed.err


def test_check_ends_with_the_summary_of_the_tests(tasks, monkeypatch, capsys):
    """The last line lets CI count the tests."""
    steps = ("install_dev", "browser", "lint", "types", "site", "tests_under_address_sanitizer")
    for name in steps:
        monkeypatch.setattr(tasks, name, lambda env: "")
    monkeypatch.setattr(tasks, "tests", lambda env: "= 3 passed in 0.1s =")
    monkeypatch.setattr(tasks.sys, "argv", ["tasks.py", "check", "--no-tsan"])
    assert tasks.main() == 0
    assert capsys.readouterr().out.strip().endswith("= 3 passed in 0.1s =")


class Machine:
    """A computer with some programs, on which apt-get installs or does not."""

    def __init__(self, tasks, monkeypatch, programs, user, installs=True):
        self.programs, self.ran = set(programs), []
        monkeypatch.delenv(tasks.BROWSER_VARIABLE, raising=False)
        monkeypatch.setattr(tasks.shutil, "which", lambda n: n if n in self.programs else None)
        monkeypatch.setattr(tasks.os, "geteuid", lambda: user, raising=False)

        def run(command, **settings):
            self.ran.append(command[:2])
            if installs and command[1] == "install":
                self.programs.add("chromium")
            return subprocess.CompletedProcess(command, 0 if installs else 100)

        monkeypatch.setattr(tasks.subprocess, "run", run)


def test_a_browser_that_is_there_is_used(tasks, monkeypatch):
    """Nothing is installed beside it."""
    machine = Machine(tasks, monkeypatch, ["google-chrome", "apt-get"], user=0)
    assert tasks.browser(None) == "google-chrome"
    assert machine.ran == []


def test_a_browser_is_installed_where_that_is_allowed(tasks, monkeypatch):
    """As root on Debian."""
    machine = Machine(tasks, monkeypatch, ["apt-get"], user=0)
    assert tasks.browser(None) == "installed chromium"
    assert machine.ran == [["apt-get", "update"], ["apt-get", "install"]]


@pytest.mark.parametrize(
    ("programs", "user", "installs"),
    [(["apt-get"], 1000, True), ([], 0, True), (["apt-get"], 0, False)],
)
def test_a_missing_browser_is_named(tasks, monkeypatch, programs, user, installs):
    """Without the right to install, without apt-get, without a network: a sentence, no failure."""
    Machine(tasks, monkeypatch, programs, user, installs)
    assert "tests of the planner's page are skipped" in tasks.browser(None)


def test_ci_runs_the_check():
    """CI and a developer run the same thing."""
    script = ROOT / ".ci" / "run"
    assert "tasks.py check" in script.read_text(encoding="utf-8")
    assert script.stat().st_mode & 0o100


def test_help_names_every_command():
    """All commands are listed."""
    shown = subprocess.run(
        [sys.executable, str(ROOT / "tasks.py"), "--help"], capture_output=True, text=True
    )
    assert shown.returncode == 0
    for command in ("demo", "check", "docs", "wheel"):
        assert command in shown.stdout


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ('<script src="https://cdn.example/x.js"></script>', 1),
        ("<link rel=stylesheet href=//fonts.example/css>", 1),
        ('<link href="https://fonts.example" rel="preconnect">', 1),
        ("<style>@import 'https://fonts.example/a.css'; a{b:url(//x.example/y.png)}</style>", 2),
        ('<img alt="" src="http://x.example/y.png">', 1),
        ('<a href="https://doi.example/10.1">paper</a><script src="assets/x.js"></script>', 0),
        ('<link rel="canonical" href="https://docs.example/"><img src="golden-20.svg">', 0),
    ],
)
def test_assets_from_elsewhere_are_found(tasks, tmp_path, page, found):
    """What a browser would load is found; what a reader may follow is not."""
    (tmp_path / "index.html").write_text(page, encoding="utf-8")
    assert len(tasks.external_assets(tmp_path)) == found


def test_undocumented_names_fail_the_site(tasks, tmp_path, monkeypatch):
    """A public name that the reference leaves out is named in the failure."""
    entries = b"fripn.solve.solve py:function 1 api/index.html# -"
    inventory = b"# a\n# b\n# c\n# d\n" + zlib.compress(entries)
    (tmp_path / "objects.inv").write_bytes(inventory)
    monkeypatch.setattr(tasks, "SITE", tmp_path)
    monkeypatch.setattr(tasks.Environment, "run", lambda *command, **more: None)
    with pytest.raises(tasks.Failed, match=r"not in the API reference .*fripn\.budget\.Budget"):
        tasks.site(tasks.Environment(".venv-none"))


def test_public_names_are_found_where_they_are_defined(tasks):
    """Names that packages hand on are followed to their module."""
    names = tasks.public_names()
    assert {"fripn.problem.evaluate.evaluate", "fripn.render.plan_files.write_plan"} <= names
    assert "fripn.problem.evaluate" not in names
    assert not any(name.startswith("fripn.cli") for name in names)


def test_a_compiler_in_the_proof_fails_it(tasks, monkeypatch):
    """A wheel is proven only where nothing can be compiled."""
    monkeypatch.setattr(tasks.Environment, "ensure", lambda self: None)
    monkeypatch.setattr(tasks.shutil, "rmtree", lambda path, ignore_errors: None)
    monkeypatch.setattr(tasks.shutil, "which", lambda name, path: name == "g++")
    with pytest.raises(tasks.Failed, match=r"g\+\+ is in a fresh environment"):
        tasks.prove(Path("x.whl"))


@pytest.mark.parametrize(("megabytes", "passes"), [(149, True), (150, False)])
def test_a_large_install_fails_the_proof(tasks, monkeypatch, megabytes, passes):
    """The limit of a plain install is kept by the command that builds the wheel."""
    for name in ("ensure", "run"):
        monkeypatch.setattr(tasks.Environment, name, lambda *words, **more: None)
    monkeypatch.setattr(tasks.shutil, "rmtree", lambda path, ignore_errors: None)
    monkeypatch.setattr(tasks.Environment, "size", lambda self: megabytes)
    if passes:
        tasks.prove(Path("x.whl"))
    else:
        with pytest.raises(tasks.Failed, match="it must stay below 150"):
            tasks.prove(Path("x.whl"))


def test_size_counts_what_lies_on_disk(tasks, tmp_path, monkeypatch):
    """As du does, rounded up."""
    monkeypatch.setattr(tasks, "ROOT", tmp_path)
    (tmp_path / "env" / "lib").mkdir(parents=True)
    (tmp_path / "env" / "lib" / "data").write_bytes(bytes(range(256)) * 8192)  # 2 MB
    assert tasks.Environment("env").size() == 3


def test_workflows_run_the_tasks():
    """The workflows call what a developer calls; the release uses the settings of the project."""
    folder = ROOT / ".github" / "workflows"
    assert "tasks.py check" in (folder / "check.yml").read_text(encoding="utf-8")
    assert "tasks.py docs" in (folder / "docs.yml").read_text(encoding="utf-8")
    assert "cibuildwheel" in (folder / "release.yml").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {"linux", "macos", "windows"} <= set(project["tool"]["cibuildwheel"])

"""The documents are correct: commands are documented, examples run, links lead somewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import fripn
from fripn.cli.main import app
from fripn.hybrid import Hybrid
from fripn.search import Hgs

ROOT = Path(__file__).resolve().parent.parent


def commands(group: Any, path: str = "fripn") -> Iterator[tuple[str, Any]]:
    """Return every command with its full name, groups too."""
    yield path, group
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, f"{path} {name}")


ALL = dict(commands(get_command(app)))
GROUPS = {name for name, command in ALL.items() if hasattr(command, "commands")}
BARE = {name for name in GROUPS if not ALL[name].params}


def section(name: str) -> str:
    """Return the text of docs/cli.md below the heading of a command."""
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    heading = rf"^## {re.escape(name)}(?: [-\[A-Z][^\n]*)?$"
    found = re.search(rf"{heading}(.*?)(?=^## |\Z)", text, re.M | re.S)
    assert found, f"docs/cli.md has no section on '{name}'; add one"
    return found[1]


@pytest.mark.parametrize("name", [name for name in ALL if name not in BARE])
def test_every_command_and_option_is_documented(name):
    """An option that is not in docs/cli.md does not exist for users; former names are hidden."""
    text = section(name)
    shown = [one for one in ALL[name].params if not getattr(one, "hidden", False)]
    flags = {flag for parameter in shown for flag in parameter.opts}
    for flag in sorted(flags - {"-h", "--help"}):
        if flag.startswith("-"):
            assert f"`{flag}" in text, f"docs/cli.md does not explain {name} {flag}"


def test_no_documented_option_is_gone():
    """Options named in the tables exist."""
    for name in ALL:
        if name in BARE:
            continue
        known = {"-h", "--help"}
        for parameter in ALL[name].params:
            known |= {*parameter.opts, *parameter.secondary_opts}
        for row in re.findall(r"^\| (`-.*?) \|", section(name), re.M):
            for flag in re.findall(r"`(--?[a-z][a-z-]*)", row):
                assert flag in known, f"docs/cli.md explains {name} {flag}, which is gone"


def default_of(parameter: Any) -> str | None:
    """Return the default as a user would type it; None where the option may be left unset."""
    value = getattr(parameter.default, "value", parameter.default)
    if value is None or value is False:
        return None
    return f"{value:g}" if isinstance(value, float) else str(value)


@pytest.mark.parametrize("name", [name for name in ALL if name not in BARE])
def test_documented_defaults_are_those_of_the_program(name):
    """Every default value is stated, and no other; rows that refer to `solve` have its defaults."""
    rows = re.findall(r"^\| (`-.*?) \| (.*) \|$", section(name), re.M)
    like_solve = {parameter.name: default_of(parameter) for parameter in ALL["fripn solve"].params}
    for parameter in ALL[name].params:
        for flags, meaning in rows:
            if not re.search(rf"`{parameter.opts[0]}(?![a-z-])", flags):
                continue
            stated = re.search(r"\(default `?([^)`]+)`?\)", meaning)
            documented = stated[1] if stated else None
            if meaning == "as for `solve`":
                documented = like_solve[parameter.name]
            assert documented == default_of(parameter), f"{name} {parameter.opts[0]}"


def test_every_shown_command_exists():
    """The shell lines in README and docs call commands that exist."""
    for path in (ROOT / "README.md", ROOT / "docs" / "cli.md"):
        for block in re.findall(r"```sh\n(.*?)```", path.read_text(encoding="utf-8"), re.S):
            for line in block.splitlines():
                words = line.split()
                if words[:1] == ["fripn"]:
                    assert " ".join(words[:2]) in ALL, line
                    if words[2][0].islower() and " ".join(words[:2]) in GROUPS:
                        assert " ".join(words[:3]) in ALL, line


def test_the_readme_example_runs(tmp_path):
    """The first screen of README works as it stands and prints about what it says."""
    readme = (ROOT / "README.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", readme, re.S)
    (printed,) = re.findall(r"```text\ncost ([\d.]+): ", readme)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (cost,) = re.findall(r"\Acost ([\d.]+): ", done.stdout)
    # Two seconds on a busy machine may end at another plan.
    assert float(cost) == pytest.approx(float(printed), rel=0.03)


def test_the_readme_is_short():
    """It invites; what argues and explains is in docs/."""
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 120


@pytest.mark.parametrize(
    "path", [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))], ids=str
)
def test_links_between_documents_lead_somewhere(path):
    """Relative links point at files that exist."""
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_extras_are_installed_from_a_checkout():
    """No page asks a registry for the package, and every extra exists and comes constrained."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    found = set()
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        text = " ".join(path.read_text("utf-8").split())
        assert "pip install 'fripn" not in text, path
        for names, rest in re.findall(r"pip install '\.\[(.*?)\]'(.{19})", text):
            assert rest == " -c constraints.txt", path
            found |= set(names.split(","))
    assert found <= extras.keys()
    assert found >= {"cluster", "plot", "serve", "sheets", "train"}


def test_the_citation_has_this_version():
    """CITATION.cff and the package agree."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {fripn.__version__}\n" in text


def test_the_changelog_begins_with_this_version():
    """The newest entry is about the version of the package, or about what follows it."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.findall(r"^## \[(.*?)\]", text, re.M)[0]
    assert newest in {fripn.__version__, "Unreleased"}


def test_every_experiment_is_in_the_index_and_complete():
    """The log is sorted, newest first, and each entry has question, setup, result and decision."""
    text = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    entries = re.findall(r"^## (\d{4}-\d\d-\d\d: [^\n]*)$(.*?)(?=^## |\Z)", text, re.M | re.S)
    titles = [title for title, _ in entries]
    linked = re.findall(r"^\| \[(.*)\]\(#(.*?)\) \|", text, re.M)
    assert linked == [(title, anchor(title)) for title in titles]
    dates = [title.split(":")[0] for title in titles]
    assert dates == sorted(dates, reverse=True)
    for title, body in entries:
        lines = re.findall(r"^\*\*(\w+)\.\*\*", body, re.M)
        assert lines == ["Question", "Setup", "Commit", "Result", "Decision"], title


def anchor(heading: str) -> str:
    """Return the anchor of a heading, which GitHub and Python-Markdown form alike."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading.lower())).strip("-")


@pytest.mark.parametrize(("name", "settings"), [("hgs_settings", Hgs), ("hybrid_settings", Hybrid)])
def test_tables_of_settings_are_those_of_the_program(name, settings):
    """docs/algorithm.md shows every setting with the default of the dataclass."""
    text = (ROOT / "docs" / "algorithm.md").read_text(encoding="utf-8")
    (shown,) = re.findall(rf"<!-- {name}: begin -->\n(.*?)<!-- {name}: end -->", text, re.S)
    rows = [f"| `{field.name}` | `{field.default}` |\n" for field in fields(settings)]
    table = "| setting | default |\n| --- | --- |\n" + "".join(rows)
    assert shown == table, f"docs/algorithm.md, {name}: the table should be\n{table}"

"""The commands and programs shown in the documents run as they stand."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PLANNER = ROOT / "docs" / "tutorial-planner.md"
TUTORIALS = sorted((ROOT / "docs").glob("tutorial-*.md"))
#: Pages whose programs have tests of their own: of training, test_working_day_page.py, and
#: test_serve_docs.py.
ELSEWHERE = {"serve", "training", "working-day"}
WITH_PROGRAMS = [
    page
    for page in sorted((ROOT / "docs").glob("*.md"))
    if "```python" in page.read_text("utf-8")
    and page not in TUTORIALS
    and page.stem not in ELSEWHERE
]
#: Pages whose commands and programs build on each other.
IN_ORDER = [*TUTORIALS, *sorted((ROOT / "docs" / "howto").glob("*.md"))]


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)


@pytest.fixture
def folder(tmp_path):
    """Return a folder that holds the example files, as a checkout does."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{command}: {done.stderr}"


@pytest.mark.slow
@pytest.mark.parametrize("page", IN_ORDER, ids=lambda page: page.stem)
def test_pages_run_from_top_to_bottom(page, folder):
    """Commands and programs of a page, one after the other in one folder, end well."""
    found = re.findall(r"^```(sh|python)\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    assert found
    program = ["import subprocess, sys"]
    for language, text in found:
        if language == "python":
            program.append(text)
            continue
        for command in text.replace("\\\n", " ").splitlines():
            # The commands are what is tested, not how good the plans are.
            words = shlex.split(re.sub(r"--time-limit \S+", "--time-limit 0.1", command))
            assert words[0] == "fripn"
            program.append(f"subprocess.run([sys.executable, '-m', *{words}], check=True)")
    run([sys.executable, "-W", "error", "-c", "\n".join(program)], folder)


@pytest.mark.parametrize("page", WITH_PROGRAMS, ids=lambda page: page.stem)
def test_programs_run(page, folder):
    """The programs of a page, one after the other in one session, end well."""
    run([sys.executable, "-W", "error", "-c", "\n".join(blocks(page, "python"))], folder)


def test_tables_are_those_of_the_example(folder):
    """What the planner's page shows of the files is what they hold."""
    shown = blocks(PLANNER, "csv")
    files = (("montag-roh.csv", "cp1252"), ("fuhrpark.csv", "cp1252"), ("bakery-plan.csv", "utf-8"))
    for text, (name, encoding) in zip(shown, files, strict=True):
        content = (folder / "examples" / name).read_bytes().decode(encoding)
        assert content.replace("\r\n", "\n").startswith(text)


def test_mistakes_and_warnings_of_the_messy_table(folder):
    """What the planner's page says the program prints is what it prints."""
    mistakes, warning = (text.split() for text in blocks(PLANNER, "text"))  # wrapped there
    command = [sys.executable, "-m", "fripn", "check", "examples/montag-roh.csv"]
    command.append("examples/fuhrpark.csv")

    def stderr():
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=600)
        return done.returncode, done.stderr.decode("utf-8").split()

    assert stderr() == (2, mistakes)
    raw = folder / "examples" / "montag-roh.csv"
    text = raw.read_bytes().decode("cp1252").replace("1.050", "6").replace("n. n.", "51,2971")
    text = text.replace("12,3497;;0341", "12,3497;6,5;0341")
    raw.write_bytes(text.replace("47010;Café am Wald", "47011;Café am Wald").encode("cp1252"))
    code, printed = stderr()
    assert code == 0
    assert " ".join(warning) in " ".join(printed)
    corrected = (folder / "examples" / "montag.csv").read_bytes().decode("cp1252")
    assert raw.read_bytes().decode("cp1252") == corrected.replace(
        "51,3440;12,3895;2;", "12,3895;51,3440;2;"
    )

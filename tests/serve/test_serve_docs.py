"""The examples of docs/serve.md run as they stand."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from served import TOKEN, events_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "serve.md").read_text(encoding="utf-8")


def blocks(language):
    """Return the code of the page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)


@pytest.fixture
def folder(tmp_path):
    """Return a folder with the tables that the examples read, and `fripn` on the path."""
    for name in ("bakery.csv", "bakery-vehicles.csv"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "fripn").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fripn "$@"\n')
    (tools / "fripn").chmod(0o755)
    return tmp_path


def run(command, served, folder):
    """Run a command of the page, and return what it prints."""
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    ended = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "URL": served.url, "TOKEN": TOKEN, "PATH": path},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_curl_examples(served, folder):
    """They leave checked tables, the events of a job and its plan behind."""
    found = blocks("bash")
    assert len(found) == 3
    run(["bash", "-e", "-c", "\n".join(found)], served, folder)
    assert json.loads((folder / "checked.json").read_text())["ok"]
    events = events_of((folder / "events.txt").read_text().splitlines())
    assert events[-1][1] == "end"
    assert json.loads(events[-1][2])["state"] == "finished"
    assert (folder / "plan.xlsx").read_bytes().startswith(b"PK")


def test_python_example(served, folder):
    """It solves, changes the plan and evaluates it."""
    (code,) = blocks("python")
    first, second = run([sys.executable, "-c", code], served, folder).splitlines()
    assert first.startswith("finished ")
    assert float(second.split()[0]) > 0


def test_the_error_example_is_real(client):
    """The service answers exactly so."""
    (shown,) = blocks("json")
    example = client.get("/v1/examples/bakery").json()["instance"]
    answer = client.post("/v1/jobs", json={"instance": example, "seconds": 100000})
    assert answer.json() == json.loads(shown)


def test_every_call_is_listed(client):
    """The table has every address of the description."""
    for path, methods in client.get("/v1/openapi.json").json()["paths"].items():
        written = re.sub(r"\{(job|name)\}", "{id}", path).replace("{form}", "{format}")
        for method in methods:
            if method == "delete":
                assert "`DELETE`" in PAGE
            else:
                assert f"`{method.upper()} {written}`" in PAGE, f"{method} {written}"


def test_examples_of_the_service_are_those_of_the_repository():
    """The bakery is shipped with the package as it stands in examples/."""
    for name in ("bakery.csv", "bakery-vehicles.csv"):
        shipped = ROOT / "src" / "fripn" / "data" / "examples" / name
        assert shipped.read_bytes() == (ROOT / "examples" / name).read_bytes()

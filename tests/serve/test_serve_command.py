"""The command: refusals in one sentence, the address, and what the log holds."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys

import pytest
from served import TOKEN


def refused(*options, **variables):
    """Run a command that must fail, and return its sentence."""
    ended = subprocess.run(
        [sys.executable, "-m", "fripn", "serve", "--no-browser", *map(str, options)],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, **variables},
    )  # fmt: skip
    assert ended.returncode == 2, ended.stderr
    assert ended.stdout == ""
    assert ended.stderr.count("\n") == 1, ended.stderr
    return ended.stderr


def test_a_port_in_use_is_one_sentence(tmp_path):
    """With the port and what to do."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        sentence = refused("--port", port, "--data", tmp_path / "d")
    assert f"port {port}" in sentence
    assert "--port" in sentence


def test_other_computers_need_a_flag_and_a_token(tmp_path):
    """An address that others can reach is refused without both."""
    data = ("--data", tmp_path / "d")
    assert "--allow-remote" in refused("--host", "0.0.0.0", *data)
    sentence = refused("--host", "0.0.0.0", "--allow-remote", *data, FRIPN_SERVE_TOKEN="")
    assert "no token is stated" in sentence
    short = refused("--host", "0.0.0.0", "--allow-remote", *data, FRIPN_SERVE_TOKEN="short")
    assert "16 or more" in short
    assert "'short'" not in short


def test_one_service_per_folder(start):
    """A second one would run the jobs twice."""
    service = start()
    sentence = refused("--port", 0, "--data", service.data)
    assert "another fripn serve uses this folder" in sentence


def test_a_folder_that_cannot_be_used(tmp_path):
    """A file in its place, and jobs of a later release."""
    (tmp_path / "file").write_text("")
    assert "--data" in refused("--port", 0, "--data", tmp_path / "file")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "jobs.sqlite").write_text("this is not a database, whatever its name says")
    assert "cannot be opened" in refused("--port", 0, "--data", tmp_path / "d")


@pytest.mark.parametrize(
    "options",
    [("--port", 70000), ("--parallel", 0), ("--tiles", "javascript:1"), ("--max-request", 0)],
)
def test_bad_settings_are_refused(tmp_path, options):
    """With the option."""
    refused("--data", tmp_path / "d", *options)


def test_without_the_extra_the_remedy_is_named(tmp_path):
    """The command exists, and tells what to install."""
    blocked = tmp_path / "blocked" / "fastapi"
    blocked.mkdir(parents=True)
    (blocked / "__init__.py").write_text("raise ModuleNotFoundError('no', name='fastapi')")
    path = os.pathsep.join([str(blocked.parent), os.environ.get("PYTHONPATH", "")])
    sentence = refused("--data", tmp_path / "d", PYTHONPATH=path)
    assert "pip install 'fripn[serve]'" in sentence


def test_a_token_from_a_file(start, tmp_path):
    """It is not shown by lists of processes."""
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    service = start("--token-file", tmp_path / "token")
    with service.client() as client:
        assert client.get("/v1/info").status_code == 200


def test_the_log_has_a_line_of_json_per_request_and_no_token(start):
    """Neither from the address of the first visit nor from a header."""
    service = start()
    with service.client() as client:
        client.get("/", params={"token": TOKEN})
        client.get("/v1/jobs/0000000000000000")
    service.stop()
    text = (service.data / "serve.log").read_text()
    assert TOKEN not in text
    lines = [json.loads(line) for line in text.splitlines()]
    found = [(one["path"], one["status"]) for one in lines if one["event"] == "request"]
    assert found == [("/", 303), ("/v1/jobs/0000000000000000", 404)]
    assert all({"time", "level"} <= one.keys() for one in lines)


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no such modes there")
def test_stored_jobs_are_private(start):
    """Plans name customers: other users of the computer cannot read them."""
    service = start()
    assert service.data.stat().st_mode & 0o077 == 0
    for path in service.data.iterdir():
        assert path.stat().st_mode & 0o077 == 0, path


def test_answers_are_sent_at_once():
    """Sockets of another protocol number would wait 40 ms for more to send with each answer."""
    from fripn.serve.server import listen

    with listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP

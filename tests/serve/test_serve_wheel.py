"""The page is shipped: a wheel holds all its files, and the service sends each of them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from served import Served

import fripn
from fripn.serve.assets import Assets

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "src" / "fripn" / "serve" / "page"
NAMES = sorted(path.relative_to(PAGE).as_posix() for path in PAGE.rglob("*") if path.is_file())

MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


def check_assets(client):
    """Assert that a service sends every file of the page as it is."""
    for name in NAMES:
        answer = client.get(f"/page/{name}")
        assert answer.status_code == 200, name
        assert answer.headers["content-type"] == MEDIA_TYPES[Path(name).suffix]
        assert answer.content == (PAGE / name).read_bytes(), name


def test_the_installed_package_has_every_file_of_the_page(client):
    """And the service sends it, as what it is."""
    installed = Path(fripn.__file__).parent / "serve" / "page"
    assert (
        sorted(
            path.relative_to(installed).as_posix()
            for path in installed.rglob("*")
            if path.is_file()
        )
        == NAMES
    )
    assert all(Assets().find(name) for name in NAMES)
    check_assets(client)


def test_files_name_only_files_of_the_page():
    """Every script, style and picture that one of them asks for is there."""
    for name in NAMES:
        text = (PAGE / name).read_text(encoding="utf-8")
        for found in re.findall(r'(?:src|href)[=:] ?"/page/([^"]+)"', text):
            assert found in NAMES, f"{name}: {found}"
        for found in re.findall(r'^import .* from "(\.[^"]+)"', text, re.MULTILINE):
            path = (PAGE / name).parent / found
            assert path.resolve().is_relative_to(PAGE), f"{name}: {found}"
            assert path.is_file(), f"{name}: {found}"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """Return a folder with the package as a wheel has it; the core is the one that was built."""
    pytest.importorskip("scikit_build_core", reason="needs scikit-build-core")
    folder = tmp_path_factory.mktemp("wheel")
    build = (
        "import scikit_build_core.build as build, sys;"
        'build.build_wheel(sys.argv[1], {"wheel.cmake": "false", "build-dir": ""})'
    )
    call = [sys.executable, "-c", build, str(folder)]
    ended = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "package")
    from fripn import _core

    shutil.copy(_core.__file__, folder / "package" / "fripn")
    return folder / "package"


def test_a_wheel_holds_the_page(unpacked):
    """Every file, as it is."""
    held = unpacked / "fripn" / "serve" / "page"
    for name in NAMES:
        assert (held / name).read_bytes() == (PAGE / name).read_bytes(), name


def test_a_wheel_serves_the_page(unpacked, tmp_path, monkeypatch):
    """Page, examples and schemas come from the wheel alone."""
    monkeypatch.setenv("PYTHONPATH", str(unpacked))
    monkeypatch.setenv("PYTHONSAFEPATH", "1")  # not the folder that the tests are run in
    call = [sys.executable, "-c", "import fripn; print(fripn.__file__)"]
    found = subprocess.run(call, capture_output=True, text=True, check=True)
    if Path(found.stdout.strip()).parent != unpacked / "fripn":
        pytest.skip("the package is installed for editing, which comes before any other copy")
    service = Served(tmp_path / "data")
    try:
        with service.client() as client:
            check_assets(client)
            examples = client.get("/v1/info").json()["examples"]
            assert len(examples) >= 3
            for one in examples:
                assert client.get(f"/v1/examples/{one['id']}").json()["instance"]
            assert client.get("/v1/schema").json()["instance"]["2"]["title"]
    finally:
        service.stop()

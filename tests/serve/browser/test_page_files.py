"""The files of the page: texts in one place, nothing that the security policy forbids."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.pure

PAGE = Path(__file__).resolve().parents[3] / "src" / "fripn" / "serve" / "page"
SCRIPTS = sorted((PAGE / "js").rglob("*.js"))
CODE = {path: path.read_text(encoding="utf-8") for path in SCRIPTS if path.name != "texts.js"}


def keys() -> list[str]:
    """Return the keys of the texts."""
    source = (PAGE / "js" / "texts.js").read_text(encoding="utf-8")
    return re.findall(r'^  "?([\w-]+)"?: "', source, re.MULTILINE)


def test_every_text_that_is_used_exists_and_the_other_way_round():
    """No key is misspelt, and none is left over."""
    known, source = set(keys()), "\n".join(CODE.values())
    assert len(known) == len(keys())
    used = set(re.findall(r'\bt\("(\w+)"', source))
    assert used <= known
    prefixes = set(re.findall(r"\bt(?:exts)?[(\[]`(\w+_)\$\{", source))
    prefixes |= {"plan_"}
    left = {
        key for key in known if f'"{key}"' not in source and not key.startswith(tuple(prefixes))
    }
    assert left == set()


def test_texts_stand_in_one_file():
    """Scripts show texts of the file only: no sentence is written elsewhere."""
    for path, source in CODE.items():
        code = re.sub(r"//[^\n]*|/\*.*?\*/", "", source, flags=re.DOTALL)
        for string in re.findall(r'"([^"\n]*)"', code):
            assert not re.match(r"[A-Z][a-z]+ [a-z]+ ", string), f"{path.name}: {string}"


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_make_no_markup_from_strings(path):
    """Names in the data can hold anything, so that they must stay text."""
    source = path.read_text(encoding="utf-8")
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert forbidden not in source
    assert not re.search(r"https?://(?!www\.w3\.org)", source)


def test_the_page_has_no_inline_script_or_style():
    """The content security policy forbids both."""
    source = (PAGE / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)", source)
    assert "<style" not in source
    assert not re.search(r"\s(?:style|on\w+)=", source)
    assert not re.search(r"(?:src|href)=\"(?!/page/)", source)

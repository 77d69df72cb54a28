"""Methods and readers of other packages: by import path, and by entry points."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Annotated, Literal

import pytest

import fripn
from fripn import METHODS, plugins
from fripn.errors import InvalidFile, InvalidSetting
from fripn.method_names import parse_settings, split_methods
from fripn.policy import Policy
from fripn.problem.inputs import folder_files, open_instance
from fripn.settings import Range
from fripn.solve import get_method, method_class
from plugin_code import OWN_FORMAT, OWN_METHOD, POINTS


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write a module into the current folder, which is on the path."""
    (tmp_path / "own_code.py").write_text(OWN_METHOD + OWN_FORMAT, encoding="utf-8")
    (tmp_path / "broken_code.py").write_text("import nowhere_to_be_found\n", encoding="utf-8")
    (tmp_path / "day.points").write_text(POINTS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "own_code"
    sys.modules.pop("own_code", None)


@pytest.fixture
def entry_points(module, monkeypatch):
    """Offer the same code as an installed package does."""
    offered = {
        plugins.METHODS_GROUP: {"in-order": "own_code:InOrder"},
        plugins.READERS_GROUP: {"points": "own_code:read"},
    }
    monkeypatch.setattr(
        "importlib.metadata.entry_points",
        lambda group: [EntryPoint(name, path, group) for name, path in offered[group].items()],
    )
    plugins.entry_points.cache_clear()
    yield
    plugins.entry_points.cache_clear()


def test_methods_by_import_path(module):
    """A class, a class with a setting, and an object."""
    plain, turned, ready = (
        fripn.solve("golden-03", name)
        for name in ("own_code:InOrder", "own_code:InOrder:backwards=true", "own_code:ready")
    )
    assert plain.method == "in order"
    assert turned.cost == ready.cost
    assert fripn.evaluate(plain.instance, plain.solution).is_feasible


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nowhere:Method", "there is no module 'nowhere'; check the name, or install its package"),
        ("own_code.part:X", "there is no module 'own_code.part'; check the name, or install its "
         "package"),
        ("broken_code:Method", "the module 'broken_code' cannot be imported (ModuleNotFoundError: "
         "No module named 'nowhere_to_be_found'); correct it"),
        ("own_code:InOrdre", "the module 'own_code' has no 'InOrdre'; check the name after the "
         "colon"),
        ("own_code:nothing", "'own_code:nothing' is not a method: it has no attribute 'name'; see "
         "docs/howto/own-method.md"),
        ("own_code:ready:backwards=no", "'own_code:ready' is an object, which takes no settings; "
         "name its class"),
        ("own_code:Needs", "method 'own_code:Needs' needs the setting 'depth'; write "
         "own_code:Needs:depth=…"),
        ("own_code:InOrder:backward=no", "method 'own_code:InOrder' has no setting 'backward'; did "
         "you mean 'backwards'?"),
        ("policy:greedy", "'greedy' of method 'policy' has no '='; write key=value"),
        ("policy:samples=1,samples=2", "samples of method 'policy' is given twice; leave one out"),
        ("policy:samples=many", "samples is 'many'; give an integer, 1 or more"),
        ("savings:depth=2", "method 'savings' has no setting 'depth'; leave it out"),
        ("hgss", "there is no method 'hgss'; did you mean 'hgs'?"),
    ],
)  # fmt: skip
def test_what_is_not_a_method_is_refused(module, name, sentence):
    """In one sentence, whatever is wrong with the name."""
    with pytest.raises(InvalidSetting) as refusal:
        get_method(name)
    assert str(refusal.value) == sentence


def test_settings_behind_the_name():
    """They reach the fields in the fields' types."""
    policy = get_method("policy:decode=sampling,samples=100,augment=no,temperature=0.5")
    assert policy == Policy("sampling", 100, augment=False, temperature=0.5)
    assert get_method("policy:samples=none") == Policy()
    assert get_method("milp:start-plan=off").start_plan is False


def test_settings_take_the_types_of_the_fields():
    """Of every type that a method's settings have; without one, the most likely."""

    @dataclass
    class Settings:
        path: Path | None = None
        text: str = ""
        either: str | Path = ""
        share: Annotated[float, Range(least=0)] = 0.5
        count: int | None = None
        word: Literal["a", "b"] = "a"

    given = "path=C:/x,text=7,either=y,share=1,count=3,word=b"
    found = parse_settings("m", Settings, given)
    assert found == {
        "path": Path("C:/x"), "text": "7", "either": "y", "share": 1.0, "count": 3, "word": "b"
    }  # fmt: skip
    assert isinstance(found["share"], float)

    def untyped(*, a=0, b=0, c=0, d=0):
        return a, b, c, d

    assert parse_settings("m", untyped, "a=1,b=1.5,c=yes,d=text") == {
        "a": 1, "b": 1.5, "c": True, "d": "text"
    }  # fmt: skip


def test_lists_of_methods():
    """A comma ends a method, unless a further setting follows."""
    listed = "policy:decode=greedy,samples=1, hgs,,mine:M:a=1,b=x:y=2,hgs"
    assert split_methods(listed) == [
        "policy:decode=greedy,samples=1", "hgs", "mine:M:a=1,b=x:y=2"
    ]  # fmt: skip
    assert split_methods(" , ") == []


def test_methods_of_installed_packages(entry_points):
    """They are known by their names, with settings, and are named where one is unknown."""
    assert get_method("in-order:backwards=yes").backwards is True
    assert fripn.solve("golden-03", "in-order").method == "in order"
    with pytest.raises(InvalidSetting, match="did you mean 'in-order'"):
        get_method("in-ordr")
    with pytest.raises(InvalidSetting, match="vroom, in-order, or name your own as module:attr"):
        get_method("zzz")


def test_a_method_of_ours_comes_first(entry_points, monkeypatch):
    """A package cannot replace one."""
    monkeypatch.setitem(plugins.entry_points(plugins.METHODS_GROUP), "hgs", None)
    assert method_class("hgs").__module__ == METHODS["hgs"].module


def test_readers_by_import_path(module):
    """The function gets the path; errors of it are one sentence with the file."""
    instance = open_instance("own_code:read@day.points")
    assert (instance.name, instance.num_customers) == ("day", 3)
    Path("bad.points").write_text("a b c\n", encoding="utf-8")
    with pytest.raises(InvalidFile) as refusal:
        open_instance("own_code:read@bad.points")
    assert str(refusal.value) == (
        "bad.points: own_code:read cannot read it (ValueError: could not convert string to float: "
        "'a'); correct the file, or the reader"
    )
    with pytest.raises(InvalidFile, match="returned 'int' instead of an Instance"):
        open_instance("own_code:number@day.points")
    with pytest.raises(InvalidFile, match=r"there is no file x\.points; check the path"):
        open_instance("own_code:read@x.points")


def test_readers_of_installed_packages(entry_points, tmp_path):
    """The ending chooses the reader, for files and for folders."""
    assert open_instance("day.points").num_customers == 3
    assert fripn.solve("day.points", "savings").cost > 0
    assert folder_files(tmp_path) == [tmp_path / "day.points"]
    with pytest.raises(InvalidFile, match=r"there is no file other\.points"):
        open_instance("other.points")

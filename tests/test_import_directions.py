"""Imports point downward only; the table is the one of the style guide."""

import ast
from pathlib import Path

import pytest

import fripn

ROOT = Path(fripn.__file__).parent

_PROBLEM = {"errors", "problem"}
_BASE = _PROBLEM | {"result", "budget", "source", "run"}
_METHOD = _BASE | {"incumbent", "_core"}
_TOOLS = {"jsonl", "workers", "_version"}
_TOP = _BASE | _TOOLS | {"solve", "fleet", "many", "report"}

#: Part -> the parts of the package it may import, itself included.
ALLOWED = {
    "errors": set(),
    "problem": _PROBLEM,
    "source": _PROBLEM | {"source"},
    "jsonl": {"errors"},
    "workers": {"errors"},
    "budget": _BASE,
    "result": _BASE,
    "run": _BASE | {"_core"},
    "search": _BASE | {"search", "_core"},
    "incumbent": _BASE,
    "policy": _METHOD | {"policy"},
    "baselines": _METHOD | {"baselines", "search"},  # savings merge routes in the core
    "hybrid": _METHOD | {"hybrid", "policy", "search"},
    "train": _BASE | _TOOLS | {"train", "policy", "search", "_core"},
    "solve": _BASE,  # methods are named in a table there and imported on first use
    "many": _TOP,
    "fleet": _BASE | {"fleet", "solve"},
    "report": _BASE | {"report", "fleet", "solve", "_version"},
    "bench": _TOP | {"bench", "policy"},  # lines name the weights of a run
    "serve": _TOP | {"serve"},
    "cli": _TOP | {"cli", "bench", "serve", "train"},
}

#: Packages that only these parts may import.
ONLY_IN = {
    "torch": {"train"},
    "matplotlib": {"problem", "bench", "train"},
    "pyvrp": {"baselines"},
    "ortools": {"baselines"},
    "highspy": {"baselines"},
    "typer": {"cli"},
}


def _imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            module = node.module.split(".")
            if module == ["fripn"]:
                yield from (["fripn", alias.name] for alias in node.names)
            else:
                yield module


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_downward(path):
    """A module imports only what lies below its part, and heavy packages only where they belong."""
    part = path.relative_to(ROOT).parts[0].removesuffix(".py")
    if part in ("__init__", "_version", "__main__"):
        return
    assert part in ALLOWED, f"say in this table what the new part {part} may import"
    for module in _imports(path):
        if module[0] == "fripn" and len(module) > 1 and module[1] != "__version__":
            assert module[1] in ALLOWED[part], f"{part} must not import fripn.{module[1]}"
        else:
            assert part in ONLY_IN.get(module[0], {part}), f"{part} must not import {module[0]}"

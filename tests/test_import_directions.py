"""Imports point downward only; the table is the one of the style guide."""

import ast
import sys
from pathlib import Path

import pytest

import fripn

ROOT = Path(fripn.__file__).parent

_PROBLEM = {"errors", "messages", "plugins", "problem", "settings"}
_BASE = _PROBLEM | {"result", "budget", "run", "features"}
_METHOD = _BASE | {"incumbent", "core", "_core"}
_TOP = _BASE | {
    "summary",
    "reading",
    "solve",
    "fleet_comparison",
    "executors",
    "batch",
    "render",
    "_version",
}

#: Part -> the parts of the package it may import, itself included.
ALLOWED = {
    "messages": set(),
    "errors": {"messages"},
    "settings": {"errors", "messages"},
    "plugins": {"errors"},
    "method_names": {"errors", "messages"},
    "problem": _PROBLEM,
    "budget": _BASE,
    "result": _BASE | {"render"},  # to draw a plan, on first use
    "summary": _BASE,
    "reading": _PROBLEM,
    "render": _PROBLEM | {"result", "render", "_version"},
    "features": _PROBLEM,
    "run": _BASE | {"_core"},
    "core": _PROBLEM | {"_core"},
    "search": _METHOD | {"search"},
    "incumbent": _BASE,
    "policy": _METHOD | {"policy"},
    "baselines": _METHOD | {"baselines", "search"},  # savings merge routes in the core
    "exact": _METHOD | {"exact", "search"},  # upper bounds come from the engine
    "hybrid": _METHOD | {"hybrid", "policy", "search"},
    "parts": _METHOD | {"executors", "parts", "search"},
    "train": _BASE | {"_version", "executors", "train", "policy", "search", "core", "_core"},
    # methods are named in a table there and imported on first use
    "solve": _METHOD
    | {"baselines", "exact", "hybrid", "method_names", "parts", "policy", "reading", "search"},
    "executors": {"errors", "executors", "settings", "_version"},
    "batch": _BASE | {"batch", "executors", "solve"},
    "fleet_comparison": _BASE | {"executors", "fleet_comparison", "solve"},
    # Lines name the weights of a run; solvers of the MILP are asked for before anything runs.
    "bench": _TOP | {"baselines", "bench", "policy"},
    "serve": _TOP | {"serve"},
    "cli": _TOP | {"cli", "bench", "method_names", "parts", "serve", "train"},
}

#: Packages that only these parts may import.
ONLY_IN = {
    "torch": {"train"},
    "matplotlib": {"render", "train"},
    "fpdf": {"render"},
    "pandas": {"render", "result"},  # in result for its type alone
    "fontTools": {"render"},
    "pyvrp": {"baselines"},
    "ortools": {"baselines"},
    "highspy": {"baselines", "exact"},
    "typer": {"cli"},
    "ray": {"executors"},
    "python_calamine": {"problem"},
    "fastapi": {"serve"},
    "starlette": {"serve"},
    "uvicorn": {"serve"},
}


def _imports(path):
    """Every import of a file, those within functions and for type checking too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in MODULES or node.module == "fripn" else node.module
        elif isinstance(node, ast.Constant) and node.value in MODULES:
            yield node.value  # named in a table and imported on first use


def _module_name(path):
    return ".".join(["fripn", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(
        ".__init__"
    )


FILES = {_module_name(path): path for path in sorted(ROOT.rglob("*.py"))}
MODULES = frozenset(FILES) - {"fripn"}


def _graph():
    """Return which module imports which, with the packages that Python enters on the way.

    The packages a module lies in are left out: they are there before it. So is the top package,
    which collects names from everywhere.
    """
    edges = {}
    for module, path in FILES.items():
        edges[module] = set()
        for name in _imports(path):
            parts = name.split(".")
            entered = {".".join(parts[: size + 1]) for size in range(1, len(parts))}
            edges[module] |= {
                target for target in entered & MODULES if not f"{module}.".startswith(f"{target}.")
            }
    return edges


def _cycle(edges):
    """Return the modules of one cycle, or None."""
    done, trail = set(), []

    def visit(module):
        if module in trail:
            return trail[trail.index(module) :]
        if module in done:
            return None
        trail.append(module)
        for target in sorted(edges[module]):
            if found := visit(target):
                return found
        done.add(trail.pop())
        return None

    return next((found for module in edges if (found := visit(module))), None)


def test_no_import_cycles():
    """No module needs itself, not even by imports inside functions or by name in a table."""
    assert _cycle(_graph()) is None


def test_a_hidden_cycle_is_found():
    """The search for cycles sees one of three modules, and none in a tree."""
    assert _cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == ["a", "b", "c"]
    assert _cycle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) is None
    assert "fripn.hybrid" in _graph()["fripn.solve"]  # a table
    assert "fripn.render.notebook" in _graph()["fripn.result"]  # inside a function


@pytest.mark.parametrize("module", FILES)
def test_imports_point_downward(module):
    """A module imports only what lies below its part, and heavy packages only where they belong."""
    part = module.split(".")[1] if "." in module else ""
    if part in ("", "_version", "__main__"):
        return
    assert part in ALLOWED, f"say in this table what the new part {part} may import"
    for name in _imports(FILES[module]):
        top, *rest = name.split(".")
        if top == "fripn" and rest and rest[0] != "__version__":
            assert rest[0] in ALLOWED[part], f"{module} must not import {name}"
        else:
            assert part in ONLY_IN.get(top, {part}), f"{part} must not import {top}"


def test_problem_needs_numpy_alone():
    """Beside the standard library, and for workbooks the package that reads them."""
    packages = {
        name.split(".")[0]
        for module, path in FILES.items()
        if module.startswith("fripn.problem")
        for name in _imports(path)
    }
    assert packages - sys.stdlib_module_names - {"fripn"} == {"numpy", "python_calamine"}

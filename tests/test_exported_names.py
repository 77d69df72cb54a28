"""The names that users may rely on; a change here is a change of the interface."""

import importlib

import pytest

import fripn

EXPORTED = {
    "fripn": [
        "METHODS",
        "BoundImprovement",
        "Budget",
        "Evaluation",
        "Feature",
        "Improvement",
        "Instance",
        "Method",
        "Progress",
        "Result",
        "Route",
        "Run",
        "Solution",
        "Status",
        "Stop",
        "VehicleType",
        "__version__",
        "evaluate",
        "read",
        "solve",
    ],
    "fripn.render": [
        "PLAN_SUFFIXES",
        "Presentation",
        "draw_routes",
        "draw_timeline",
        "fleet_text",
        "solution_to_geojson",
        "write_plan",
    ],
    "fripn.render.report": ["report_html", "write_report"],
}


@pytest.mark.parametrize("package", EXPORTED)
def test_exported_names_are_pinned(package):
    """Neither a name more nor one less, and each of them is there."""
    module = importlib.import_module(package)
    assert sorted(module.__all__) == sorted(EXPORTED[package])
    for name in module.__all__:
        assert hasattr(module, name)


def test_a_star_import_brings_what_is_exported():
    """Names without an underscore that are not exported are modules."""
    visible = {name for name in vars(fripn) if not name.startswith("_")}
    extra = visible - set(fripn.__all__)
    assert all(type(getattr(fripn, name)).__name__ == "module" for name in extra)

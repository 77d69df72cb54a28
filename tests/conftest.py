"""What holds for all tests, and the fixtures that several folders share."""

import signal
import sys
import types

import pytest
from hypothesis import HealthCheck, settings

# Tests look at behaviour, not at the clock: a busy machine or a sanitizer must not fail them.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# A shell starts background jobs with SIGINT ignored, and Python then leaves it so, for its children
# too. The tests of Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config, items):
    """Leave out tests of many minutes unless they are asked for: ``-m long``."""
    if "long" in config.getoption("markexpr"):
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture
def register(monkeypatch):
    """Register a class as a method for this test: ``register("fake", Fake)``."""
    from fripn.solve import METHODS, MethodInfo

    def add(name: str, method: type) -> None:
        module = types.ModuleType(f"fripn_test_method_{name}")
        module.Method = method  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(METHODS, name, MethodInfo(module.__name__, "Method", "of a test"))

    return add

"""Services that the tests talk to: real processes, on ports of their own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from served import Served


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """Return a service that all tests share; they leave its jobs alone."""
    service = Served(tmp_path_factory.mktemp("serve"))
    yield service
    service.stop()


@pytest.fixture
def client(served):
    """Return a client of the shared service."""
    with served.client() as client:
        yield client


@pytest.fixture
def start(tmp_path):
    """Start services of a test's own: ``start("--queue", 1)``."""
    services = []

    def begin(*options) -> Served:
        service = Served(tmp_path / f"data-{len(services)}", *options)
        services.append(service)
        return service

    yield begin
    for service in services:
        service.stop()

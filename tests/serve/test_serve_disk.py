"""A full disk: requests are answered, nothing that was stored is lost, and work goes on later.

Files of the service may not grow beyond a limit (``RLIMIT_FSIZE``), which its writes meet as they
would meet the end of a disk.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager

import pytest
from served import ended, job_of, small_instance, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of other processes")


@contextmanager
def full_disk(service):
    """Let no file of a service grow."""
    import resource

    pid = service.process.pid
    _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (1000, most))
    yield
    if service.process.poll() is None and service.process.pid == pid:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))


def solved(client, size=10):
    """Return the status of a job that was solved."""
    body = {"instance": small_instance(size), "seconds": 0.2}
    return ended(client, client.post("/v1/jobs", json=body).json()["id"])


def test_a_full_disk_is_a_problem_of_the_request(start):
    """What needs the disk is refused with the reason; what does not goes on."""
    service = start()
    with service.client() as client:
        done = solved(client)
        with full_disk(service):
            body = {"instance": small_instance(10), "seconds": 0.2}
            for _ in range(3):
                answer = client.post("/v1/jobs", json=body)
                assert answer.status_code == 503
                assert answer.headers["content-type"] == "application/problem+json"
                assert "disk" in answer.json()["detail"]
            assert client.post("/v1/export/xlsx", json={"job": done["id"]}).status_code == 503
            large = {"files": ("s.csv", b"id,name\n" + b"1,Ann\n" * 300_000)}
            assert client.post("/v1/validate", files=large).status_code == 503
            assert client.delete(f"/v1/jobs/{done['id']}?forget=true").status_code == 503
            assert job_of(client, done["id"]) == done
            routes = done["plan"]["routes"]
            changed = client.post("/v1/evaluate", json={"job": done["id"], "routes": routes})
            assert changed.json() == done["plan"]
            assert client.get("/").status_code == 200
        assert solved(client)["state"] == "finished"
        assert client.post("/v1/export/xlsx", json={"job": done["id"]}).status_code == 200
        assert job_of(client, done["id"]) == done


def test_a_search_outlasts_a_full_disk(start):
    """Its plans wait in memory, and are stored once there is room again."""
    service = start("--parallel", 1)
    with service.client() as client:
        large = client.get("/v1/examples/li-H1").json()["instance"]
        job = client.post("/v1/jobs", json={"instance": large, "seconds": 3}).json()["id"]
        before = until(lambda: (now := job_of(client, job))["cost"] and now)
        with full_disk(service):
            until(lambda: not client.get("/v1/info").json()["stored"])
            assert job_of(client, job)["state"] == "running"
        status = ended(client, job)
        assert client.get("/v1/info").json()["stored"]
        assert status["state"] == "finished"
        assert status["cost"] < before["cost"]
        assert solved(client)["state"] == "finished"


def test_a_kill_on_a_full_disk_loses_no_plan(start):
    """Finished plans and the best one of a search are there after a restart."""
    service = start("--parallel", 1)
    with service.client() as client:
        done = solved(client)
        large = client.get("/v1/examples/li-H1").json()["instance"]
        job = client.post("/v1/jobs", json={"instance": large, "seconds": 60}).json()["id"]
        until(lambda: job_of(client, job)["cost"])
        with full_disk(service):
            seen = job_of(client, job)
            assert client.post("/v1/jobs", json={"instance": large}).status_code == 503
            service.kill()
    service.start()
    with service.client() as client:
        assert job_of(client, done["id"]) == done
        status = job_of(client, job)
        assert status["state"] == "interrupted"
        assert status["cost"] <= seen["cost"]

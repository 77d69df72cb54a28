"""Kills lose nothing that was finished, and leave no process behind."""

from __future__ import annotations

import os
import signal
import sys

import pytest
from served import ended, is_alive, job_of, small_instance, until

from fripn.problem import evaluate
from fripn.problem.io import instance_from_dict, solution_from_dict

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def submit(client, document, seconds):
    """Submit a job and return its id."""
    answer = client.post("/v1/jobs", json={"instance": document, "seconds": seconds})
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


def check_plan(client, status):
    """Assert that the plan of a status keeps the rules and costs what the status says."""
    instance = instance_from_dict(client.get(f"/v1/jobs/{status['id']}/instance").json())
    routes = [
        {"vehicle_type": route["vehicle_type"], "customers": route["customers"]}
        for route in status["plan"]["routes"]
    ]
    plan = {"format": "fripn-solution", "version": 1, "routes": routes}
    found = evaluate(instance, solution_from_dict(plan, instance))
    assert found.is_feasible
    assert found.cost == status["cost"]


def test_a_killed_service_keeps_plans_and_goes_on(start):
    """Finished jobs are as they were, the running one is marked, the waiting ones are solved."""
    service = start("--parallel", 1)
    with service.client() as client:
        done = ended(client, submit(client, small_instance(20), 0.3))
        large = client.get("/v1/examples/li-H1").json()["instance"]
        running = submit(client, large, 600)
        waiting = submit(client, small_instance(10), 0.3)
        seen = until(lambda: (now := job_of(client, running))["cost"] and now)
    workers = service.workers()
    assert workers
    service.kill()
    until(lambda: not any(map(is_alive, workers)))
    service.start()
    with service.client() as client:
        assert job_of(client, done["id"]) == done
        status = job_of(client, running)
        assert status["state"] == "interrupted"
        assert status["cost"] <= seen["cost"]
        check_plan(client, status)
        assert ended(client, waiting)["state"] == "finished"
        client.post(f"/v1/jobs/{running}/continue", json={"seconds": 0.5})
        again = ended(client, running)
        assert again["state"] == "finished"
        assert again["cost"] <= status["cost"]


def test_a_killed_worker_costs_its_job_alone(start):
    """The best plan so far is kept and marked, and the next job is solved."""
    service = start("--parallel", 1)
    with service.client() as client:
        large = client.get("/v1/examples/li-H1").json()["instance"]
        job = submit(client, large, 600)
        seen = until(lambda: (now := job_of(client, job))["cost"] and now)
        (worker,) = service.workers()
        os.kill(worker, signal.SIGKILL)
        status = ended(client, job)
        assert status["state"] == "interrupted"
        assert "signal 9" in status["error"]["detail"]
        assert status["cost"] <= seen["cost"]
        check_plan(client, status)
        assert ended(client, submit(client, small_instance(10), 0.3))["state"] == "finished"
        assert service.workers() != [worker]


def test_a_worker_that_hangs_is_killed_after_a_stop(start):
    """Stop answers in any case, and the last plan is kept."""
    service = start("--parallel", 1)
    with service.client() as client:
        large = client.get("/v1/examples/li-H1").json()["instance"]
        job = submit(client, large, 600)
        until(lambda: job_of(client, job)["cost"])
        (worker,) = service.workers()
        os.kill(worker, signal.SIGSTOP)
        client.post(f"/v1/jobs/{job}/stop")
        status = ended(client, job)
        assert status["state"] == "stopped"
        assert "did not stop in time" in status["notes"][0]
        check_plan(client, status)
        assert not is_alive(worker)


def test_shutdown_keeps_the_best_plans_and_ends_the_workers(start):
    """SIGTERM ends streams and workers, and the running job is marked with its plan."""
    service = start("--parallel", 1)
    with service.client() as client:
        large = client.get("/v1/examples/li-H1").json()["instance"]
        job = submit(client, large, 600)
        with client.stream("GET", f"/v1/jobs/{job}/events") as stream:
            lines = stream.iter_lines()
            assert any("event: better" in line for line in lines)
            workers = service.workers()
            service.process.send_signal(signal.SIGTERM)
            list(lines)  # the stream ends
    service.process.communicate(timeout=60)
    assert not any(map(is_alive, workers))
    service.start()
    with service.client() as client:
        status = job_of(client, job)
        assert status["state"] == "interrupted"
        check_plan(client, status)

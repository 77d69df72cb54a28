"""What the service does, apart from HTTP."""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from collections import OrderedDict
from typing import Any

from fripn.messages import named
from fripn.problem import Instance
from fripn.problem.io import instance_from_dict, instance_to_dict
from fripn.render.presentation import Presentation
from fripn.result import Improvement
from fripn.serve.events import Listeners, status_text
from fripn.serve.exports import Export, Format, write_export
from fripn.serve.jobs import JobQueue
from fripn.serve.limits import Limits
from fripn.serve.locked_routes import without_locked
from fripn.serve.models import (
    EvaluateRequest,
    ExportRequest,
    FleetRequest,
    JobRequest,
    RouteModel,
)
from fripn.serve.plan_view import plan_view, solution_of
from fripn.serve.problems import Refusal
from fripn.serve.storage import ENDED, QUEUED, NewJob, Store
from fripn.solve import METHODS, check_supported, default_time_limit, get_method

#: Instances of jobs that are kept ready, so that a plan is evaluated at once while it is changed.
_CACHED = 8

#: Seconds that a request to stop waits for the end of the job.
_STOP_SECONDS = 2.0

#: Jobs that a list shows, at most.
_LISTED = 1000


class Service:
    """Jobs, plans and files.

    Parameters
    ----------
    store
        Where jobs are kept.
    limits
        What clients may ask for.
    """

    def __init__(self, store: Store, limits: Limits) -> None:
        self.store, self.limits = store, limits
        self.listeners = Listeners()
        self.queue = JobQueue(store, limits, self.listeners.notify)
        self._submitting = threading.Lock()
        self._instances: OrderedDict[str, Instance] = OrderedDict()
        self._cache_lock = threading.Lock()

    def methods(self) -> list[dict[str, str]]:
        """Return the methods that a job may name.

        Names with settings and import paths are refused: they could open files and run code.
        """
        return [
            {"id": name, "title": info.summary}
            for name, info in METHODS.items()
            if info.extra is None
        ]

    def instance_of(self, document: dict[str, Any]) -> Instance:
        """Return the instance of a document.

        Raises
        ------
        InvalidInput
            When it is not valid, or larger than the limits.
        """
        for key, most, what in (
            ("customers", self.limits.stops, "customers"),
            ("vehicle_types", self.limits.types, "vehicle types"),
        ):
            rows = document.get(key)
            if isinstance(rows, list) and len(rows) > most:
                raise Refusal(
                    422,
                    f"the instance has {{value}} {what}, and this service takes {most}",
                    field=key,
                    value=len(rows),
                    remedy="send a smaller one, or start the service with a higher limit",
                )
        return instance_from_dict(document)

    def submit(self, request: JobRequest, key: str | None = None) -> str:
        """Let a problem wait to be solved; return its job."""
        instance = self.instance_of(request.instance)
        method = self._method_of(request)
        if method is not None:
            check_supported(instance, get_method(method))
        seconds = self._seconds(
            default_time_limit(instance.num_customers)
            if request.seconds is None
            else request.seconds
        )
        start = None if request.start is None else _plain(request.start)
        if start is not None:
            plan = solution_of(instance, start)
            if request.locked:
                without_locked(instance, plan, request.locked)
        elif request.locked:
            raise Refusal(
                422,
                "routes are locked, but there is no plan to start from",
                field="locked",
                value=request.locked,
                remedy="send the plan as start",
            )
        settings = {
            "kind": "solve",
            "method": method,
            "gap": request.gap,
            "seed": request.seed,
            "threads": request.threads,
            "start": start,
            "locked": request.locked,
        }
        return self._add("solve", instance, request.name, seconds, settings, key)

    def submit_fleet(self, request: FleetRequest, key: str | None = None) -> str:
        """Let a comparison of fleets wait; return its job."""
        instance = self.instance_of(request.instance)
        seconds = self._seconds(request.seconds)
        # A comparison may start again from a better plan, twice.
        most = min(3 * (1 + 4 * instance.num_types) * seconds, self.limits.seconds)
        settings = {"kind": "fleet", "seconds": seconds, "seed": request.seed}
        return self._add("fleet", instance, request.name, most, settings, key)

    def _method_of(self, request: JobRequest) -> str | None:
        if request.prove:
            if request.method not in (None, "exact"):
                raise Refusal(
                    422,
                    "a proof needs method 'exact', not {value}",
                    field="method",
                    value=request.method,
                    remedy="leave one of them out",
                )
            return "exact"
        valid = [one["id"] for one in self.methods()]
        if request.method is not None and request.method not in valid:
            raise Refusal(
                422,
                "there is no method {value}",
                field="method",
                value=request.method,
                remedy=f"choose one of {', '.join(valid)}",
            )
        return request.method

    def _seconds(self, seconds: float) -> float:
        if seconds > self.limits.seconds:
            raise Refusal(
                422,
                field="seconds",
                value=seconds,
                remedy=f"give at most {self.limits.seconds:g}",
            )
        return seconds

    def _add(
        self,
        kind: str,
        instance: Instance,
        name: str | None,
        seconds: float,
        settings: dict[str, Any],
        key: str | None,
    ) -> str:
        document = json.dumps(instance_to_dict(instance), allow_nan=False)
        content = json.dumps(settings)
        digest = hashlib.sha256(
            f"{kind} {name} {seconds} {content} {document}".encode()
        ).hexdigest()
        with self._submitting:
            if key is not None and (known := self.store.by_key(key)) is not None:
                if known[1] != digest:
                    raise Refusal(
                        409,
                        "the idempotency key {value} was used for another request",
                        field="Idempotency-Key",
                        value=key,
                        remedy="use a new key for a new request",
                    )
                return known[0]
            if self.store.count(QUEUED) >= self.limits.queue:
                raise Refusal(
                    429,
                    "{value} jobs are waiting, which is all that this service takes",
                    field="queue",
                    value=self.limits.queue,
                    remedy="try again when some of them have ended",
                )
            job = secrets.token_hex(8)
            self.store.add(
                NewJob(
                    job,
                    kind,
                    name or named(instance.name),
                    seconds,
                    instance.num_customers,
                    instance.num_types,
                    content,
                    document,
                    key,
                    digest,
                )
            )
        self.queue.wake()
        return job

    def status(self, job: str) -> str:
        """Return all that is known of a job, as JSON.

        Raises
        ------
        Refusal
            When there is no such job.
        """
        status = self.store.status(job)
        if status is None:
            raise unknown_job(job)
        return status_text(self.store, job, status)

    def stop(self, job: str) -> str:
        """End a job and keep its best plan; return its status, as JSON."""
        state = self.store.state(job)
        if state is None:
            raise unknown_job(job)
        if state not in ENDED:
            self.queue.stop(job)
            self.queue.wait_ended(job, _STOP_SECONDS)
        return self.status(job)

    def forget(self, job: str) -> None:
        """Remove a job that has ended.

        Raises
        ------
        Refusal
            When it has not, or does not exist.
        """
        if self.store.forget(job):
            return
        if self.store.state(job) is None:
            raise unknown_job(job)
        raise Refusal(
            409, "the job has not ended", field="state", value=job, remedy="stop it first"
        )

    def go_on(self, job: str, seconds: float) -> str:
        """Let a job that has ended wait again, from its best plan; return its status, as JSON."""
        seconds = self._seconds(seconds)
        status = self.store.status(job, with_curve=False)
        if status is None:
            raise unknown_job(job)
        if status["kind"] != "solve":
            raise Refusal(
                409,
                "a comparison of fleets cannot be continued",
                field="kind",
                value=status["kind"],
                remedy="start a new one with more seconds",
            )
        if not self.store.requeue(job, seconds):
            raise Refusal(
                409,
                "the job is {value}",
                field="state",
                value=status["state"],
                remedy="wait until it has ended, or stop it",
            )
        self.listeners.notify(job)
        self.queue.wake()
        return self.status(job)

    def document(self, job: str) -> str:
        """Return the instance of a job, as JSON."""
        found = self.store.text(job, "instance")
        if found is None:
            raise unknown_job(job)
        return found

    def evaluate(self, request: EvaluateRequest) -> dict[str, Any]:
        """Return what a plan costs and which rules it breaks."""
        instance = self._instance(request.instance, request.job)
        return plan_view(instance, solution_of(instance, _plain(request.routes)))

    def export(self, request: ExportRequest, form: Format) -> tuple[bytes, str]:
        """Return a file with a plan, and its title."""
        instance = self._instance(request.instance, request.job)
        title = request.title or named(instance.name)
        show = Presentation(
            language=request.language,  # type: ignore[arg-type]
            currency=request.currency,
            title=request.title,
        )
        if request.routes is not None or form.id == "problem":
            plan = solution_of(instance, _plain(request.routes or []))
            return write_export(Export(instance, plan, show), form), title
        status = None if request.job is None else self.store.status(request.job)
        text = None if request.job is None else self.store.text(request.job, "plan")
        if status is None or text is None:
            raise Refusal(
                422,
                "there is no plan to write",
                field="routes",
                remedy="send routes, or name a job that has a plan",
            )
        plan = solution_of(instance, json.loads(text)["routes"])
        curve: list[Improvement] = []
        for seconds, cost, _ in status["curve"]:
            if cost is not None and (not curve or cost < curve[-1].cost):
                curve.append(Improvement(seconds, cost))
        export = Export(
            instance, plan, show, float(status["seconds"]), tuple(curve), status["bound"]
        )
        return write_export(export, form), title

    def _instance(self, document: dict[str, Any] | None, job: str | None) -> Instance:
        if (document is None) == (job is None):
            raise Refusal(
                422,
                "neither instance nor job is given"
                if job is None
                else "instance and job are given",
                field="instance",
                remedy="send one of them",
            )
        if document is not None:
            return self.instance_of(document)
        assert job is not None
        with self._cache_lock:
            found = self._instances.get(job)
            if found is not None:
                self._instances.move_to_end(job)
                return found
        found = instance_from_dict(json.loads(self.document(job)))
        with self._cache_lock:
            self._instances[job] = found
            while len(self._instances) > _CACHED:
                self._instances.popitem(last=False)
        return found

    def listed(self) -> list[dict[str, Any]]:
        """Return the newest jobs."""
        return self.store.statuses(_LISTED)


def unknown_job(job: str) -> Refusal:
    """Return the error about a job that does not exist."""
    return Refusal(
        404, "there is no job {value}", field="job", value=job, remedy="see the list of jobs"
    )


def _plain(routes: list[RouteModel]) -> list[dict[str, Any]]:
    return [{"vehicle_type": route.vehicle_type, "customers": route.customers} for route in routes]

"""What answers hold; the description of the API is made from these, and tests compare both."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from fripn.serve.exports import FORMATS

#: A number in an answer; None where it is not known.
Number = float | None

#: What the page shows of a job, by its state.
State = Literal["queued", "running", "finished", "stopped", "interrupted", "failed"]

Document = Annotated[
    dict[str, Any], Field(description="An instance in the JSON format of the package.")
]


class Answer(BaseModel):
    """Base of all answers: they hold nothing that is not described."""

    model_config = ConfigDict(extra="forbid")


class Visit(Answer):
    """A visit of a vehicle, in the unit of time of the instance."""

    stop: int = Field(description="Number of the customer.")
    arrival: float
    start: float = Field(description="Start of service.")
    departure: float
    waiting: float


class PlanRoute(Answer):
    """One vehicle's trip and what it costs."""

    vehicle_type: str
    customers: list[int]
    loads: list[float]
    capacity: list[float]
    distance: float
    cost: float
    fixed_cost: float
    duration: Number
    departure: Number
    return_: Number = Field(alias="return")
    schedule: list[Visit] | None


class BrokenRule(Answer):
    """A rule that a plan breaks."""

    code: str
    message: str
    route: int | None = Field(description="Index of the route, from 0.")
    stop: int | None = Field(description="Number of the customer.")
    amount: Number
    limit: Number


class TypeTotal(Answer):
    """All vehicles of one type."""

    vehicle_type: str
    count: int
    capacity: list[float]
    loads: list[float]
    distance: float
    cost: float


class Plan(Answer):
    """A plan with its cost, schedule and broken rules."""

    cost: float
    feasible: bool
    fixed_cost: float
    distance_cost: float
    time_cost: float
    distance: float
    duration: Number
    violations: list[BrokenRule]
    fleet: list[TypeTotal]
    unserved: list[int]
    routes: list[PlanRoute]


class FleetRoute(Answer):
    """One vehicle's trip."""

    vehicle_type: str
    customers: list[int]


class FleetRow(Answer):
    """A fleet that is compared with the best mix."""

    id: str
    place: int
    change: str
    vehicle_type: str | None
    cost: Number
    difference: Number
    percent: Number
    distance: Number
    duration: Number
    fleet: dict[str, int] | None
    routes: list[FleetRoute] | None
    error: str | None
    remark: str | None


class JobSummary(Answer):
    """A job without its plan."""

    id: str
    kind: Literal["solve", "fleet"]
    name: str
    state: State
    created: str
    started: str | None
    ended: str | None
    limit_seconds: float
    seconds: float
    cost: Number
    bound: Number = Field(description="No plan costs less.")
    gap_percent: Number
    proven: bool
    notes: list[str]
    error: dict[str, Any] | None = Field(description="Problem details of a failed job.")
    stops: int
    types: int
    queue_position: int | None


class Job(JobSummary):
    """A job with its best plan so far."""

    curve: list[tuple[float, Number, Number]] = Field(description="Seconds, cost, bound.")
    rows: list[FleetRow] | None = Field(None, description="Of a comparison of fleets.")
    plan: Plan | None


class Jobs(Answer):
    """All jobs, newest first."""

    jobs: list[JobSummary]


class Table(Answer):
    """A table as text, and what its columns mean."""

    columns: list[str]
    rows: list[list[str]]
    fields: list[str | None]


class Tables(Answer):
    """The two tables of a problem."""

    stops: Table
    vehicles: Table
    decimal: str | None


class Mistake(Answer):
    """Something that is wrong with the data, and where."""

    table: str | None
    row: int | None = Field(description="Index of the row, from 0 without the header.")
    column: int | None = Field(description="Index of the column, from 0.")
    field: str | None
    value: Any
    message: str
    remedy: str | None


class Warned(Answer):
    """Something that is probably wrong, and where."""

    table: str | None
    row: int | None
    column: int | None
    message: str


class Checked(Answer):
    """What is wrong with data; the instance if nothing is."""

    ok: bool
    problems: list[Mistake]
    num_problems: int
    warnings: list[Warned]
    tables: Tables | None
    instance: Document | None


class Example(Answer):
    """An example as tables and as an instance."""

    title: str
    tables: Tables | None
    instance: Document | None


class Choice(Answer):
    """Something to choose, with what the page calls it."""

    id: str
    title: str


class ExampleChoice(Choice):
    """An example and its size."""

    stops: int
    types: int


class FormatChoice(Choice):
    """A file format."""

    extension: str


class LimitValues(Answer):
    """What the service accepts."""

    stops: int
    types: int
    seconds: float
    parallel: int
    queue: int
    body_bytes: int
    keep: int


class Info(Answer):
    """Version, limits, methods, examples and formats."""

    version: str
    stored: bool = Field(description="False while a full disk keeps plans from being stored.")
    limits: LimitValues
    methods: list[Choice]
    examples: list[ExampleChoice]
    tile_url: str | None
    formats: list[FormatChoice]


class Schemas(Answer):
    """JSON schemas by version."""

    instance: dict[str, dict[str, Any]]
    plan: dict[str, dict[str, Any]]


def described(model: type[BaseModel], text: str, status: int = 200) -> dict[int | str, Any]:
    """Return the part of the description about an answer in JSON."""
    return {status: {"model": model, "description": text}}


def any_object(text: str) -> dict[int | str, Any]:
    """Return the part of the description about an answer that is any JSON object."""
    content = {"application/json": {"schema": {"type": "object"}}}
    return {200: {"description": text, "content": content}}


def event_stream() -> dict[int | str, Any]:
    """Return the part of the description about server-sent events."""
    schema = {
        "type": "object",
        "description": "One event; its data are JSON.",
        "required": ["event", "data"],
        "properties": {
            "id": {"type": "string", "description": "For the header Last-Event-ID."},
            "event": {"enum": ["state", "better", "bound", "row", "end"]},
            "data": {"type": "string"},
        },
    }
    content = {"text/event-stream": {"schema": schema}}
    return {
        200: {"description": "Events state, better, bound, row and end.", "content": content},
        204: {"description": "The job has ended, and all its events were seen."},
    }


def any_file() -> dict[int | str, Any]:
    """Return the part of the description about a file in one of the formats."""
    binary, json_object = {"type": "string", "format": "binary"}, {"type": "object"}
    names = sorted({one.media_type.partition(";")[0] for one in FORMATS})
    content = {name: {"schema": json_object if "json" in name else binary} for name in names}
    return {200: {"description": "The file.", "content": content}}

"""What requests may hold; the description of the API is made from these."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from fripn.settings import LARGEST_COUNT

#: Instance and plan of the examples in the description.
_INSTANCE: Any = {
    "format": "fripn-instance",
    "version": 1,
    "name": "three stops",
    "metric": "euclidean",
    "depot": {"x": 0, "y": 0},
    "customers": [
        {"x": 3, "y": 4, "demand": 2},
        {"x": -3, "y": 4, "demand": 3},
        {"x": 0, "y": -5, "demand": 1},
    ],
    "vehicle_types": [
        {"name": "bike", "capacity": 3, "fixed_cost": 10, "unit_cost": 0.5},
        {"name": "van", "capacity": 6, "fixed_cost": 25, "unit_cost": 1},
    ],
}
_ROUTES: Any = [
    {"vehicle_type": "bike", "customers": [2]},
    {"vehicle_type": "bike", "customers": [1, 3]},
]
_TABLES: Any = {
    "stops": {
        "columns": ["name", "x", "y", "demand", "depot"],
        "rows": [["Depot", "0", "0", "", "1"], ["Ann", "3", "4", "2", ""]],
    },
    "vehicles": {
        "columns": ["type", "capacity", "fixed_cost", "unit_cost"],
        "rows": [["van", "6", "25", "1"]],
    },
    "decimal": ".",
}

#: A number of customers or an index of routes.
_Index = Annotated[int, Field(ge=0, le=1_000_000)]


class Request(BaseModel):
    """Base of all requests: unknown keys are refused, and numbers are not strings."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class RouteModel(BaseModel):
    """One vehicle's trip; other keys are passed over."""

    model_config = ConfigDict(strict=True)

    vehicle_type: str = Field(max_length=1000, description="Name of the vehicle type.")
    customers: list[_Index] = Field(description="Customers by number, in the order of visits.")


Seconds = Annotated[float, Field(gt=0, description="How long the search may take.")]
InstanceDocument = Annotated[
    dict[str, Any],
    Field(description="An instance in the JSON format of the package; see /v1/schema."),
]


class JobRequest(Request):
    """A problem to solve."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"instance": _INSTANCE, "seconds": 0.1}]}
    )

    instance: InstanceDocument
    name: str | None = Field(None, max_length=200, description="What the job is called.")
    seconds: Seconds | None = None
    gap: float | None = Field(
        None, ge=0, le=100, description="Stop once no plan can save more percent; needs prove."
    )
    prove: bool = Field(False, description="Also raise a lower bound, with method exact.")
    method: str | None = Field(None, max_length=50, description="One of the methods of /v1/info.")
    seed: int = Field(0, ge=0, le=LARGEST_COUNT)
    threads: int | None = Field(None, ge=1, le=1024)
    start: list[RouteModel] | None = Field(None, description="A plan to start from.")
    locked: list[_Index] | None = Field(
        None, description="Indices of routes of `start` that stay as they are."
    )


class FleetRequest(Request):
    """A problem whose fleets are to be compared."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"instance": _INSTANCE, "seconds": 0.1}]}
    )

    instance: InstanceDocument
    name: str | None = Field(None, max_length=200)
    seconds: Seconds = Field(2.0, gt=0, description="For each of the plans that are compared.")
    seed: int = Field(0, ge=0, le=LARGEST_COUNT)


class ContinueRequest(Request):
    """More time for a job."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"seconds": 0.1}]})

    seconds: Seconds


class TableModel(BaseModel):
    """A table as text; other keys are passed over."""

    model_config = ConfigDict(strict=True)

    columns: list[str] = Field(max_length=1000)
    rows: list[list[str]] = Field(max_length=100_000)


class TablesModel(BaseModel):
    """The two tables of a problem; other keys are passed over."""

    model_config = ConfigDict(strict=True)

    stops: TableModel
    vehicles: TableModel
    decimal: str | None = Field(None, pattern=r"^[.,]$", description="The decimal mark, if known.")


class ValidateRequest(Request):
    """Data to check: tables, an instance, or tables upon an instance."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"tables": _TABLES}, {"instance": _INSTANCE}]}
    )

    tables: TablesModel | None = None
    instance: dict[str, Any] | None = None


class EvaluateRequest(Request):
    """A plan to evaluate, for an instance or for the instance of a job."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"instance": _INSTANCE, "routes": _ROUTES}]}
    )

    instance: dict[str, Any] | None = None
    job: str | None = Field(None, max_length=100)
    routes: list[RouteModel]


class ExportRequest(Request):
    """A plan to write to a file; without routes it is the plan of the job."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"instance": _INSTANCE, "routes": _ROUTES}]}
    )

    instance: dict[str, Any] | None = None
    job: str | None = Field(None, max_length=100)
    routes: list[RouteModel] | None = None
    title: str | None = Field(None, max_length=200)
    currency: str = Field("", max_length=12)
    language: str = Field("en", max_length=5)

"""The HTTP API under ``/v1``, and the page."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Annotated, Any, TypeVar

from fastapi import Depends, FastAPI, Header, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from fripn._version import __version__
from fripn.errors import FripnError, InvalidSetting
from fripn.messages import escaped
from fripn.problem.io.json_text import parse_json
from fripn.problem.io.text import checked_text
from fripn.serve import answers, models
from fripn.serve.assets import Assets
from fripn.serve.events import stream
from fripn.serve.examples import EXAMPLES, example
from fripn.serve.exports import FORMATS, file_name, format_of
from fripn.serve.problems import MEDIA_TYPE, Refusal, problem, problem_of
from fripn.serve.service import Service, unknown_job
from fripn.serve.storage import ENDED
from fripn.serve.tables import check_encodable, validate_files, validate_instance, validate_tables

log = logging.getLogger("fripn.serve")

Model = TypeVar("Model", bound=BaseModel)

#: Files of an upload.
_MAX_FILES = 2

JobId = Annotated[str, Path(pattern="^[0-9a-f]{16}$", description="Id of a job.")]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        max_length=200,
        description="A request with a key that was used before returns the job of that time.",
    ),
]


def make_app(service: Service, tile_url: str | None = None) -> FastAPI:
    """Return the application.

    Parameters
    ----------
    service
        What does the work; it is started and closed with the application.
    tile_url
        Address of map tiles that the page shows, if any.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.listeners.attach()
        service.queue.start()
        yield
        await run_in_threadpool(service.queue.close)
        service.store.close()

    app = FastAPI(
        title="fripn",
        version=__version__,
        description="Plan which vehicles to hire and which route each drives.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/v1/openapi.json",
        lifespan=lifespan,
    )
    _add_errors(app)
    _add_data(app, service, tile_url)
    _add_jobs(app, service)
    _add_plans(app, service)
    _add_page(app)
    _describe(app)
    return app


def _json(text: str, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(text, status, headers, media_type="application/json")


def _dumped(value: object) -> Response:
    # In ASCII: no string of a user can make it fail.
    return _json(json.dumps(value, allow_nan=False))


def _body(model: type[Model]) -> Callable[[Request], Awaitable[Model]]:
    """Return what reads the body of a request: with our reader of JSON, off the event loop."""

    async def read(request: Request) -> Model:
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            raise Refusal(
                415,
                "the content type is {value}",
                field="Content-Type",
                value=media_type,
                remedy="send application/json",
            )
        return await run_in_threadpool(parse_body, await request.body(), model)

    return read


def parse_body(content: bytes, model: type[Model]) -> Model:
    """Return the content of a request.

    Raises
    ------
    InvalidInput
        With the key and the value that are wrong.
    """
    value = parse_json(checked_text(content, len(content)))
    if b"\\ud" in content.lower():
        check_encodable(value)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise _invalid(first["loc"], first["input"], first["msg"]) from None


def _invalid(place: tuple[int | str, ...], value: object, message: str) -> InvalidSetting:
    return InvalidSetting(
        field=".".join(map(str, place)) or "the request",
        value=None if isinstance(value, BaseModel) else value,
        remedy=escaped(message[:1].lower() + message[1:]),
    )


def _add_errors(app: FastAPI) -> None:
    def answer(content: dict[str, Any], headers: dict[str, str] | None = None) -> Response:
        if content["status"] in (429, 503):
            headers = {**(headers or {}), "Retry-After": "5"}
        text = json.dumps(content, allow_nan=False)  # in ASCII, as all answers
        return Response(text, content["status"], headers, media_type=MEDIA_TYPE)

    @app.exception_handler(FripnError)
    async def ours(_: Request, error: FripnError) -> Response:
        return answer(problem_of(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        return answer(problem_of(_invalid(first["loc"][1:], first.get("input"), first["msg"])))

    @app.exception_handler(HTTPException)
    async def http(_: Request, error: HTTPException) -> Response:
        detail = {
            404: "there is nothing at this address; see /v1/openapi.json",
            405: "this address does not take the method; see /v1/openapi.json",
        }.get(error.status_code, str(error.detail))
        return answer(problem(error.status_code, detail), dict(error.headers or {}))

    @app.exception_handler(sqlite3.Error)
    async def storage(_: Request, error: Exception) -> Response:
        log.error("storage", extra={"reason": str(error)})
        return answer(problem(503, "jobs cannot be stored or read; check the disk of the service"))

    @app.exception_handler(OSError)
    async def disk(_: Request, error: Exception) -> Response:
        log.error("disk", extra={"reason": str(error)})
        return answer(problem(503, "a file cannot be written; check the disk of the service"))

    @app.exception_handler(MemoryError)
    async def memory(_: Request, __: Exception) -> Response:
        return answer(problem(503, "the computer ran out of memory; send a smaller request"))

    @app.exception_handler(Exception)
    async def bug(_: Request, error: Exception) -> Response:
        log.error("bug", exc_info=error)
        return answer(problem(500, "a bug of the service; its log has the details"))


def _add_data(app: FastAPI, service: Service, tile_url: str | None) -> None:
    @app.get("/health", tags=["service"])
    def health() -> dict[str, str]:
        """Tell that the service is alive; needs no token."""
        return {"status": "alive"}

    @app.get(
        "/v1/schema", tags=["data"], responses=answers.described(answers.Schemas, "The schemas.")
    )
    def schema() -> Response:
        """Return the JSON schemas of instances and plans, by version."""
        folder = files("fripn") / "data" / "schema"

        def read(name: str) -> Any:
            return json.loads((folder / name).read_text(encoding="utf-8"))

        return _dumped(
            {
                "instance": {
                    "1": read("instance.schema.json"),
                    "2": read("instance-2.schema.json"),
                },
                "plan": {"1": read("solution.schema.json"), "2": read("solution-2.schema.json")},
            }
        )

    @app.get(
        "/v1/info", tags=["service"], responses=answers.described(answers.Info, "What is offered.")
    )
    def info() -> Response:
        """Return version, limits, methods, examples and formats."""
        limits = service.limits
        return _dumped(
            {
                "version": __version__,
                "stored": service.queue.is_stored,
                "limits": {
                    "stops": limits.stops,
                    "types": limits.types,
                    "seconds": limits.seconds,
                    "parallel": limits.parallel,
                    "queue": limits.queue,
                    "body_bytes": limits.body_bytes,
                    "keep": limits.keep,
                },
                "methods": service.methods(),
                "examples": [
                    {
                        "id": one.id,
                        "title": one.title,
                        "stops": found.num_customers,
                        "types": found.num_types,
                    }
                    for one in EXAMPLES
                    if (found := example(one.id)[1].instance) is not None
                ],
                "tile_url": tile_url,
                "formats": [
                    {"id": one.id, "title": one.title, "extension": one.extension}
                    for one in FORMATS
                ],
            }
        )

    @app.get(
        "/v1/examples/{name}",
        tags=["data"],
        responses=answers.described(answers.Example, "The example."),
    )
    def get_example(
        name: Annotated[
            str, Path(max_length=100, json_schema_extra={"enum": [one.id for one in EXAMPLES]})
        ],
    ) -> Response:
        """Return an example as tables and as an instance."""
        title, found = example(name)
        content = found.to_dict()
        return _dumped(
            {"title": title, "tables": content["tables"], "instance": content["instance"]}
        )

    @app.post(
        "/v1/validate",
        tags=["data"],
        openapi_extra=_validate_body(),
        responses=answers.described(answers.Checked, "All problems, or the instance."),
    )
    async def validate(request: Request) -> Response:
        """Check files, tables or an instance, and return everything that is wrong at once."""
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type == "multipart/form-data":
            uploads = await _uploads(request)
            found = await run_in_threadpool(validate_files, uploads)
            return await run_in_threadpool(lambda: _dumped(found.to_dict()))
        data = await _body(models.ValidateRequest)(request)
        return await run_in_threadpool(_validated, data)


def _validated(data: models.ValidateRequest) -> Response:
    if data.tables is not None:
        tables = data.tables.model_dump()
        return _dumped(validate_tables(tables, data.instance).to_dict())
    if data.instance is None:
        raise InvalidSetting(
            "neither tables nor instance is given", field="tables", remedy="send one of them"
        )
    return _dumped(validate_instance(data.instance).to_dict())


async def _uploads(request: Request) -> list[tuple[str, bytes]]:
    """Return the files of an upload, read into memory: names of clients are labels only."""
    async with request.form(max_files=_MAX_FILES, max_fields=4) as form:
        given = [one for one in form.getlist("files") if isinstance(one, UploadFile)]
        if not given:
            raise InvalidSetting(
                "no file is given", field="files", remedy="send one or two files as 'files'"
            )
        return [
            (escaped(one.filename or f"file {place}")[-100:], await one.read())
            for place, one in enumerate(given, start=1)
        ]


def _validate_body() -> dict[str, Any]:
    return {
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/ValidateRequest"}},
                "multipart/form-data": {
                    "schema": {
                        "type": "object",
                        "required": ["files"],
                        "properties": {
                            "files": {
                                "type": "array",
                                "minItems": 1,
                                "maxItems": _MAX_FILES,
                                "items": {"type": "string", "format": "binary"},
                            }
                        },
                    }
                },
            },
        }
    }


def _json_body(model: type[BaseModel]) -> dict[str, Any]:
    reference = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {
        "requestBody": {"required": True, "content": {"application/json": {"schema": reference}}}
    }


def _add_jobs(app: FastAPI, service: Service) -> None:
    one_job = answers.described(answers.Job, "The job.")
    new_job = answers.described(answers.Job, "The job, which waits or runs.", 202)

    @app.post(
        "/v1/jobs",
        status_code=202,
        tags=["jobs"],
        openapi_extra=_json_body(models.JobRequest),
        responses=new_job,
    )
    def submit(
        request: Annotated[models.JobRequest, Depends(_body(models.JobRequest))],
        key: IdempotencyKey = None,
    ) -> Response:
        """Solve an instance; the answer comes at once, the plan as events or in the status."""
        job = service.submit(request, key)
        return _json(service.status(job), 202, {"Location": f"/v1/jobs/{job}"})

    @app.post(
        "/v1/fleet",
        status_code=202,
        tags=["jobs"],
        openapi_extra=_json_body(models.FleetRequest),
        responses=new_job,
    )
    def submit_fleet(
        request: Annotated[models.FleetRequest, Depends(_body(models.FleetRequest))],
        key: IdempotencyKey = None,
    ) -> Response:
        """Find the best mix of vehicles, and what other fleets would cost."""
        job = service.submit_fleet(request, key)
        return _json(service.status(job), 202, {"Location": f"/v1/jobs/{job}"})

    @app.get(
        "/v1/jobs", tags=["jobs"], responses=answers.described(answers.Jobs, "The newest jobs.")
    )
    def jobs() -> Response:
        """Return all jobs without their plans and curves, newest first."""
        return _dumped({"jobs": service.listed()})

    @app.get("/v1/jobs/{job}", tags=["jobs"], responses=one_job)
    def status(job: JobId) -> Response:
        """Return a job with its best plan so far."""
        return _json(service.status(job))

    @app.get(
        "/v1/jobs/{job}/instance",
        tags=["jobs"],
        responses=answers.any_object("The instance; see /v1/schema."),
    )
    def document(job: JobId) -> Response:
        """Return the instance of a job."""
        return _json(service.document(job))

    @app.get(
        "/v1/jobs/{job}/events",
        tags=["jobs"],
        response_class=Response,
        responses=answers.event_stream(),
    )
    async def events(
        job: JobId, last_event_id: Annotated[str | None, Header(max_length=30)] = None
    ) -> Response:
        """Stream what happens to a job (server-sent events), until it ends."""
        state = await run_in_threadpool(service.store.state, job)
        if state is None:
            raise unknown_job(job)
        text = last_event_id or ""
        after = int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0
        if state in ENDED and not await run_in_threadpool(service.store.events_after, job, after):
            return Response(status_code=204)  # tells a browser not to connect again
        return StreamingResponse(
            stream(service.store, service.listeners, job, after), media_type="text/event-stream"
        )

    @app.post("/v1/jobs/{job}/stop", tags=["jobs"], responses=one_job)
    def stop(job: JobId) -> Response:
        """Stop a job and keep its best plan."""
        return _json(service.stop(job))

    @app.delete(
        "/v1/jobs/{job}",
        tags=["jobs"],
        responses={**one_job, 204: {"description": "The job was removed."}},
    )
    def delete(
        job: JobId,
        forget: Annotated[bool, Query(description="Remove a job that has ended.")] = False,
    ) -> Response:
        """Stop a job and keep its best plan, or remove one that has ended."""
        if forget:
            service.forget(job)
            return Response(status_code=204)
        return _json(service.stop(job))

    @app.post(
        "/v1/jobs/{job}/continue",
        status_code=202,
        tags=["jobs"],
        openapi_extra=_json_body(models.ContinueRequest),
        responses=new_job,
    )
    def go_on(
        job: JobId,
        request: Annotated[models.ContinueRequest, Depends(_body(models.ContinueRequest))],
    ) -> Response:
        """Let a job that has ended go on from its best plan."""
        return _json(service.go_on(job, request.seconds), 202)


def _add_plans(app: FastAPI, service: Service) -> None:
    @app.post(
        "/v1/evaluate",
        tags=["plans"],
        openapi_extra=_json_body(models.EvaluateRequest),
        responses=answers.described(answers.Plan, "The plan and what it costs."),
    )
    def evaluate(
        request: Annotated[models.EvaluateRequest, Depends(_body(models.EvaluateRequest))],
    ) -> Response:
        """Return what a plan costs and which rules it breaks; it may be incomplete."""
        return _dumped(service.evaluate(request))

    @app.post(
        "/v1/export/{form}",
        tags=["plans"],
        openapi_extra=_json_body(models.ExportRequest),
        response_class=Response,
        responses=answers.any_file(),
    )
    def export(
        form: Annotated[
            str,
            Path(max_length=50, json_schema_extra={"enum": [one.id for one in FORMATS]}),
        ],
        request: Annotated[models.ExportRequest, Depends(_body(models.ExportRequest))],
    ) -> Response:
        """Return a plan as a file."""
        chosen = format_of(form)
        content, title = service.export(request, chosen)
        name = file_name(title, chosen)
        return Response(
            content,
            media_type=chosen.media_type,
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )


def _add_page(app: FastAPI) -> None:
    assets = Assets()

    def answer(request: Request, name: str) -> Response:
        asset = assets.find(name)
        if asset is None:
            raise HTTPException(404)
        headers = {"ETag": asset.etag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == asset.etag:
            return Response(status_code=304, headers=headers)
        return Response(asset.content, media_type=asset.media_type, headers=headers)

    @app.get("/", include_in_schema=False)
    async def page(request: Request) -> Response:
        return answer(request, "index.html")

    @app.get("/page/{name:path}", include_in_schema=False)
    async def part(request: Request, name: str) -> Response:
        return answer(request, name)


def _describe(app: FastAPI) -> None:
    """Add to the description what the routes do not tell: bodies, the token, errors."""
    make = app.openapi

    def describe() -> dict[str, Any]:
        if app.openapi_schema is not None:
            return app.openapi_schema
        content = make()
        schemas = content.setdefault("components", {}).setdefault("schemas", {})
        for model in (
            models.JobRequest,
            models.FleetRequest,
            models.ContinueRequest,
            models.ValidateRequest,
            models.EvaluateRequest,
            models.ExportRequest,
        ):
            described = model.model_json_schema(ref_template="#/components/schemas/{model}")
            schemas |= described.pop("$defs", {})
            schemas[model.__name__] = described
        schemas["Problem"] = {
            "type": "object",
            "description": "Problem details, RFC 9457, with the fields of our errors.",
            "required": ["type", "title", "status", "detail"],
            "properties": {
                "type": {"type": "string"},
                "title": {"type": "string"},
                "status": {"type": "integer"},
                "detail": {"type": "string", "description": "Place, value and remedy."},
                "field": {"type": ["string", "null"]},
                "value": {},
                "place": {"type": "array", "items": {"type": "string"}},
                "remedy": {"type": ["string", "null"]},
            },
        }
        content["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        content["security"] = [{"token": []}]
        error = {
            "description": "What is wrong.",
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for path, methods in content["paths"].items():
            for operation in methods.values():
                operation["responses"].pop("422", None)
                operation["responses"]["default"] = error
                if path == "/health":
                    operation["security"] = []
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        app.openapi_schema = content
        return content

    app.openapi = describe  # type: ignore[method-assign]

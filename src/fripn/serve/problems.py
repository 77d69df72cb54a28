"""Errors as problem details (RFC 9457): the fields of our errors, and a status."""

from __future__ import annotations

from typing import Any

from fripn.errors import FripnError, InvalidInput

MEDIA_TYPE = "application/problem+json"

_TITLES = {
    400: "The request cannot be read",
    401: "A token is needed",
    403: "The request comes from another page",
    404: "Not found",
    405: "Method not allowed",
    409: "Not possible in this state",
    408: "The request did not arrive",
    413: "The request is too large",
    415: "Unsupported content type",
    421: "Unknown host",
    422: "The request is not valid",
    429: "Too much to do at the moment",
    500: "Internal error",
    503: "Not possible at the moment",
}


class Refusal(InvalidInput):
    """A request that is refused with a status of its own.

    Parameters
    ----------
    status
        The HTTP status.
    problem, field, value, remedy
        See `FripnError`.
    """

    def __init__(
        self,
        status: int,
        problem: str = "",
        *,
        field: str = "",
        value: object = None,
        remedy: str = "",
    ) -> None:
        super().__init__(problem, field=field, value=value, remedy=remedy)
        self.status = status


def status_of(error: FripnError) -> int:
    """Return the HTTP status that an error stands for."""
    return error.status if isinstance(error, Refusal) else 422


def problem_of(error: FripnError) -> dict[str, Any]:
    """Return an error as problem details."""
    content = error.to_dict()
    detail = content.pop("message")
    code = content.pop("code")
    if isinstance(error, Refusal):
        code = "refused"
    return {**problem(status_of(error), detail, code=code), **content}


def problem(status: int, detail: str, *, code: str | None = None) -> dict[str, Any]:
    """Return problem details that are not about an error of ours."""
    title = _TITLES.get(status, "Error")
    about = {
        "invalid_instance": "The data are not valid",
        "invalid_solution": "The plan is not valid",
        "unsupported": "Not supported",
        "missing_extra": "A package is missing",
        "no_plan_found": "No plan was found",
    }
    return {
        "type": "about:blank" if code is None else f"urn:fripn:{code}",
        "title": about.get(code or "", title),
        "status": status,
        "detail": detail,
    }


def worker_failed(reason: str) -> dict[str, Any]:
    """Return problem details about a worker that ended before its job."""
    return problem(500, f"the solver ended unexpectedly ({reason}); start the job again")

"""One error shape for every client: {"error": {"code": ..., "message": ...}}."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sized
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from nextpair import errors as known
from nextpair.errors import NextpairError

# a database that is gone, locked, full or read-only (another one is taking over): it may be back in a moment
DATABASE_ERRORS = (OperationalError, InterfaceError, InternalError, PoolTimeout)


class ServiceError(NextpairError):
    """An answer other than success: a status, a code for programs and a message for people.

    `values` are what the words for its code take in other languages, where they take any.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        retry_after: int | None = None,
        values: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.retry_after, self.values = status, code, retry_after, values or {}


def no_database() -> ServiceError:
    return ServiceError(503, "busy", "the database does not answer just now: try again in a moment", 1)


def not_found(what: str) -> ServiceError:
    return ServiceError(404, "not_found", f"{what}: check the address")


# the first class that fits decides
_STATUS: tuple[tuple[type[NextpairError], int, str], ...] = (
    (known.UnknownQuestion, 404, "unknown_question"),
    (known.UnknownWorker, 404, "unknown_worker"),
    (known.UnknownItem, 404, "unknown_item"),
    (known.QuestionClosed, 409, "question_closed"),
    (known.BudgetExhausted, 409, "budget_exhausted"),
    (known.NothingToAsk, 409, "campaign_closed"),
    (known.CampaignError, 409, "refused"),
    (known.JournalConflict, 503, "busy"),
    (known.InvalidFile, 422, "invalid_file"),
    (known.InvalidSetting, 422, "invalid_setting"),
)
_HTTP_CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 415: "unsupported_media_type"}


def as_service_error(error: Exception) -> ServiceError:
    """What a client is told of an error."""
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, RequestValidationError):
        return ServiceError(422, "invalid_request", _first_problem(error))
    if isinstance(error, HTTPException):
        if error.status_code == 404:
            return not_found("there is nothing here")
        return ServiceError(error.status_code, _HTTP_CODES.get(error.status_code, "refused"), str(error.detail))
    if isinstance(error, ClientDisconnect):  # nobody is there to read this, but no log should call it our mistake
        return ServiceError(400, "cut_short", "the request broke off: send it again")
    if isinstance(error, DATABASE_ERRORS):
        return no_database()
    for kind, status, code in _STATUS:
        if isinstance(error, kind):
            return ServiceError(status, code, str(error), 1 if status == 503 else None)
    return ServiceError(500, "internal", "something went wrong on our side; it was logged")


_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
}
_SAID = {
    "missing": "it is missing: give it",
    "extra_forbidden": "there is no such field: check how it is spelled, or leave it out",
    "int_from_float": "it must be a whole number",
    "tuple_type": "it must be a list of two numbers, such as [38, 2]",
    "model_attributes_type": 'it must be a JSON object, such as {"name": "value"}, sent as application/json',
}


def in_words(problem: Mapping[str, Any]) -> str:
    """What pydantic found wrong with a value, in words for people: what is there, the limit, and what to do."""
    kind, value, limits = problem["type"], problem["input"], problem.get("ctx", {})
    if "max_length" in limits or "min_length" in limits:
        return _length_in_words(value, limits)
    if kind in _BOUNDS:
        limit, words = _BOUNDS[kind]
        return f"it must be {words} {limits[limit]:,.15g}, not {_in_digits(value)}"
    said = problem["msg"].removeprefix("Value error, ")  # what a check of ours says
    return _SAID.get(kind) or re.sub("^(Input|String) should", "it must", said)


def _in_digits(value: float | str) -> str:
    try:
        return f"{float(value):,.15g}"
    except OverflowError:  # a whole number with hundreds of digits
        return "a number as long as this"


def _length_in_words(value: Sized, limits: Mapping[str, Any]) -> str:
    """One limit for texts and lists: which of the two pydantic calls it depends on how the field is checked."""
    thing, shorten = ("characters", "shorten it") if isinstance(value, str) else ("entries", "leave some out")
    if "max_length" in limits:
        return f"{len(value):,} {thing} are more than the {limits['max_length']:,} allowed: {shorten}"
    if not value:
        return "it is empty: fill it in"
    return f"at least {limits['min_length']} {thing} are needed, but you gave {len(value)}: add some"


def _first_problem(error: RequestValidationError) -> str:
    problem = error.errors()[0]
    if problem["type"] == "json_invalid":
        return f"the body is not JSON: {problem['ctx']['error'].lower()} at character {problem['loc'][-1]}"
    where = ".".join(str(part) for part in problem["loc"] if part != "body")
    message = in_words(problem)
    return f"{where}: {message}" if where else message


def wants_json(request: Request) -> bool:
    """Whether the client is a program: the API, and scripts that say so."""
    path = request.url.path
    return path.startswith("/api/") or "text/html" not in request.headers.get("accept", "")

"""One error shape for every client: {"error": {"code": ..., "message": ...}}."""

from __future__ import annotations

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException

from nextpair import errors as known
from nextpair.errors import NextpairError

# a database that is gone, locked or full: it may be back in a moment
DATABASE_ERRORS = (OperationalError, InterfaceError, PoolTimeout)


class ServiceError(NextpairError):
    """An answer other than success: a status, a code for programs and a message for people."""

    def __init__(self, status: int, code: str, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.retry_after = status, code, retry_after


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
        return ServiceError(error.status_code, _HTTP_CODES.get(error.status_code, "refused"), str(error.detail))
    if isinstance(error, DATABASE_ERRORS):
        return ServiceError(503, "busy", "the database does not answer just now: try again in a moment", 1)
    for kind, status, code in _STATUS:
        if isinstance(error, kind):
            return ServiceError(status, code, str(error), 1 if status == 503 else None)
    return ServiceError(500, "internal", "something went wrong on our side; it was logged")


def plain(message: str) -> str:
    """What a check of ours says, without the words that pydantic puts before it."""
    return message.removeprefix("Value error, ")


def _first_problem(error: RequestValidationError) -> str:
    problem = error.errors()[0]
    where = ".".join(str(part) for part in problem["loc"] if part != "body")
    message = plain(problem["msg"])
    return f"{where}: {message}" if where else message


def wants_json(request: Request) -> bool:
    """Whether the client is a program: the API, and scripts that say so."""
    path = request.url.path
    return path.startswith("/api/") or "text/html" not in request.headers.get("accept", "")

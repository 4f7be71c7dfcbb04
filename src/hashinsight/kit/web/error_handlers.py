"""The one form of an error answer, for every way in which a request can fail."""

from collections.abc import Mapping
from typing import Any

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from psycopg import errors as pg
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hashinsight.kit.errors import HashInsightError, Unavailable, ValidationFailed
from hashinsight.kit.web.responses import CollectorErrorAnswer, ErrorAnswer, encode

log = structlog.get_logger(__name__)

# Collectors and older integrations look for this word before they look at anything else.
COLLECTOR_PATHS = ("/api/edge/", "/api/collector/", "/hosting/api/")
_CODES = {
    400: "BAD_REQUEST",
    401: "UNAUTHENTICATED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    413: "PAYLOAD_TOO_LARGE",
    415: "UNSUPPORTED_MEDIA_TYPE",
    422: "VALIDATION_FAILED",
    429: "RATE_LIMITED",
    503: "UNAVAILABLE",
}
_RETRY_SECONDS = 5
_GONE = 499  # as web servers have it in their logs; nobody is left to read it


def error_response(
    scope: Scope,
    status: int,
    code: str,
    message: str,
    *,
    details: Mapping[str, Any] | None = None,
    retry_after_sec: int | None = None,
) -> Response:
    request_id = scope.get("state", {}).get("request_id")
    answer: dict[str, Any] = {
        "error_code": code,
        "message": message,
        "details": details or {},
        "request_id": request_id,
    }
    headers = {"Retry-After": str(retry_after_sec)} if retry_after_sec is not None else {}
    if status == 401:  # noqa: PLR2004
        headers["WWW-Authenticate"] = "Bearer"
    if scope["path"].startswith(COLLECTOR_PATHS):
        return encode(CollectorErrorAnswer, answer | {"success": False}, status, headers)
    return encode(ErrorAnswer, answer, status, headers)


class ErrorMiddleware:
    """Whatever is raised below becomes an answer here; a bug is logged with its trace and told as a 500."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:
            if started:  # half an answer is out already: cutting the connection is the only honest end
                raise
            await exception_response(scope, error)(scope, receive, send)


def exception_response(scope: Scope, error: Exception) -> Response:
    if isinstance(error, ClientDisconnect):  # a collector that was cut off: the request's own line in the log says it
        return error_response(
            scope, _GONE, "CLIENT_CLOSED_REQUEST", "the caller went away before its request was whole"
        )
    known = _translated(error)
    if known is None:
        log.error("request_failed", exc_info=error)
        return error_response(scope, 500, "INTERNAL_ERROR", "something went wrong on our side; the request id finds it")
    if known.status >= 500:  # noqa: PLR2004
        log.warning("request_unavailable", error_code=known.error_code, error=str(error))
    return error_response(
        scope,
        known.status,
        known.error_code,
        known.message,
        details=known.details,
        retry_after_sec=known.retry_after_sec,
    )


def install_handlers(app: FastAPI) -> None:
    @app.exception_handler(HashInsightError)
    async def _ours(request: Request, error: HashInsightError) -> Response:
        return exception_response(request.scope, error)

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> Response:
        # the input itself is not repeated: it may hold a password
        found = [
            {"where": ".".join(str(part) for part in one["loc"]), "problem": one["msg"]} for one in error.errors()[:20]
        ]
        failed = ValidationFailed("the request is not valid: see details", details={"errors": found})
        return exception_response(request.scope, failed)

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        if isinstance(error.__cause__, HashInsightError):  # raised while the body was read
            return exception_response(request.scope, error.__cause__)
        code = _CODES.get(error.status_code, "BAD_REQUEST")
        answer = error_response(request.scope, error.status_code, code, str(error.detail))
        answer.headers.update(error.headers or {})
        return answer


def _translated(error: Exception) -> HashInsightError | None:
    if isinstance(error, HashInsightError):
        return error
    if isinstance(error, UnicodeEncodeError) and error.reason == "surrogates not allowed":
        # JSON lets half of a surrogate pair through; nothing that stores or answers it can
        return ValidationFailed("a text of the request holds half a character")
    if isinstance(error, PoolTimeout):
        return _later("DATABASE_BUSY", _BUSY)
    if isinstance(error, DBAPIError):
        is_lost = isinstance(error, OperationalError | InterfaceError) or error.connection_invalidated
        return _database_trouble(error.orig, is_lost=is_lost)
    if isinstance(error, pg.Error):  # of what goes to the driver itself, as COPY does
        return _database_trouble(error, is_lost=isinstance(error, pg.OperationalError | pg.InterfaceError))
    return None


_BUSY = "every database connection is in use"
_TROUBLE: tuple[tuple[tuple[type[Exception], ...], str, str, int], ...] = (
    ((pg.DiskFull, pg.OutOfMemory), "STORAGE_FULL", "the database has no room left", 60),
    ((pg.TooManyConnections,), "DATABASE_BUSY", _BUSY, _RETRY_SECONDS),
    ((pg.QueryCanceled, pg.LockNotAvailable), "TIMED_OUT", "the database took too long", _RETRY_SECONDS),
    (
        (pg.SerializationFailure, pg.DeadlockDetected),
        "DATABASE_BUSY",
        "two requests stood in each other's way",
        _RETRY_SECONDS,
    ),
)


def _database_trouble(error: BaseException | None, *, is_lost: bool) -> HashInsightError | None:
    for kinds, code, message, seconds in _TROUBLE:
        if isinstance(error, kinds):
            return _later(code, message, seconds)
    if isinstance(error, pg.DataError):
        return ValidationFailed("a value of the request is not one that can be stored")
    if is_lost:
        return _later("DATABASE_UNAVAILABLE", "the database cannot be reached")
    return None


def _later(code: str, message: str, seconds: int = _RETRY_SECONDS) -> Unavailable:
    return Unavailable(f"{message}: try again later", code=code, retry_after_sec=seconds)

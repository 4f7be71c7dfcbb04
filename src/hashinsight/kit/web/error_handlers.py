"""Error responses in one format, for every way in which a request can fail."""

from collections.abc import Mapping
from typing import Any

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from psycopg import errors as pg
from pydantic_core import PydanticSerializationError
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hashinsight.kit.errors import HashInsightError, Unavailable, ValidationFailed
from hashinsight.kit.web.responses import CollectorErrorAnswer, ErrorAnswer, encode

log = structlog.get_logger(__name__)

# collectors and older integrations read `success` before anything else
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
_GONE = 499  # as web servers log it; nobody reads the response


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
    """Turns exceptions into error responses; a bug is logged with its traceback and answered 500."""

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
            if started:  # half a response is sent already: all that is left is to cut the connection
                raise
            await exception_response(scope, error)(scope, receive, send)


def exception_response(scope: Scope, error: Exception) -> Response:
    if isinstance(error, ClientDisconnect):  # already in the request's log line
        return error_response(
            scope, _GONE, "CLIENT_CLOSED_REQUEST", "the client disconnected before the request was complete"
        )
    known = _known_error(error)
    if known is None:
        log.error("request_failed", exc_info=error)
        return error_response(scope, 500, "INTERNAL_ERROR", "internal error: search the logs for the request id")
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
        errors = [
            {"where": ".".join(str(part) for part in item["loc"]), "problem": item["msg"]}
            for item in error.errors()[:20]
        ]
        failed = ValidationFailed("invalid request: see details", details={"errors": errors})
        return exception_response(request.scope, failed)

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        if isinstance(error.__cause__, HashInsightError):  # raised while reading the body
            return exception_response(request.scope, error.__cause__)
        code = _CODES.get(error.status_code, "BAD_REQUEST")
        answer = error_response(request.scope, error.status_code, code, str(error.detail))
        answer.headers.update(error.headers or {})
        return answer


def _known_error(error: Exception) -> HashInsightError | None:
    if isinstance(error, HashInsightError):
        return error
    is_surrogate = isinstance(error, UnicodeEncodeError) and error.reason == "surrogates not allowed"
    if is_surrogate or (isinstance(error, PydanticSerializationError) and "surrogates not allowed" in str(error)):
        # JSON allows a lone surrogate; it can be neither stored nor sent
        return ValidationFailed("a text in the request has an unpaired surrogate")
    if isinstance(error, PoolTimeout):
        return _retry_later("DATABASE_BUSY", _BUSY)
    if isinstance(error, DBAPIError):
        is_lost = isinstance(error, OperationalError | InterfaceError) or error.connection_invalidated
        return _database_error(error.orig, is_lost=is_lost)
    if isinstance(error, pg.Error):  # from direct use of psycopg, such as COPY
        return _database_error(error, is_lost=isinstance(error, pg.OperationalError | pg.InterfaceError))
    return None


_BUSY = "all database connections are in use"
_DATABASE_ERRORS: tuple[tuple[tuple[type[Exception], ...], str, str, int], ...] = (
    ((pg.DiskFull, pg.OutOfMemory), "STORAGE_FULL", "the database is out of disk space or memory", 60),
    ((pg.TooManyConnections,), "DATABASE_BUSY", _BUSY, _RETRY_SECONDS),
    ((pg.QueryCanceled, pg.LockNotAvailable), "TIMED_OUT", "the database took too long", _RETRY_SECONDS),
    (
        (pg.SerializationFailure, pg.DeadlockDetected),
        "DATABASE_BUSY",
        "conflict with another request",
        _RETRY_SECONDS,
    ),
)


def _database_error(error: BaseException | None, *, is_lost: bool) -> HashInsightError | None:
    for kinds, code, message, seconds in _DATABASE_ERRORS:
        if isinstance(error, kinds):
            return _retry_later(code, message, seconds)
    if isinstance(error, pg.DataError):
        return ValidationFailed("a value in the request cannot be stored")
    if is_lost:
        return _retry_later("DATABASE_UNAVAILABLE", "the database cannot be reached")
    return None


def _retry_later(code: str, message: str, seconds: int = _RETRY_SECONDS) -> Unavailable:
    return Unavailable(f"{message}: try again later", code=code, retry_after_sec=seconds)

"""Errors with stable codes.

OperatorError           a command or a start cannot continue; its text is shown to the operator
HashInsightError        an error response: HTTP status, stable code, message, details
├── ValidationFailed    422
├── Unauthenticated     401
├── Forbidden           403 visible, but not permitted
├── NotFound            404 also outside the caller's scope
├── Conflict            409
├── PayloadTooLarge     413
├── RateLimited         429
└── Unavailable         503 try again later
"""

from collections.abc import Mapping
from typing import Any, ClassVar

EXIT_REFUSED = 78  # exit code of a refused start or command: trying again will not help


class OperatorError(Exception):
    """A command or a start cannot continue. `str()` is one sentence: what is wrong and what to do."""


class HashInsightError(Exception):
    status: ClassVar[int] = 500
    code: ClassVar[str] = "INTERNAL_ERROR"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        details: Mapping[str, Any] | None = None,
        retry_after_sec: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.error_code = code or self.code
        self.details = dict(details or {})
        self.retry_after_sec = retry_after_sec


class ValidationFailed(HashInsightError):
    status = 422
    code = "VALIDATION_FAILED"


class Unauthenticated(HashInsightError):
    status = 401
    code = "UNAUTHENTICATED"


class Forbidden(HashInsightError):
    status = 403
    code = "FORBIDDEN"


class NotFound(HashInsightError):
    status = 404
    code = "NOT_FOUND"


class Conflict(HashInsightError):
    status = 409
    code = "CONFLICT"


class PayloadTooLarge(HashInsightError):
    status = 413
    code = "PAYLOAD_TOO_LARGE"


class RateLimited(HashInsightError):
    status = 429
    code = "RATE_LIMITED"


class Unavailable(HashInsightError):
    status = 503
    code = "UNAVAILABLE"

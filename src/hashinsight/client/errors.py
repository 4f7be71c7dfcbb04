"""What the API refuses, as one error with its stable code."""

from collections.abc import Mapping
from typing import Any


class ApiError(Exception):
    """`code` is stable and made for programs, `message` for people; `retry_after_sec` where waiting helps."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        details: Mapping[str, Any] | None = None,
        request_id: str | None = None,
        retry_after_sec: int | None = None,
    ) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.message = message
        self.details = dict(details or {})
        self.request_id = request_id
        self.retry_after_sec = retry_after_sec

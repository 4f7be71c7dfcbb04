"""One call of the API: JSON in, JSON out, a refusal as an ApiError."""

from collections.abc import Mapping
from typing import Any

import httpx


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


TIMEOUT_SEC = 60.0  # a request for 100,000 machines takes some seconds


class ApiSession:
    """An HTTP client that is given or made: tests give one that calls the application without a socket."""

    def __init__(self, http: httpx.AsyncClient | str, headers: Mapping[str, str]) -> None:
        self._is_ours = isinstance(http, str)
        if isinstance(http, str):
            # the environment's proxies and .netrc stay out of it: a token goes to the address that was named
            http = httpx.AsyncClient(base_url=http, timeout=TIMEOUT_SEC, trust_env=False)
        self._http = http
        self.headers = dict(headers)

    async def aclose(self) -> None:
        if self._is_ours:
            await self._http.aclose()

    async def call(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        more: dict[str, Any] = {} if body is None else {"json": body}
        answer = await self._http.request(
            method, path, params=given, headers={**self.headers, **(headers or {})}, **more
        )
        if not answer.is_success:
            raise api_error(answer)
        return answer.json() if answer.content else None


def api_error(answer: httpx.Response) -> ApiError:
    """Also of something that is not ours: a proxy on the way answers pages."""
    try:
        said = answer.json()
    except ValueError:
        said = None
    said = said if isinstance(said, dict) else {}
    after = answer.headers.get("retry-after", "")
    return ApiError(
        answer.status_code,
        str(said.get("error_code") or "NOT_OURS"),
        str(said.get("message") or answer.reason_phrase),
        details=said.get("details"),
        request_id=said.get("request_id"),
        retry_after_sec=int(after) if after.isdecimal() else None,
    )

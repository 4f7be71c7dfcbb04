"""One API call: JSON in, JSON out, an error response as an ApiError."""

from collections.abc import Mapping
from typing import Any

import httpx


class ApiError(Exception):
    """`code` is stable, for programs; `message` is for people; `retry_after_sec` is set if a retry may succeed."""

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
    """Calls with common headers, over a given HTTP client or its own: tests pass one without a socket."""

    def __init__(self, http: httpx.AsyncClient | str, headers: Mapping[str, str]) -> None:
        self._owns_http = isinstance(http, str)
        if isinstance(http, str):
            # no proxies or .netrc from the environment: a token goes only to the given address
            http = httpx.AsyncClient(base_url=http, timeout=TIMEOUT_SEC, trust_env=False)
        self._http = http
        self.headers = dict(headers)

    async def aclose(self) -> None:
        if self._owns_http:
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
        params = {name: value for name, value in (query or {}).items() if value is not None}
        options: dict[str, Any] = {} if body is None else {"json": body}
        response = await self._http.request(
            method, path, params=params, headers={**self.headers, **(headers or {})}, **options
        )
        if not response.is_success:
            raise api_error(response)
        return response.json() if response.content else None


def api_error(response: httpx.Response) -> ApiError:
    """Also for responses of a proxy, which are not in our format."""
    try:
        body = response.json()
    except ValueError:
        body = None
    body = body if isinstance(body, dict) else {}
    retry_after = response.headers.get("retry-after", "")
    return ApiError(
        response.status_code,
        str(body.get("error_code") or "NOT_OURS"),
        str(body.get("message") or response.reason_phrase),
        details=body.get("details"),
        request_id=body.get("request_id"),
        retry_after_sec=int(retry_after) if retry_after.isdecimal() else None,
    )

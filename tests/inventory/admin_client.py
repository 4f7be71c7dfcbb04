"""A client of the admin routes, signed in as one user."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx

ADMIN = "/api/admin/v1"


class AdminClient:
    def __init__(self, api: httpx.AsyncClient, headers: dict[str, str]) -> None:
        self._api = api
        self._headers = headers

    async def __call__(self, method: str, path: str, **options: Any) -> httpx.Response:
        return await self._api.request(method, ADMIN + path, headers=self._headers, **options)

    async def ok(self, method: str, path: str, **options: Any) -> Any:
        answer = await self(method, path, **options)
        assert answer.is_success, answer.text
        return answer.json()

    async def refused(self, method: str, path: str, **options: Any) -> tuple[int, str]:
        answer = await self(method, path, **options)
        return answer.status_code, answer.json()["error_code"]

    async def load(self, site: str, *lines: str, header: str = "miner_id,model,zone,rack,owner") -> Any:
        """Import these lines."""
        content = "\n".join([header, *lines])
        return await self.ok("POST", f"/miners/import?site_id={site}", content=content)

    async def miners(self, **query: Any) -> list[str]:
        page = await self.ok("GET", "/miners", params=query)
        return [miner["miner_id"] for miner in page["miners"]]


SignIn = Callable[..., Awaitable[AdminClient]]

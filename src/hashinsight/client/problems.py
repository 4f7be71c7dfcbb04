"""Problems: list, read, acknowledge, assign, resolve, suppress."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

from hashinsight.client.http import ApiSession

_V1 = "/api/v1"
_PAGE = 500


class Problems:
    def __init__(self, caller: ApiSession) -> None:
        self._session = caller

    async def list(self, **filters: Any) -> AsyncIterator[dict[str, Any]]:
        """In the registry's order, all pages; `filters` as in the API, several values as a list."""
        query, page = {"per_page": _PAGE, **filters}, 1
        while True:
            response = await self._session.call("GET", f"{_V1}/problems", query={**query, "page": page})
            for problem in response["problems"]:
                yield problem
            if page >= response["pagination"]["pages"]:
                return
            page += 1

    async def get(self, problem_id: str) -> dict[str, Any]:
        """With its rule, machine, baseline, history, timeline and predecessor."""
        return await self._call("GET", f"/problems/{problem_id}")

    async def summary(self, site: str | int) -> dict[str, Any]:
        return await self._call("GET", f"/sites/{site}/health_summary")

    async def health(self, miner_id: str, site: str | int | None = None) -> dict[str, Any]:
        return await self._call("GET", f"/miners/{miner_id}/health", query={"site_id": site})

    async def peers(self, miner_id: str, site: str | int | None = None) -> dict[str, Any]:
        """The machine compared with its peers."""
        return await self._call("GET", f"/miners/{miner_id}/peers", query={"site_id": site})

    async def acknowledge(self, problem_id: str, comment: str | None = None) -> dict[str, Any]:
        return await self._act(problem_id, "acknowledge", comment=comment)

    async def start(self, problem_id: str, comment: str | None = None) -> dict[str, Any]:
        return await self._act(problem_id, "start", comment=comment)

    async def assign(self, problem_id: str, assignee: str | None) -> dict[str, Any]:
        return await self._act(problem_id, "assign", assignee=assignee)

    async def comment(self, problem_id: str, comment: str) -> dict[str, Any]:
        return await self._act(problem_id, "comment", comment=comment)

    async def resolve(self, problem_id: str, cause: str, action: str | None = None) -> dict[str, Any]:
        return await self._act(problem_id, "resolve", cause=cause, action=action)

    async def bulk(self, act: str, ids: Sequence[str], **fields: Any) -> dict[str, Any]:
        """One action on up to 1,000 problems; the response has a result for each."""
        return await self._call("POST", "/problems/bulk", body={"act": act, "ids": [*ids], **fields})

    async def suppress(self, miner_id: str, reason: str, **options: Any) -> dict[str, Any]:
        """Options: `until` (default: until lifted) and `maintenance`."""
        return await self._call("POST", f"/miners/{miner_id}/suppress", body={"reason": reason, **options})

    async def unsuppress(self, miner_id: str, reason: str | None = None) -> dict[str, Any]:
        return await self._call("POST", f"/miners/{miner_id}/unsuppress", body={"reason": reason})

    async def _act(self, problem_id: str, verb: str, **fields: Any) -> dict[str, Any]:
        return await self._call("POST", f"/problems/{problem_id}/{verb}", body=fields)

    async def _call(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        return cast("dict[str, Any]", await self._session.call(method, f"{_V1}{path}", **options))

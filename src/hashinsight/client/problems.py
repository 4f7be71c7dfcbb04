"""Problems, as people and programs ask for them and act on them."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

from hashinsight.client.http import ApiSession

_V1 = "/api/v1"
_PAGE = 500


class Problems:
    def __init__(self, caller: ApiSession) -> None:
        self._caller = caller

    async def list(self, **wanted: Any) -> AsyncIterator[dict[str, Any]]:
        """In the registry's order, page after page; `wanted` are the filters of the API, several values as a list."""
        query, page = {"per_page": _PAGE, **wanted}, 1
        while True:
            answer = await self._caller.call("GET", f"{_V1}/problems", query={**query, "page": page})
            for one in answer["problems"]:
                yield one
            if page >= answer["pagination"]["pages"]:
                return
            page += 1

    async def get(self, problem_id: str) -> dict[str, Any]:
        """With its rule, machine, baseline, history, timeline and what it was before."""
        return await self._asked("GET", f"/problems/{problem_id}")

    async def summary(self, site: str | int) -> dict[str, Any]:
        return await self._asked("GET", f"/sites/{site}/health_summary")

    async def health(self, miner_id: str, site: str | int | None = None) -> dict[str, Any]:
        return await self._asked("GET", f"/miners/{miner_id}/health", query={"site_id": site})

    async def peers(self, miner_id: str, site: str | int | None = None) -> dict[str, Any]:
        """Where a machine stands among its like, and how they are spread."""
        return await self._asked("GET", f"/miners/{miner_id}/peers", query={"site_id": site})

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

    async def bulk(self, act: str, ids: Sequence[str], **said: Any) -> dict[str, Any]:
        """One act on up to 1,000 problems; the answer has a result for each."""
        return await self._asked("POST", "/problems/bulk", body={"act": act, "ids": [*ids], **said})

    async def suppress(self, miner_id: str, reason: str, **more: Any) -> dict[str, Any]:
        """`until` (else until it is lifted) and `maintenance`."""
        return await self._asked("POST", f"/miners/{miner_id}/suppress", body={"reason": reason, **more})

    async def unsuppress(self, miner_id: str, reason: str | None = None) -> dict[str, Any]:
        return await self._asked("POST", f"/miners/{miner_id}/unsuppress", body={"reason": reason})

    async def _act(self, problem_id: str, verb: str, **said: Any) -> dict[str, Any]:
        return await self._asked("POST", f"/problems/{problem_id}/{verb}", body=said)

    async def _asked(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        return cast("dict[str, Any]", await self._caller.call(method, f"{_V1}{path}", **more))

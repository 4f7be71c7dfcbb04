"""Commands and batches: request, list, approve, reject, cancel."""

from collections.abc import AsyncIterator
from typing import Any, cast

from hashinsight.client.http import ApiSession
from hashinsight.client.types import (
    BatchDecision,
    Command,
    CommandBatch,
    CommandRequest,
    CommandStory,
    DryRun,
    RefusedMachine,
    RequestResult,
)

_ADMIN = "/api/admin/v1"
_PAGE = 1000


class Commands:
    def __init__(self, caller: ApiSession) -> None:
        self._session = caller

    async def request(self, request: CommandRequest, *, idempotency_key: str | None = None) -> RequestResult:
        """With a key, the same request can be sent again after a lost response without creating commands twice."""
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        response = await self._session.call("POST", f"{_ADMIN}/commands", body=request.to_wire(), headers=headers)
        return cast("RequestResult", response)

    async def dry_run(self, request: CommandRequest) -> DryRun:
        body = {**request.to_wire(), "dry_run": True}
        return cast("DryRun", await self._session.call("POST", f"{_ADMIN}/commands", body=body))

    async def list(self, **filters: Any) -> AsyncIterator[Command]:
        """Newest first, all pages; `filters` as in the API, `state` may be a list."""
        async for row in _pages(self._session, f"{_ADMIN}/commands", "commands", filters):
            yield row

    async def get(self, command_id: str) -> CommandStory:
        return cast("CommandStory", await self._session.call("GET", f"{_ADMIN}/commands/{command_id}"))

    async def approve(self, command_id: str, reason: str) -> Command:
        return await self._decide(command_id, "approve", reason)

    async def reject(self, command_id: str, reason: str) -> Command:
        return await self._decide(command_id, "reject", reason)

    async def cancel(self, command_id: str, reason: str = "") -> Command:
        return await self._decide(command_id, "cancel", reason)

    async def catalogue(self) -> dict[str, Any]:
        return cast("dict[str, Any]", await self._session.call("GET", f"{_ADMIN}/commands/catalogue"))

    async def _decide(self, command_id: str, verb: str, reason: str) -> Command:
        path = f"{_ADMIN}/commands/{command_id}/{verb}"
        return cast("Command", await self._session.call("POST", path, body={"reason": reason}))


class Batches:
    def __init__(self, caller: ApiSession) -> None:
        self._session = caller

    async def list(self, **filters: Any) -> AsyncIterator[CommandBatch]:
        async for row in _pages(self._session, f"{_ADMIN}/batches", "batches", filters):
            yield row

    async def get(self, batch_id: str) -> CommandBatch:
        return cast("CommandBatch", await self._session.call("GET", f"{_ADMIN}/batches/{batch_id}"))

    async def refused(self, batch_id: str, *, limit: int = _PAGE) -> AsyncIterator[RefusedMachine]:
        async for row in _pages(self._session, f"{_ADMIN}/batches/{batch_id}/refused", "refused", {"limit": limit}):
            yield row

    async def approve(self, batch_id: str, reason: str) -> BatchDecision:
        return await self._decide(batch_id, "approve", reason)

    async def reject(self, batch_id: str, reason: str) -> BatchDecision:
        return await self._decide(batch_id, "reject", reason)

    async def cancel(self, batch_id: str, reason: str = "") -> BatchDecision:
        return await self._decide(batch_id, "cancel", reason)

    async def _decide(self, batch_id: str, verb: str, reason: str) -> BatchDecision:
        path = f"{_ADMIN}/batches/{batch_id}/{verb}"
        return cast("BatchDecision", await self._session.call("POST", path, body={"reason": reason}))


async def _pages(caller: ApiSession, path: str, name: str, filters: dict[str, Any]) -> AsyncIterator[Any]:
    """Rows of all pages; `limit` is the page size. Stop iterating to stop fetching."""
    query = {"limit": _PAGE, **filters}
    while True:
        response = await caller.call("GET", path, query=query)
        for row in response[name]:
            yield row
        if response["next_cursor"] is None:
            return
        query = {**query, "cursor": response["next_cursor"]}

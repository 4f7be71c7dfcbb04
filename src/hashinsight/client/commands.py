"""Commands and batches, as people and programs ask for them."""

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
        self._caller = caller

    async def request(self, new: CommandRequest, *, idempotency_key: str | None = None) -> RequestResult:
        """With a key, the same request can be sent again after a lost answer and makes nothing twice."""
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        answer = await self._caller.call("POST", f"{_ADMIN}/commands", body=new.to_wire(), headers=headers)
        return cast("RequestResult", answer)

    async def dry_run(self, new: CommandRequest) -> DryRun:
        body = {**new.to_wire(), "dry_run": True}
        return cast("DryRun", await self._caller.call("POST", f"{_ADMIN}/commands", body=body))

    async def list(self, **wanted: Any) -> AsyncIterator[Command]:
        """Newest first, page after page; `wanted` are the filters of the API, `state` may be a list."""
        async for one in _pages(self._caller, f"{_ADMIN}/commands", "commands", wanted):
            yield one

    async def get(self, command_id: str) -> CommandStory:
        return cast("CommandStory", await self._caller.call("GET", f"{_ADMIN}/commands/{command_id}"))

    async def approve(self, command_id: str, reason: str) -> Command:
        return await self._decide(command_id, "approve", reason)

    async def reject(self, command_id: str, reason: str) -> Command:
        return await self._decide(command_id, "reject", reason)

    async def cancel(self, command_id: str, reason: str = "") -> Command:
        return await self._decide(command_id, "cancel", reason)

    async def catalogue(self) -> dict[str, Any]:
        return cast("dict[str, Any]", await self._caller.call("GET", f"{_ADMIN}/commands/catalogue"))

    async def _decide(self, command_id: str, verb: str, reason: str) -> Command:
        path = f"{_ADMIN}/commands/{command_id}/{verb}"
        return cast("Command", await self._caller.call("POST", path, body={"reason": reason}))


class Batches:
    def __init__(self, caller: ApiSession) -> None:
        self._caller = caller

    async def list(self, **wanted: Any) -> AsyncIterator[CommandBatch]:
        async for one in _pages(self._caller, f"{_ADMIN}/batches", "batches", wanted):
            yield one

    async def get(self, batch_id: str) -> CommandBatch:
        return cast("CommandBatch", await self._caller.call("GET", f"{_ADMIN}/batches/{batch_id}"))

    async def refused(self, batch_id: str, *, limit: int = _PAGE) -> AsyncIterator[RefusedMachine]:
        async for one in _pages(self._caller, f"{_ADMIN}/batches/{batch_id}/refused", "refused", {"limit": limit}):
            yield one

    async def approve(self, batch_id: str, reason: str) -> BatchDecision:
        return await self._decide(batch_id, "approve", reason)

    async def reject(self, batch_id: str, reason: str) -> BatchDecision:
        return await self._decide(batch_id, "reject", reason)

    async def cancel(self, batch_id: str, reason: str = "") -> BatchDecision:
        return await self._decide(batch_id, "cancel", reason)

    async def _decide(self, batch_id: str, verb: str, reason: str) -> BatchDecision:
        path = f"{_ADMIN}/batches/{batch_id}/{verb}"
        return cast("BatchDecision", await self._caller.call("POST", path, body={"reason": reason}))


async def _pages(caller: ApiSession, path: str, name: str, wanted: dict[str, Any]) -> AsyncIterator[Any]:
    """`limit` is the size of a page, not of the whole: whoever has enough stops asking."""
    query = {"limit": _PAGE, **wanted}
    while True:
        answer = await caller.call("GET", path, query=query)
        for one in answer[name]:
            yield one
        if answer["next_cursor"] is None:
            return
        query = {**query, "cursor": answer["next_cursor"]}

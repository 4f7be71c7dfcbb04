"""What a collector calls about commands, for tests and tools. A collector for real machines is `hashinsight edge`."""

from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self, cast

import httpx

from hashinsight.client.calling import Caller
from hashinsight.client.types import Acked
from hashinsight.wire.acks import Ack, AckStatus
from hashinsight.wire.command import Command, read_command

_COMMANDS = "/api/edge/v1/commands"


class Edge:
    """A device of a collector: leases belong to both."""

    def __init__(self, http: httpx.AsyncClient | str, token: str, *, device_id: str | None = None) -> None:
        device = {} if device_id is None else {"X-Device-ID": device_id}
        self._caller = Caller(http, {"Authorization": f"Bearer {token}", **device})

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._caller.aclose()

    async def poll(self, limit: int | None = None) -> list[Command]:
        answer = await self._caller.call("GET", f"{_COMMANDS}/poll", query={"limit": limit})
        return [] if answer is None else [read_command(one) for one in answer["commands"]]

    async def ack(self, command_id: str, status: str = "succeeded", **more: Any) -> Acked:
        """`command_id` as it was handed out: the id of the dispatch."""
        said = Ack(command_id, AckStatus(status), **more).to_wire()
        return cast("Acked", await self._caller.call("POST", f"{_COMMANDS}/{command_id}/ack", body=said))

    async def ack_many(self, acks: Iterable[Ack]) -> list[Acked]:
        body = {"acks": [one.to_wire() for one in acks]}
        answer = await self._caller.call("POST", f"{_COMMANDS}/ack/batch", body=body)
        return cast("list[Acked]", answer["results"])

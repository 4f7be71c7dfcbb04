"""Delivers acks and events: kept on disk until the cloud has answered, in order, each once.

A late answer that changes nothing (`applied: false`) is an answer: the ack is delivered.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from hashinsight.edge.cloud.answers import Answer, Backoff, Kind
from hashinsight.edge.cloud.resources import Box

_ACKS, _EVENTS = 100, 100
_IDLE_SEC = 2.0
_NO_ROUTE = (404, 405)


class Teller:
    def __init__(self, box: Box) -> None:
        self._box = box
        self._news = asyncio.Event()

    def wake(self) -> None:
        """There is something to tell: not in two seconds but now."""
        self._news.set()

    async def run_acks(self) -> None:
        await self._run(self.tell_acks)

    async def run_events(self) -> None:
        await self._run(self.tell_events)

    async def _run(self, tell: Callable[[], Awaitable[Answer | None]]) -> None:
        backoff = Backoff()
        while True:
            answer = await tell()
            if answer is None:
                backoff.reset()
                try:
                    await asyncio.wait_for(self._news.wait(), _IDLE_SEC)
                    self._news.clear()
                except TimeoutError:
                    pass
            elif answer.kind in (Kind.DELIVERED, Kind.REFUSED):
                backoff.reset()
            else:
                await self._box.line.rest(backoff.after(answer), until_back=answer.may_be_cut_short)

    async def tell_acks(self) -> Answer | None:
        """One batch of those that wait; None when there are none."""
        acks = await self._box.on_journal(self._box.journal.list_undelivered, _ACKS)
        if not acks:
            return None
        answer = await self._box.line.post("/commands/ack/batch", {"acks": acks})
        results = answer.body.get("results")
        if answer.kind is Kind.DELIVERED and isinstance(results, list) and len(results) == len(acks):
            said = [(ack["command_id"], _said(result)) for ack, result in zip(acks, results, strict=True)]
            await self._box.on_journal(self._box.journal.mark_delivered, said, now=self._box.clock())
        elif answer.kind is Kind.REFUSED or answer.status in _NO_ROUTE:
            return await self._tell_one_by_one(acks)
        elif answer.kind is Kind.DELIVERED:
            return Answer(Kind.LATER, answer.status, reason="the answer has not one result for each ack")
        return answer

    async def _tell_one_by_one(self, acks: Sequence[dict[str, Any]]) -> Answer:
        """For a cloud without batches, or one that cannot read ours: an ack that it refuses costs no other."""
        answer = Answer(Kind.DELIVERED)
        for ack in acks:
            command_id = ack["command_id"]
            answer = await self._box.line.post(f"/commands/{command_id}/ack", ack)
            is_unknown = answer.status == _NO_ROUTE[0] and bool(answer.code)
            if answer.kind is Kind.DELIVERED:
                said = _said(answer.body)
            elif answer.kind is Kind.REFUSED or is_unknown:
                said = answer.code or f"HTTP_{answer.status}"
                self._box.say.once("ack refused", f"{command_id}: {said}")
            else:
                return answer
            await self._box.on_journal(self._box.journal.mark_delivered, [(command_id, said)], now=self._box.clock())
        return Answer(Kind.DELIVERED, answer.status)

    async def tell_events(self) -> Answer | None:
        """Gaps first: they say what is missing in everything else."""
        gaps = await self._box.on_spool(self._box.spool.take_gaps)
        if gaps:
            answer = await self._box.line.post("/events", {"events": [gap.event() for gap in gaps[:_EVENTS]]})
            if answer.kind in (Kind.DELIVERED, Kind.REFUSED):
                await self._box.on_spool(self._box.spool.mark_told, gaps[:_EVENTS], now=self._box.clock())
            return answer
        events = await self._box.on_journal(self._box.journal.events.take, _EVENTS)
        if not events:
            return None
        return await self._tell(events)

    async def _tell(self, events: Sequence[tuple[int, dict[str, Any]]]) -> Answer:
        answer = await self._box.line.post("/events", {"events": [body for _, body in events]})
        if answer.kind is Kind.DELIVERED:
            await self._box.on_journal(self._box.journal.events.drop, [number for number, _ in events])
        elif answer.kind is Kind.REFUSED and len(events) > 1:
            middle = len(events) // 2
            first = await self._tell(events[:middle])
            return first if first.kind in (Kind.LATER, Kind.NOT_LET_IN) else await self._tell(events[middle:])
        elif answer.kind is Kind.REFUSED:
            self._box.say.once("event refused", f"{events[0][1].get('kind')}: {answer.code} {answer.reason}")
            await self._box.on_journal(self._box.journal.events.drop, [events[0][0]])
        return answer


def _said(result: Any) -> str:
    if not isinstance(result, dict):
        return "taken"
    return "applied" if result.get("applied") is True else str(result.get("error_code") or "taken")[:100]

"""Sends acks and events to the cloud: on disk until answered, in order, each once.

An answer that changes nothing (`applied: false`) counts: the ack is delivered.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from hashinsight.edge.cloud.answers import Answer, AnswerKind, Backoff
from hashinsight.edge.cloud.resources import Resources

_ACKS, _EVENTS = 100, 100
_IDLE_SEC = 2.0
_NO_ROUTE = (404, 405)


class Reporter:
    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._wakeup = asyncio.Event()

    def wake(self) -> None:
        """Something is waiting: send it now instead of in two seconds."""
        self._wakeup.set()

    async def run_acks(self) -> None:
        await self._run(self.send_acks)

    async def run_events(self) -> None:
        await self._run(self.send_events)

    async def _run(self, send: Callable[[], Awaitable[Answer | None]]) -> None:
        backoff = Backoff()
        while True:
            answer = await send()
            if answer is None:
                backoff.reset()
                try:
                    async with asyncio.timeout(_IDLE_SEC):
                        await self._wakeup.wait()
                    self._wakeup.clear()
                except TimeoutError:
                    pass
            elif answer.kind in (AnswerKind.DELIVERED, AnswerKind.REFUSED):
                backoff.reset()
            else:
                await self._resources.client.wait(backoff.after(answer), until_online=answer.can_retry_early)

    async def send_acks(self) -> Answer | None:
        """Send one batch of waiting acks; None if there are none."""
        journal, thread = self._resources.journal, self._resources.journal_thread
        acks = await thread(journal.list_undelivered, _ACKS)
        if not acks:
            return None
        answer = await self._resources.client.post("/commands/ack/batch", {"acks": acks})
        results = answer.body.get("results")
        if answer.kind is AnswerKind.DELIVERED and isinstance(results, list) and len(results) == len(acks):
            marks = [(ack["command_id"], _ack_result(result)) for ack, result in zip(acks, results, strict=True)]
            await thread(journal.mark_delivered, marks, now=self._resources.clock())
        elif answer.kind is AnswerKind.REFUSED or answer.status in _NO_ROUTE:
            return await self._send_one_by_one(acks)
        elif answer.kind is AnswerKind.DELIVERED:
            return Answer(AnswerKind.RETRY, answer.status, reason="the answer does not have one result per ack")
        return answer

    async def _send_one_by_one(self, acks: Sequence[dict[str, Any]]) -> Answer:
        """For a cloud without batch acks, or one that cannot read this batch: a refused ack blocks no other."""
        answer = Answer(AnswerKind.DELIVERED)
        for ack in acks:
            command_id = ack["command_id"]
            answer = await self._resources.client.post(f"/commands/{command_id}/ack", ack)
            is_unknown = answer.status == _NO_ROUTE[0] and bool(answer.code)
            if answer.kind is AnswerKind.DELIVERED:
                result = _ack_result(answer.body)
            elif answer.kind is AnswerKind.REFUSED or is_unknown:
                result = answer.code or f"HTTP_{answer.status}"
                self._resources.faults.note("ack refused", f"{command_id}: {result}")
            else:
                return answer
            await self._resources.journal_thread(
                self._resources.journal.mark_delivered, [(command_id, result)], now=self._resources.clock()
            )
        return Answer(AnswerKind.DELIVERED, answer.status)

    async def send_events(self) -> Answer | None:
        """Gaps first: they explain what is missing everywhere else."""
        spool, thread = self._resources.spool, self._resources.spool_thread
        gaps = (await thread(spool.take_gaps))[:_EVENTS]
        if gaps:
            answer = await self._resources.client.post("/events", {"events": [gap.event() for gap in gaps]})
            if answer.kind in (AnswerKind.DELIVERED, AnswerKind.REFUSED):
                await thread(spool.mark_reported, gaps, now=self._resources.clock())
            return answer
        events = await self._resources.journal_thread(self._resources.journal.events.take, _EVENTS)
        if not events:
            return None
        return await self._send(events)

    async def _send(self, events: Sequence[tuple[int, dict[str, Any]]]) -> Answer:
        answer = await self._resources.client.post("/events", {"events": [body for _, body in events]})
        if answer.kind is AnswerKind.DELIVERED:
            await self._resources.journal_thread(self._resources.journal.events.drop, [number for number, _ in events])
        elif answer.kind is AnswerKind.REFUSED and len(events) > 1:
            middle = len(events) // 2
            first = await self._send(events[:middle])
            return first if first.kind in (AnswerKind.RETRY, AnswerKind.DENIED) else await self._send(events[middle:])
        elif answer.kind is AnswerKind.REFUSED:
            self._resources.faults.note("event refused", f"{events[0][1].get('kind')}: {answer.code} {answer.reason}")
            await self._resources.journal_thread(self._resources.journal.events.drop, [events[0][0]])
        return answer


def _ack_result(result: Any) -> str:
    if not isinstance(result, dict):
        return "taken"
    return "applied" if result.get("applied") is True else str(result.get("error_code") or "taken")[:100]

"""Fetches commands, decides on each, and has it carried out once: journal first, machine second, ack third."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from hashinsight.edge.cloud.answers import Answer, Backoff, Kind
from hashinsight.edge.cloud.resources import Box
from hashinsight.edge.commands.admission import Decision, Rules, Ruling, Standing, admit
from hashinsight.edge.commands.checks import delay_of
from hashinsight.edge.commands.executor import MachineBusy, Outcome
from hashinsight.edge.storage.journal import OUTCOME_UNKNOWN
from hashinsight.wire.acks import Ack, AckStatus
from hashinsight.wire.commands import Command, read_command
from hashinsight.wire.foreign_json import MalformedMessage, bound_value

_MOST_POLL = 50
_MINUTE = 60.0
_DAY = 86_400.0
_AGAIN_SEC = 5.0
_SETTLE_SEC = 0.2


Execute = Callable[[Any, Command], Awaitable[Outcome]]
Find = Callable[[str], Any]


class Obeyer:
    def __init__(
        self, box: Box, rules: Rules, find: Find, execute: Execute, done: Callable[[], None] = lambda: None
    ) -> None:
        self._rules, self._line, self._journal, self._worker = rules, box.line, box.journal, box.on_journal
        self._find, self._execute, self._done = find, execute, done
        self._say, self._device_id, self._clock = box.say, box.device_id, box.clock
        self._busy: dict[str, asyncio.Task[None]] = {}  # by machine

    async def run(self, interval_sec: float, may: Callable[[], bool]) -> None:
        """`may`: whether the configuration allows it at this moment."""
        await self._settle()
        backoff = Backoff(interval_sec)
        while True:
            answer = await self.poll() if may() else None
            if answer is None or answer.kind is Kind.DELIVERED:
                backoff.reset()
                await asyncio.sleep(interval_sec)
            else:
                await self._line.rest(backoff.after(answer), until_back=answer.may_be_cut_short)

    async def _settle(self) -> None:
        """What a former life did is answered before anything is asked for.

        With the first poll its leases come back, and another device may be given them: by then the cloud must know of
        those that ran.
        """
        while (await self._worker(self._journal.counts)).undelivered:  # noqa: ASYNC110 - it is asked, it does not call
            await asyncio.sleep(_SETTLE_SEC)

    async def poll(self) -> Answer | None:
        """Ask for no more than may be begun now: what is over the site's limits waits in the cloud, in its order."""
        room = await self._room()
        if room <= 0:
            return None
        answer = await self._line.get("/commands/poll", limit=room)
        messages = answer.body.get("commands")
        if answer.kind is Kind.DELIVERED and isinstance(messages, list):
            for message in messages:
                await self.take(message)
        return answer

    async def take(self, message: Any) -> Ruling | None:
        """One command as it came. None where it is answered from the journal, or cannot be read."""
        try:
            command = read_command(message)
        except MalformedMessage as fault:
            await self._refuse_unread(message, fault)
            return None
        self._say.good("command unreadable", "commands can be read again")
        entry = await self._worker(self._journal.find, command.command_id)
        if entry is not None:
            if entry.is_done:
                await self._worker(self._journal.answer_again, command.command_id)
                self._done()
            return None
        now = self._clock()
        ruling = admit(message, command, self._rules, await self._standing(command, now), now=_utc(now))
        if ruling.decision is Decision.RUN:
            await self._begin(command)
        elif ruling.decision is Decision.REFUSE:
            ack = self._ack(command, ruling.status, error_code=ruling.code, message=ruling.reason)
            await self._worker(self._journal.refuse, ack, command.expires_at.timestamp(), now=now)
            self._say.once("command refused", f"{command.command_id}: {ruling.code}, {ruling.reason}")
            self._done()
        return ruling

    async def drain(self, seconds: float) -> None:
        """At the end: let what runs come to its end. What does not is answered after the next start, as unknown."""
        if self._busy:
            await asyncio.wait(self._busy.values(), timeout=seconds)
        for task in self._busy.values():
            task.cancel()

    async def _begin(self, command: Command) -> None:
        """The machine is marked busy before anything waits, so that no second command slips in between."""
        machine = self._find(command.miner_id)
        task = asyncio.create_task(self._carry_out(machine, command), name=f"command {command.command_id}")
        self._busy[command.miner_id] = task
        task.add_done_callback(lambda _: self._busy.pop(command.miner_id, None))

    async def _carry_out(self, machine: Any, command: Command) -> None:
        try:
            if not await self._worker(self._journal.begin, command, now=self._clock()):
                return
        except sqlite3.Error as problem:  # what cannot be written down is not done
            self._say.bad("journal", f"commands wait: {problem}")
            return
        started_at = _utc(self._clock())
        try:
            bound = self._rules.limits.timeout_sec + delay_of(command.params)
            outcome = await asyncio.wait_for(self._execute(machine, command), bound)
            ack = self._told(command, outcome)
        except MachineBusy:  # protection is at it: nothing was done, and the command comes again
            await self._worker(self._journal.withdraw, command.command_id)
            return
        except TimeoutError:
            ack = self._unknown(command, started_at, "it took too long, and nobody knows what it did")
        except Exception as problem:  # noqa: BLE001 - whatever went wrong, the machine may have been touched
            self._say.once("command failed", f"{command.command_id}: {type(problem).__name__}: {problem}")
            ack = self._unknown(command, started_at, f"{type(problem).__name__} while it ran")
        await self._finish(ack)
        self._done()

    async def _finish(self, ack: Ack) -> None:
        """It was done, so it must be written down: a full disk only delays it, and keeps the machine busy."""
        while True:
            try:
                await self._worker(self._journal.finish, ack, now=self._clock())
            except sqlite3.Error as problem:
                self._say.bad("journal", f"the end of a command waits: {problem}")
                await asyncio.sleep(_AGAIN_SEC)
            else:
                self._say.good("journal", "written again")
                return

    async def _refuse_unread(self, message: Any, fault: MalformedMessage) -> None:
        named = message.get("command_id") if isinstance(message, Mapping) else None
        self._say.bad("command unreadable", f"{fault.code}: {fault}")
        if isinstance(named, str) and 0 < len(named) <= 64 and named.isprintable():  # noqa: PLR2004 - as long as ids are
            ack = Ack(named, AckStatus.REJECTED, device_id=self._device_id, error_code=fault.code, message=str(fault))
            now = self._clock()
            await self._worker(self._journal.refuse, ack, now + _DAY, now=now)
            await self._worker(self._journal.answer_again, named)
            self._done()

    async def _standing(self, command: Command, now: float) -> Standing:
        return Standing(
            is_known=self._find(command.miner_id) is not None,
            is_busy=command.miner_id in self._busy,
            running=len(self._busy),
            begun_last_minute=await self._begun(now),
        )

    async def _begun(self, now: float) -> int:
        """Those whose record is still on its way to the disk count, too."""
        return max(await self._worker(self._journal.begun_since, now - _MINUTE), len(self._busy))

    async def _room(self) -> int:
        limits = self._rules.limits
        begun = await self._begun(self._clock())
        return min(limits.per_minute - begun, limits.at_once - len(self._busy), _MOST_POLL)

    def _told(self, command: Command, outcome: Outcome) -> Ack:
        return self._ack(
            command,
            outcome.status,
            error_code=outcome.error_code,
            message=outcome.message,
            result=bound_value(dict(outcome.result)) if outcome.result else None,
            before=bound_value(dict(outcome.before)) if outcome.before else None,
            after=bound_value(dict(outcome.after)) if outcome.after else None,
            started_at=outcome.started_at,
            finished_at=outcome.finished_at,
        )

    def _unknown(self, command: Command, started_at: datetime, message: str) -> Ack:
        now = _utc(self._clock())
        return self._ack(
            command,
            AckStatus.SKIPPED,
            error_code=OUTCOME_UNKNOWN,
            message=message,
            started_at=started_at,
            finished_at=now,
        )

    def _ack(self, command: Command, status: AckStatus, **more: Any) -> Ack:
        return Ack(command.command_id, status, miner_id=command.miner_id, device_id=self._device_id, **more)


def _utc(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)

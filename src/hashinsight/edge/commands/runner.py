"""Polls commands, admits or refuses each, and runs it once: journal first, machine second, ack third."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from hashinsight.edge.cloud.answers import Answer, AnswerKind, Backoff
from hashinsight.edge.cloud.resources import Resources
from hashinsight.edge.commands.admission import CommandContext, Decision, Ruling, SiteRules, admit
from hashinsight.edge.commands.checks import get_delay_sec
from hashinsight.edge.commands.executor import MachineBusy
from hashinsight.edge.commands.outcomes import Outcome
from hashinsight.wire.acks import OUTCOME_UNKNOWN, Ack, AckStatus
from hashinsight.wire.commands import Command, read_command
from hashinsight.wire.foreign_json import MalformedMessage, bound_value

_MAX_POLL = 50
_MAX_ID = 64
_MINUTE = 60.0
_DAY = 86_400.0
_JOURNAL_RETRY_SEC = 5.0
_ACKS_CHECK_SEC = 0.2


Execute = Callable[[Any, Command], Awaitable[Outcome]]
Find = Callable[[str], Any]


class CommandRunner:
    def __init__(
        self,
        resources: Resources,
        rules: SiteRules,
        find: Find,
        execute: Execute,
        on_ack: Callable[[], None] = lambda: None,
    ) -> None:
        self._rules, self._client = rules, resources.client
        self._journal, self._thread = resources.journal, resources.journal_thread
        self._find, self._execute, self._on_ack = find, execute, on_ack
        self._faults, self._device_id, self._clock = resources.faults, resources.device_id, resources.clock
        self._busy: dict[str, asyncio.Task[None]] = {}  # by machine

    async def run(self, interval_sec: float, is_allowed: Callable[[], bool]) -> None:
        """`is_allowed`: whether the configuration currently allows remote control."""
        await self._wait_for_acks()
        backoff = Backoff(interval_sec)
        while True:
            answer = await self.poll() if is_allowed() else None
            if answer is None or answer.kind is AnswerKind.DELIVERED:
                backoff.reset()
                await asyncio.sleep(interval_sec)
            else:
                await self._client.wait(backoff.after(answer), until_online=answer.can_retry_early)

    async def _wait_for_acks(self) -> None:
        """Acks of the previous run are delivered before the first poll.

        The first poll returns this device's leases, perhaps to another device: by then the cloud must know what ran.
        """
        while (await self._thread(self._journal.counts)).undelivered:  # noqa: ASYNC110 - the journal has no event
            await asyncio.sleep(_ACKS_CHECK_SEC)

    async def poll(self) -> Answer | None:
        """Poll no more than can start now: what exceeds the site's limits waits in the cloud, in order."""
        room = await self._room()
        if room <= 0:
            return None
        answer = await self._client.get("/commands/poll", limit=room)
        messages = answer.body.get("commands")
        if answer.kind is AnswerKind.DELIVERED and isinstance(messages, list):
            for message in messages:
                await self.accept(message)
        return answer

    async def accept(self, message: Any) -> Ruling | None:
        """One command as received. None if it is acked from the journal or unreadable."""
        try:
            command = read_command(message)
        except MalformedMessage as error:
            await self._reject_unreadable(message, error)
            return None
        self._faults.close("command unreadable", "commands can be read again")
        entry = await self._thread(self._journal.find, command.command_id)
        if entry is not None:
            if entry.is_done:
                await self._thread(self._journal.resend_ack, command.command_id)
                self._on_ack()
            return None
        now = self._clock()
        ruling = admit(message, command, self._rules, await self._context(command, now), now=_utc(now))
        if ruling.decision is Decision.RUN:
            await self._begin(command)
        elif ruling.decision is Decision.REFUSE:
            ack = self._ack(command, ruling.status, error_code=ruling.code, message=ruling.reason)
            await self._thread(self._journal.refuse, ack, command.expires_at.timestamp(), now=now)
            self._faults.note("command refused", f"{command.command_id}: {ruling.code}, {ruling.reason}")
            self._on_ack()
        return ruling

    async def drain(self, seconds: float) -> None:
        """At shutdown: let running commands finish. The rest is acked as unknown after the next start."""
        if self._busy:
            await asyncio.wait(self._busy.values(), timeout=seconds)
        for task in self._busy.values():
            task.cancel()

    async def _begin(self, command: Command) -> None:
        """Mark the machine busy before the first await, so that no second command gets in between."""
        machine = self._find(command.miner_id)
        task = asyncio.create_task(self._run_command(machine, command), name=f"command {command.command_id}")
        self._busy[command.miner_id] = task
        task.add_done_callback(lambda _: self._busy.pop(command.miner_id, None))

    async def _run_command(self, machine: Any, command: Command) -> None:
        try:
            if not await self._thread(self._journal.begin, command, now=self._clock()):
                return
        except sqlite3.Error as error:  # what cannot be journalled is not run
            self._faults.open("journal", f"commands are waiting: {error}")
            return
        started_at = _utc(self._clock())
        try:
            timeout_sec = self._rules.limits.timeout_sec + get_delay_sec(command.params)
            async with asyncio.timeout(timeout_sec):
                outcome = await self._execute(machine, command)
            ack = self._ack_outcome(command, outcome)
        except MachineBusy:  # protection is acting on it: nothing was done, and the command comes again
            await self._thread(self._journal.withdraw, command.command_id)
            return
        except TimeoutError:
            ack = self._ack_unknown(command, started_at, "timed out; outcome unknown")
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the machine may have been touched
            self._faults.note("command failed", f"{command.command_id}: {type(error).__name__}: {error}")
            ack = self._ack_unknown(command, started_at, f"{type(error).__name__} during execution; outcome unknown")
        await self._finish(ack)
        self._on_ack()

    async def _finish(self, ack: Ack) -> None:
        """The command ran, so this must reach the disk: a full disk only delays it, and the machine stays busy."""
        while True:
            try:
                await self._thread(self._journal.finish, ack, now=self._clock())
            except sqlite3.Error as error:
                self._faults.open("journal", f"a finished command cannot be written: {error}")
                await asyncio.sleep(_JOURNAL_RETRY_SEC)
            else:
                self._faults.close("journal", "writable again")
                return

    async def _reject_unreadable(self, message: Any, error: MalformedMessage) -> None:
        command_id = message.get("command_id") if isinstance(message, Mapping) else None
        self._faults.open("command unreadable", f"{error.code}: {error}")
        if isinstance(command_id, str) and 0 < len(command_id) <= _MAX_ID and command_id.isprintable():
            ack = Ack(
                command_id, AckStatus.REJECTED, device_id=self._device_id, error_code=error.code, message=str(error)
            )
            now = self._clock()
            await self._thread(self._journal.refuse, ack, now + _DAY, now=now)
            await self._thread(self._journal.resend_ack, command_id)
            self._on_ack()

    async def _context(self, command: Command, now: float) -> CommandContext:
        return CommandContext(
            is_known=self._find(command.miner_id) is not None,
            is_busy=command.miner_id in self._busy,
            running=len(self._busy),
            begun_last_minute=await self._count_begun(now),
        )

    async def _count_begun(self, now: float) -> int:
        """Including those that are not on disk yet."""
        return max(await self._thread(self._journal.count_begun_since, now - _MINUTE), len(self._busy))

    async def _room(self) -> int:
        limits = self._rules.limits
        begun = await self._count_begun(self._clock())
        return min(limits.per_minute - begun, limits.at_once - len(self._busy), _MAX_POLL)

    def _ack_outcome(self, command: Command, outcome: Outcome) -> Ack:
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

    def _ack_unknown(self, command: Command, started_at: datetime, message: str) -> Ack:
        now = _utc(self._clock())
        return self._ack(
            command,
            AckStatus.SKIPPED,
            error_code=OUTCOME_UNKNOWN,
            message=message,
            started_at=started_at,
            finished_at=now,
        )

    def _ack(self, command: Command, status: AckStatus, **fields: Any) -> Ack:
        return Ack(command.command_id, status, miner_id=command.miner_id, device_id=self._device_id, **fields)


def _utc(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)

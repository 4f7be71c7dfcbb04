"""Carries out a command on one machine: reads it, gives the order once, and looks what became of it.

`executing_checks` says what may be asked and what shows it, `executing_verdicts` what is answered.
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from hashinsight.edge.commands.checks import (
    AT_REST,
    SHOWN,
    Wrong,
    checked,
    delay_of,
    fits,
    has_first,
    is_so,
    snapshot,
    split_config,
)
from hashinsight.edge.commands.outcomes import Given, Said, answer_of, not_read, not_taken
from hashinsight.edge.commands.restarts import Restarts
from hashinsight.edge.library_process.process import ChildLost, NotRead
from hashinsight.edge.polling import Poller
from hashinsight.edge.readings.record import Record
from hashinsight.edge.roster import Machine
from hashinsight.wire.acks import AckStatus
from hashinsight.wire.commands import VERBS, Command

ORDER_SEC = 30.0
SEEN_SEC = 20.0
_FIRST_LOOK_SEC, _LOOK_SEC = 0.5, 2.0


class MachineBusy(Exception):
    """Another act runs on it: leave the command without an ack, and it comes again."""


@dataclass(frozen=True)
class Outcome:
    status: AckStatus
    started_at: datetime
    finished_at: datetime
    error_code: str | None = None
    message: str | None = None
    result: Mapping[str, Any] | None = None
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None


@dataclass
class _Turn:
    """Who acts on a machine, and who waits: it is forgotten when nobody does."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


class Executor:
    """`forbids` says why local protection does not let a verb through, or nothing."""

    def __init__(self, poller: Poller, restarts: Restarts, *, seen_sec: float = SEEN_SEC) -> None:
        self._poller, self._restarts = poller, restarts
        self._seen_sec = seen_sec
        self._turns: dict[str, _Turn] = {}
        self.forbids: Callable[[Machine, str], str | None] = lambda _, __: None

    def is_busy(self, miner_id: str) -> bool:
        return miner_id in self._turns

    async def execute(self, machine: Machine, command: Command) -> Outcome:
        """One act per machine at a time; bounded in time whatever the machine does."""
        if self.is_busy(machine.miner_id):
            raise MachineBusy
        verb = VERBS.get(command.command_type, command.command_type)
        if verb == "update_config":
            return await self._configure(machine, command.params)
        return await self.act(machine, verb, command.params)

    async def _configure(self, machine: Machine, params: Mapping[str, Any]) -> Outcome:
        """One order after the other; the first that does not succeed ends it, and the result says how far it came."""
        began = datetime.now(UTC)
        try:
            orders = split_config(params)
        except Wrong as problem:
            return Outcome(AckStatus.REJECTED, began, datetime.now(UTC), problem.code, str(problem))
        done: list[Outcome] = []
        for verb, wanted in orders:
            done.append(await self.act(machine, verb, wanted))
            if done[-1].status is not AckStatus.SUCCEEDED:
                break
        told = {
            verb: one.result or {"error_code": one.error_code} for (verb, _), one in zip(orders, done, strict=False)
        }
        return replace(done[-1], started_at=began, before=done[0].before, result=told)

    async def act(self, machine: Machine, verb: str, params: Mapping[str, Any], *, is_local: bool = False) -> Outcome:
        """For protection too, which waits for its turn instead of being sent away.

        An order that is to wait some minutes waits before its turn: a machine that gets too hot meanwhile is stopped.
        """
        began = datetime.now(UTC)
        await asyncio.sleep(delay_of(params) if verb == "reboot" else 0)
        turn = self._turns.setdefault(machine.miner_id, _Turn())
        turn.users += 1
        try:
            async with turn.lock:
                status, error_code, message, told = await self._act(machine, verb, params, is_local=is_local)
                return Outcome(status, began, datetime.now(UTC), error_code, message, **told)
        finally:
            turn.users -= 1
            if not turn.users:
                del self._turns[machine.miner_id]

    async def _act(
        self, machine: Machine, verb: str, params: Mapping[str, Any], *, is_local: bool
    ) -> tuple[AckStatus, str | None, str | None, dict[str, Any]]:
        told: dict[str, Any] = {}
        try:
            wanted = checked(verb, params)
            if not is_local:
                self._ask_protection(machine, verb)
            before = await self._looked_at(machine)
            told["before"] = snapshot(before)
            fits(verb, before)
        except Wrong as problem:
            return AckStatus.REJECTED, problem.code, str(problem), told
        except NotRead as problem:
            return *not_read(problem), told
        if is_so(verb, before, wanted):
            told |= {"after": told["before"], "result": {"confirmed": True, "way": "it was so already"}}
            return AckStatus.SUCCEEDED, None, None, told
        if verb == "set_pool":
            told["before"]["pools"] = pools = await self._list_pools(machine)
            wanted["had_pools"] = bool(pools or before.get("pool_url"))
        if verb in AT_REST:
            wanted["is_stopped"] = before.get("state") == "stopped"
        given = await self._given(machine, verb, wanted)
        after, is_shown = None, None
        if given.needs_look(verb):
            after, is_shown = await self._look(machine, verb, wanted, before)
            told["after"] = snapshot(after) if after else {"online": False}
            if verb == "set_pool":
                told["after"]["pools"] = pools = await self._list_pools(machine)
                is_shown = is_shown or has_first(pools, wanted)
            told["result"] = {"confirmed": is_shown, "way": given.way}
        return *answer_of(verb, given, is_shown=is_shown, answers=after is not None), told

    def _ask_protection(self, machine: Machine, verb: str) -> None:
        forbidden = self.forbids(machine, verb)
        if forbidden:
            raise Wrong("LOCAL_PROTECTION", forbidden)

    async def _looked_at(self, machine: Machine) -> Record:
        """It, and not the one that has its address by now: an order must not hit a stranger."""
        if not machine.address:
            raise NotRead("unreachable", "it was not found at any address")
        record = await self._poller.read_now(machine)
        if record["miner_id"] != machine.miner_id:
            raise NotRead("unreachable", "another machine has its address now")
        return record

    async def _given(self, machine: Machine, verb: str, wanted: dict[str, Any]) -> Given:
        """A restart is a stop and a start: whoever may have heard the first of them is not left without the second."""
        if verb == "disable":  # whoever stops it now means it
            with suppress(sqlite3.Error):  # a full disk is no reason to let a hot machine run
                await self._restarts.end(machine.miner_id)
        if verb != "restart":
            return await self._order(machine, verb, wanted)
        await self._restarts.begin(machine.miner_id)
        given = await self._order(machine, verb, wanted)
        if given.said is Said.UNSURE:
            started = await self._order(machine, "enable", {})
            given = replace(given, is_half=started.said is not Said.YES)
        if not given.is_half:
            await self._restarts.end(machine.miner_id)
        return given

    async def _order(self, machine: Machine, verb: str, wanted: dict[str, Any]) -> Given:
        try:
            done = await self._ask(machine, verb, wanted)
        except ChildLost:
            return Given(Said.UNSURE, "READER_LOST", "the reader died while the order was given")
        except NotRead as problem:
            return not_taken(problem)
        return Given(Said.YES, way=str(done.get("way")), is_noted=bool(done.get("is_noted")))

    async def _ask(self, machine: Machine, verb: str, params: dict[str, Any]) -> Mapping[str, Any]:
        reader, auth = self._poller.reader, self._poller.auth
        answer: Mapping[str, Any] = await reader.act(machine.address, verb, params, timeout_sec=ORDER_SEC, auth=auth)
        return answer

    async def _list_pools(self, machine: Machine) -> list[dict[str, str]]:
        """All that it is set to, the one in use first; none where it does not say."""
        try:
            return list((await self._ask(machine, "list_pools", {})).get("pools") or [])
        except (ChildLost, NotRead):
            return []

    async def _look(
        self, machine: Machine, verb: str, wanted: Mapping[str, Any], before: Record
    ) -> tuple[Record | None, bool | None]:
        """Reads it until it shows what was asked for, for so long and no longer. None: it has no way to show it."""
        shown = SHOWN.get(verb)
        until = time.monotonic() + self._seen_sec
        wait = _FIRST_LOOK_SEC
        after: Record | None = None
        while True:
            await asyncio.sleep(wait)
            wait = _LOOK_SEC
            try:
                after = await self._poller.read_now(machine)
            except NotRead:
                after = None
            seen = shown(before, after, wanted) if shown is not None else None
            if seen or shown is None or time.monotonic() > until:
                return after, seen

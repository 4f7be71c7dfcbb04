"""Executes a command on one machine: reads it, sends the action once, and reads again until the effect shows.

`checks` says which parameters are valid and what confirms an action, `outcomes` what is acked.
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
    CONFIRMATIONS,
    MAY_START_STOPPED,
    CommandRejected,
    check_params,
    check_state,
    get_delay_sec,
    is_already_set,
    is_first_pool,
    snapshot,
    split_config,
)
from hashinsight.edge.commands.outcomes import ActionReply, Outcome, Reply, ack_unread, decide_ack, reply_to_error
from hashinsight.edge.commands.restarts import Restarts
from hashinsight.edge.library_process.messages import MachineError
from hashinsight.edge.library_process.process import ChildLost
from hashinsight.edge.polling import Poller
from hashinsight.edge.readings.record import Record
from hashinsight.edge.roster import Machine
from hashinsight.wire.acks import AckStatus
from hashinsight.wire.commands import VERBS, Command

ACTION_SEC = 30.0
CONFIRM_TIMEOUT_SEC = 20.0
_FIRST_CONFIRM_SEC, _CONFIRM_EVERY_SEC = 0.5, 2.0


class MachineBusy(Exception):
    """Another action runs on it: the command gets no ack and comes again."""


@dataclass
class _Turn:
    """Serialises the actions on one machine; removed when nobody uses it."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


class Executor:
    """`why_forbidden`: why local protection blocks a verb on a machine, or None."""

    def __init__(self, poller: Poller, restarts: Restarts, *, confirm_sec: float = CONFIRM_TIMEOUT_SEC) -> None:
        self._poller, self._restarts = poller, restarts
        self._confirm_sec = confirm_sec
        self._turns: dict[str, _Turn] = {}
        self.why_forbidden: Callable[[Machine, str], str | None] = lambda _, __: None

    def is_busy(self, miner_id: str) -> bool:
        return miner_id in self._turns

    async def execute(self, machine: Machine, command: Command) -> Outcome:
        """One action per machine at a time; bounded in time, whatever the machine does."""
        if self.is_busy(machine.miner_id):
            raise MachineBusy
        verb = VERBS.get(command.command_type, command.command_type)
        if verb == "update_config":
            return await self._configure(machine, command.params)
        return await self.act(machine, verb, command.params)

    async def _configure(self, machine: Machine, params: Mapping[str, Any]) -> Outcome:
        """One setting after the other; the first that fails ends it, and the result shows how far it got."""
        began = datetime.now(UTC)
        try:
            actions = split_config(params)
        except CommandRejected as error:
            return Outcome(AckStatus.REJECTED, began, datetime.now(UTC), error.code, str(error))
        outcomes: list[Outcome] = []
        for verb, verb_params in actions:
            outcomes.append(await self.act(machine, verb, verb_params))
            if outcomes[-1].status is not AckStatus.SUCCEEDED:
                break
        result = {
            verb: outcome.result or {"error_code": outcome.error_code}
            for (verb, _), outcome in zip(actions, outcomes, strict=False)
        }
        return replace(outcomes[-1], started_at=began, before=outcomes[0].before, result=result)

    async def act(self, machine: Machine, verb: str, params: Mapping[str, Any], *, is_local: bool = False) -> Outcome:
        """Also for protection, which waits for its turn instead of being turned away.

        A delayed reboot waits before its turn: if the machine gets too hot meanwhile, it is stopped.
        """
        began = datetime.now(UTC)
        await asyncio.sleep(get_delay_sec(params) if verb == "reboot" else 0)
        turn = self._turns.setdefault(machine.miner_id, _Turn())
        turn.users += 1
        try:
            async with turn.lock:
                status, error_code, message, details = await self._act(machine, verb, params, is_local=is_local)
                return Outcome(status, began, datetime.now(UTC), error_code, message, **details)
        finally:
            turn.users -= 1
            if not turn.users:
                del self._turns[machine.miner_id]

    async def _act(
        self, machine: Machine, verb: str, params: Mapping[str, Any], *, is_local: bool
    ) -> tuple[AckStatus, str | None, str | None, dict[str, Any]]:
        details: dict[str, Any] = {}
        try:
            wanted = check_params(verb, params)
            if not is_local:
                self._check_protection(machine, verb)
            before = await self._read_before(machine)
            details["before"] = snapshot(before)
            check_state(verb, before)
        except CommandRejected as error:
            return AckStatus.REJECTED, error.code, str(error), details
        except MachineError as error:
            return *ack_unread(error), details
        if is_already_set(verb, before, wanted):
            details |= {"after": details["before"], "result": {"confirmed": True, "way": "already set"}}
            return AckStatus.SUCCEEDED, None, None, details
        if verb == "set_pool":
            details["before"]["pools"] = pools = await self._list_pools(machine)
            wanted["had_pools"] = bool(pools or before.get("pool_url"))
        if verb in MAY_START_STOPPED:
            wanted["is_stopped"] = before.get("state") == "stopped"
        reply = await self._perform(machine, verb, wanted)
        after, is_confirmed = None, None
        if reply.needs_confirmation(verb):
            after, is_confirmed = await self._wait_for_effect(machine, verb, wanted, before)
            details["after"] = snapshot(after) if after else {"online": False}
            if verb == "set_pool":
                details["after"]["pools"] = pools = await self._list_pools(machine)
                is_confirmed = is_confirmed or is_first_pool(pools, wanted)
            details["result"] = {"confirmed": is_confirmed, "way": reply.way}
        return *decide_ack(verb, reply, is_confirmed=is_confirmed, is_online=after is not None), details

    def _check_protection(self, machine: Machine, verb: str) -> None:
        reason = self.why_forbidden(machine, verb)
        if reason:
            raise CommandRejected("LOCAL_PROTECTION", reason)

    async def _read_before(self, machine: Machine) -> Record:
        """Refuses another machine that has its address by now: an action must not hit the wrong machine."""
        if not machine.address:
            raise MachineError("unreachable", "not found at any address")
        record = await self._poller.read_now(machine)
        if record["miner_id"] != machine.miner_id:
            raise MachineError("unreachable", "another machine has its address now")
        return record

    async def _perform(self, machine: Machine, verb: str, params: dict[str, Any]) -> ActionReply:
        """A restart is a stop and a start: a machine that may have received the stop always gets the start."""
        if verb == "disable":  # a stop ends a restart in progress
            with suppress(sqlite3.Error):  # a full disk is no reason to let a hot machine run
                await self._restarts.end(machine.miner_id)
        if verb != "restart":
            return await self._send(machine, verb, params)
        await self._restarts.begin(machine.miner_id)
        reply = await self._send(machine, verb, params)
        if reply.reply is Reply.UNSURE:
            start = await self._send(machine, "enable", {})
            reply = replace(reply, is_half=start.reply is not Reply.YES)
        if not reply.is_half:
            await self._restarts.end(machine.miner_id)
        return reply

    async def _send(self, machine: Machine, verb: str, params: dict[str, Any]) -> ActionReply:
        try:
            answer = await self._call(machine, verb, params)
        except ChildLost:
            return ActionReply(Reply.UNSURE, "READER_LOST", "the reader process died during the action")
        except MachineError as error:
            return reply_to_error(error)
        return ActionReply(Reply.YES, way=str(answer.get("way")), is_deferred=bool(answer.get("is_deferred")))

    async def _call(self, machine: Machine, verb: str, params: dict[str, Any]) -> Mapping[str, Any]:
        reader, auth = self._poller.reader, self._poller.auth
        answer: Mapping[str, Any] = await reader.act(machine.address, verb, params, timeout_sec=ACTION_SEC, auth=auth)
        return answer

    async def _list_pools(self, machine: Machine) -> list[dict[str, str]]:
        """All configured pools, the active one first; empty if the machine does not report them."""
        try:
            return list((await self._call(machine, "list_pools", {})).get("pools") or [])
        except (ChildLost, MachineError):
            return []

    async def _wait_for_effect(
        self, machine: Machine, verb: str, wanted: Mapping[str, Any], before: Record
    ) -> tuple[Record | None, bool | None]:
        """Read until the effect shows or the time is up. None: this verb has no visible effect."""
        confirms = CONFIRMATIONS.get(verb)
        until = time.monotonic() + self._confirm_sec
        wait_sec = _FIRST_CONFIRM_SEC
        after: Record | None = None
        while True:
            await asyncio.sleep(wait_sec)
            wait_sec = _CONFIRM_EVERY_SEC
            try:
                after = await self._poller.read_now(machine)
            except MachineError:
                after = None
            is_confirmed = confirms(before, after, wanted) if confirms is not None else None
            if is_confirmed or confirms is None or time.monotonic() > until:
                return after, is_confirmed

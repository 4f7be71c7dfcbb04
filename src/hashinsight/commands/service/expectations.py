"""Expected states from commands: offline while a restart runs, stopped after a stop until a start.

A machine that was told to reboot or stop has no problem before its deadline, even if the ack is lost.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.catalogue import CATALOGUE, Effect
from hashinsight.commands.states import Event, Priority
from hashinsight.inventory.service.expected_states import (
    ExpectedInterval,
    ExpectedKind,
    change_causes,
    end_causes,
    end_states,
    expect_each,
)

BACK_WITHIN = timedelta(minutes=10)  # after the end of the lease: boot and first shares
_STOPPED: tuple[ExpectedKind, ...] = ("stopped", "curtailed")
_BY_COMMAND = "command "  # causes with this prefix count towards the site's cap
_NOT_STARTED = "not started by command "
_STARTED = "started by command "


class DispatchedCommand(NamedTuple):
    """A dispatch that began or ended."""

    command_id: UUID
    miner_no: int
    command_type: str
    priority: str

    @property
    def cause(self) -> str:
        return f"{_BY_COMMAND}{self.command_id}"

    @property
    def effect(self) -> Effect:
        return CATALOGUE[self.command_type].effect

    @property
    def state(self) -> ExpectedKind | None:
        """A stop of the compliance class is a curtailment."""
        if self.effect is Effect.STOPS:
            return "curtailed" if self.priority == Priority.COMPLIANCE else "stopped"
        return "rebooting" if self.effect is Effect.RESTARTS else None


async def expect_begun(
    session: AsyncSession, begun: Sequence[DispatchedCommand], *, lease_until: datetime, now: datetime
) -> None:
    """Dispatched: from now on the machine may go offline."""
    until = lease_until + BACK_WITHIN
    intervals = [
        ExpectedInterval(command.miner_no, command.state, command.cause, until)
        for command in begun
        if command.state is not None
    ]
    await expect_each(session, intervals, now=now)


async def expect_ended(
    session: AsyncSession, ended: Sequence[tuple[DispatchedCommand, Event]], *, now: datetime
) -> None:
    """Acked: a stop lasts until a start, a start ends it, and a failed command expects nothing any more."""
    stopped = [command for command, event in ended if event is Event.SUCCEEDED and command.effect is Effect.STOPS]
    resumed = [command for command, event in ended if event is Event.SUCCEEDED and command.effect is Effect.RESUMES]
    failed = [
        command for command, event in ended if event in (Event.FAILED, Event.RETRIED) and command.state is not None
    ]
    not_started = [command for command, event in ended if event is Event.FAILED]
    over = stopped + failed
    await end_causes(session, [command.miner_no for command in over], [command.cause for command in over], now=now)
    were_stopped = await end_states(session, [command.miner_no for command in resumed], _STOPPED, now=now)
    await release_not_started(session, not_started, now=now)
    await _expect_back(session, [command for command in resumed if command.miner_no in set(were_stopped)], now=now)
    intervals = [
        ExpectedInterval(command.miner_no, command.state, command.cause, None) for command in stopped if command.state
    ]
    await expect_each(session, intervals, now=now)


async def _expect_back(session: AsyncSession, started: Sequence[DispatchedCommand], *, now: datetime) -> None:
    """A machine that was stopped boots before it hashes: no loss meanwhile. The site's cap does not count it."""
    until = now + BACK_WITHIN
    intervals = [
        ExpectedInterval(command.miner_no, "rebooting", f"{_STARTED}{command.command_id}", until) for command in started
    ]
    await expect_each(session, intervals, now=now)


async def release_not_started(session: AsyncSession, ended: Sequence[DispatchedCommand], *, now: datetime) -> None:
    """Starts that failed or were never acked: the machine is still stopped, but no longer by a command.

    It is broken, and would take up room below the cap forever. A start that was never dispatched changes nothing.
    """
    starts = [command for command in ended if command.effect is Effect.RESUMES]
    causes = [f"{_NOT_STARTED}{command.command_id}" for command in starts]
    machines = [command.miner_no for command in starts]
    await change_causes(session, machines, causes, states=_STOPPED, beginning=_BY_COMMAND, now=now)

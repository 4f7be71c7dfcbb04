"""What a command makes its machine expected to be: dark while it is at it, and still after a stop until it is started.

A machine that was told to reboot or stop is no problem before its deadline, also when the ack is lost.
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

BACK_WITHIN = timedelta(minutes=10)  # behind the end of the lease: a boot, and the first shares
_STANDS: tuple[ExpectedKind, ...] = ("stopped", "curtailed")
_BY_COMMAND = "command "  # what a cause begins with that counts for the cap of the site
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
        """A stop of compliance class is a curtailment."""
        if self.effect is Effect.STOPS:
            return "curtailed" if self.priority == Priority.COMPLIANCE else "stopped"
        return "rebooting" if self.effect is Effect.RESTARTS else None


async def expect_begun(
    session: AsyncSession, begun: Sequence[DispatchedCommand], *, lease_until: datetime, now: datetime
) -> None:
    """Handed out: from now on it may go dark."""
    until = lease_until + BACK_WITHIN
    each = [ExpectedInterval(one.miner_no, one.state, one.cause, until) for one in begun if one.state is not None]
    await expect_each(session, each, now=now)


async def expect_ended(
    session: AsyncSession, ended: Sequence[tuple[DispatchedCommand, Event]], *, now: datetime
) -> None:
    """Acked: a stop holds until a start, a start ends it, and what failed is expected no longer."""
    stopped = [one for one, event in ended if event is Event.SUCCEEDED and one.effect is Effect.STOPS]
    resumed = [one for one, event in ended if event is Event.SUCCEEDED and one.effect is Effect.RESUMES]
    failed = [one for one, event in ended if event in (Event.FAILED, Event.RETRIED) and one.state is not None]
    not_started = [one for one, event in ended if event is Event.FAILED]
    over = stopped + failed
    await end_causes(session, [one.miner_no for one in over], [one.cause for one in over], now=now)
    stood = await end_states(session, [one.miner_no for one in resumed], _STANDS, now=now)
    await expect_unheard(session, not_started, now=now)
    await _expect_back(session, [one for one in resumed if one.miner_no in set(stood)], now=now)
    await expect_each(
        session, [ExpectedInterval(one.miner_no, one.state, one.cause, None) for one in stopped if one.state], now=now
    )


async def _expect_back(session: AsyncSession, started: Sequence[DispatchedCommand], *, now: datetime) -> None:
    """One that stood boots before it hashes: what it lacks meanwhile is not lost. The site's cap does not count it."""
    until = now + BACK_WITHIN
    await expect_each(
        session,
        [ExpectedInterval(one.miner_no, "rebooting", f"{_STARTED}{one.command_id}", until) for one in started],
        now=now,
    )


async def expect_unheard(session: AsyncSession, ended: Sequence[DispatchedCommand], *, now: datetime) -> None:
    """Handed out, and failed or never acked. A machine that did not start stands still, but no command holds it down.

    It is broken, and would else take its place below the cap for ever. A start that nobody fetched says nothing.
    """
    starts = [one for one in ended if one.effect is Effect.RESUMES]
    causes = [f"{_NOT_STARTED}{one.command_id}" for one in starts]
    machines = [one.miner_no for one in starts]
    await change_causes(session, machines, causes, states=_STANDS, beginning=_BY_COMMAND, now=now)

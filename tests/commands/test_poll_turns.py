"""Turns of polls: one after another at a site, apart between sites, and none is held up for long by one that hangs."""

import asyncio

import pytest

from hashinsight.commands.service import PollTurns
from tests.installation import HANG_TIMEOUT_SEC

LONG = 60.0


class Polls:
    """Polls that stay inside until they are let go; `inside` says who is."""

    def __init__(self, patience_seconds: float = LONG) -> None:
        self._turns = PollTurns(patience_seconds)
        self.inside: list[str] = []
        self._doors: dict[str, asyncio.Event] = {}
        self.came_in: dict[str, asyncio.Event] = {}

    def come(self, *names: str, site_id: int = 1) -> asyncio.Task[None]:
        """One task; with several names it polls again as soon as it was answered."""
        for name in names:
            self._doors[name], self.came_in[name] = asyncio.Event(), asyncio.Event()
        return asyncio.create_task(self._poll_each(names, site_id))

    def let_go(self, name: str) -> None:
        self._doors[name].set()

    async def _poll_each(self, names: tuple[str, ...], site_id: int) -> None:
        for name in names:
            await self._poll(name, site_id)

    async def _poll(self, name: str, site_id: int) -> None:
        async with self._turns.of(site_id):
            self.inside.append(name)
            self.came_in[name].set()
            await self._doors[name].wait()
            self.inside.remove(name)


async def settled() -> None:
    """Everybody who can go on has gone on."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_polls_of_a_site_run_one_after_another_in_order() -> None:
    polls = Polls()
    tasks = [polls.come(name) for name in ("first", "second", "third")]
    for name in ("first", "second", "third"):
        await settled()
        assert polls.inside == [name]
        polls.let_go(name)
    await asyncio.gather(*tasks)


async def test_polls_of_two_sites_do_not_wait_for_each_other() -> None:
    polls = Polls()
    tasks = [polls.come("here"), polls.come("there", site_id=2)]
    await settled()
    assert polls.inside == ["here", "there"]
    polls.let_go("there")
    polls.let_go("here")
    await asyncio.gather(*tasks)


async def test_a_poll_that_waited_too_long_runs_without_taking_another_turn() -> None:
    polls = Polls(patience_seconds=0.01)
    hangs, waits = polls.come("hangs"), polls.come("waits")
    await polls.came_in["waits"].wait()
    assert polls.inside == ["hangs", "waits"]
    polls.let_go("waits")
    await waits
    third = polls.come("third")
    await settled()
    assert polls.inside == ["hangs"]  # the turn is still the first one's
    polls.let_go("hangs")
    await hangs
    await settled()
    assert polls.inside == ["third"]
    polls.let_go("third")
    await third


async def test_a_poll_arriving_at_a_handover_is_not_delayed() -> None:
    """The turn is free then, and goes to whoever was woken for it: here to one that hangs."""
    polls = Polls(patience_seconds=0.01)
    eager, hangs = polls.come("first", "again"), polls.come("hangs")
    await settled()
    polls.let_go("first")
    async with asyncio.timeout(HANG_TIMEOUT_SEC):
        await polls.came_in["again"].wait()
    assert polls.inside == ["hangs", "again"]
    polls.let_go("again")
    polls.let_go("hangs")
    await asyncio.gather(eager, hangs)


@pytest.mark.parametrize("who", ["inside", "waiting"])
async def test_an_aborted_poll_passes_the_turn_on(who: str) -> None:
    polls = Polls()
    tasks = {name: polls.come(name) for name in ("inside", "waiting", "last")}
    await settled()
    tasks[who].cancel()
    with pytest.raises(asyncio.CancelledError):
        await tasks[who]
    polls.inside = [name for name in polls.inside if name != who]
    left = [name for name in tasks if name != who]
    for name in left:
        await settled()
        assert polls.inside == [name]
        polls.let_go(name)
    await asyncio.gather(*(tasks[name] for name in left))

"""What a command stops is no problem before its deadline: from the command's own words to the registry's rows."""

from datetime import UTC, datetime, timedelta

from hashinsight.commands.service.expecting import BACK_WITHIN, Acted, expect_begun
from hashinsight.kit.db.context import job_context
from hashinsight.kit.ids import new_id
from tests.problems.stored import StoredSite, StoredYard
from tests.problems.yard import of

DARK = of(2, status=0.0)


async def hand_out(site: StoredSite, machine: int, command_type: str, *, now: float, lease: timedelta) -> None:
    """As a poll does."""
    moment = datetime.fromtimestamp(now, UTC)
    begun = Acted(new_id(), site.numbers[machine], command_type, "efficiency")
    async with site.database.transaction(job_context()) as session:
        await expect_begun(session, [begun], lease_until=moment + lease, now=moment)


async def test_a_machine_stopped_by_command_raises_nothing_until_its_deadline_and_then_does(site: StoredSite) -> None:
    yard = StoredYard(site)
    await yard.cycle(times=2)
    await hand_out(site, 2, "reboot_device", now=yard.now, lease=timedelta(minutes=20))
    cycles = int((timedelta(minutes=20) + BACK_WITHIN) / timedelta(minutes=5))
    for _ in range(cycles - 1):
        await yard.cycle(DARK)
        assert site.events() == []
    await yard.cycle(DARK, times=3)
    assert yard.open() == {("m-002", "offline")}


async def test_the_same_silence_without_a_command_is_a_problem_after_two_looks(site: StoredSite) -> None:
    yard = StoredYard(site)
    await yard.cycle(times=2)
    await yard.cycle(DARK, times=2)
    assert yard.open() == {("m-002", "offline")}

"""What a command stops is no problem before its deadline: from the command's own words to the registry's rows."""

from datetime import UTC, datetime, timedelta

from hashinsight.commands.service.expectations import BACK_WITHIN, DispatchedCommand, expect_begun
from hashinsight.kit.db.context import job_context
from hashinsight.kit.ids import new_id
from tests.problems.fleet import readings_of
from tests.problems.stored_site import StoredFleet, StoredSite

DARK = readings_of(2, status=0.0)


def machines(site: StoredSite) -> tuple[int, int, str]:
    """Healthy and with a problem as the newest run counted them, and what is said of the third one."""
    (counted,) = site.rows("select healthy, with_problem from problem_runs order by ran_at desc limit 1")
    (text,) = site.rows("select overall_health from telemetry_live where miner_no = %s", site.numbers[2])
    return (*counted, *text)


async def hand_out(site: StoredSite, machine: int, command_type: str, *, now: float, lease: timedelta) -> None:
    """As a poll does."""
    moment = datetime.fromtimestamp(now, UTC)
    begun = DispatchedCommand(new_id(), site.numbers[machine], command_type, "efficiency")
    async with site.database.transaction(job_context()) as session:
        await expect_begun(session, [begun], lease_until=moment + lease, now=moment)


async def test_a_machine_stopped_by_command_raises_nothing_until_its_deadline_and_then_does(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(times=2)
    await hand_out(site, 2, "reboot_device", now=fleet.now, lease=timedelta(minutes=20))
    cycles = int((timedelta(minutes=20) + BACK_WITHIN) / timedelta(minutes=5))
    for _ in range(cycles - 1):
        await fleet.cycle(DARK)
        assert site.events() == []
        assert machines(site) == (11, 0, "stopped"), "stopped by command is neither ok nor a problem"
    await fleet.cycle(DARK, times=3)
    assert fleet.open() == {("m-002", "offline")}
    assert machines(site) == (11, 1, "P0")


async def test_the_same_silence_without_a_command_is_a_problem_after_two_looks(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(times=2)
    await fleet.cycle(DARK)
    assert machines(site) == (11, 0, "down")
    await fleet.cycle(DARK)
    assert fleet.open() == {("m-002", "offline")}


def suppress(site: StoredSite, *, maintenance: bool, now: float) -> None:
    """The third machine, until lifted."""
    moment = datetime.fromtimestamp(now, UTC)
    site.rows(
        "insert into suppressions (id, tenant_id, site_id, kind, miner_no, reason, maintenance, created_by_kind,"
        " from_at, created_at) values (%s, %s, %s, 'miner', %s, 'moving', %s, 'user', %s, %s) returning 1",
        new_id(), site.tenant_id, site.site_id, site.numbers[2], maintenance, moment, moment,
    )  # fmt: skip


async def test_suppressed_problems_are_not_counted(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(times=2)
    suppress(site, maintenance=False, now=fleet.now)
    await fleet.cycle()
    assert machines(site) == (12, 0, "ok")
    await fleet.cycle(DARK, times=2)
    assert machines(site) == (11, 0, "down")
    await fleet.cycle(readings_of(2, hashrate_ths=0.0), times=2)
    assert fleet.open() == set()
    assert machines(site) == (11, 0, "down")
    await fleet.cycle(readings_of(2, temp_max_c=97.0), times=2)
    assert machines(site) == (11, 0, "unknown"), "it runs, and what was found is hidden"


async def test_a_machine_suppressed_for_maintenance_is_not_evaluated_and_counts_as_stopped(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(times=2)
    suppress(site, maintenance=True, now=fleet.now)
    await fleet.cycle(DARK, times=2)
    assert machines(site) == (11, 0, "stopped")
    await fleet.cycle(readings_of(2, hashrate_ths=0.0), times=2)
    assert machines(site) == (11, 0, "stopped")
    assert site.rows("select 1 from suppressed_detections") == []
    await fleet.cycle(times=2)
    assert machines(site) == (12, 0, "ok")

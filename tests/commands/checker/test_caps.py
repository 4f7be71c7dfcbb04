"""The checker counts machines in transition as far as they certainly are, and names a lease that was one too many."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from hashinsight.commands.checker import FindingName, Outage, Timeline, check_caps
from hashinsight.commands.service.checker import check_history
from hashinsight.commands.states import Event
from hashinsight.kit.ids import new_id
from tests.commands import sabotage
from tests.commands.command_site import NOON, CommandSite
from tests.commands.test_blast_radius import CAP, LEAVE, stop


def outage(miner_no: int, begin: float, end: float | None = None, **more: Any) -> Outage:
    """A restart that was acked, in seconds behind noon by both clocks."""
    at = NOON + timedelta(seconds=begin)
    made = Outage(
        new_id(),
        1,
        miner_no,
        "restart_mining",
        emergency=False,
        at=at,
        recorded_at=at,
        lease_until=at + timedelta(seconds=180),
    )
    if end is not None:
        released = NOON + timedelta(seconds=end)
        made = msgspec.structs.replace(
            made, released_by=Event.SUCCEEDED, released_at=released, release_recorded_at=released
        )
    return msgspec.structs.replace(made, **more)


STOP = {"command_type": "disable_hashing"}
RUNS: list[tuple[str, list[Outage], int]] = [
    ("two that are handed out", [outage(1, 0), outage(2, 1)], 0),
    ("a third one", [outage(1, 0), outage(2, 1), outage(3, 2)], 1),
    ("a third one while one restarts", [outage(1, 0, 1), outage(2, 1), outage(3, 60)], 1),
    ("a third one when one may be back", [outage(1, 0, 1), outage(2, 1), outage(3, 61)], 0),
    ("a third one behind one that failed", [outage(1, 0, 1, released_by=Event.FAILED), outage(2, 1), outage(3, 2)], 0),
    ("a third one that is an emergency", [outage(1, 0), outage(2, 1), outage(3, 2, emergency=True)], 0),
    ("a third one beside an emergency", [outage(1, 0, emergency=True), outage(2, 1), outage(3, 2)], 0),
    ("one again that was down already", [outage(1, 0, 1), outage(2, 100), outage(3, 101), outage(1, 102)], 0),
    ("a third one when one was stopped", [outage(1, 0, 1, **STOP), outage(2, 2), outage(3, 3)], 0),
    (
        "stopped ones that are restarted",
        [outage(n, n, n + 1, **STOP) for n in (1, 3, 5)] + [outage(n, 900 + n) for n in (1, 3, 5)],
        0,
    ),
]


@pytest.mark.parametrize(("run", "count"), [(run, count) for _, run, count in RUNS], ids=[name for name, *_ in RUNS])
def test_no_more_machines_are_in_transition_than_the_cap(run: list[Outage], count: int) -> None:
    findings = list(check_caps(run, Timeline(0.2), {1: 10}))
    assert [finding.name for finding in findings] == [FindingName.CAP_EXCEEDED] * count


def test_a_range_reports_its_own_leases_and_counts_earlier_ones() -> None:
    run = [outage(1, 0), outage(2, 1), outage(3, 2), outage(4, 3)]
    findings = list(check_caps(run, Timeline(0.2), {1: 10}, since=NOON + timedelta(seconds=3)))
    assert [finding.command_id for finding in findings] == [run[3].command_id]


async def test_machines_stopped_before_the_range_do_not_count_in_it(fleet: CommandSite) -> None:
    await stop(fleet, *range(1, CAP + 1))
    await fleet.ack_all()
    fleet.pass_time(24 * 3600)
    restarts: dict[str, Any] = {"caller": fleet.rule, "pre_approval": LEAVE}
    await fleet.request("restart_mining", *range(1, 2 * CAP + 1), **restarts)
    assert len(await fleet.ack_all()) == 2 * CAP
    assert (await check_history(fleet.database, fleet.tenant, since=fleet.now - timedelta(hours=2))).findings == []


async def test_an_exceeded_cap_is_found_in_the_records(fleet: CommandSite) -> None:
    await fleet.request("restart_mining", *range(1, CAP + 2), caller=fleet.rule)
    await fleet.ack_all()
    assert (await check_history(fleet.database, fleet.tenant)).findings == []
    fleet.cap_at(0.1)  # without a record: as if it had held all the time
    findings = (await check_history(fleet.database, fleet.tenant)).findings
    assert {finding.name for finding in findings} == {FindingName.CAP_EXCEEDED}
    assert len(findings) == CAP - 6


async def test_a_build_without_the_cap_is_caught_by_its_first_poll(
    fleet: CommandSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet.pass_time(3600)
    await fleet.request("restart_mining", *range(1, 2 * CAP + 1), caller=fleet.rule, pre_approval=LEAVE)
    sabotage.ignore_the_cap(monkeypatch)
    assert len(await fleet.lease(limit=50)) == 2 * CAP
    findings = (await check_history(fleet.database, fleet.tenant, since=fleet.now - timedelta(minutes=1))).findings
    assert {finding.name for finding in findings} == {FindingName.CAP_EXCEEDED}
    assert len(findings) == CAP

"""Rejected shares: of about the last hour, and also of a machine that sends few."""

from typing import Any

import httpx
import numpy as np

from tests.people import People
from tests.problems.fleet import Change, Fleet
from tests.problems.stored_site import StoredFleet, StoredSite


def shares(a_cycle: float, rejected: dict[int, float], fleet: Fleet, *, since: float) -> Change:
    """So many shares a cycle of everyone, of which these parts were rejected since a moment."""

    def change(readings: dict[str, Any]) -> None:
        cycles = (fleet.now - 1_780_056_000.0) / 300
        total = np.full(fleet.n, a_cycle * cycles)
        bad = np.floor(0.004 * total)
        for machine, part in rejected.items():
            bad[machine] += np.floor(part * a_cycle * max(fleet.now - since, 0) / 300)
        readings["rejected"], readings["accepted"] = bad, np.floor(total) - bad

    return change


def test_thirty_percent_rejects_for_45_minutes_is_a_problem_even_with_few_shares() -> None:
    fleet = Fleet(n=12)
    before = shares(4, {}, fleet, since=np.inf)
    fleet.cycle(before, times=40)
    fleet.cycle(shares(4, {0: 0.3}, fleet, since=fleet.now), times=9)
    assert fleet.everything_open() == {(0, "reject_rate_high")}


def test_one_or_two_rejected_of_few_are_chance() -> None:
    fleet = Fleet(n=12)
    before = shares(4, {}, fleet, since=np.inf)
    fleet.cycle(before, times=40)

    def two(readings: dict[str, Any]) -> None:
        before(readings)
        readings["rejected"][0] += 2

    fleet.cycle(two, times=9)
    assert fleet.everything_open() == set()


def test_a_long_good_record_does_not_hide_current_rejects() -> None:
    """Of ten thousand shares since boot 0.4 % were rejected; of those of this hour 30 %."""
    fleet = Fleet(n=12)
    fleet.cycle(shares(200, {}, fleet, since=np.inf), times=60)
    fleet.cycle(shares(200, {0: 0.3}, fleet, since=fleet.now), times=3)
    assert fleet.everything_open() == {(0, "reject_rate_high")}


async def test_the_reject_rate_shown_is_the_recent_one_and_not_since_boot(
    site: StoredSite, api: httpx.AsyncClient, people: People
) -> None:
    fleet = StoredFleet(site, n=12)
    await fleet.cycle(shares(200, {}, fleet.fleet, since=np.inf), times=60)
    await fleet.cycle(shares(200, {0: 0.3}, fleet.fleet, since=fleet.now), times=9)
    assert fleet.open() == {("m-000", "reject_rate_high")}
    answer = await api.get("/api/v1/telemetry/live", headers=await people.headers("Owner"))
    shown = {row["miner_id"]: row["reject"] for row in answer.json()["miners"]}
    ill = shown["m-000"]
    assert ill["rejected"] / (ill["accepted"] + ill["rejected"]) < 0.06  # since it booted
    assert 0.15 < ill["rate"] < 0.31
    assert shown["m-001"]["rate"] < 0.01


async def test_a_reported_reject_rate_without_counters_is_shown_and_judged(
    site: StoredSite, api: httpx.AsyncClient, people: People
) -> None:
    def says(rate: float) -> Change:
        def change(readings: dict[str, Any]) -> None:
            for name in ("accepted", "rejected"):
                del readings[name]
            readings["reject_rate"] = np.full(12, 0.003)
            readings["reject_rate"][0] = rate

        return change

    fleet = StoredFleet(site, n=12)
    await fleet.cycle(says(0.003), times=12)
    await fleet.cycle(says(0.2), times=4)
    assert fleet.open() == {("m-000", "reject_rate_high")}
    await fleet.cycle(says(0.003), times=4)
    assert fleet.open() == set()
    answer = await api.get("/api/v1/telemetry/live", headers=await people.headers("Owner"))
    assert {row["reject"]["rate"] for row in answer.json()["miners"]} == {0.003}

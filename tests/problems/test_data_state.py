"""Each machine is live, stale or offline by the collection interval of its own collector."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from hashinsight.kit.ids import new_id
from hashinsight.problems.codes import DataState, Issue
from hashinsight.problems.config import Config
from hashinsight.problems.evidence import rule_evidence
from hashinsight.problems.health_rules.rule import CriterionResult
from hashinsight.wire.freshness import freshness
from tests.problems.fleet import NOON, Fleet, both, late
from tests.problems.rule_cases import read_evidence
from tests.problems.stored_site import StoredFleet, StoredSite

HOUR_SEC = 3600


@pytest.mark.parametrize("interval_sec", [1.0, 60.0, 90.0, 300.0, 86_400.0])
def test_a_cycle_has_the_thresholds_of_the_wire(interval_sec: float) -> None:
    fleet = Fleet(n=3)
    fleet.columns["interval_sec"] = np.array([interval_sec, np.nan, 300.0])
    data = fleet.cycle().observed.data
    expected = [freshness(each) for each in (interval_sec, fleet.config.interval_sec, 300.0)]
    assert data.age_limits.stale_sec.tolist() == [each.stale_sec for each in expected]
    assert data.age_limits.offline_sec.tolist() == [each.offline_sec for each in expected]


def test_a_machine_without_samples_does_not_change_the_interval_of_its_collector() -> None:
    """The live layer gives it the longest interval of its site."""
    fleet = Fleet(n=3)
    fleet.columns["interval_sec"] = np.array([60.0, 60.0, HOUR_SEC])

    def silent(readings: dict[str, Any]) -> None:
        readings["ts"][:] = (fleet.now - 400, fleet.now - 400, np.nan)
        readings["heard_at"].fill(fleet.now - 400)

    result = fleet.cycle(silent)
    assert (result.observed.data.state == DataState.UNKNOWN).all()
    assert result.rules[Issue.COLLECTOR_DOWN].hit.tolist() == [True]
    assert read_evidence(result, 0, Issue.COLLECTOR_DOWN)["threshold"] == 300.0


def test_a_machine_that_another_collector_left_behind_does_not_show_that_its_collector_delivers_samples() -> None:
    fleet = Fleet(n=3)
    fleet.columns["interval_sec"] = np.array([60.0, 60.0, HOUR_SEC])
    result = fleet.cycle(lambda readings: readings["ts"].fill(fleet.now - 400))
    assert result.observed.data.state.tolist() == [DataState.UNKNOWN, DataState.UNKNOWN, DataState.FRESH]
    assert result.rules[Issue.COLLECTOR_DOWN].hit.tolist() == [True]


def test_time_without_samples_is_a_gap_by_the_machines_own_interval() -> None:
    """Back after an hour: the one read every minute is just steady, the one read every half hour missed little."""
    fleet = Fleet(n=2, config=Config(interval_sec=300.0))
    fleet.columns["interval_sec"] = np.array([60.0, 1800.0])
    fleet.cycle(times=20)
    began = fleet.state["hashing_since"].copy()
    fleet.now += HOUR_SEC
    fleet.cycle()
    assert fleet.state["hashing_since"].tolist() == [fleet.now - 10 - fleet.config.settle_sec, began[1]]


@pytest.mark.parametrize("config", [Config(interval_sec=30.0), Config()])
def test_a_site_read_faster_than_once_a_minute_has_evidence_for_an_offline_machine(config: Config) -> None:
    fleet = Fleet(config=config)
    fleet.warm_up()
    result = fleet.cycle(late([0]), times=2)
    assert fleet.everything_open() == {(0, "offline")}
    evidence = read_evidence(result, 0, Issue.OFFLINE)
    assert (evidence["way"], evidence["threshold"]) == ("no_samples", 300.0)


@pytest.mark.parametrize("threshold", [300, 300.0, np.float32(300)])
def test_a_threshold_may_be_any_number(threshold: float) -> None:
    result = Fleet(n=3).cycle()
    of_limit = CriterionResult(np.ones(3, dtype=np.bool_), np.full(3, 400.0), threshold)
    offline = result.rules[Issue.OFFLINE]
    rules = result.rules | {Issue.OFFLINE: replace(offline, criteria=(of_limit, offline.criteria[1]))}
    (text,) = rule_evidence(replace(result, rules=rules), np.array([2]), Issue.OFFLINE)
    assert '"threshold":300.0' in text


async def site_with_two_intervals(site: StoredSite) -> StoredFleet:
    """Six machines of a 60 s collector, six of an hourly one."""
    fleet, hourly = StoredFleet(site), new_id()
    site.rows("update collectors set collection_interval_sec = 60 where id = %s returning 1", site.collector_id)
    site.rows(
        "insert into collectors (id, tenant_id, site_id, name, status, permissions, collection_interval_sec,"
        " created_at, updated_at) values (%s, %s, %s, 'hourly', 'active', '{read}', %s, now(), now()) returning 1",
        hourly, site.tenant_id, site.site_id, HOUR_SEC,
    )  # fmt: skip
    site.brought_by = dict.fromkeys(site.numbers[:6], site.collector_id) | dict.fromkeys(site.numbers[6:], hourly)
    return fleet


def polled_hourly(fleet: StoredFleet) -> Callable[[dict[str, Any]], None]:
    def change(readings: dict[str, Any]) -> None:
        readings["ts"][6:] = fleet.now - (fleet.now - NOON) % HOUR_SEC - 10

    return change


def states(site: StoredSite) -> dict[str, set[str]]:
    rows = site.rows("select miner_id, overall_health from telemetry_live join miners using (miner_no)")
    return {
        name: {health for miner_id, health in rows if (miner_id >= "m-006") is is_hourly}
        for name, is_hourly in (("every minute", False), ("hourly", True))
    }


async def test_a_machine_opens_offline_by_the_interval_of_its_own_collector(site: StoredSite) -> None:
    fleet = await site_with_two_intervals(site)
    hourly = polled_hourly(fleet)
    await fleet.cycle(hourly, times=2)
    quiet = both(hourly, late([0], since=fleet.now - 10))
    await fleet.cycle(quiet)
    assert [(row["miner_id"], row["status"]) for row in site.events()] == [("m-000", "pending")]
    await fleet.cycle(quiet)
    assert fleet.open() == {("m-000", "offline")}
    await fleet.cycle(quiet, times=7)  # to the end of the hour: samples of the hourly collector are 55 minutes old
    assert fleet.open() == {("m-000", "offline")}
    assert states(site) == {"every minute": {"P0", "ok"}, "hourly": {"ok"}}

    both_quiet = both(quiet, late([6], since=NOON - 10))
    fleet.fleet.config = replace(fleet.fleet.config, cycle_sec=1800.0)
    fleet.fleet.now = NOON + 3 * HOUR_SEC
    await fleet.cycle(both_quiet, times=3)  # 4 h 30 min
    assert fleet.open() == {("m-000", "offline")}
    await fleet.cycle(both_quiet, times=2)
    assert fleet.open() == {("m-000", "offline"), ("m-006", "offline")}
    thresholds = {row["miner_id"]: row["evidence_json"][0]["threshold"] for row in site.events()}
    assert thresholds == {"m-000": 300.0, "m-006": 5 * HOUR_SEC}


async def test_a_collector_is_down_by_its_own_interval(site: StoredSite) -> None:
    fleet = await site_with_two_intervals(site)
    await fleet.cycle(polled_hourly(fleet), times=2)
    site.dead = {site.collector_id, hourly_collector(site)}
    quiet = both(late(range(6), since=fleet.now - 10), late(range(6, 12), since=NOON - 10))
    await fleet.cycle(quiet, times=4)
    assert collectors_down(site) == {"north": 300.0}
    fleet.fleet.config = replace(fleet.fleet.config, cycle_sec=1800.0)
    await fleet.cycle(quiet, times=9)  # 4 h 55 min after it was last heard
    assert collectors_down(site) == {"north": 300.0}
    await fleet.cycle(quiet, times=3)
    assert collectors_down(site) == {"north": 300.0, "hourly": 5.0 * HOUR_SEC}


def hourly_collector(site: StoredSite) -> UUID:
    ((collector_id,),) = site.rows("select id from collectors where name = 'hourly'")
    return UUID(str(collector_id))


def collectors_down(site: StoredSite) -> dict[str, float]:
    """The threshold of each open problem, by collector."""
    rows = site.rows(
        "select c.name, (e.evidence_json -> 0 ->> 'threshold')::float8 from problem_events e"
        " join collectors c on c.id = e.collector_id where e.issue_code = 'collector_down' and e.status = 'open'"
    )
    return dict(rows)

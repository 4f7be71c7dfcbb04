"""The life of problems as somebody sees it who has only the API: real cycles behind, answers in front."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from hashinsight.problems.codes import RuleVerdict
from tests.people import People
from tests.problems.fleet import readings_of, slower
from tests.problems.stored_site import StoredFleet, StoredSite
from tests.problems.test_hard_rules import THRESHOLDS

WARM, HOT = readings_of(3, temp_max_c=90.0), readings_of(3, temp_max_c=97.0)


class Reader:
    def __init__(self, api: httpx.AsyncClient, headers: dict[str, str]) -> None:
        self._api = api
        self._headers = headers

    async def ask(self, path: str, **query: Any) -> Any:
        answer = await self._api.get(f"/api/v1{path}", headers=self._headers, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        answer = await self._api.post(f"/api/v1{path}", headers=self._headers, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def problems(self, **query: Any) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = (await self.ask("/problems", per_page=500, **query))["problems"]
        return rows

    async def get_one(self, **query: Any) -> dict[str, Any]:
        (rows,) = await self.problems(**query)
        return rows


@pytest.fixture
async def reader(api: httpx.AsyncClient, people: People) -> Reader:
    return Reader(api, await people.headers("OpsManager"))


async def test_each_rule_is_listed_from_its_threshold_on_with_its_evidence(site: StoredSite, reader: Reader) -> None:
    cases = [case for case in THRESHOLDS if "is_air" not in case[1]]  # how a machine is cooled is the inventory's word
    fleet = StoredFleet(site, n=len(cases) + 5)

    def tell(columns: dict[str, Any]) -> None:
        for machine, (_, readings, _) in enumerate(cases):
            readings_of(machine, **readings)(columns)

    await fleet.cycle(tell, times=2)
    rows = {(row["miner_id"], row["issue_code"]): row for row in await reader.problems()}
    for machine, (issue, readings, says) in enumerate(cases):
        problem = rows.get((f"m-{machine:03}", issue.code))
        assert (problem is not None) == (says is RuleVerdict.HIT), (issue, readings)
        if problem is not None:
            (evidence,) = problem["evidence_json"]
            assert {"rule_code", "description", "threshold", "evaluated_at", "left_out"} <= set(evidence)
            assert evidence["rule_code"] == issue.code
            assert len(evidence) >= 6, evidence  # and the number itself
    assert not [name for name, _ in rows if int(name[2:]) >= len(cases)]


async def test_a_problem_is_shown_after_two_looks_and_once(site: StoredSite, reader: Reader) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(WARM)
    assert await reader.problems() == []
    pending = await reader.get_one(status="pending")
    await fleet.cycle(WARM)
    first = await reader.get_one()
    assert (first["id"], first["status"], first["consecutive_fail"]) == (pending["id"], "open", 2)
    await fleet.cycle(WARM, times=3)
    again = await reader.get_one()
    assert (again["id"], again["consecutive_fail"]) == (first["id"], 5)
    assert again["last_seen_ts"] > first["last_seen_ts"]


async def test_the_worse_code_closes_the_lesser_as_escalated(site: StoredSite, reader: Reader) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(WARM, times=2)
    await fleet.cycle(HOT, times=2)
    worse = await reader.get_one()
    assert (worse["issue_code"], worse["severity"]) == ("overheat_crit", "P0")
    lesser = await reader.get_one(status="resolved")
    assert (lesser["issue_code"], lesser["resolution_cause"]) == ("overheat_warn", "escalated")


async def test_three_healthy_looks_end_it_and_within_a_day_the_same_row_comes_back(
    site: StoredSite, reader: Reader
) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(HOT, times=2)
    problem = await reader.get_one()
    await fleet.cycle(times=2)
    assert (await reader.get_one())["consecutive_ok"] == 2
    await fleet.cycle()
    assert await reader.problems() == []
    over = await reader.get_one(status="resolved")
    assert (over["resolved_by"], over["resolution_cause"]) == ("system", "recovered")
    await fleet.cycle(HOT)
    back = await reader.get_one()
    assert (back["id"], back["recurrence_count"]) == (problem["id"], 1)
    await fleet.cycle(times=3)
    fleet.fleet.now += timedelta(hours=25).total_seconds()
    await fleet.cycle(HOT, times=2)
    new = await reader.get_one()
    assert new["id"] != problem["id"]
    assert new["predecessor_id"] == problem["id"]
    story = await reader.ask(f"/problems/{new['id']}")
    assert [row["id"] for row in story["predecessors"]] == [problem["id"]]


async def test_a_suppressed_machine_opens_nothing_until_it_is_unsuppressed(site: StoredSite, reader: Reader) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle()
    await reader.post("/miners/m-003/suppress", {"reason": "new fans", "maintenance": True})
    # the fleet's clock runs months behind the one that the suppression was written by
    site.rows("update suppressions set from_at = to_timestamp(%s) returning 1", fleet.now)
    await fleet.cycle(HOT, times=3)
    assert await reader.problems() == []
    (seen,) = (await reader.ask("/miners/m-003/health"))["suppressed_detections"]
    assert (seen["issue_code"], seen["severity"], seen["detections"]) == ("overheat_crit", "P0", 3)
    assert seen["first_seen_ts"] < seen["last_seen_ts"]
    assert (await reader.ask("/miners/m-004/health"))["suppressed_detections"] == []
    fleet.fleet.now += 2 * 86_400
    await fleet.cycle(HOT)
    (later,) = (await reader.ask("/miners/m-003/health"))["suppressed_detections"]
    assert (later["detections"], later["first_seen_ts"]) == (1, later["last_seen_ts"])  # days later: another story
    await reader.post("/miners/m-003/unsuppress", {})
    assert (await reader.ask("/miners/m-003/health"))["suppressed_detections"] == []
    site.rows("update suppressions set lifted_at = to_timestamp(%s) returning 1", fleet.now)
    await fleet.cycle(HOT, times=2)
    assert (await reader.get_one())["issue_code"] == "overheat_crit"


async def test_machine_health_shows_baseline_mode_and_decline(site: StoredSite, reader: Reader) -> None:
    fleet = StoredFleet(site, n=40)
    await fleet.cycle(times=9)
    await fleet.cycle(slower(3, 0.3), times=4)
    rows = {row["issue_code"]: row for row in await reader.problems()}
    assert {"hashrate_degradation", "fleet_outlier"} <= set(rows)
    story = await reader.ask(f"/problems/{rows['hashrate_degradation']['id']}")
    past = story["baseline"]["metrics"]["hashrate_ratio"]
    assert past["expected"] == pytest.approx(1.0, abs=0.05)  # frozen: what it is now has not become usual
    assert past["last_value"] == pytest.approx(0.7, abs=0.05)
    assert past["samples"] >= 6
    assert story["baseline"]["inferred_mode"] == "normal"
    assert story["baseline"]["frozen_since"] is not None

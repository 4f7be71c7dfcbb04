"""Rules that need a past or peers, modes and collectors, as somebody sees them who has only the API."""

import json
from typing import Any

import httpx
import numpy as np
import pytest

from hashinsight.problems.codes import Issue
from hashinsight.problems.config import Config
from hashinsight.problems.pipeline import step
from hashinsight.problems.temperature_limits import LimitLayers
from tests.people import PASSWORD, People
from tests.problems.api import graded_faults
from tests.problems.api.graded_faults import GRADED_FAULTS, POOLS
from tests.problems.api.problems_api import HOSTING, ProblemsApi
from tests.problems.api.test_lifecycle import Reader, reader  # noqa: F401 - a fixture
from tests.problems.fleet import readings_of
from tests.problems.rule_cases import is_consistent
from tests.problems.stored_site import StoredFleet, StoredSite

LIMITS = {"trend_per_day": 0.0015, "trend_hours": 0.25}
CONFIG = Config(
    interval_sec=300.0,
    allowed_pools=("good.example",),
    allowed_workers=(graded_faults.WORKER,),
    layers=LimitLayers(firmwares={graded_faults.TREND: LIMITS}),
)
# z and size, both of which must be passed, by code
EFFECT = {
    "hashrate_degradation": (2.0, 0.03), "temp_anomaly": (2.5, 4.0), "boards_degrading": (0.0, 0.1),
    "fleet_outlier": (3.0, 0.15),
}  # fmt: skip


class BothSites:
    """The same readings in the database and in memory: the one tells what is listed, the other how near it was."""

    def __init__(self, site: StoredSite) -> None:
        self.stored = StoredFleet(site, n=graded_faults.N, config=CONFIG)
        self.fleet = self.stored.fleet
        graded_faults.furnish(self.fleet)
        self.eco = graded_faults.ECO.tolist()
        self.distances: dict[Issue, list[np.ndarray[Any, Any]]] = {each.issue: [] for each in GRADED_FAULTS}

    async def cycle(self, ill: int = 0, *, eco: tuple[int, ...] = ()) -> None:
        fleet = self.fleet
        fleet.now += 300
        readings = fleet.readings()
        graded_faults.run(readings, [*self.eco, *eco])
        if ill:
            graded_faults.worsen(readings, ill)
        frame = fleet.frame(graded_faults.as_stored(readings))
        fleet.state, result = step(fleet.state, frame, fleet.now, CONFIG)
        self.stored.site.show(frame)
        await self.stored.site.cycle(fleet.now)
        if ill:
            for issue, rows in graded_faults.places().items():
                self.distances[issue].append(graded_faults.distance(result, issue, rows))


async def test_soft_rules_are_listed_from_their_thresholds_with_their_modes(
    site: StoredSite,
    reader: Reader,  # noqa: F811
    api: httpx.AsyncClient,
    people: People,
) -> None:
    rules = {"firmwares": {graded_faults.TREND: LIMITS}}
    pools = {"allowed": list(CONFIG.allowed_pools), "workers": list(CONFIG.allowed_workers)}
    settings = {"version": 0, "rules": rules, "pools": pools}
    answer = await api.patch("/api/admin/v1/settings", json=settings, headers=await people.headers("Owner"))
    assert answer.is_success, answer.text
    sites = BothSites(site)
    for _ in range(graded_faults.WARM):
        await sites.cycle()
    told_before = await modes(reader)
    for ill in range(1, graded_faults.ILL + 1):
        odd = (graded_faults.SWITCHES, graded_faults.WAVERS) if ill <= 2 else (graded_faults.SWITCHES,)
        await sites.cycle(ill, eco=odd)
    listed = {(row["miner_id"], row["issue_code"]): row for row in await reader.problems()}
    for ladder in GRADED_FAULTS:
        check_ladder(ladder, sites, listed)
    check_pools(listed)
    assert not [key for key in listed if int(key[0][2:]) > POOLS[-1]], "those that are well"
    assert told_before == {"eco": "eco", "wavers": "normal", "switches": "normal", "plain": "normal", "few": "unknown"}
    assert await modes(reader) == told_before | {"switches": "eco"}


async def modes(reader: Reader) -> dict[str, str]:  # noqa: F811
    whose = {
        "eco": int(graded_faults.ECO[0]), "wavers": graded_faults.WAVERS, "switches": graded_faults.SWITCHES,
        "plain": int(graded_faults.MODES[-1]), "few": graded_faults.N - 1,
    }  # fmt: skip
    shown = {}
    for name, number in whose.items():
        shown[name] = (await reader.ask(f"/miners/m-{number:03}/health"))["baseline"]["inferred_mode"]
    return shown


def check_ladder(ladder: graded_faults.GradedFault, sites: BothSites, listed: dict[tuple[str, str], Any]) -> None:
    rows = graded_faults.places()[ladder.issue]
    beyond = graded_faults.reached(sites.distances[ladder.issue], ladder.cycles)
    problems = [listed.get((f"m-{row:03}", ladder.issue.code)) for row in rows]
    assert [each is not None for each in problems] == (beyond >= 0).tolist(), (ladder.issue, beyond)
    assert -ladder.close <= beyond[beyond < 0].max() < 0, (ladder.issue, beyond)
    assert 0 <= beyond[beyond >= 0].min() <= ladder.close, (ladder.issue, beyond)
    for row in problems:
        if row is not None:
            evidence = row["evidence_json"][0]  # as it was when it opened
            assert is_consistent(evidence), json.dumps(evidence)
            check_effect(ladder.issue.code, evidence)


def check_effect(code: str, evidence: dict[str, Any]) -> None:
    """The threshold is as far from what is usual as the rule says."""
    assert evidence["held"] is False
    among = evidence.get("baseline") or evidence["peers"]["hashrate_ratio"]
    usual, sigma = among.get("expected", among.get("median")), among.get("sigma", among.get("mad"))
    away = abs(evidence["threshold"] - usual)
    if code in EFFECT:
        z, size = EFFECT[code]
        assert away == pytest.approx(max(size, z * sigma), abs=1e-4)
    elif code == "efficiency_degradation":
        assert away == pytest.approx(max(0.05 * among["value"], 2 * sigma), abs=1e-3)
    elif code == "trend_anomaly":
        assert evidence["threshold"] == -LIMITS["trend_per_day"]
    else:
        assert code in ("reject_rate_high", "hw_error_rate_high")
        least = 0.03 if code == "reject_rate_high" else 12 / 104
        wanted = max(least, 4 * evidence["peers_median"], 4 * usual)
        assert evidence["threshold"] == pytest.approx(wanted, abs=1e-5)


def check_pools(listed: dict[tuple[str, str], Any]) -> None:
    right, pool, worker = (listed.get((f"m-{number:03}", "wrong_pool")) for number in POOLS)
    assert right is None
    assert pool is not None
    assert worker is not None
    shown = [row["evidence_json"][0] for row in (pool, worker)]
    assert [(row["way"], row["metric"], row[row["metric"]]) for row in shown] == [
        ("pool", "pool", "stratum+tcp://evil.example:3333"),
        ("worker", "worker", "thief.1"),
    ]


async def test_a_dead_collector_is_one_problem_and_neither_opens_nor_ends_any_other(
    site: StoredSite,
    reader: Reader,  # noqa: F811
) -> None:
    fleet = StoredFleet(site, n=6)
    await fleet.cycle(readings_of(3, temp_max_c=97.0), times=2)
    assert [row["issue_code"] for row in await reader.problems()] == ["overheat_crit"]
    silent_since = fleet.now

    def silent(readings: dict[str, Any]) -> None:
        readings["ts"].fill(silent_since - 10)
        readings["heard_at"].fill(silent_since - 5)

    site.dead.add(site.collector_id)
    fleet.fleet.now += 5 * 300
    await fleet.cycle(silent, times=2)
    outcome = {row["issue_code"]: row for row in await reader.problems()}
    assert set(outcome) == {"overheat_crit", "collector_down"}
    down, hot = outcome["collector_down"], outcome["overheat_crit"]
    assert (down["collector_id"], down["miner_id"], down["severity"]) == (str(site.collector_id), None, "P1")
    assert is_consistent(down["evidence_json"][0])
    assert down["evidence_json"][0]["metric"] == "silent_sec"
    assert (hot["status"], hot["consecutive_ok"], hot["consecutive_fail"]) == ("open", 0, 2)
    summary = await reader.ask(f"/sites/{site.site_id}/health_summary")
    assert summary["by_issue"] == {"overheat_crit": 1, "collector_down": 1}
    assert summary["unknown_miners"] == 5
    site.dead.clear()
    await fleet.cycle(readings_of(3, temp_max_c=97.0), times=3)
    assert [row["issue_code"] for row in await reader.problems()] == ["overheat_crit"]


async def test_a_signed_in_browser_may_use_the_five_hosting_routes(problems_api: ProblemsApi) -> None:
    """The cookie that is no forgery, and for writing the token beside it."""
    problems_api.problem("m1")
    _, email = await problems_api.tenants.people.user("NOC")
    signed_in = await problems_api.api.post(
        "/api/v1/auth/login", json={"email": email, "password": PASSWORD, "cookie": True}
    )
    csrf = {"X-CSRF-Token": signed_in.json()["csrf_token"]}
    for path in ("/sites/tx-1/health_summary", "/sites/tx-1/problems", "/miners/m1/problems"):
        answer = await problems_api.api.get(f"{HOSTING}{path}")
        assert answer.status_code == 200, (path, answer.text)
    assert answer.json()["total"] == 1
    for path, body in (("/miners/m1/suppress", {"reason": "new fans"}), ("/miners/m1/unsuppress", {})):
        refused = await problems_api.api.post(f"{HOSTING}{path}", json=body)
        assert (refused.status_code, refused.json()["error_code"]) == (403, "CSRF_FAILED")
        answer = await problems_api.api.post(f"{HOSTING}{path}", json=body, headers=csrf)
        assert (answer.status_code, answer.json()["success"]) == (200, True), answer.text
    problems_api.api.cookies.clear()
    assert (await problems_api.api.get(f"{HOSTING}/miners/m1/problems")).status_code == 401

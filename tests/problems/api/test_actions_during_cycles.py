"""What people do beside real cycles: neither undoes the other, and a suppressed machine opens nothing."""

import asyncio
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from hashinsight.identity.caller import Caller, system_caller
from hashinsight.kit.db.context import job_context
from hashinsight.problems.actions import ActionInput, ProblemAction, ResolutionCause
from hashinsight.problems.service.actions import act_on_problem
from hashinsight.problems.service.details import get_details, get_health
from hashinsight.problems.service.lists import list_miner_problems
from hashinsight.problems.service.sites import get_summary
from hashinsight.problems.service.suppressions import SuppressionRequest, suppress_miner, unsuppress_miner
from tests.problems.fleet import readings_of
from tests.problems.stored_site import StoredFleet, StoredSite

HOT = readings_of(3, temp_max_c=97.0)


def asker(site: StoredSite) -> Caller:
    return system_caller(site.tenant_id)


async def act(
    site: StoredSite, act: ProblemAction, problem_id: UUID, text: ActionInput | None = None, *, now: float
) -> None:
    async with site.database.transaction(job_context()) as session:
        moment = datetime.fromtimestamp(now, UTC)
        await act_on_problem(session, asker(site), act, problem_id, text or ActionInput(), now=moment)


def the_problem(site: StoredSite) -> dict[str, Any]:
    (event,) = site.events("issue_code = 'overheat_crit'")
    return event


async def test_cycles_keep_what_people_did_until_the_problem_ends_or_recurs(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(HOT, times=2)
    problem = the_problem(site)["id"]
    await act(site, ProblemAction.ACKNOWLEDGE, problem, now=fleet.now)
    await fleet.cycle(HOT)
    assert (the_problem(site)["status"], the_problem(site)["acked_by"]) == ("ack", "system")
    await act(site, ProblemAction.START, problem, now=fleet.now)
    await act(site, ProblemAction.COMMENT, problem, ActionInput(comment="fan is in the post"), now=fleet.now)
    assert (await fleet.cycle(HOT)).actions["updated"] >= 1
    assert the_problem(site)["status"] == "in_progress"
    await act(
        site,
        ProblemAction.RESOLVE,
        problem,
        ActionInput(cause=ResolutionCause.REPAIRED, action="fan swapped"),
        now=fleet.now,
    )
    await fleet.cycle()
    over = the_problem(site)
    assert (over["status"], over["resolution_cause"], over["seen"]) == ("resolved", "repaired", False)
    await fleet.cycle(HOT)
    back = the_problem(site)
    assert (back["id"], back["status"], back["recurrence_count"], back["resolution_cause"]) == (
        problem,
        "open",
        1,
        None,
    )
    kinds = [kind for (kind,) in site.rows("select kind from problem_timeline order by at, id")]
    # once somebody has taken it, the baseline learns again
    assert kinds == ["opened", "acknowledged", "thawed", "started", "comment", "resolved", "recurred"]


async def test_a_running_cycle_yields_to_an_act_and_the_next_cycle_continues_from_it(
    site: StoredSite,
) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(HOT, times=2)
    problem = the_problem(site)["id"]
    async with site.database.transaction(job_context()) as session:
        moment = datetime.fromtimestamp(fleet.now, UTC)
        await act_on_problem(
            session, asker(site), ProblemAction.RESOLVE, problem, ActionInput(cause=ResolutionCause.OTHER), now=moment
        )
        cycle = asyncio.create_task(fleet.cycle(HOT))  # it has read the problem as open, and waits for the site's row
        while not site.rows("select from pg_locks where not granted"):
            assert not cycle.done()
            await asyncio.sleep(0.02)
    await cycle
    assert (the_problem(site)["status"], the_problem(site)["resolution_cause"]) == ("resolved", "other")
    assert site.rows("select kind from problem_timeline order by at, id")[-1] == ("resolved",)
    await fleet.cycle(HOT)
    assert (the_problem(site)["status"], the_problem(site)["recurrence_count"]) == ("open", 1)


async def test_a_suppressed_machine_opens_nothing_and_its_hits_are_kept(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(times=2)
    async with site.database.transaction(job_context()) as session:
        moment = datetime.fromtimestamp(fleet.now, UTC)
        await suppress_miner(session, asker(site), "m-003", site.site_id, SuppressionRequest("new fans"), now=moment)
    assert (await fleet.cycle(HOT, times=3)).actions["suppressed"] >= 1
    assert fleet.open() == set()
    seen = site.rows("select issue_code, detections from suppressed_detections where issue_code = 'overheat_crit'")
    assert seen == [("overheat_crit", 3)]
    async with site.database.transaction(job_context()) as session:
        moment = datetime.fromtimestamp(fleet.now, UTC)
        assert (await unsuppress_miner(session, asker(site), "m-003", site.site_id, now=moment))[0] == 1
    await fleet.cycle(HOT, times=2)
    assert ("m-003", "overheat_crit") in fleet.open()


async def test_a_story_shows_what_the_cycle_wrote(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(times=3)
    await fleet.cycle(HOT, times=2)
    seen, now = asker(site).seen, datetime.fromtimestamp(fleet.now, UTC)
    async with site.database.transaction(job_context()) as session:
        summary = await get_summary(session, seen, site.site_id)
        story = await get_details(session, seen, the_problem(site)["id"], history_hours=24, now=now)
        health = await get_health(session, seen, "m-003", site.site_id, now=now)
        of_miner = await list_miner_problems(session, seen, "m-003", None, status=(), include_resolved=False, now=now)
    assert (summary["by_severity"]["P0"], summary["last_scan_ts"]) == (1, now)
    machines = [summary[f"{name}_miners"] for name in ("total", "healthy", "problem", "stopped", "down", "unknown")]
    assert (machines[0], machines[2]) == (12, 1)
    assert sum(machines[1:]) == machines[0]
    assert (health["health_state"], health["issues"][0]["issue_code"]) == ("P0", "overheat_crit")
    assert of_miner["problems"][0]["last_seen_ts"] == now
    assert [point["temp_max"] for point in story["history"]][-2:] == [97.0, 97.0]
    assert len(story["history"]) == 5
    assert story["baseline"]["metrics"]["temp_max"]["last_value"] == 97.0
    assert story["baseline"]["metrics"]["hashrate_ratio"]["samples"] >= 1

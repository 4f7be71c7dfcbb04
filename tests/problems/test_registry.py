"""The registry as cycles write it: rows, their evidence, what is forgotten, and what others may do meanwhile."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy.exc import IntegrityError

from hashinsight.kit.db.context import job_context
from hashinsight.kit.ids import new_id
from hashinsight.problems.queries import registry as queries
from hashinsight.problems.service.cycle import run_cycle
from tests.problems.fleet import late, readings_of, slower
from tests.problems.stored_site import StoredFleet, StoredSite


async def test_a_problem_is_pending_then_open_with_evidence_then_resolved_and_each_step_is_in_the_timeline(
    site: StoredSite,
) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(times=2)
    hot = readings_of(3, temp_max_c=97.0)
    assert (await fleet.cycle(hot)).actions["debouncing"] == 1
    (pending,) = site.events()
    assert (pending["status"], pending["severity"], pending["dedup_key"]) == ("pending", "P0", "m-003:overheat_crit")
    assert (await fleet.cycle(hot)).actions["created"] == 1
    (opened,) = site.events()
    assert (opened["id"], opened["status"], opened["seen"]) == (pending["id"], "open", True)
    (snapshot,) = opened["evidence_json"]
    assert (snapshot["rule_code"], snapshot["temp_max"], snapshot["threshold"]) == ("overheat_crit", 97.0, 95.0)
    assert (opened["model"], opened["firmware"]) == ("Antminer S19j Pro", "stock 1.0")
    await fleet.cycle(times=3)
    (ended,) = site.events()
    assert (ended["status"], ended["resolved_by"], ended["resolution_cause"]) == ("resolved", "system", "recovered")
    assert ended["resolved_ts"].timestamp() == fleet.now
    answer = site.rows("select kind from problem_timeline where problem_id = %s order by at", ended["id"])
    assert [kind for (kind,) in answer] == ["opened", "resolved"]
    await fleet.cycle(hot)
    (back,) = site.events()
    assert (back["id"], back["status"], back["recurrence_count"]) == (ended["id"], "open", 1)
    assert (back["resolved_ts"], back["resolution_cause"]) == (None, None)


async def test_one_bad_sample_leaves_no_row(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(readings_of(3, temp_max_c=97.0))
    assert len(site.events()) == 1
    await fleet.cycle()
    assert site.events() == []
    assert site.rows("select count(*) from problem_pulse") == [(0,)]


async def test_snapshots_are_bounded_and_keep_the_first(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    fleet.fleet.config = replace(fleet.fleet.config, cycle_sec=3600.0)  # a snapshot an hour
    for number in range(16):
        await fleet.cycle(readings_of(3, temp_max_c=96.0 + number % 5))
    (event,) = site.events()
    times = [row["evaluated_at"] for row in event["evidence_json"]]
    assert len(times) == 12
    assert times == sorted(times)
    first = datetime.fromisoformat(times[0]).timestamp()
    assert (first, datetime.fromisoformat(times[-1]).timestamp() > fleet.now - 3600) == (
        event["opened_ts"].timestamp(),
        True,
    )


async def test_a_condition_no_longer_seen_keeps_its_last_seen_time(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(readings_of(3, temp_max_c=97.0), times=3)
    seen = fleet.now
    fleet.fleet.now += 300
    await site.cycle(fleet.now)  # nothing has come in since
    (event,) = site.events("issue_code = 'overheat_crit'")
    assert (event["status"], event["seen"], event["last_seen_ts"].timestamp()) == ("open", False, seen)


async def test_a_cycle_runs_once_for_its_moment_and_leaves_nothing_half_done(
    site: StoredSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(readings_of(3, temp_max_c=97.0))
    assert await site.cycle(fleet.now) is None
    before = site.rows("select md5(s::text) from problem_state s")

    async def fails(*_: object, **__: object) -> None:
        raise IntegrityError("", None, Exception())

    monkeypatch.setattr(queries, "write_timeline", fails)
    with pytest.raises(IntegrityError):
        await fleet.cycle(readings_of(3, temp_max_c=97.0))
    monkeypatch.undo()
    assert [row["status"] for row in site.events()] == ["pending"]
    assert site.rows("select md5(s::text) from problem_state s") == before
    await fleet.cycle(readings_of(3, temp_max_c=97.0))
    assert [row["status"] for row in site.events()] == ["open"]


async def test_an_act_during_a_cycle_is_not_overwritten(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(readings_of(3, temp_max_c=97.0), times=2)
    moment = datetime.fromtimestamp(fleet.now + 300, UTC)
    async with site.database.transaction(job_context()) as session:
        reading = asyncio.create_task(run_cycle(site.database, session, site.site_id, period=moment, now=moment))
        while not reading.done():
            acted = site.rows(
                "with a as (update problem_pulse set version = version + 1, status = 2 where version = 0 returning 1)"
                " update problem_events set status = 'ack', acked_by = 'pat' where exists (select from a) returning 1"
            )
            if acted:
                break
            await asyncio.sleep(0)
        await reading
    (event,) = site.events()
    assert (event["status"], event["acked_by"]) == ("ack", "pat")
    await fleet.cycle(readings_of(3, temp_max_c=97.0), times=2)
    assert [row["status"] for row in site.events()] == ["ack"]


async def test_a_machine_that_leaves_takes_its_problems_off_the_list(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(readings_of(3, temp_max_c=97.0), times=2)
    site.rows("update miners set state = 'retired' where miner_no = %s returning 1", site.numbers[3])
    await fleet.cycle()
    (event,) = site.events()
    assert (event["status"], event["resolution_cause"]) == ("resolved", "left_site")


async def test_suppressed_machines_open_nothing_and_their_hits_are_counted(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle()
    site.rows(
        "insert into suppressions (id, tenant_id, site_id, kind, miner_no, from_at, until_at, maintenance, reason,"
        " created_at, created_by_kind) values (gen_random_uuid(), %s, %s, 'miner', %s, to_timestamp(%s),"
        " to_timestamp(%s), true, 'fan swap', now(), 'user') returning 1",
        site.tenant_id, site.site_id, site.numbers[3], fleet.now, fleet.now + 1000,
    )  # fmt: skip
    ran = await fleet.cycle(readings_of(3, temp_max_c=97.0), times=3)
    assert (ran.actions["suppressed"], site.events()) == (1, [])
    assert site.rows("select issue_code, detections from suppressed_detections") == [("overheat_crit", 3)]
    await fleet.cycle(readings_of(3, temp_max_c=97.0), times=2)  # it has run out by itself
    assert fleet.open() == {("m-003", "overheat_crit")}


async def test_a_dead_collector_is_one_event_and_moves_no_machines_problem(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(readings_of(3, temp_max_c=97.0), times=2)
    for _ in range(7):  # silent is who was not heard for five intervals, and then it is looked at twice
        fleet.fleet.now += 300
        await site.cycle(fleet.now)
    assert fleet.open() == {("m-003", "overheat_crit"), ("collector", "collector_down")}
    (down,) = site.events("issue_code = 'collector_down'")
    assert (down["collector_id"], down["miner_no"], down["severity"]) == (site.collector_id, None, "P1")
    assert down["evidence_json"][0]["heard_at"] is not None
    await fleet.cycle(readings_of(3, temp_max_c=97.0), times=3)
    assert fleet.open() == {("m-003", "overheat_crit")}


async def test_every_machine_has_its_health_and_every_run_its_counts(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(readings_of(3, temp_max_c=97.0), times=2)
    health = dict(site.rows("select miner_no, overall_health from telemetry_live"))
    assert health.pop(site.numbers[3]) == "P0"
    assert set(health.values()) == {"ok"}
    (run,) = site.rows(
        "select machines, fresh, healthy, with_problem, unknown, actions->>'created' from problem_runs"
        " order by period desc limit 1"
    )
    assert run == (12, 12, 11, 1, 0, "1")


async def test_baselines_and_features_can_be_read_as_documented(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(times=12)
    rows = site.rows(
        "select metric_name, inferred_mode, sample_count, ewma_variance > 0, updated_at, ewma_value"
        " from miner_baseline_state"
        " where miner_id = 'm-003' order by metric_name"
    )
    assert len(rows) == 8
    answer = {name: rest for name, *rest in rows}
    assert answer["hashrate_ratio"][1] > 6
    assert answer["hashrate_ratio"][3].timestamp() == fleet.now
    assert answer["hashrate_ratio"][4] == pytest.approx(1.0, abs=0.02)
    assert answer["temp_max"][4] == pytest.approx(62.0, abs=0.5)
    assert answer["boards_ratio"][4] == pytest.approx(1.0)
    features = site.rows(
        "select ts, hashrate_ratio, data_state, is_online, board_share_min from feature_store_5min"
        " where miner_id = 'm-003' order by ts"
    )
    assert len(features) == 12
    assert features[-1][1] == pytest.approx(1.0, abs=0.06)
    assert features[-1][2:] == ("fresh", True, None)
    assert len(site.rows("select 1 from feature_store_hourly where miner_id = 'm-003'")) == 2


async def test_a_repair_restarts_the_baseline(site: StoredSite) -> None:
    fleet = StoredFleet(site, n=40)
    await fleet.cycle(times=12)
    await fleet.cycle(slower(0, 0.3), times=6)
    assert ("m-000", "hashrate_degradation") in fleet.open()
    site.rows(
        "with e as (update problem_events set status = 'resolved', resolved_ts = to_timestamp(%s), resolved_by = 'pat',"
        " resolution_cause = 'repaired' where status <> 'resolved' returning id)"
        " update problem_pulse set status = 4, resolved_ts = %s, version = version + 1"
        " where problem_id in (select id from e) returning 1",
        fleet.now, fleet.now,
    )  # fmt: skip
    await fleet.cycle(slower(0, 0.3))
    (samples,) = site.rows(
        "select sample_count from miner_baseline_state where miner_id = 'm-000' and metric_name = 'hashrate_ratio'"
    )
    assert samples[0] <= 1


async def test_of_two_collectors_at_a_site_the_dead_one_darkens_only_its_own_machines(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    other = new_id()
    site.rows(
        "insert into collectors (id, tenant_id, site_id, name, status, permissions, collection_interval_sec,"
        " created_at, updated_at) values (%s, %s, %s, 'south', 'active', '{read}', 300, now(), now()) returning 1",
        other, site.tenant_id, site.site_id,
    )  # fmt: skip
    site.brought_by = dict.fromkeys(site.numbers[6:], other)
    await fleet.cycle(times=2)
    site.dead = {other}
    await fleet.cycle(late(range(6, 12)), times=8)
    assert fleet.open() == {("collector", "collector_down")}
    (down,) = site.events()
    assert down["collector_id"] == other


async def test_flapping_and_relearning_are_in_the_timeline(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(readings_of(3, temp_max_c=97.0), times=2)
    for _ in range(3):
        await fleet.cycle(times=3)
        await fleet.cycle(readings_of(3, temp_max_c=97.0))
    (event,) = site.events()
    assert (event["flapping"], event["recurrence_count"]) == (True, 3)
    site.rows("update problem_events set status = 'ack' returning 1")
    site.rows("update problem_pulse set status = 2, version = version + 1 returning 1")
    await fleet.cycle(readings_of(3, temp_max_c=97.0))
    answer = site.rows("select kind from problem_timeline order by id")
    assert [kind for (kind,) in answer].count("flapping") == 1
    assert answer[-1] == ("thawed",)

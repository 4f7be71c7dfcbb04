"""Asking for commands over HTTP: what is made, what is refused, and that a refused request leaves nothing behind."""

import asyncio
import json
from typing import Any

import pytest

from hashinsight.client import CommandRequest
from tests.commands.two_tenants import ADMIN, TwoTenants, fan_command, reboot_command, refused_with


async def test_requests_need_authentication(tenants: TwoTenants) -> None:
    answer = await tenants.post("/commands", fan_command("m1").to_wire(), {})
    assert answer.status_code == 401
    assert set(tenants.stored().values()) == {0}


async def test_one_machine_by_code_or_id_of_its_site(tenants: TwoTenants) -> None:
    made = await tenants.noc.commands.request(fan_command("m1"))
    (command,) = made["commands"]
    assert (command["miner_id"], command["state"], command["approval_state"], command["existing"]) == (
        "m1",
        "queued",
        "none",
        False,
    )
    assert made["counts"] == {"created": 1, "existing": 0, "refused": 0}
    by_id = await tenants.noc.commands.request(fan_command("m2", site_id=tenants.site_id()))
    assert by_id["commands"][0]["miner_id"] == "m2"
    story = await tenants.noc.commands.get(command["command_id"])
    assert (story["params"], story["wait_reason"]) == ({"speed": 60}, "COLLECTOR_OFFLINE")
    status = (await tenants.post("/commands", fan_command("m3").to_wire(), await tenants.headers())).status_code
    assert status == 201


JSON = {"Content-Type": "application/json"}
BAD: dict[str, tuple[dict[str, Any], int, str]] = {
    "an unknown type": ({"command_type": "explode"}, 422, "UNKNOWN_COMMAND_TYPE"),
    "a parameter out of range": ({"params": {"speed": 101}}, 422, "BAD_PARAMS"),
    "a parameter of another type": ({"params": {"speed": "60"}}, 422, "BAD_PARAMS"),
    "a parameter that nobody reads": ({"params": {"speed": 60, "rpm": 1}}, 422, "BAD_PARAMS"),
    "no parameter": ({"params": None}, 422, "BAD_PARAMS"),
    "parameters that are a list": ({"params": [60]}, 422, "BAD_PARAMS"),
    "an unknown miner": ({"miner_ids": ["nobody"]}, 404, "NOT_FOUND"),
    "another tenant's miner": ({"miner_ids": ["x1"]}, 404, "NOT_FOUND"),
    "another tenant's site": ({"site_id": "other", "miner_ids": ["x1"]}, 404, "NOT_FOUND"),
    "a miner of another site": ({"miner_ids": ["n1"]}, 404, "NOT_FOUND"),
    "an unknown group": ({"miner_ids": None, "group_id": 77}, 404, "NOT_FOUND"),
    "a filter that finds nobody": ({"miner_ids": None, "filter": {"model": "S99"}}, 404, "NO_MACHINES"),
    "an unknown key of a filter": ({"miner_ids": None, "filter": {"colour": "red"}}, 422, "VALIDATION_FAILED"),
    "no machines": ({"miner_ids": []}, 422, "BAD_TARGET"),
    "machines in two ways": ({"filter": {"zone": "z1"}}, 422, "BAD_TARGET"),
    "machines in no way": ({"miner_ids": None}, 422, "BAD_TARGET"),
    "a TTL of zero": ({"ttl_sec": 0}, 422, "BAD_TTL"),
    "a TTL below zero": ({"ttl_sec": -5}, 422, "BAD_TTL"),
    "a TTL of a year": ({"ttl_sec": 365 * 86_400}, 422, "BAD_TTL"),
    "100,001 machines": ({"miner_ids": [f"q{n}" for n in range(100_001)]}, 422, "TOO_MANY_MACHINES"),
    "an unknown class": ({"priority": "urgent"}, 422, "BAD_PRIORITY"),
    "a number outside its class": ({"priority_number": 10}, 422, "BAD_PRIORITY"),
    "retries without end": ({"max_retries": 101}, 422, "VALIDATION_FAILED"),
    "a reason with a NUL": ({"reason": "a\0b"}, 422, "VALIDATION_FAILED"),
    "a reason with half a character": ({"reason": "\ud800"}, 422, "VALIDATION_FAILED"),
    "a machine with half a character": ({"miner_ids": ["\ud800"]}, 422, "VALIDATION_FAILED"),
    "evidence with half a character": ({"evidence": {"a": "\ud800"}}, 422, "VALIDATION_FAILED"),
    "evidence with a NUL": ({"evidence": {"a": ["b\0"]}}, 422, "VALIDATION_FAILED"),
    "evidence that is no number": ({"evidence": {"a": float("nan")}}, 422, "VALIDATION_FAILED"),
    "a parameter that is no number": ({"params": {"speed": float("inf")}}, 422, "BAD_PARAMS"),
    "a pool that is none": (
        {"command_type": "set_pool", "params": {"pool_url": "http://x", "pool_user": "a"}},
        422,
        "BAD_PARAMS",
    ),
    "evidence without end": ({"evidence": {"log": "x" * 70_000}}, 422, "VALIDATION_FAILED"),
    "a dedupe key without end": ({"dedupe_key": "k" * 201}, 422, "VALIDATION_FAILED"),
    "a word that nobody reads": ({"priorty": "safety"}, 422, "VALIDATION_FAILED"),
    "a number that is none": ({"ttl_sec": "soon"}, 422, "VALIDATION_FAILED"),
}


async def test_bad_input_has_a_code_each_and_leaves_nothing_behind(tenants: TwoTenants) -> None:
    headers = await tenants.headers()
    answers: dict[str, tuple[int, str]] = {}
    for name, (change, _, _) in BAD.items():
        body = {key: value for key, value in (fan_command("m1").to_wire() | change).items() if value is not None}
        for dry_run in (False, True):
            # as bytes: some of it is nothing that a decent client would write
            sent = {"content": json.dumps(body | {"dry_run": dry_run})}
            answer = await tenants.api.post(f"{ADMIN}/commands", headers=headers | JSON, **sent)  # type: ignore[arg-type]
            answers[f"{name}{', dry' if dry_run else ''}"] = (answer.status_code, answer.json()["error_code"])
    wanted = {name: (status, code) for name, (_, status, code) in BAD.items()}
    assert answers == wanted | {f"{name}, dry": what for name, what in wanted.items()}
    assert set(tenants.stored().values()) == {0}


async def test_an_idempotency_key_without_end_is_refused(tenants: TwoTenants) -> None:
    refused = await refused_with(tenants.noc.commands.request(fan_command("m1"), idempotency_key="k" * 201))
    assert refused == (422, "VALIDATION_FAILED")


async def test_possible_commands_are_created_and_the_rest_is_refused(tenants: TwoTenants) -> None:
    tenants.write("update miners set state = 'retired' where miner_id = 'm3'")
    made = await tenants.noc.commands.request(fan_command("m1", "m3", "nobody"))
    assert [command["miner_id"] for command in made["commands"]] == ["m1"]
    assert {refusal["miner_id"]: refusal["error_code"] for refusal in made["refused"]} == {
        "nobody": "NOT_FOUND",
        "m3": "MINER_RETIRED",
    }


async def test_a_secret_parameter_is_shown_nowhere_and_handed_to_the_collector(tenants: TwoTenants) -> None:
    pool = {"pool_url": "stratum+tcp://pool.example:3333", "pool_user": "acme.1", "pool_password": "hunter2-secret"}
    made = await tenants.owner.commands.request(CommandRequest("set_pool", pool, site_id="tx-1", miner_ids=["m1"]))
    command_id = made["commands"][0]["command_id"]
    await tenants.manager.commands.approve(command_id, "known pool")
    story = await tenants.owner.commands.get(command_id)
    listed = [command async for command in tenants.owner.commands.list()]
    batch = await tenants.owner.batches.get(made["batch_id"])
    assert "hunter2" not in repr((made, story, listed, batch))
    assert story["params"] == {name: value for name, value in pool.items() if name != "pool_password"}
    for table in ("commands", "command_batches", "command_history", "audit_log"):
        assert "hunter2" not in repr(tenants.rows(f"select t::text from {table} t"))
    async with await tenants.edge() as edge:
        (handed,) = await edge.poll()
    assert handed.params["pool_password"] == "hunter2-secret"


async def test_an_idempotency_key_makes_a_request_once_also_at_the_same_time(tenants: TwoTenants) -> None:
    asks = [tenants.noc.commands.request(fan_command("m1", "m2", "nobody"), idempotency_key="k-1") for _ in range(5)]
    answers = await asyncio.gather(*asks)
    assert len({answer["batch_id"] for answer in answers}) == 1
    assert sorted(answer["repeated"] for answer in answers) == [False, True, True, True, True]
    ids = [sorted(made["command_id"] for made in answer["commands"]) for answer in answers]
    assert ids == [ids[0]] * 5
    assert [answer["refused"] for answer in answers] == [answers[0]["refused"]] * 5
    assert tenants.stored()["commands"] == 2
    reused = await refused_with(tenants.noc.commands.request(fan_command("m3"), idempotency_key="k-1"))
    assert reused == (409, "IDEMPOTENCY_KEY_REUSED")


async def test_a_repeated_command_is_refused_naming_the_conflict(tenants: TwoTenants) -> None:
    first = await tenants.noc.commands.request(fan_command("m1"))
    again = await tenants.noc.commands.request(fan_command("m1"))
    (refused,) = again["refused"]
    assert refused["error_code"] == "DUPLICATE"
    assert refused["command_id"] == first["commands"][0]["command_id"]


async def test_a_dry_run_equals_the_request_that_follows(tenants: TwoTenants) -> None:
    await tenants.noc.commands.request(fan_command("m1", speed=60))
    await tenants.noc.commands.request(fan_command("m2", speed=60, priority="convenience"))
    before = tenants.stored()
    request = fan_command(filter={"zone": "z1"}, miner_ids=None)
    run = await tenants.noc.commands.dry_run(request)
    assert tenants.stored() == before
    assert (run["machines"], run["counts"]["excluded"], run["needs_approval"]) == (29, 1, True)
    assert run["kw"] == pytest.approx(29 * 3.25, rel=0.1)
    assert run["ths"] == pytest.approx(29 * 95)
    assert run["share_of_site"] == pytest.approx(29 / 60, abs=1e-4)
    made = await tenants.noc.commands.request(request)
    assert made["counts"] == {"created": run["machines"], "existing": 0, "refused": 1}
    assert made["refused"] == run["excluded"]
    assert made["approval_reasons"] == run["approval_reasons"]
    assert run["approval_causes"] == [
        {"code": "MANY_MACHINES", "value": 29, "limit": 20, "window_min": None},
        {"code": "MUCH_POWER_IN_WINDOW", "value": 100.75, "limit": 100, "window_min": 60},
    ]
    assert run["blast_radius"] is None
    assert {command["approval_state"] for command in made["commands"]} == {"required"}


async def test_groups_and_filters_mean_the_machines_in_them(tenants: TwoTenants) -> None:
    body = {"name": "g", "miner_ids": ["m4", "m5"], "site_id": "tx-1"}
    group = (await tenants.post("/groups", body, await tenants.headers())).json()["id"]
    by_group = await tenants.noc.commands.request(fan_command(group_id=group))
    assert sorted(command["miner_id"] for command in by_group["commands"]) == ["m4", "m5"]
    by_filter = await tenants.noc.commands.dry_run(
        reboot_command(filter={"group_id": group, "zone": "z1", "model": "s19"})
    )
    assert by_filter["machines"] == 1
    tenants.write(
        "insert into telemetry_live (miner_no, tenant_id, site_id, ts, online, status, flags, updated_at)"
        " select miner_no, tenant_id, site_id, %s, miner_id <> 'm4', 0, 0, %s from miners"
        " where miner_id in ('m4', 'm5')",
        *(tenants.now, tenants.now),
    )
    for online, miner in ((True, "m5"), (False, "m4")):
        request = fan_command(speed=70, filter={"group_id": group, "online": online})
        made = await tenants.noc.commands.request(request)
        assert [command["miner_id"] for command in made["commands"]] == [miner]


PROBLEM = """
insert into problem_events (id, tenant_id, site_id, event_no, miner_no, miner_id, issue_code, severity, status,
    start_ts, last_seen_ts, resolved_ts, seen, dedup_key, created_at, updated_at)
select gen_random_uuid(), tenant_id, site_id, miner_no, miner_no, miner_id, %(code)s, 'P2', %(status)s, %(now)s,
    %(now)s, case %(status)s when 'resolved' then %(now)s::timestamptz end, true, miner_id || %(code)s, %(now)s, %(now)s
from miners where miner_id = %(miner)s
"""


async def test_a_filter_by_issue_code_means_the_machines_that_have_that_problem_now(tenants: TwoTenants) -> None:
    there = [("m1", "overheat", "open"), ("m2", "overheat", "ack"), ("m3", "overheat", "in_progress")]
    there += [("m4", "overheat", "pending"), ("m5", "overheat", "resolved"), ("m6", "fan_failure", "open")]
    there += [("x1", "overheat", "open"), ("n1", "overheat", "open")]
    for miner, code, status in there:
        tenants.write_named(PROBLEM, {"miner": miner, "code": code, "status": status, "now": tenants.now})
    made = await tenants.noc.commands.request(fan_command(filter={"issue_code": "overheat"}))
    assert sorted(command["miner_id"] for command in made["commands"]) == ["m1", "m2", "m3"]
    narrowed = await tenants.noc.commands.dry_run(reboot_command(filter={"issue_code": "overheat", "zone": "z2"}))
    assert narrowed["machines"] == 1
    nobody = fan_command(filter={"issue_code": "psu_failure"})
    assert await refused_with(tenants.noc.commands.request(nobody)) == (404, "NO_MACHINES")

"""Suppressions of machines, zones, groups and sites: whom they reach, when they end, and who may make them."""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.problems.queries.suppressions import list_suppressed_at_site
from tests.problems.api.problems_api import ProblemsApi, code_of


def iso(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


async def reached(
    database: Database, problems_api: ProblemsApi, site: str = "tx-1", *, minutes: float = 0
) -> dict[str, Any]:
    """Machine → end and maintenance, as a cycle of the site asks for them."""
    names = {
        row["miner_no"]: row["miner_id"] for row in problems_api.tenants.rows("select miner_no, miner_id from miners")
    }
    async with database.transaction(job_context()) as session:
        outcome = await list_suppressed_at_site(
            session, problems_api.tenants.site_id(site), as_of=problems_api.now + timedelta(minutes=minutes)
        )
    rows = zip(outcome.miner_no.tolist(), outcome.until.tolist(), outcome.maintenance.tolist(), strict=True)
    return {names[number]: (until, maintenance) for number, until, maintenance in rows}


async def test_a_machine_is_suppressed_until_its_end_time_and_its_open_problems_show_it(
    problems_api: ProblemsApi, database: Database
) -> None:
    problem, technician = problems_api.problem("m1"), await problems_api.headers("Technician")
    until = problems_api.now + timedelta(minutes=10)
    body = {"until": iso(until), "maintenance": True, "reason": "new fans"}
    answer = await problems_api.post("/miners/m1/suppress", body, technician)
    assert answer.json() == {
        "success": True,
        "miner_id": "m1",
        "message": f"suppressed until {until:%Y-%m-%d %H:%M:%S}Z",
        "until": iso(until),
        "maintenance": True,
        "reason": "new fans",
    }
    (shown,) = (await problems_api.get("/sites/tx-1/problems", technician))["problems"]
    assert (shown["status"], shown["suppressed"], shown["suppress_until"], shown["maintenance_flag"]) == (
        *("open", True, iso(until), True),
    )
    assert await reached(database, problems_api) == {"m1": (until.timestamp(), True)}
    assert await reached(database, problems_api, minutes=11) == {}
    assert [entry["kind"] for entry in problems_api.timeline(problem)] == ["suppressed"]
    (entry,) = problems_api.audited("suppression_created")
    assert (entry["reason"], entry["after"]["miner_id"]) == ("new fans", "m1")
    problems_api.tenants.at(601)
    (shown,) = (await problems_api.get("/sites/tx-1/problems", technician))["problems"]
    assert shown["suppressed"] is False


async def test_suppressing_again_replaces_and_lifting_ends_it_and_returns_what_remains(
    problems_api: ProblemsApi, database: Database
) -> None:
    problem, technician = problems_api.problem("m1"), await problems_api.headers("Technician")
    for reason in ("first", "second"):
        assert (await problems_api.post("/miners/m1/suppress", {"reason": reason}, technician)).status_code == 200
    outcome = await problems_api.get("/suppressions", technician)
    assert [row["reason"] for row in outcome["suppressions"]] == ["second"]
    everything = await problems_api.get("/suppressions", technician, all=True, miner_id="m1")
    assert [row["reason"] for row in everything["suppressions"]] == ["second", "first"]
    assert await reached(database, problems_api) == {"m1": (float("inf"), False)}
    zone = {"kind": "zone", "site_id": "tx-1", "zone": "z1", "reason": "rewiring"}
    assert (await problems_api.post("/suppressions", zone, technician)).status_code == 201
    lifted = await problems_api.post("/miners/m1/unsuppress", {}, technician)
    assert lifted.json()["message"] == "suppression lifted; still suppressed by its zone"
    assert (lifted.json()["lifted"], lifted.json()["still_by"]) == (1, ["zone"])
    again = await problems_api.post("/miners/m2/unsuppress", {}, technician)
    shown = {"success": True, "miner_id": "m2", "message": "the machine itself is not suppressed"}
    assert again.json() == {**shown, "lifted": 0, "still_by": []}
    assert set(await reached(database, problems_api)) == {f"m{n}" for n in range(1, 61, 2)}
    assert [entry["kind"] for entry in problems_api.timeline(problem)] == ["suppressed", "suppressed", "unsuppressed"]
    assert len(problems_api.audited("suppression_lifted")) == 2


async def test_zones_groups_and_sites_are_suppressed_as_a_whole_and_the_widest_end_counts(
    problems_api: ProblemsApi, database: Database
) -> None:
    noc = await problems_api.headers()
    body = {"name": "g", "miner_ids": ["m1", "m2"], "site_id": "tx-1"}
    group = (await problems_api.tenants.post("/groups", body, noc)).json()["id"]
    far = problems_api.tenants.row("select miner_no, tenant_id, site_id from miners where miner_id = 'n1'")
    problems_api.tenants.write(
        "insert into group_members (group_id, miner_no, tenant_id, site_id) values (%s, %s, %s, %s)",
        *(group, far["miner_no"], far["tenant_id"], far["site_id"]),
    )
    soon, later = iso(problems_api.now + timedelta(hours=1)), problems_api.now + timedelta(hours=3)
    made = await problems_api.post(
        "/suppressions", {"kind": "group", "group_id": group, "until": soon, "reason": "x"}, noc
    )
    assert {row["site"] for row in made.json()["suppressions"]} == {"tx-1", "tx-2"}
    zone = {"kind": "zone", "site_id": "tx-1", "zone": "z1", "until": iso(later), "maintenance": True, "reason": "x"}
    await problems_api.post("/suppressions", zone, noc)
    outcome = await reached(database, problems_api)
    assert outcome["m1"] == (later.timestamp(), True)
    assert outcome["m2"] == ((problems_api.now + timedelta(hours=1)).timestamp(), False)
    assert len(outcome) == 31
    assert set(await reached(database, problems_api, "tx-2")) == {"n1"}
    planned = {
        "kind": "site",
        "site_id": "tx-2",
        "from": iso(problems_api.now + timedelta(hours=1)),
        "reason": "moving house",
    }
    (row,) = (await problems_api.post("/suppressions", planned, noc)).json()["suppressions"]
    assert set(await reached(database, problems_api, "tx-2")) == {"n1"}
    assert len(await reached(database, problems_api, "tx-2", minutes=61)) == 5
    lifted = await problems_api.post(f"/suppressions/{row['id']}/lift", {}, noc)
    assert lifted.json()["lifted_at"] == iso(problems_api.now)
    assert code_of(await problems_api.post(f"/suppressions/{row['id']}/lift", {}, noc)) == (409, "ALREADY_LIFTED")
    assert await reached(database, problems_api, "tx-2", minutes=61) == {}


async def test_suppressing_needs_access_to_all_machines_concerned(problems_api: ProblemsApi) -> None:
    noc = await problems_api.headers()
    z1 = problems_api.tenants.zone_id("z1")
    of_zone = await problems_api.headers("Technician", zones=[z1])
    at = {"site_id": "tx-1", "reason": "x"}
    group = (
        await problems_api.tenants.post("/groups", {"name": "g", "miner_ids": ["m1", "m2"], "site_id": "tx-1"}, noc)
    ).json()
    for body, answer in (
        ({"kind": "zone", "zone": "z1"}, 201),
        ({"kind": "miner", "miner_id": "m1"}, 201),
        ({"kind": "miner", "miner_id": "m2"}, 404),
        ({"kind": "zone", "zone": "z2"}, 404),
        ({"kind": "site"}, 403),
        ({"kind": "group", "group_id": group["id"]}, 403),
    ):
        assert (await problems_api.post("/suppressions", at | body, of_zone)).status_code == answer, body
    (whole,) = (await problems_api.post("/suppressions", {"kind": "site", **at}, noc)).json()["suppressions"]
    assert (await problems_api.post(f"/suppressions/{whole['id']}/lift", {}, of_zone)).status_code == 404
    seen = await problems_api.get("/suppressions", of_zone)
    assert {row["kind"] for row in seen["suppressions"]} == {"zone", "miner"}
    customer = await problems_api.headers("Customer")
    assert code_of(await problems_api.post("/suppressions", {"kind": "site", **at}, customer)) == (403, "FORBIDDEN")


async def test_bad_suppressions_are_refused_with_a_code(problems_api: ProblemsApi) -> None:
    noc = await problems_api.headers()
    past = iso(problems_api.now - timedelta(seconds=1))
    empty = (
        await problems_api.tenants.post("/groups", {"name": "e", "miner_ids": ["m1"], "site_id": "tx-1"}, noc)
    ).json()["id"]
    problems_api.tenants.write("delete from group_members")
    for body, code in (
        ({"kind": "miner", "miner_id": "m1", "until": past}, (422, "UNTIL_IS_PAST")),
        ({"kind": "group", "group_id": empty}, (422, "EMPTY_GROUP")),
        ({"kind": "group", "group_id": 99_999}, (404, "NOT_FOUND")),
        ({"kind": "zone", "site_id": "tx-1"}, (422, "VALIDATION_FAILED")),
        ({"kind": "zone", "zone": "z1"}, (422, "VALIDATION_FAILED")),
        ({"kind": "site", "site_id": "tx-1", "miner_id": "m1"}, (422, "VALIDATION_FAILED")),
        ({"kind": "site", "site_id": "nowhere"}, (404, "NOT_FOUND")),
        ({"kind": "planet"}, (422, "VALIDATION_FAILED")),
    ):
        assert code_of(await problems_api.post("/suppressions", body | {"reason": "x"}, noc)) == code, body
    assert code_of(await problems_api.post("/miners/m1/suppress", {"until": past, "reason": "x"}, noc)) == (
        422,
        "UNTIL_IS_PAST",
    )
    assert code_of(await problems_api.post("/miners/m1/suppress", {}, noc)) == (422, "VALIDATION_FAILED")
    assert code_of(await problems_api.post(f"/suppressions/{uuid4()}/lift", {}, noc)) == (404, "NOT_FOUND")
    assert problems_api.tenants.rows("select from suppressions") == []


async def test_why_a_suppression_is_lifted_is_in_the_audit_and_in_the_timeline(problems_api: ProblemsApi) -> None:
    technician = await problems_api.headers("Technician")
    problem = problems_api.problem("m1")
    by_id = "/suppressions/{}/lift"
    for path, reason in (("/miners/m1/unsuppress", "fans are in"), (by_id, "wrong machine"), (by_id, None)):
        assert (await problems_api.post("/miners/m1/suppress", {"reason": "new fans"}, technician)).status_code == 200
        (row,) = (await problems_api.get("/suppressions", technician))["suppressions"]
        body = {} if reason is None else {"reason": reason}
        assert (await problems_api.post(path.format(row["id"]), body, technician)).status_code == 200
    lifted = problems_api.audited("suppression_lifted")
    assert {(row["reason"], row["after"]["suppressed_for"]) for row in lifted} == {
        (reason, "new fans") for reason in ("fans are in", "wrong machine", None)
    }
    entries = [entry for entry in problems_api.timeline(problem) if entry["kind"] == "unsuppressed"]
    assert [entry["message"] for entry in entries] == ["fans are in", "wrong machine", None]
    blank = await problems_api.post("/miners/m1/unsuppress", {"reason": " "}, technician)
    assert code_of(blank) == (422, "VALIDATION_FAILED")

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


async def reached(database: Database, ward: ProblemsApi, site: str = "tx-1", *, minutes: float = 0) -> dict[str, Any]:
    """Machine → end and maintenance, as a cycle of the site asks for them."""
    names = {row["miner_no"]: row["miner_id"] for row in ward.desk.rows("select miner_no, miner_id from miners")}
    async with database.transaction(job_context()) as session:
        found = await list_suppressed_at_site(
            session, ward.desk.site_id(site), as_of=ward.now + timedelta(minutes=minutes)
        )
    rows = zip(found.miner_no.tolist(), found.until.tolist(), found.maintenance.tolist(), strict=True)
    return {names[number]: (until, maintenance) for number, until, maintenance in rows}


async def test_a_machine_is_suppressed_until_its_time_and_its_open_problems_say_so(
    ward: ProblemsApi, database: Database
) -> None:
    problem, technician = ward.problem("m1"), await ward.headers("Technician")
    until = ward.now + timedelta(minutes=10)
    body = {"until": iso(until), "maintenance": True, "reason": "new fans"}
    answer = await ward.post("/miners/m1/suppress", body, technician)
    assert answer.json() == {
        "success": True,
        "miner_id": "m1",
        "message": f"suppressed until {until:%Y-%m-%d %H:%M:%S}Z",
        "until": iso(until),
        "maintenance": True,
        "reason": "new fans",
    }
    (shown,) = (await ward.get("/sites/tx-1/problems", technician))["problems"]
    assert (shown["status"], shown["suppressed"], shown["suppress_until"], shown["maintenance_flag"]) == (
        *("open", True, iso(until), True),
    )
    assert await reached(database, ward) == {"m1": (until.timestamp(), True)}
    assert await reached(database, ward, minutes=11) == {}
    assert [entry["kind"] for entry in ward.timeline(problem)] == ["suppressed"]
    (entry,) = ward.audited("suppression_created")
    assert (entry["reason"], entry["after"]["miner_id"]) == ("new fans", "m1")
    ward.desk.at(601)
    (shown,) = (await ward.get("/sites/tx-1/problems", technician))["problems"]
    assert shown["suppressed"] is False


async def test_suppressing_again_replaces_and_lifting_ends_it_and_says_what_goes_on(
    ward: ProblemsApi, database: Database
) -> None:
    problem, technician = ward.problem("m1"), await ward.headers("Technician")
    for reason in ("first", "second"):
        assert (await ward.post("/miners/m1/suppress", {"reason": reason}, technician)).status_code == 200
    found = await ward.get("/suppressions", technician)
    assert [one["reason"] for one in found["suppressions"]] == ["second"]
    everything = await ward.get("/suppressions", technician, all=True, miner_id="m1")
    assert [one["reason"] for one in everything["suppressions"]] == ["second", "first"]
    assert await reached(database, ward) == {"m1": (float("inf"), False)}
    zone = {"kind": "zone", "site_id": "tx-1", "zone": "z1", "reason": "rewiring"}
    assert (await ward.post("/suppressions", zone, technician)).status_code == 201
    lifted = await ward.post("/miners/m1/unsuppress", {}, technician)
    assert lifted.json()["message"] == "suppression lifted; still suppressed by its zone"
    assert (lifted.json()["lifted"], lifted.json()["still_by"]) == (1, ["zone"])
    again = await ward.post("/miners/m2/unsuppress", {}, technician)
    told = {"success": True, "miner_id": "m2", "message": "the machine itself is not suppressed"}
    assert again.json() == {**told, "lifted": 0, "still_by": []}
    assert set(await reached(database, ward)) == {f"m{n}" for n in range(1, 61, 2)}
    assert [entry["kind"] for entry in ward.timeline(problem)] == ["suppressed", "suppressed", "unsuppressed"]
    assert len(ward.audited("suppression_lifted")) == 2


async def test_zones_groups_and_sites_are_suppressed_as_a_whole_and_the_widest_end_counts(
    ward: ProblemsApi, database: Database
) -> None:
    noc = await ward.headers()
    body = {"name": "g", "miner_ids": ["m1", "m2"], "site_id": "tx-1"}
    group = (await ward.desk.post("/groups", body, noc)).json()["id"]
    far = ward.desk.row("select miner_no, tenant_id, site_id from miners where miner_id = 'n1'")
    ward.desk.write(
        "insert into group_members (group_id, miner_no, tenant_id, site_id) values (%s, %s, %s, %s)",
        *(group, far["miner_no"], far["tenant_id"], far["site_id"]),
    )
    soon, later = iso(ward.now + timedelta(hours=1)), ward.now + timedelta(hours=3)
    made = await ward.post("/suppressions", {"kind": "group", "group_id": group, "until": soon, "reason": "x"}, noc)
    assert {one["site"] for one in made.json()["suppressions"]} == {"tx-1", "tx-2"}
    zone = {"kind": "zone", "site_id": "tx-1", "zone": "z1", "until": iso(later), "maintenance": True, "reason": "x"}
    await ward.post("/suppressions", zone, noc)
    found = await reached(database, ward)
    assert found["m1"] == (later.timestamp(), True)
    assert found["m2"] == ((ward.now + timedelta(hours=1)).timestamp(), False)
    assert len(found) == 31
    assert set(await reached(database, ward, "tx-2")) == {"n1"}
    planned = {"kind": "site", "site_id": "tx-2", "from": iso(ward.now + timedelta(hours=1)), "reason": "moving house"}
    (row,) = (await ward.post("/suppressions", planned, noc)).json()["suppressions"]
    assert set(await reached(database, ward, "tx-2")) == {"n1"}
    assert len(await reached(database, ward, "tx-2", minutes=61)) == 5
    lifted = await ward.post(f"/suppressions/{row['id']}/lift", {}, noc)
    assert lifted.json()["lifted_at"] == iso(ward.now)
    assert code_of(await ward.post(f"/suppressions/{row['id']}/lift", {}, noc)) == (409, "ALREADY_LIFTED")
    assert await reached(database, ward, "tx-2", minutes=61) == {}


async def test_whoever_suppresses_holds_all_of_it(ward: ProblemsApi) -> None:
    noc = await ward.headers()
    z1 = ward.desk.zone_id("z1")
    of_zone = await ward.headers("Technician", zones=[z1])
    at = {"site_id": "tx-1", "reason": "x"}
    group = (await ward.desk.post("/groups", {"name": "g", "miner_ids": ["m1", "m2"], "site_id": "tx-1"}, noc)).json()
    for body, answer in (
        ({"kind": "zone", "zone": "z1"}, 201),
        ({"kind": "miner", "miner_id": "m1"}, 201),
        ({"kind": "miner", "miner_id": "m2"}, 404),
        ({"kind": "zone", "zone": "z2"}, 404),
        ({"kind": "site"}, 403),
        ({"kind": "group", "group_id": group["id"]}, 403),
    ):
        assert (await ward.post("/suppressions", at | body, of_zone)).status_code == answer, body
    (whole,) = (await ward.post("/suppressions", {"kind": "site", **at}, noc)).json()["suppressions"]
    assert (await ward.post(f"/suppressions/{whole['id']}/lift", {}, of_zone)).status_code == 404
    seen = await ward.get("/suppressions", of_zone)
    assert {one["kind"] for one in seen["suppressions"]} == {"zone", "miner"}
    customer = await ward.headers("Customer")
    assert code_of(await ward.post("/suppressions", {"kind": "site", **at}, customer)) == (403, "FORBIDDEN")


async def test_bad_suppressions_are_refused_with_a_code(ward: ProblemsApi) -> None:
    noc = await ward.headers()
    past = iso(ward.now - timedelta(seconds=1))
    empty = (await ward.desk.post("/groups", {"name": "e", "miner_ids": ["m1"], "site_id": "tx-1"}, noc)).json()["id"]
    ward.desk.write("delete from group_members")
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
        assert code_of(await ward.post("/suppressions", body | {"reason": "x"}, noc)) == code, body
    assert code_of(await ward.post("/miners/m1/suppress", {"until": past, "reason": "x"}, noc)) == (
        422,
        "UNTIL_IS_PAST",
    )
    assert code_of(await ward.post("/miners/m1/suppress", {}, noc)) == (422, "VALIDATION_FAILED")
    assert code_of(await ward.post(f"/suppressions/{uuid4()}/lift", {}, noc)) == (404, "NOT_FOUND")
    assert ward.desk.rows("select from suppressions") == []


async def test_why_a_suppression_is_lifted_is_in_the_audit_and_in_the_timeline(ward: ProblemsApi) -> None:
    technician = await ward.headers("Technician")
    problem = ward.problem("m1")
    by_id = "/suppressions/{}/lift"
    for path, reason in (("/miners/m1/unsuppress", "fans are in"), (by_id, "wrong machine"), (by_id, None)):
        assert (await ward.post("/miners/m1/suppress", {"reason": "new fans"}, technician)).status_code == 200
        (row,) = (await ward.get("/suppressions", technician))["suppressions"]
        body = {} if reason is None else {"reason": reason}
        assert (await ward.post(path.format(row["id"]), body, technician)).status_code == 200
    lifted = ward.audited("suppression_lifted")
    assert {(one["reason"], one["after"]["suppressed_for"]) for one in lifted} == {
        (reason, "new fans") for reason in ("fans are in", "wrong machine", None)
    }
    entries = [entry for entry in ward.timeline(problem) if entry["kind"] == "unsuppressed"]
    assert [entry["message"] for entry in entries] == ["fans are in", "wrong machine", None]
    blank = await ward.post("/miners/m1/unsuppress", {"reason": " "}, technician)
    assert code_of(blank) == (422, "VALIDATION_FAILED")

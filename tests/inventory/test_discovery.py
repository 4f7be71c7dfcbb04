"""Identity that machines report is taken over with history, and never overrides the operator."""

import polars as pl
from sqlalchemy import select

from hashinsight.audit.models import AuditEntry
from hashinsight.identity.queries.sessions import enter_tenant
from hashinsight.inventory.queries.tables import Site
from hashinsight.inventory.service import update_reported_identity
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from tests.inventory.admin_client import AdminClient
from tests.people import People

HEADER = "miner_id,model,serial,mac,expected_ths"


async def report(database: Database, people: People, **columns: list[str | None]) -> int:
    async with database.transaction(job_context()) as session:
        await enter_tenant(session, await people.tenant_id("a"))
        site = (await session.execute(select(Site).where(Site.code == "one"))).scalar_one()
        frame = pl.DataFrame(columns, schema_overrides=dict.fromkeys(columns, pl.String))
        return await update_reported_identity(session, site, frame, now=system_clock())


async def test_a_swapped_control_board_updates_the_mac_and_keeps_the_machine(
    owner: AdminClient, database: Database, people: People
) -> None:
    await owner.load("one", "m1,S19j Pro,SN1,02:00:00:00:00:01,", "m2,S21,SN2,02:00:00:00:00:02,", header=HEADER)
    before = (await owner.ok("GET", "/miners/m1"))["miner"]
    reported: dict[str, list[str | None]] = {
        "miner_id": ["m1", "m2", "stranger"],
        "mac": ["0200000000aa", None, "0200000000bb"],
    }
    assert await report(database, people, **reported, firmware=["LUX 2", "LUX 2", "LUX 2"]) == 2
    assert await report(database, people, **reported) == 0
    after = (await owner.ok("GET", "/miners/m1"))["miner"]
    assert (after["miner_no"], after["mac"], after["firmware"]) == (before["miner_no"], "02:00:00:00:00:aa", "LUX 2")
    changes = (await owner.ok("GET", "/miners/m1/history"))["changes"]
    assert {(miner["field"], miner["cause"]) for miner in changes} == {("mac", "telemetry"), ("firmware", "telemetry")}
    assert await owner.miners() == ["m1", "m2"]


async def test_a_reported_rating_never_replaces_the_operators_figure(
    owner: AdminClient, database: Database, people: People
) -> None:
    await owner.load("one", "m1,S19j Pro,,,", "m2,S19j Pro,,,99", header=HEADER)
    await report(database, people, miner_id=["m1", "m2"], model=["Antminer S19j Pro (100T)"] * 2)
    miners = (await owner.ok("GET", "/miners"))["miners"]
    assert [(miner["expected_ths"], miner["expected_source"]) for miner in miners] == [
        (100, "reported"),
        (99, "operator"),
    ]


async def test_invalid_values_and_serials_of_other_machines_are_skipped(
    owner: AdminClient, database: Database, people: People
) -> None:
    await owner.load("one", "m1,S21,SN1,,", "m2,S21,SN2,,", "m3,S21,,,", "m4,S21,,,", header=HEADER)
    reported: dict[str, list[str | None]] = {
        "miner_id": ["m1", "m2", "m3", "m4"],
        "serial": ["SN2", "SN2", "SN9", "SN9"],
        "mac": ["00:00:00:00:00:00", "junk", None, None],
        "firmware": ["x" * 500, "=1", "\x00", None],
    }
    assert await report(database, people, **reported) == 1
    miners = (await owner.ok("GET", "/miners"))["miners"]
    serials = [miner["serial"] for miner in miners]
    assert serials[:2] == ["SN1", "SN2"]
    assert sorted(str(serial) for serial in serials[2:]) == ["None", "SN9"]
    assert {miner["mac"] for miner in miners} == {None}
    assert {miner["firmware"] for miner in miners} == {None}


async def test_reported_changes_are_one_audit_entry_with_counts(
    owner: AdminClient, database: Database, people: People
) -> None:
    await owner.load("one", "m1,S21,,,", "m2,S21,,,", header=HEADER)
    reported: dict[str, list[str | None]] = {"miner_id": ["m1", "m2"], "mac": ["0200000000aa", None]}
    await report(database, people, **reported, firmware=["LUX 2", "LUX 2"])
    await report(database, people, **reported)
    async with database.transaction(job_context()) as session:
        query = select(AuditEntry).where(AuditEntry.action == "miner_changed")
        (entry,) = (await session.execute(query)).scalars().all()
    assert entry.after == {"site": "one", "cause": "telemetry", "machines": 2, "fields": {"firmware": 2, "mac": 1}}

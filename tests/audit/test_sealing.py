"""Sealing: every committed entry once, in order, with any number of writers."""

import asyncio
from datetime import timedelta

import psycopg
import pytest
from sqlalchemy import text

from hashinsight.audit.actions import SYSTEM, Action
from hashinsight.audit.anchors import LostSeals
from hashinsight.audit.queries import seals
from hashinsight.audit.service.entries import Entry, record, record_many
from hashinsight.audit.service.sealing import create_signing_key, seal
from hashinsight.audit.snapshot import NOTHING, Snapshot
from hashinsight.audit.ticks import audit_ticks
from hashinsight.kit.clock import system_clock
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.ticks.scheduler import plan
from hashinsight.kit.ticks.worker import TickRunner
from tests.audit.audit_log import VAULT, AuditLog
from tests.audit.forged_chain import move_server
from tests.audit.test_verification import anchor_of


async def test_without_new_entries_there_is_no_seal(log: AuditLog) -> None:
    await log.fill(seals=1)
    await log.seal()  # the entry about the key
    assert await log.seal() == 0
    assert (await log.verify()).seals <= 2


async def test_a_long_transaction_is_sealed_when_it_ends_and_blocks_nobody(log: AuditLog, database: Database) -> None:
    async with database.transaction(job_context()) as slow:
        await record(slow, SYSTEM, Action.LOGIN, "user", "slow", tenant_id=None, now=system_clock())
        await log.write(3)
        assert await log.seal() == 3
        await log.write(2)
        assert await log.seal() == 2 + 1  # and the key's own entry
    assert await log.seal() == 1
    report = await log.verify()
    assert (report.ok, report.entries, report.unsealed) == (True, 7, 0)


async def test_a_rollback_leaves_no_gap(log: AuditLog, database: Database) -> None:
    with pytest.raises(RuntimeError):
        async with database.transaction(job_context()) as session:
            await record(session, SYSTEM, Action.LOGIN, "user", tenant_id=None, now=system_clock())
            raise RuntimeError
    await log.fill(seals=2)
    assert (await log.verify()).ok


async def test_a_backlog_is_sealed_in_consecutive_pieces(log: AuditLog) -> None:
    for _ in range(10):
        await log.write(10)
    assert await log.seal(piece=25) == 100
    report = await log.verify()
    assert report.ok
    assert report.seals == 4  # a transaction is never torn, so 30 each


async def test_a_late_transaction_larger_than_a_piece_keeps_what_is_sealed(log: AuditLog, database: Database) -> None:
    entries = [Entry(Action.LOGIN, "user", n) for n in range(30)]
    async with database.transaction(job_context()) as first, database.transaction(job_context()) as second:
        for slow in (first, second):
            await record_many(slow, SYSTEM, entries, now=system_clock())
        for _ in range(4):
            await log.write(3)
        await log.seal()
        await log.write(1)
        await log.seal()
    for _ in range(4):
        await log.write(3)
    await log.seal(piece=5)
    await log.seal(piece=5)
    report = await log.verify()
    assert report.ok, report.findings
    assert (report.entries, report.unsealed) == (60 + 12 + 1 + 12 + 1, 0)


async def test_entries_of_the_sealing_transaction_are_sealed_next_time(log: AuditLog, database: Database) -> None:
    await log.fill(seals=1)
    async with database.transaction(job_context()) as session:
        await record(session, SYSTEM, Action.LOGIN, "user", "before", tenant_id=None, now=system_clock())
        await log.write(2)  # a later transaction that ends earlier
        await seal(session, VAULT, now=system_clock())
        await record(session, SYSTEM, Action.LOGIN, "user", "after", tenant_id=None, now=system_clock())
    assert await log.seal() == 2
    report = await log.verify()
    assert (report.ok, report.unsealed) == (True, 0), report.findings


async def test_a_clock_set_back_is_a_note_not_a_finding(log: AuditLog, database: Database) -> None:
    await log.write()
    async with database.transaction(job_context()) as session:
        await seal(session, VAULT, now=system_clock() + timedelta(days=2))
    await log.fill(seals=2)
    report = await log.verify()
    assert report.ok, report.findings
    assert "the clock went back between seal 1" in report.notes[0]


async def test_concurrent_sealers_make_one_chain(log: AuditLog) -> None:
    await log.write(20)
    sealed = await asyncio.gather(*(log.seal() for _ in range(4)))
    assert sum(sealed) in (20, 21)
    assert (await log.verify()).ok


async def test_concurrent_writers_and_sealers_lose_and_duplicate_nothing(log: AuditLog) -> None:
    async def write() -> None:
        for _ in range(40):
            await log.write(3)

    async def seal_often() -> None:
        for _ in range(25):
            await log.seal(piece=20)

    await asyncio.gather(*(write() for _ in range(5)), seal_often(), seal_often())
    await log.seal()
    await log.seal()
    report = await log.verify()
    assert (report.ok, report.entries, report.unsealed) == (True, 601, 0)


async def test_a_writer_cannot_choose_its_era_or_transaction(database: Database) -> None:
    for column in ("era", "xid", "recorded_at"):
        with pytest.raises(Exception, match="permission denied"):
            async with database.transaction(job_context()) as session:
                await session.execute(
                    text(
                        f"insert into audit_log (id, at, actor_kind, action, entity_type, {column})"
                        " values (gen_random_uuid(), '2026-01-01', 'user', 'login', 'user', default)"
                    )
                )


async def test_the_tick_seals_and_appends_after_an_incomplete_line(log: AuditLog, tmp_path: object) -> None:
    anchor = f"{tmp_path}/outside/seals.jsonl"
    ticks = audit_ticks(VAULT, anchor)
    for _ in range(2):
        await log.write(4)
        await plan(log.database, ticks, now=system_clock())
        await TickRunner(log.database, ticks).run_due()
        async with log.database.transaction(job_context()) as session:
            await session.execute(text("delete from tick_runs"))
        with open(anchor, "a") as file:  # noqa: PTH123, ASYNC230 - a file of the test
            file.write('{"no": 9, "torn')
    await log.fill(seals=1)
    await plan(log.database, ticks, now=system_clock())
    await TickRunner(log.database, ticks).run_due()
    with open(anchor) as file:  # noqa: PTH123, ASYNC230 - a file of the test
        lines = [line for line in file.read().splitlines() if "torn" not in line]
    report = await log.verify(lines)
    assert (report.ok, report.anchors) == (True, 3), report.findings


async def test_after_a_key_rotation_old_seals_still_verify(log: AuditLog) -> None:
    await log.fill(seals=2)
    async with log.database.transaction(job_context()) as session:
        await create_signing_key(session, VAULT, SYSTEM, now=system_clock())
    await log.fill(seals=2)
    async with log.database.reading(job_context()) as session:
        keys = [seal.key_id for seal in await seals.list_seals(session, after=0, limit=9)]
    assert len(set(keys)) == 2
    assert (await log.verify()).ok


async def test_after_a_new_secret_old_seals_need_the_anchor(log: AuditLog) -> None:
    await log.fill(seals=2)
    anchor = await anchor_of(log)
    other = Vault(b"a new secret of the installation!")
    assert not (await log.verify(vault=other)).ok
    assert (await log.verify(anchor, vault=other)).ok


async def test_a_log_on_another_server_begins_a_new_era(log: AuditLog, superuser_url: str) -> None:
    await log.fill(seals=2)
    await log.write(2)
    await move_server(log)
    await log.write(3)
    assert await log.seal() == 5  # all that was left of the old era closes it
    await log.fill(seals=1)
    report = await log.verify(await anchor_of(log))
    assert report.ok, report.findings
    assert report.unsealed == 0
    with psycopg.connect(superuser_url) as connection:
        rows = connection.execute("select era, reason, after from audit_log where action = 'audit_resealed'").fetchall()
    assert len(rows) == 1
    era, reason, after = rows[0]
    assert (era, after["closed_era"], after["server_before"]) == (2, 1, "7000000000000000001/1")
    assert "another database server" in reason


async def test_a_reseal_explains_a_restored_backup_and_reports_the_loss(log: AuditLog) -> None:
    await log.fill(seals=4)
    anchor = await anchor_of(log)
    log.cut_behind_seal_2()
    assert not (await log.verify(anchor)).ok
    assert await log.reseal("backup of Monday", lost=LostSeals(3, 1)) == 2
    await log.fill(seals=2)
    report = await log.verify(anchor)
    assert report.ok, report.findings
    assert "2 seals of the anchor were lost" in report.notes[0]
    assert "backup of Monday" in report.notes[0]
    with log.unguarded() as connection:
        connection.execute("update audit_log set reason = 'x' where id = %s", [log.ids()[0]])
    assert not (await log.verify(anchor)).ok


def test_a_snapshot_is_read_and_written_as_postgresql_does() -> None:
    for written in ("10:10:", "10:14:10,12", "1:1:"):
        assert str(Snapshot.read(written)) == written
    assert str(Snapshot.read("10:20:10,12,17").cut(12, NOTHING)) == "10:13:10,12"
    assert str(Snapshot.read("17:30:17").cut(12, Snapshot.read("10:20:10,12,17"))) == "17:20:17"
    assert str(Snapshot.read("17:30:17").cut(10, Snapshot.read("10:20:10,12,17"))) == "12:20:12,17"
    assert str(Snapshot.read("10:20:10,12,17").cut(50, NOTHING)) == "10:20:10,12,17"

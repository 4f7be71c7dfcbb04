"""Attacks by a superuser without the secret: verification must not crash, stay silent or pass."""

import json
from dataclasses import asdict

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hashinsight.audit.anchors import LostSeals
from hashinsight.audit.chain import SealHead, anchor_line, digest_of, key_id_of, sign
from hashinsight.audit.findings import FindingKind, VerifyReport
from hashinsight.audit.queries import seals
from hashinsight.audit.service.verification import VerifyLimits, verify
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.ids import new_id
from tests.audit.audit_log import VAULT, AuditLog
from tests.audit.forged_chain import move_server
from tests.audit.test_verification import anchor_of

END = 2**63 - 1
PLANT = "insert into audit_log (id, at, actor_kind, action, entity_type, era, xid) values (%s, now(), 'user', 'login', 'user', %s, %s)"  # noqa: E501
BACK_TO_SEAL_2 = (
    "delete from audit_seals where no > 2",
    "delete from audit_log where id in (select id from audit_log order by xid, id offset 11)",
)


async def verified(log: AuditLog, anchors: list[str] | None = None, limits: VerifyLimits | None = None) -> VerifyReport:
    return await verify(log.database, VAULT, anchors or [], now=system_clock(), limits=limits or VerifyLimits())


@pytest.mark.parametrize(("era", "xid"), [(0, 5), (-1, 5), (1, 0), (1, -5), (1, -END - 1), (1, END)])
async def test_an_entry_outside_every_window_is_found(log: AuditLog, era: int, xid: int) -> None:
    await log.fill()
    with log.unguarded() as connection:
        connection.execute(PLANT, [new_id(), era, xid])
    await log.fill(seals=1)
    assert FindingKind.INSERTED in {finding.kind for finding in (await log.verify()).findings}


async def test_an_entry_beyond_the_end_of_a_closed_era_is_found(log: AuditLog) -> None:
    await log.fill()
    await log.reseal("moved")
    await log.fill(seals=1)
    with log.unguarded() as connection:
        connection.execute(PLANT, [new_id(), 1, END])
    assert not (await log.verify()).ok


_NEWEST = "where xid = (select max(xid) from audit_log)"
GARBAGE = [
    "update audit_seals set snapshot = 'x' where no = 2",
    "update audit_seals set snapshot = '5:5:' where no = 3",
    "update audit_seals set leaves = leaves || 'x'::bytea where no = 2",
    "update audit_seals set sealed_at = 'infinity' where no = 2",
    "update audit_seals set sealed_at = '4000-01-01 BC' where no = 3",
    "update audit_seals set entries = -5 where no = 2",
    f"update audit_log set recorded_at = 'infinity' {_NEWEST}",
    f"update audit_log set recorded_at = '4000-01-01 BC' {_NEWEST}",
    f"update audit_log set at = '-infinity' {_NEWEST}",
    "truncate audit_log",
    "delete from audit_keys",
    "update audit_keys set public_key = sha256('x')",
]


@pytest.mark.parametrize("change", GARBAGE)
async def test_values_that_are_never_written_are_a_finding_not_a_crash(log: AuditLog, change: str) -> None:
    await log.fill()
    anchor = await anchor_of(log)
    with log.unguarded() as connection:
        connection.execute(change)
    report = await verified(log, anchor)
    assert report.found
    assert not report.ok


async def test_an_entry_with_an_impossible_time_does_not_stop_the_verification(log: AuditLog) -> None:
    await log.fill(seals=1)
    with log.unguarded() as connection:
        connection.execute(
            "insert into audit_log (id, at, recorded_at, actor_kind, action, entity_type)"
            " values (gen_random_uuid(), now(), '-infinity', 'user', 'login', 'user')"
        )
    assert [finding.kind for finding in (await log.verify()).findings] == [FindingKind.UNSEALED]


@pytest.mark.parametrize("after", ['{"lost_from": 3, "lost_era": 1}', '{"lost_from": "x"}', "[1]"])
async def test_a_forged_restore_entry_excuses_nothing(log: AuditLog, after: str) -> None:
    await log.fill(seals=4)
    anchor = await anchor_of(log)
    with log.unguarded() as connection:
        for statement in BACK_TO_SEAL_2:
            connection.execute(statement)
        connection.execute(
            "insert into audit_log (id, at, actor_kind, action, entity_type, reason, after)"
            " values (gen_random_uuid(), now(), 'system', 'audit_resealed', 'audit_log', 'trust me', %s)",
            [after],
        )
    await log.fill(seals=3)
    assert FindingKind.REWRITTEN in {finding.kind for finding in (await log.verify(anchor)).findings}


async def test_a_move_to_another_server_does_not_excuse_missing_seals(log: AuditLog) -> None:
    await log.fill(seals=4)
    await move_server(log)
    anchor = await anchor_of(log)
    with log.unguarded() as connection:
        for statement in BACK_TO_SEAL_2:
            connection.execute(statement)
    await log.fill(seals=2)
    assert not (await log.verify(anchor)).ok
    await log.reseal("Monday's dump on the new machine", lost=LostSeals(3, 1))
    report = await log.verify(anchor)
    assert report.ok, report.findings
    assert "Monday's dump" in report.notes[0]


async def test_closing_an_era_does_not_legitimise_a_smuggled_entry(log: AuditLog) -> None:
    await log.fill()
    planted, neighbour = new_id(), log.ids()[7]
    with log.unguarded() as connection:
        xid = connection.execute("select xid from audit_log where id = %s", [neighbour]).fetchone()
        connection.execute(PLANT, [planted, 1, *(xid or ())])
    await log.reseal("why not")
    assert [(finding.kind, finding.entry_id) for finding in (await log.verify()).findings] == [
        (FindingKind.INSERTED, planted)
    ]


async def test_a_forged_seal_in_the_anchor_is_noted_as_a_possible_forgery(log: AuditLog) -> None:
    """An attacker's key in the database: only the anchor vouches for its seals, and the report says so."""
    await log.fill(seals=2)
    anchor = await anchor_of(log)
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    async with log.database.transaction(job_context()) as session:
        last = await seals.find_last_seal(session)
        assert last is not None
        fields = {name: value for name, value in asdict(last).items() if name not in ("hash", "signature")}
        forged = sign(SealHead(**fields | {"no": 3, "previous": last.hash, "entries": 0, "digest": digest_of(b""),
                                     "key_id": key_id_of(public)}), key)  # fmt: skip
        await seals.insert_seal(session, forged, b"")
    with log.unguarded() as connection:
        connection.execute("insert into audit_keys values (%s, %s, 'x', now())", [key_id_of(public), public])
    assert FindingKind.NOT_SIGNED in {finding.kind for finding in (await log.verify(anchor)).findings}
    report = await log.verify([*anchor, json.dumps(anchor_line(forged, public))])
    assert "1 seals are signed with key" in report.notes[0]
    assert "forgery" in report.notes[0]


async def test_a_log_is_verified_in_parts(log: AuditLog) -> None:
    await log.fill(seals=4)
    touched = log.ids()[17]
    with log.unguarded() as connection:
        connection.execute("update audit_log set reason = 'x' where id = %s", [touched])
    findings, ends = [], [0]
    for _ in range(4):
        report = await verified(log, limits=VerifyLimits(after=ends[-1], seconds=0, at_a_time=1))
        findings += report.findings
        ends.append(report.last_seal)
        assert report.complete == (report.last_seal == 4)
        assert not report.ok or report.complete
    assert ends == [0, 1, 2, 3, 4]
    assert [finding.entry_id for finding in findings] == [touched]
    report = await verified(log, limits=VerifyLimits(after=2))
    assert [finding.entry_id for finding in report.findings] == [touched]
    assert report.seals == 2
    gone = await verified(log, limits=VerifyLimits(after=99))
    assert (gone.ok, gone.findings[0].kind) == (False, FindingKind.SEAL_REMOVED)


async def test_without_an_anchor_the_report_lists_what_it_cannot_detect(log: AuditLog) -> None:
    await log.fill()
    assert "no anchor" in (await log.verify()).notes[0]
    assert (await log.verify(await anchor_of(log))).notes == []

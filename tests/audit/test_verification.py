"""Verification finds every change by a superuser and reports the place."""

import json

import pytest

from hashinsight.audit.chain import anchor_line
from hashinsight.audit.findings import FindingKind
from hashinsight.audit.queries import seals
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.context import job_context
from hashinsight.kit.ids import new_id
from tests.audit.audit_log import AuditLog
from tests.audit.forged_chain import rewrite_chain


async def anchor_of(log: AuditLog) -> list[str]:
    async with log.database.reading(job_context()) as session:
        keys = await seals.list_public_keys(session)
        return [
            json.dumps(anchor_line(seal, keys[seal.key_id]))
            for seal in await seals.list_seals(session, after=0, limit=999)
        ]


async def test_an_untouched_log_verifies_and_reports_unsealed_entries(log: AuditLog) -> None:
    await log.fill(seals=3, entries=5)
    await log.write(2)
    report = await log.verify(await anchor_of(log))
    assert report.ok, report.findings
    assert (report.seals, report.unsealed, report.anchors) == (3, 2, 3)
    assert report.entries == 15 + 1  # and the entry that a signing key was made
    assert report.last_seal == 3


async def test_an_empty_log_verifies(log: AuditLog) -> None:
    report = await log.verify()
    assert (report.ok, report.seals, report.entries) == (True, 0, 0)


CHANGES = [
    'update audit_log set after = \'{"owner": "me"}\' where id = %s',
    "update audit_log set reason = 'so be it' where id = %s",
    "update audit_log set actor_id = 'somebody else' where id = %s",
    "update audit_log set at = at + interval '1 microsecond' where id = %s",
    "update audit_log set tenant_id = gen_random_uuid() where id = %s",
    "update audit_log set recorded_at = recorded_at - interval '1 second' where id = %s",
]


@pytest.mark.parametrize("change", CHANGES)
async def test_a_changed_entry_is_reported_with_its_seal(log: AuditLog, change: str) -> None:
    await log.fill()
    touched = log.ids()[7]
    with log.unguarded() as connection:
        connection.execute(change, [touched])
    report = await log.verify()
    assert [(finding.kind, finding.entry_id, finding.seal) for finding in report.findings] == [
        (FindingKind.CHANGED, touched, 2)
    ]


async def test_a_removed_entry_is_reported_with_its_seal(log: AuditLog) -> None:
    await log.fill()
    touched = log.ids()[12]
    with log.unguarded() as connection:
        connection.execute("delete from audit_log where id = %s", [touched])
    report = await log.verify()
    assert [(finding.kind, finding.entry_id, finding.seal) for finding in report.findings] == [
        (FindingKind.REMOVED, touched, 3)
    ]


async def test_an_entry_inserted_among_sealed_ones_is_reported(log: AuditLog) -> None:
    await log.fill()
    planted, neighbour = new_id(), log.ids()[7]
    with log.unguarded() as connection:
        connection.execute(
            "insert into audit_log (id, at, recorded_at, tenant_id, actor_kind, action, entity_type, era, xid)"
            " select %s, at, recorded_at, tenant_id, actor_kind, action, entity_type, era, xid"
            " from audit_log where id = %s",
            [planted, neighbour],
        )
    report = await log.verify()
    assert [(finding.kind, finding.entry_id, finding.seal) for finding in report.findings] == [
        (FindingKind.INSERTED, planted, 2)
    ]
    await log.write()
    await log.seal()
    assert not (await log.verify()).ok, "sealing again must not make it good"


async def test_a_backdated_entry_is_reported(log: AuditLog) -> None:
    await log.fill()
    planted = new_id()
    with log.unguarded() as connection:
        connection.execute(
            "insert into audit_log (id, at, recorded_at, actor_kind, action, entity_type)"
            " values (%s, now() - interval '3 days', now() - interval '3 days', 'user', 'login', 'user')",
            [planted],
        )
    await log.seal()
    report = await log.verify()
    assert [(finding.kind, finding.entry_id, finding.seal) for finding in report.findings] == [
        (FindingKind.BACKDATED, planted, 4)
    ]


@pytest.mark.parametrize(("column", "value"), [("xid", "9000000000"), ("era", "9")])
async def test_an_entry_that_no_seal_can_cover_is_reported(log: AuditLog, column: str, value: str) -> None:
    await log.fill()
    with log.unguarded() as connection:
        connection.execute(
            f"insert into audit_log (id, at, actor_kind, action, entity_type, {column})"
            f" values ('{new_id()}', now(), 'user', 'login', 'user', {value})"
        )
    assert FindingKind.INSERTED in {finding.kind for finding in (await log.verify()).findings}


async def test_a_cut_log_verifies_alone_but_not_against_the_anchor(log: AuditLog) -> None:
    await log.fill(seals=4)
    anchor = await anchor_of(log)
    log.cut_behind_seal_2()
    assert (await log.verify()).ok
    report = await log.verify(anchor)
    assert [(finding.kind, finding.seal) for finding in report.findings] == [(FindingKind.CUT, 3)]
    assert "3 to 4" in report.findings[0].message


async def test_the_anchor_reveals_a_chain_rewritten_with_the_installations_key(log: AuditLog) -> None:
    await log.fill(seals=4)
    anchor = await anchor_of(log)
    with log.unguarded() as connection:
        connection.execute("update audit_log set reason = 'never happened' where id = %s", [log.ids()[7]])
        await rewrite_chain(log, connection)
    assert (await log.verify()).ok, "whoever holds the key can write a chain that holds"
    report = await log.verify(anchor)
    assert (report.findings[0].kind, report.findings[0].seal) == (FindingKind.REWRITTEN, 2)


async def test_a_chain_rewritten_with_another_key_is_not_trusted(log: AuditLog) -> None:
    await log.fill(seals=2)
    with log.unguarded() as connection:
        connection.execute("update audit_log set reason = 'never happened' where id = %s", [log.ids()[7]])
        connection.execute("delete from audit_keys")
        await rewrite_chain(log, connection, Vault(b"the secret of somebody else, 32 +"))
    report = await log.verify()
    assert {finding.kind for finding in report.findings} == {FindingKind.NOT_SIGNED}


SEALS = [
    ("delete from audit_seals where no = 2", FindingKind.SEAL_REMOVED, 2),
    ("update audit_seals set sealed_at = sealed_at - interval '1 day' where no = 2", FindingKind.SEAL_CHANGED, 2),
    ("update audit_seals set signature = sha512('x') where no = 2", FindingKind.NOT_SIGNED, 2),
    ("update audit_seals set leaves = substring(leaves from 49) where no = 2", FindingKind.SEAL_CHANGED, 2),
    ("update audit_seals set previous = sha256('x') where no = 3", FindingKind.SEAL_CHANGED, 3),
]  # fmt: skip


@pytest.mark.parametrize(("change", "kind", "seal"), SEALS, ids=[case[0][:45] for case in SEALS])
async def test_a_changed_seal_is_reported(log: AuditLog, change: str, kind: FindingKind, seal: int) -> None:
    await log.fill()
    with log.unguarded() as connection:
        connection.execute(change)
    first = (await log.verify()).findings[0]
    assert (first.kind, first.seal) == (kind, seal)


async def test_a_disabled_trigger_is_reported(log: AuditLog) -> None:
    await log.fill(seals=1)
    with log.unguarded() as connection:
        connection.execute("alter table audit_seals disable trigger append_only")
    assert [finding.kind for finding in (await log.verify()).findings] == [FindingKind.UNGUARDED]


async def test_lines_that_are_not_seals_are_reported(log: AuditLog) -> None:
    await log.fill(seals=2)
    good = await anchor_of(log)
    forged = json.loads(good[1]) | {"entries": 4}
    report = await log.verify(["", "{}", "not json", "[1]", "1" * 50, json.dumps(forged), good[0]])
    assert {finding.kind for finding in report.findings} == {FindingKind.NOT_AN_ANCHOR}
    assert (report.found, report.anchors) == (5, 1)


async def test_all_findings_are_counted_and_the_first_hundred_kept(log: AuditLog) -> None:
    await log.fill(seals=1, entries=500)
    with log.unguarded() as connection:
        connection.execute("update audit_log set reason = 'x'")
    report = await log.verify()
    assert (report.found, len(report.findings)) == (500, 100)  # the key's own entry is not sealed yet

"""Forged chains: an attacker with the database and the secret rewrites all seals over changed entries."""

import psycopg

from hashinsight.audit.actions import SYSTEM
from hashinsight.audit.chain import LEAF_BYTES, START, SealHead, digest_of, key_id_of, sign
from hashinsight.audit.queries import seals
from hashinsight.audit.service.sealing import create_signing_key, get_signing_key
from hashinsight.audit.snapshot import NOTHING, Snapshot
from hashinsight.kit.clock import system_clock
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.context import job_context
from tests.audit.audit_log import VAULT, AuditLog


async def rewrite_chain(
    log: AuditLog, connection: psycopg.Connection, vault: Vault = VAULT, *, server: str | None = None, shift: int = 0
) -> None:
    """`connection` is a superuser's with the triggers off; the seals keep their numbers and times."""
    old = connection.execute("select no, era, snapshot, server, sealed_at from audit_seals order by no").fetchall()
    connection.execute("delete from audit_seals")
    async with log.database.transaction(job_context()) as session:
        find = get_signing_key if vault is VAULT else create_signing_key
        key = await find(session, vault, SYSTEM, now=system_clock())
        previous, before = START, NOTHING
        for no, era, snapshot, name, sealed_at in old:
            upto = _shifted(Snapshot.read(snapshot), shift)
            leaves = await seals.get_leaves(session, era, before, upto)
            key_id = key_id_of(key.public_key().public_bytes_raw())
            fields = (len(leaves) // LEAF_BYTES, digest_of(leaves), previous, sealed_at, key_id)
            seal = sign(SealHead(no, era, str(upto), server or name, *fields), key)
            await seals.insert_seal(session, seal, leaves)
            previous, before = seal.hash, upto


async def move_server(log: AuditLog) -> None:
    """A log as after a dump and restore: its seals are of another server with higher transaction ids."""
    with log.unguarded() as connection:
        connection.execute("update audit_log set xid = xid + 1000000")
        await rewrite_chain(log, connection, server="7000000000000000001/1", shift=1_000_000)


def _shifted(snapshot: Snapshot, by: int) -> Snapshot:
    return Snapshot(snapshot.xmax + by, tuple(xid + by for xid in snapshot.running))

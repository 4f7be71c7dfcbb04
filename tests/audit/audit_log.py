"""An audit log with entries, and a superuser's connection to tamper with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import psycopg

from hashinsight.audit.actions import SYSTEM, Action
from hashinsight.audit.anchors import LostSeals
from hashinsight.audit.findings import VerifyReport
from hashinsight.audit.service.entries import Entry, record_many
from hashinsight.audit.service.sealing import reseal, seal
from hashinsight.audit.service.verification import VerifyLimits, verify
from hashinsight.kit.clock import system_clock
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database

VAULT = Vault(b"a secret of the installation, 32+")


class AuditLog:
    def __init__(self, database: Database, superuser_url: str) -> None:
        self.database = database
        self._url = superuser_url

    async def write(self, count: int = 1, *, tenant_id: UUID | None = None) -> None:
        """Entries in one transaction."""
        entries = [
            Entry(Action.MINER_CHANGED, "miner", n, {"n": n}, {"owner": "Grün & Söhne"}, tenant_id=tenant_id)
            for n in range(count)
        ]
        async with self.database.transaction(job_context()) as session:
            await record_many(session, SYSTEM, entries, now=system_clock())

    async def seal(self, *, piece: int = 50_000) -> int:
        async with self.database.transaction(job_context()) as session:
            return await seal(session, VAULT, now=system_clock(), piece=piece)

    async def reseal(self, reason: str, *, lost: LostSeals | None = None) -> int:
        async with self.database.transaction(job_context()) as session:
            return await reseal(session, VAULT, SYSTEM, reason, lost=lost, now=system_clock())

    async def fill(self, seals: int = 3, entries: int = 5) -> None:
        for _ in range(seals):
            await self.write(entries)
            await self.seal()

    async def verify(self, anchors: list[str] | None = None, vault: Vault = VAULT) -> VerifyReport:
        now = system_clock()
        whole = await verify(self.database, vault, anchors or [], now=now)
        parts = await verify(self.database, vault, anchors or [], now=now, limits=VerifyLimits(at_a_time=1))
        assert whole.fields()["findings"] == parts.fields()["findings"], "the size of the groups must not matter"
        return whole

    @contextmanager
    def unguarded(self) -> Iterator[psycopg.Connection]:
        """A superuser's connection with the triggers off."""
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute("set session_replication_role = replica")
            yield connection

    def cut_behind_seal_2(self) -> None:
        """As after the restore of a backup: the seals 3 and up are lost with their entries."""
        with self.unguarded() as connection:
            connection.execute("delete from audit_seals where no > 2")
            connection.execute(
                "delete from audit_log where id in (select id from audit_log order by xid, id offset 11)"
            )

    def ids(self) -> list[UUID]:
        with self.unguarded() as connection:
            return [row[0] for row in connection.execute("select id from audit_log order by xid, id").fetchall()]

"""Verification: proves that nothing was changed, removed or inserted, and names the first place where it was.

The seals are read in order, the entries of each group of seals by one query, as Arrow; each line is hashed here, so
that nothing has to be believed that the database says about its own hashes. Everything is read from the main server: a
replica that lags would look like a log that was cut.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from psycopg import sql
from sqlalchemy.exc import DataError

from hashinsight.audit.anchors import Line, read_anchors
from hashinsight.audit.chain import Seal, leaves_of
from hashinsight.audit.findings import FindingKind, VerifyReport
from hashinsight.audit.queries import seals
from hashinsight.audit.service.comparison import (
    Group,
    TrustedKeys,
    check_seals,
    compare_entries,
    list_missing,
    read_rows,
)
from hashinsight.audit.service.sealing import UnsealedTail, get_unsealed_tail, list_trusted_keys, next_window
from hashinsight.audit.snapshot import NOTHING, Snapshot
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.context import Context, job_context
from hashinsight.kit.db.database import Database

_SEALS = 200  # read at a time
_ENTRIES = 100_000  # compared at a time


@dataclass(frozen=True)
class VerifyLimits:
    """How much of the log to verify in one go: behind which seal, and for how long to begin with more of it."""

    after: int = 0
    seconds: float = float("inf")
    statement_seconds: int = 600
    at_a_time: int = _ENTRIES


WHOLE = VerifyLimits()


async def verify(
    database: Database, vault: Vault, anchors: Iterable[Line] = (), *, now: datetime, limits: VerifyLimits = WHOLE
) -> VerifyReport:
    report = VerifyReport()
    try:
        await _verify_sealed(database, vault, report, anchors, limits)
        async with database.transaction(_context(limits)) as session:
            _tell_tail(report, await get_unsealed_tail(session), now=now)
    except DataError:
        report.complete = False
        report.add(
            FindingKind.SEAL_CHANGED, f"behind seal {report.last_seal} stands a value that nothing of ours writes"
        )
    if not report.anchors:
        report.notes.append("without an anchor a log that was cut or sealed anew as a whole looks untouched")
    return report


async def _verify_sealed(
    database: Database, vault: Vault, report: VerifyReport, anchors: Iterable[Line], limits: VerifyLimits
) -> None:
    async with database.transaction(_context(limits)) as session:
        own, kept = await list_trusted_keys(session, vault), await seals.list_public_keys(session)
        guards = await seals.list_missing_guards(session)
        resealings = await seals.list_resealings(session)
        closing = await seals.list_closing(session)
        before = await seals.list_seals(session, after=limits.after - 1, limit=1) if limits.after else []
        # what is sealed meanwhile is for the next time: its keys and eras were not looked at
        end = await seals.find_last_seal(session)
    for table in guards:
        report.add(FindingKind.UNGUARDED, f"the trigger that refuses changes to {table} is missing or off")
    last = next((seal for seal in before if seal.no == limits.after), None)
    if limits.after and last is None:
        report.add(FindingKind.SEAL_REMOVED, f"seal {limits.after} is gone", seal=limits.after)
    if last is not None:
        report.reached(last)
    held = await asyncio.to_thread(read_anchors, report, anchors, resealings)
    # what closes an era may list entries that a restored log's new server wrote before it was noticed
    strays = frozenset(entry for _, leaves in closing for entry, _ in leaves_of(leaves))
    known = TrustedKeys(own, kept, held, strays)
    until = time.monotonic() + limits.seconds
    upto = 0 if end is None else end.no
    async for group in _groups(database, limits, upto=upto):
        last = await _check_group(database, report, group, last, known=known, limits=limits)
        report.reached(last)
        if last.no < upto and time.monotonic() >= until:
            report.complete = False
            break
    else:
        held.check_end(report, 0 if last is None else last.no)
    report.tell_vouched()


async def _check_group(
    database: Database,
    report: VerifyReport,
    group: Group,
    before: Seal | None,
    *,
    known: TrustedKeys,
    limits: VerifyLimits,
) -> Seal:
    """The seals of a group among themselves, then their entries. Gives the last one."""
    gone = await asyncio.to_thread(check_seals, report, group, before, known)
    last = group[-1][0]
    window = seals.window(group[0][0].era, next_window(before)[1], Snapshot.read(last.snapshot))
    there = await asyncio.to_thread(read_rows, await database.frame(_context(limits), _lines(window), on_main=True))
    if elsewhere := known.strays.intersection(list_missing(group, there)):
        ids = sql.SQL("id = any({}::uuid[])").format([str(UUID(bytes=one)) for one in elsewhere])
        there |= read_rows(await database.frame(_context(limits), _lines(ids), on_main=True))
    # what belongs to seals that are gone cannot be told from what was inserted
    await asyncio.to_thread(compare_entries, report, group, there, before, known, unlisted=not gone)
    return last


async def _groups(database: Database, limits: VerifyLimits, *, upto: int) -> AsyncIterator[Group]:
    """Seals in order, as many together as one query should fetch entries for, never across an era."""
    group: Group = []
    after, entries = limits.after, 0
    while after < upto:
        async with database.transaction(_context(limits)) as session:
            found = await seals.list_sealed(session, after=after, upto=upto, limit=_SEALS)
        for seal, leaves in found:
            if group and (entries + seal.entries > limits.at_a_time or seal.era != group[-1][0].era):
                yield group
                group, entries = [], 0
            group.append((_readable(seal), leaves))
            entries += seal.entries
            after = seal.no
        if len(found) < _SEALS:
            break
    if group:
        yield group


def _readable(seal: Seal) -> Seal:
    """A snapshot that is none becomes one of nothing, and the seal does not fit its hash any more."""
    try:
        Snapshot.read(seal.snapshot)
    except ValueError:
        return replace(seal, snapshot=str(NOTHING))
    return seal


def _lines(window: sql.Composed) -> sql.Composed:
    query = (
        "select uuid_send(id) as id, {} as line, tenant_id::text as tenant_id,"
        " extract(epoch from recorded_at)::float8 as recorded_at, xid from audit_log where {}"
    )
    return sql.SQL(query).format(seals.LINE, window)


def _context(limits: VerifyLimits) -> Context:
    return replace(job_context(work_seconds=limits.statement_seconds), read_only=True)


def _tell_tail(report: VerifyReport, tail: UnsealedTail, *, now: datetime) -> None:
    report.unsealed, report.oldest_unsealed_at = tail.entries, tail.oldest_at
    if tail.impossible:
        report.add(FindingKind.INSERTED, f"{tail.impossible} entries claim a transaction or an era that has never been")
    complaint = tail.complaint(now)
    if complaint is not None:
        report.add(FindingKind.UNSEALED, complaint)

"""Verification: checks that nothing was changed, removed or inserted, and reports the first place where it was.

Seals are read in order, the entries of each group of seals with one query, as Arrow. Each line is hashed here: the
database's word about its own hashes is not trusted. Everything is read from the primary: a replica that lags would look
like a log that was cut.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from sqlalchemy.exc import DataError

from hashinsight.audit.anchors import Line, read_anchors
from hashinsight.audit.chain import Seal, leaves_of, next_window
from hashinsight.audit.comparison import Group, TrustedKeys, check_seals, compare_entries, list_missing, read_rows
from hashinsight.audit.findings import FindingKind, VerifyReport
from hashinsight.audit.queries import seals
from hashinsight.audit.service.sealing import UnsealedTail, get_unsealed_tail, list_trusted_keys
from hashinsight.audit.snapshot import NOTHING, Snapshot
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.context import Context, job_context
from hashinsight.kit.db.database import Database

_SEALS = 200  # read at a time
_ENTRIES = 100_000  # compared at a time


@dataclass(frozen=True)
class VerifyLimits:
    """How much to verify in one call: from which seal on, and for how long to start further groups."""

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
            _report_unsealed(report, await get_unsealed_tail(session), now=now)
    except DataError:
        report.complete = False
        message = f"after seal {report.last_seal} there is a value that HashInsight never writes"
        report.add(FindingKind.SEAL_CHANGED, message)
    if not report.anchors:
        report.notes.append("no anchor: a log that was cut or completely resealed would not be noticed")
    return report


async def _verify_sealed(
    database: Database, vault: Vault, report: VerifyReport, lines: Iterable[Line], limits: VerifyLimits
) -> None:
    async with database.transaction(_context(limits)) as session:
        own, stored = await list_trusted_keys(session, vault), await seals.list_public_keys(session)
        unguarded = await seals.list_missing_guards(session)
        resealings = await seals.list_resealings(session)
        closing = await seals.list_closing(session)
        before = await seals.list_seals(session, after=limits.after - 1, limit=1) if limits.after else []
        # seals made from here on are left for the next time: their keys and eras were not read
        end = await seals.find_last_seal(session)
    for table in unguarded:
        report.add(FindingKind.UNGUARDED, f"the trigger that blocks changes to {table} is missing or off")
    last = next((seal for seal in before if seal.no == limits.after), None)
    if limits.after and last is None:
        report.add(FindingKind.SEAL_REMOVED, f"seal {limits.after} is missing", seal=limits.after)
    if last is not None:
        report.reached(last)
    anchors = await asyncio.to_thread(read_anchors, report, lines, resealings)
    # a seal that closes an era can have entries that a restored log's new server wrote before it was noticed
    strays = frozenset(entry for _, leaves in closing for entry, _ in leaves_of(leaves))
    trusted = TrustedKeys(own, stored, anchors, strays)
    deadline = time.monotonic() + limits.seconds
    upto = 0 if end is None else end.no
    async for group in _list_groups(database, limits, upto=upto):
        last = await _check_group(database, report, group, last, trusted=trusted, limits=limits)
        report.reached(last)
        if last.no < upto and time.monotonic() >= deadline:
            report.complete = False
            break
    else:
        anchors.check_end(report, 0 if last is None else last.no)
    report.note_vouched()


async def _check_group(
    database: Database,
    report: VerifyReport,
    group: Group,
    before: Seal | None,
    *,
    trusted: TrustedKeys,
    limits: VerifyLimits,
) -> Seal:
    """Check the seals of a group, then their entries; returns the last seal."""
    context = _context(limits)
    is_missing = await asyncio.to_thread(check_seals, report, group, before, trusted)
    last = group[-1][0]
    window = seals.window(group[0][0].era, next_window(before)[1], Snapshot.read(last.snapshot))
    rows = await asyncio.to_thread(read_rows, await database.frame(context, seals.lines_of(window), on_main=True))
    if elsewhere := trusted.strays.intersection(list_missing(group, rows)):
        by_id = seals.by_id([UUID(bytes=entry) for entry in elsewhere])
        rows |= read_rows(await database.frame(context, seals.lines_of(by_id), on_main=True))
    # entries of missing seals cannot be told from inserted ones
    await asyncio.to_thread(compare_entries, report, group, rows, before, trusted, find_inserted=not is_missing)
    return last


async def _list_groups(database: Database, limits: VerifyLimits, *, upto: int) -> AsyncIterator[Group]:
    """Seals in order, as many together as one query should fetch entries for, never across an era."""
    group: Group = []
    after, entries = limits.after, 0
    while after < upto:
        async with database.transaction(_context(limits)) as session:
            part = await seals.list_sealed(session, after=after, upto=upto, limit=_SEALS)
        for seal, leaves in part:
            if group and (entries + seal.entries > limits.at_a_time or seal.era != group[-1][0].era):
                yield group
                group, entries = [], 0
            group.append((_readable(seal), leaves))
            entries += seal.entries
            after = seal.no
        if len(part) < _SEALS:
            break
    if group:
        yield group


def _readable(seal: Seal) -> Seal:
    """An invalid snapshot becomes an empty one; the seal's hash does not match any more and is reported."""
    try:
        Snapshot.read(seal.snapshot)
    except ValueError:
        return replace(seal, snapshot=str(NOTHING))
    return seal


def _context(limits: VerifyLimits) -> Context:
    return replace(job_context(work_seconds=limits.statement_seconds), read_only=True)


def _report_unsealed(report: VerifyReport, tail: UnsealedTail, *, now: datetime) -> None:
    report.unsealed, report.oldest_unsealed_at = tail.entries, tail.oldest_at
    if tail.impossible:
        message = f"{tail.impossible} entries claim a transaction or an era that never existed"
        report.add(FindingKind.INSERTED, message)
    complaint = tail.complaint(now)
    if complaint is not None:
        report.add(FindingKind.UNSEALED, complaint)

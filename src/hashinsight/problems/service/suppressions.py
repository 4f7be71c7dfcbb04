"""Suppress machines, zones, groups and sites until a time or until lifted. Open problems stay as they are."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import Entry, record_many
from hashinsight.identity.caller import Caller
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import groups, miners, places
from hashinsight.kit.changes import note_change
from hashinsight.kit.errors import Forbidden
from hashinsight.kit.ids import new_id
from hashinsight.problems import errors
from hashinsight.problems.queries import actions, lists, suppressions
from hashinsight.problems.queries.lists import ProblemFilter
from hashinsight.wire.times import write_time

_MAX_TIMELINES = 100


@dataclass(frozen=True)
class SuppressionRequest:
    reason: str
    until: datetime | None = None
    since: datetime | None = None
    maintenance: bool = False


@dataclass(frozen=True)
class SuppressionTarget:
    """`kind` says which of the ids is set."""

    kind: str
    site_ids: tuple[int, ...]
    miner_no: int | None = None
    zone_id: int | None = None
    group_id: int | None = None


async def suppress_miner(
    session: AsyncSession,
    caller: Caller,
    miner_id: str,
    site: str | int | None,
    request: SuppressionRequest,
    *,
    now: datetime,
) -> list[dict[str, Any]]:
    """Replaces earlier suppressions of the machine itself; those of its zone, groups or site stay."""
    target = await _get_miner(session, caller, miner_id, site)
    await _lift(session, caller, target.site_ids[0], request.reason, now=now, miner_no=target.miner_no)
    return await suppress(session, caller, target, request, now=now)


async def unsuppress_miner(
    session: AsyncSession,
    caller: Caller,
    miner_id: str,
    site: str | int | None,
    *,
    reason: str | None = None,
    now: datetime,
) -> tuple[int, list[dict[str, Any]]]:
    """How many were lifted, and what still suppresses the machine."""
    target = await _get_miner(session, caller, miner_id, site)
    lifted = await _lift(session, caller, target.site_ids[0], reason, now=now, miner_no=target.miner_no)
    if lifted:
        await _note(session, caller, target, "unsuppressed", reason, now=now)
    assert target.miner_no is not None  # noqa: S101 - of this kind
    return len(lifted), await suppressions.list_reaching(session, target.site_ids[0], target.miner_no, now=now)


async def suppress(
    session: AsyncSession, caller: Caller, target: SuppressionTarget, request: SuppressionRequest, *, now: datetime
) -> list[dict[str, Any]]:
    """One row per site. Returns the rows as a list shows them."""
    since = request.since or now
    if request.until is not None and request.until <= max(now, since):
        raise errors.until_is_past(request.until)
    rows: list[dict[str, Any]] = [
        {
            "id": new_id(),
            "tenant_id": caller.tenant_id,
            "site_id": site_id,
            "kind": target.kind,
            "miner_no": target.miner_no,
            "zone_id": target.zone_id,
            "group_id": target.group_id,
            "from_at": since,
            "until_at": request.until,
            "maintenance": request.maintenance,
            "reason": request.reason,
            "created_at": now,
            "created_by_kind": caller.actor.kind.value,
            "created_by": caller.actor.id,
        }
        for site_id in target.site_ids
    ]
    await suppressions.insert_suppressions(session, rows)
    created = await suppressions.list_by_ids(session, [row["id"] for row in rows])
    await _record(session, caller, Action.SUPPRESSION_CREATED, created, request.reason, now=now)
    if target.miner_no is not None:
        await _note(session, caller, target, "suppressed", request.reason, until=request.until, now=now)
    return created


async def lift(
    session: AsyncSession, caller: Caller, suppression_id: UUID, *, reason: str | None = None, now: datetime
) -> dict[str, Any]:
    row = await suppressions.get_suppression(session, caller.seen, suppression_id)
    target = SuppressionTarget(row["kind"], (row["site_id"],), row["miner_no"], row["zone_id"], row["group_id"])
    await _check(session, caller, target)
    if not await _lift(session, caller, row["site_id"], reason, now=now, suppression_id=suppression_id):
        raise errors.already_lifted()
    if target.miner_no is not None:
        await _note(session, caller, target, "unsuppressed", reason, now=now)
    return (await suppressions.list_by_ids(session, [suppression_id]))[0]


async def get_target(
    session: AsyncSession,
    caller: Caller,
    kind: str,
    site: str | int | None,
    *,
    miner_id: str | None = None,
    zone: str | None = None,
    group_id: int | None = None,
) -> SuppressionTarget:
    """The target by its names, if the caller may suppress it. 404 for what the caller does not see."""
    if kind == "miner":
        return await _get_miner(session, caller, miner_id or "", site)
    if kind == "group":
        group = await groups.get_group(session, caller.seen, group_id or 0)
        target = SuppressionTarget(
            kind, tuple(await suppressions.list_sites_of_group(session, group.id)), group_id=group.id
        )
        if not target.site_ids:
            raise errors.empty_group()
    else:
        site_id = (await places.get_site(session, caller.seen, site or "")).id
        zone_id = None if kind == "site" else (await places.get_zone(session, caller.seen, site_id, zone or "")).id
        target = SuppressionTarget(kind, (site_id,), zone_id=zone_id)
    await _check(session, caller, target)
    return target


async def _get_miner(session: AsyncSession, caller: Caller, miner_id: str, site: str | int | None) -> SuppressionTarget:
    """Locked: of two concurrent requests the second replaces the first."""
    miner = (await miners.get_miner(session, caller.seen, miner_id, site, lock=True)).miner
    target = SuppressionTarget("miner", (miner.site_id,), miner_no=miner.miner_no)
    await _check(session, caller, target)
    return target


async def _check(session: AsyncSession, caller: Caller, target: SuppressionTarget) -> None:
    """The caller must be responsible for all of the target, not only for some of its machines."""
    scope = caller.scope_for(Permission.SUPPRESS)
    if all(scope.holds_site(site_id) for site_id in target.site_ids) or await _holds(session, scope, target):
        return
    raise Forbidden("this contains machines outside your scope")


async def _holds(session: AsyncSession, scope: Scope, target: SuppressionTarget) -> bool:
    if target.miner_no is not None:
        return await miners.is_within(session, scope, target.miner_no)
    return target.zone_id in scope.zones or target.group_id in scope.groups


async def _lift(
    session: AsyncSession,
    caller: Caller,
    site_id: int,
    reason: str | None,
    *,
    now: datetime,
    suppression_id: UUID | None = None,
    miner_no: int | None = None,
) -> list[UUID]:
    by = caller.actor.signature
    lifted = await suppressions.move_lifted(session, by=by, now=now, suppression_id=suppression_id, miner_no=miner_no)
    if lifted:
        rows = await suppressions.list_by_ids(session, lifted)
        await _record(session, caller, Action.SUPPRESSION_LIFTED, rows, reason, now=now)
        note_change(session, caller.tenant_id, site_id, "problems")
    return lifted


async def _note(
    session: AsyncSession,
    caller: Caller,
    target: SuppressionTarget,
    kind: str,
    reason: str | None,
    *,
    until: datetime | None = None,
    now: datetime,
) -> None:
    """Adds an entry to the timelines of the machine's open problems."""
    wanted = ProblemFilter(miner_no=target.miner_no)
    ids = await lists.list_ids(session, caller.seen, wanted, limit=_MAX_TIMELINES)
    await actions.insert_timeline(session, caller.actor, ids, kind, message=reason, until=until, now=now)


async def _record(
    session: AsyncSession,
    caller: Caller,
    action: Action,
    rows: list[dict[str, Any]],
    reason: str | None,
    *,
    now: datetime,
) -> None:
    """`reason` is that of this action; the entry of a lift also has the reason of the suppression."""
    entries = []
    for row in rows:
        shown = {name: row[name] for name in ("site_id", "kind", "miner_id", "zone", "group", "maintenance")}
        until = None if row["until_at"] is None else write_time(row["until_at"])
        after = shown | {"until": until, "suppressed_for": row["reason"]}
        entries.append(Entry(action, "suppression", row["id"], None, after, reason, caller.tenant_id))
        note_change(session, caller.tenant_id, row["site_id"], "problems")
    await record_many(session, caller.actor, entries, now=now)

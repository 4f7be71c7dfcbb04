"""Suppress machines, zones, groups and sites, until a time or until it is lifted. What is open stays as it is."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import Entry, record_many
from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import groups, miners, places
from hashinsight.kit.changes import note_change
from hashinsight.kit.errors import Forbidden
from hashinsight.kit.ids import new_id
from hashinsight.problems import errors
from hashinsight.problems.caller import ProblemsCaller
from hashinsight.problems.queries import actions, lists, suppressions
from hashinsight.problems.queries.lists import ProblemFilter

_MOST_TOLD = 100


@dataclass(frozen=True)
class SuppressionRequest:
    reason: str
    until: datetime | None = None
    since: datetime | None = None
    maintenance: bool = False


@dataclass(frozen=True)
class SuppressionTarget:
    """Which one: the kind says what else is set."""

    kind: str
    site_ids: tuple[int, ...]
    miner_no: int | None = None
    zone_id: int | None = None
    group_id: int | None = None


async def suppress_miner(
    session: AsyncSession,
    asker: ProblemsCaller,
    miner_id: str,
    site: str | int | None,
    wish: SuppressionRequest,
    *,
    now: datetime,
) -> list[dict[str, Any]]:
    """What was said of this machine before is replaced; what holds for its zone, groups or site stays."""
    target = await _miner(session, asker, miner_id, site)
    await _lift(session, asker, target.site_ids[0], wish.reason, now=now, miner_no=target.miner_no)
    return await suppress(session, asker, target, wish, now=now)


async def unsuppress_miner(
    session: AsyncSession,
    asker: ProblemsCaller,
    miner_id: str,
    site: str | int | None,
    *,
    reason: str | None = None,
    now: datetime,
) -> tuple[int, list[dict[str, Any]]]:
    """How many were lifted, and what suppresses the machine all the same."""
    target = await _miner(session, asker, miner_id, site)
    lifted = await _lift(session, asker, target.site_ids[0], reason, now=now, miner_no=target.miner_no)
    if lifted:
        await _tell(session, asker, target, "unsuppressed", reason, now=now)
    assert target.miner_no is not None  # noqa: S101 - of this kind
    return len(lifted), await suppressions.list_reaching(session, target.site_ids[0], target.miner_no, now=now)


async def suppress(
    session: AsyncSession, asker: ProblemsCaller, target: SuppressionTarget, wish: SuppressionRequest, *, now: datetime
) -> list[dict[str, Any]]:
    """One row a site. Gives the rows as a list shows them."""
    since = wish.since or now
    if wish.until is not None and wish.until <= max(now, since):
        raise errors.until_is_past(wish.until)
    rows: list[dict[str, Any]] = [
        {
            "id": new_id(),
            "tenant_id": asker.tenant_id,
            "site_id": site_id,
            "kind": target.kind,
            "miner_no": target.miner_no,
            "zone_id": target.zone_id,
            "group_id": target.group_id,
            "from_at": since,
            "until_at": wish.until,
            "maintenance": wish.maintenance,
            "reason": wish.reason,
            "created_at": now,
            "created_by_kind": asker.actor.kind.value,
            "created_by": asker.actor.id,
        }
        for site_id in target.site_ids
    ]
    await suppressions.insert_suppressions(session, rows)
    made = await suppressions.list_by_ids(session, [row["id"] for row in rows])
    await _record(session, asker, Action.SUPPRESSION_CREATED, made, wish.reason, now=now)
    if target.miner_no is not None:
        await _tell(session, asker, target, "suppressed", wish.reason, until=wish.until, now=now)
    return made


async def lift(
    session: AsyncSession, asker: ProblemsCaller, suppression_id: UUID, *, reason: str | None = None, now: datetime
) -> dict[str, Any]:
    found = await suppressions.get_suppression(session, asker.seen, suppression_id)
    target = SuppressionTarget(
        found["kind"], (found["site_id"],), found["miner_no"], found["zone_id"], found["group_id"]
    )
    await _check(session, asker, target)
    if not await _lift(session, asker, found["site_id"], reason, now=now, suppression_id=suppression_id):
        raise errors.already_lifted()
    if target.miner_no is not None:
        await _tell(session, asker, target, "unsuppressed", reason, now=now)
    return (await suppressions.list_by_ids(session, [suppression_id]))[0]


async def get_target(
    session: AsyncSession,
    asker: ProblemsCaller,
    kind: str,
    site: str | int | None,
    *,
    miner_id: str | None = None,
    zone: str | None = None,
    group_id: int | None = None,
) -> SuppressionTarget:
    """What is meant, if it may be suppressed by this asker. What one does not see does not exist."""
    if kind == "miner":
        return await _miner(session, asker, miner_id or "", site)
    if kind == "group":
        group = await groups.get_group(session, asker.seen, group_id or 0)
        target = SuppressionTarget(
            kind, tuple(await suppressions.list_sites_of_group(session, group.id)), group_id=group.id
        )
        if not target.site_ids:
            raise errors.empty_group()
    else:
        found = await places.get_site(session, asker.seen, site or "")
        zone_id = None if kind == "site" else (await places.get_zone(session, asker.seen, found.id, zone or "")).id
        target = SuppressionTarget(kind, (found.id,), zone_id=zone_id)
    await _check(session, asker, target)
    return target


async def _miner(
    session: AsyncSession, asker: ProblemsCaller, miner_id: str, site: str | int | None
) -> SuppressionTarget:
    """Locked: of two who suppress it at once, the second replaces what the first said."""
    found = (await miners.get_miner(session, asker.seen, miner_id, site, lock=True)).miner
    target = SuppressionTarget("miner", (found.site_id,), miner_no=found.miner_no)
    await _check(session, asker, target)
    return target


async def _check(session: AsyncSession, asker: ProblemsCaller, target: SuppressionTarget) -> None:
    """Whoever suppresses something must hold all of it, not only some of its machines."""
    scope = asker.quieting()
    if all(scope.holds_site(site_id) for site_id in target.site_ids) or await _holds(session, scope, target):
        return
    raise Forbidden("you may not suppress all of this: it is larger than what you hold")


async def _holds(session: AsyncSession, scope: Scope, target: SuppressionTarget) -> bool:
    if target.miner_no is not None:
        return await miners.is_within(session, scope, target.miner_no)
    return target.zone_id in scope.zones or target.group_id in scope.groups


async def _lift(
    session: AsyncSession,
    asker: ProblemsCaller,
    site_id: int,
    reason: str | None,
    *,
    now: datetime,
    suppression_id: UUID | None = None,
    miner_no: int | None = None,
) -> list[UUID]:
    by = actions.signature(asker.actor)
    lifted = await suppressions.move_lifted(session, by=by, now=now, suppression_id=suppression_id, miner_no=miner_no)
    if lifted:
        rows = await suppressions.list_by_ids(session, lifted)
        await _record(session, asker, Action.SUPPRESSION_LIFTED, rows, reason, now=now)
        note_change(session, asker.tenant_id, site_id, "problems")
    return lifted


async def _tell(
    session: AsyncSession,
    asker: ProblemsCaller,
    target: SuppressionTarget,
    kind: str,
    reason: str | None,
    *,
    until: datetime | None = None,
    now: datetime,
) -> None:
    """In the timelines of what is open on the machine."""
    wanted = ProblemFilter(miner_no=target.miner_no)
    ids = await lists.list_ids(session, asker.seen, wanted, limit=_MOST_TOLD)
    await actions.tell(session, asker.actor, ids, kind, message=reason, until=until, now=now)


async def _record(
    session: AsyncSession,
    asker: ProblemsCaller,
    action: Action,
    rows: list[dict[str, Any]],
    reason: str | None,
    *,
    now: datetime,
) -> None:
    """`reason` is that of the act; why the machines were suppressed stays in the entry when that is lifted."""
    entries = []
    for row in rows:
        told = {name: row[name] for name in ("site_id", "kind", "miner_id", "zone", "group", "maintenance")}
        until = None if row["until_at"] is None else row["until_at"].isoformat()
        after = told | {"until": until, "suppressed_for": row["reason"]}
        entries.append(Entry(action, "suppression", row["id"], None, after, reason, asker.tenant_id))
        note_change(session, asker.tenant_id, row["site_id"], "problems")
    await record_many(session, asker.actor, entries, now=now)

"""The record: searched, exported, verified. It belongs to the tenant as a whole, so only a whole scope reads it."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Body, Depends, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from hashinsight.audit.actions import Action
from hashinsight.audit.models import AuditEntry
from hashinsight.audit.queries.entries import ORDER, AuditFilter, list_lines, select_entries
from hashinsight.audit.queries.entries import entry_fields as entry_shown
from hashinsight.audit.service.delivery import list_anchor_lines
from hashinsight.audit.service.entries import record
from hashinsight.audit.service.verification import VerifyLimits, verify
from hashinsight.identity.access import (
    AuthenticateFirst,
    CurrentCaller,
    ReadSession,
    Session,
    allowed,
    now_of,
    vault_of,
)
from hashinsight.identity.permissions import Permission
from hashinsight.identity.routes.admin import Cursor, Limit
from hashinsight.identity.scope import Columns, Scope, within
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import RateLimited
from hashinsight.kit.paging import page
from hashinsight.kit.web.examples import answers
from hashinsight.kit.web.state import get_database

router = APIRouter(prefix="/api/admin/v1/audit", tags=["audit"], route_class=AuthenticateFirst)

Reader = Annotated[Scope, allowed(Permission.AUDIT_READ, whole=True)]
Auditor = Annotated[Scope, allowed(Permission.AUDIT, whole=True)]
_PART_ROWS = 5000
_VERIFICATIONS_PER_MINUTE = 4
_PART_SECONDS = 10
_STATEMENT_SECONDS = 30
# each takes a core and some hundred megabytes, so a process does one at a time
_VERIFYING = asyncio.Semaphore(1)

_ENTRY = {
    "id": "01990000-0000-7000-8000-000000000001",
    "at": "2026-03-01T12:00:00Z",
    "recorded_at": "2026-03-01T12:00:00.004Z",
    "actor_kind": "user",
    "actor_id": "01990000-0000-7000-8000-000000000002",
    "action": "miner_changed",
    "entity_type": "miner",
    "entity_id": "7:B2-R14-03",
    "before": {"owner": "Aurora Mining"},
    "after": {"owner": "Boreal Hosting"},
    "reason": None,
    "request_id": "01990000-0000-7000-8000-000000000003",
    "address": "192.0.2.7",
}
_SEAL: dict[str, Any] = {
    "no": 412,
    "era": 1,
    "snapshot": "90412:90412:",
    "server": "7489012345678901234/1",
    "entries": 37,
    "digest": "9f2c…",
    "previous": "51aa…",
    "sealed_at": "2026-03-01T12:00:15+00:00",
    "key_id": "1f0c6b2a9d3e4f58",
    "hash": "c07e…",
    "signature": "kb3…==",
    "public_key": "yV1…=",
}
_REPORT = {
    "ok": False,
    "complete": True,
    "seals": 412,
    "entries": 15021,
    "unsealed": 3,
    "oldest_unsealed_at": "2026-03-01T12:00:16Z",
    "last_seal": 412,
    "last_hash": "c07e…",
    "anchors": 0,
    "found": 1,
    "findings": [
        {
            "kind": "changed",
            "seal": 88,
            "entry_id": "01990000-0000-7000-8000-000000000004",
            "message": "an entry of seal 88 was changed",
        }
    ],
    "notes": [],
}


class Anchored(BaseModel):
    """Lines of seals that were kept elsewhere, to compare with."""

    model_config = ConfigDict(extra="forbid")

    anchors: list[dict[str, Any]] = Field(default_factory=list, max_length=2000, fail_fast=True)
    after: int = Field(0, ge=0, lt=2**62, description="Go on behind this seal, where an answer was not complete.")


def _wanted(
    *,
    entity_type: Annotated[str | None, Query(max_length=100)] = None,
    entity_id: Annotated[str | None, Query(max_length=200)] = None,
    actor: Annotated[str | None, Query(max_length=200, description="Id of a user, key, collector or rule.")] = None,
    action: Annotated[Action | None, Query()] = None,
    since: Annotated[AwareDatetime | None, Query()] = None,
    until: Annotated[AwareDatetime | None, Query()] = None,
) -> AuditFilter:
    return AuditFilter(entity_type, entity_id, actor, action, since, until)


Asked = Annotated[AuditFilter, Depends(_wanted)]


@router.get("", responses=answers({"entries": [_ENTRY], "next_cursor": None}))
async def search(
    scope: Reader, session: ReadSession, wanted: Asked, limit: Limit = 100, cursor: Cursor = None
) -> dict[str, Any]:
    """The tenant's entries, newest first."""
    query = select_entries(wanted, within(scope, Columns(AuditEntry.tenant_id)))
    found = await page(session, query, ORDER, limit=limit, cursor=cursor, descending=True)
    return {"entries": [entry_shown(entry) for entry in found.rows], "next_cursor": found.next_cursor}


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: {"description": "JSON lines", "content": {"application/x-ndjson": {"example": '{"id":"0199…"}'}}}},
)
async def export(request: Request, scope: Auditor, session: Session, wanted: Asked) -> StreamingResponse:
    """The tenant's entries as JSON lines, oldest first; the SHA-256 of a line is what the seals hold for it."""
    now = now_of(request)
    await record(
        session,
        scope.actor,
        Action.AUDIT_EXPORTED,
        "audit_log",
        tenant_id=scope.tenant_id,
        after=wanted.words(),
        now=now,
    )
    lines = _lines(get_database(request), scope, wanted)
    name = {"Content-Disposition": 'attachment; filename="audit.jsonl"'}
    return StreamingResponse(lines, media_type="application/x-ndjson", headers=name)


async def _lines(database: Database, scope: Scope, wanted: AuditFilter) -> AsyncIterator[str]:
    """Each part is read in a short session of its own: a slow reader holds no connection."""
    after: tuple[datetime, UUID] | None = None
    mine = within(scope, Columns(AuditEntry.tenant_id))
    while True:
        async with database.reading(scope.context(read_only=True)) as session:
            part = await list_lines(session, wanted, mine, after=after, limit=_PART_ROWS)
        if not part:
            return
        yield "".join(f"{row.line}\n" for row in part)
        after = (part[-1].at, part[-1].id)


@router.get("/seals", responses=answers({"seals": [_SEAL]}))
async def list_seals(
    _scope: Reader, session: ReadSession, *, after: Annotated[int, Query(ge=0, lt=2**62)] = 0, limit: Limit = 100
) -> dict[str, Any]:
    """The seals behind number `after`, to be kept elsewhere: with them, a cut or rewritten log can be told."""
    return {"seals": await list_anchor_lines(session, after=after, limit=limit)}


@router.post("/verify", responses=answers(_REPORT))
async def verify_now(
    request: Request,
    scope: Auditor,
    principal: CurrentCaller,
    body: Annotated[Anchored | None, Body(examples=[{"anchors": [_SEAL]}])] = None,
) -> dict[str, Any]:
    """Prove that nothing in the whole log was changed, removed or inserted; with anchors, also that nothing was cut.

    A long log takes several requests: while `complete` is false, go on with `after` set to `last_seal`.
    """
    if not await request.app.state.rates.spend(f"verify:{scope.tenant_id}", _VERIFICATIONS_PER_MINUTE):
        raise RateLimited("the log is being verified often enough: wait a minute", retry_after_sec=60)
    database, now = get_database(request), now_of(request)
    body = body or Anchored()
    if _VERIFYING.locked():
        raise RateLimited("the log is being verified for somebody else: wait a moment", retry_after_sec=_PART_SECONDS)
    async with _VERIFYING:
        part = VerifyLimits(after=body.after, seconds=_PART_SECONDS, statement_seconds=_STATEMENT_SECONDS)
        report = await verify(database, vault_of(request), body.anchors, now=now, part=part)
    async with database.transaction(principal.context()) as session:
        await record(
            session,
            scope.actor,
            Action.AUDIT_VERIFIED,
            "audit_log",
            tenant_id=scope.tenant_id,
            after={
                "ok": report.ok,
                "complete": report.complete,
                "found": report.found,
                "after": body.after,
                "last_seal": report.last_seal,
            },
            now=now,
        )
    return report.shown(scope.tenant_id)

"""The audit log: searched, exported, verified. It belongs to the whole tenant, so only a whole scope reads it."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Body, Depends, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from hashinsight.audit.actions import Action
from hashinsight.audit.queries.entries import AuditFilter, list_entries, list_lines
from hashinsight.audit.schemas import AuditEntryList, AuditEntryOut, SealList, SealOut, VerifyReportOut
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
from hashinsight.identity.scope import Scope
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import RateLimited
from hashinsight.kit.web.parameters import Cursor, Limit
from hashinsight.kit.web.responses import errors
from hashinsight.kit.web.state import get_database

router = APIRouter(prefix="/api/admin/v1/audit", tags=["audit"], route_class=AuthenticateFirst)

ReaderScope = Annotated[Scope, allowed(Permission.AUDIT_READ, whole=True)]
AuditorScope = Annotated[Scope, allowed(Permission.AUDIT, whole=True)]
_EXPORT_ROWS = 5000
_VERIFICATIONS_PER_MINUTE = 4
_REQUEST_SECONDS = 10
_STATEMENT_SECONDS = 30
# each takes a core and some hundred megabytes: one at a time per process
_VERIFYING = asyncio.Semaphore(1)


class VerifyBody(BaseModel):
    """Seals that were kept elsewhere, to compare with."""

    model_config = ConfigDict(extra="forbid")

    anchors: list[dict[str, Any]] = Field(default_factory=list, max_length=2000, fail_fast=True)
    after: int = Field(0, ge=0, lt=2**62, description="Continue after this seal if the last answer was not complete.")


def _filter(
    *,
    entity_type: Annotated[str | None, Query(max_length=100)] = None,
    entity_id: Annotated[str | None, Query(max_length=200)] = None,
    actor: Annotated[str | None, Query(max_length=200, description="Id of a user, key, collector or rule.")] = None,
    action: Annotated[Action | None, Query()] = None,
    since: Annotated[AwareDatetime | None, Query()] = None,
    until: Annotated[AwareDatetime | None, Query()] = None,
) -> AuditFilter:
    return AuditFilter(entity_type, entity_id, actor, action, since, until)


Filter = Annotated[AuditFilter, Depends(_filter)]


@router.get("")
async def list_audit_entries(
    scope: ReaderScope, session: ReadSession, filters: Filter, limit: Limit = 100, cursor: Cursor = None
) -> AuditEntryList:
    """The tenant's entries, newest first."""
    page = await list_entries(session, scope.tenant_id, filters, limit=limit, cursor=cursor)
    return AuditEntryList(
        entries=[AuditEntryOut.model_validate(entry) for entry in page.rows], next_cursor=page.next_cursor
    )


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "JSON lines",
            "content": {"application/x-ndjson": {"schema": {"type": "string"}, "example": '{"id":"0199…"}'}},
        }
    },
)
async def export_audit_log(
    request: Request, scope: AuditorScope, session: Session, filters: Filter
) -> StreamingResponse:
    """The tenant's entries as JSON lines, oldest first. The seals hold the SHA-256 of each line."""
    await record(
        session,
        scope.actor,
        Action.AUDIT_EXPORTED,
        "audit_log",
        tenant_id=scope.tenant_id,
        after=filters.given(),
        now=now_of(request),
    )
    headers = {"Content-Disposition": 'attachment; filename="audit.jsonl"'}
    lines = _lines(get_database(request), scope, filters)
    return StreamingResponse(lines, media_type="application/x-ndjson", headers=headers)


async def _lines(database: Database, scope: Scope, filters: AuditFilter) -> AsyncIterator[str]:
    """Each part is read in a session of its own: a slow reader holds no connection."""
    after: tuple[datetime, UUID] | None = None
    while True:
        async with database.reading(scope.context(read_only=True)) as session:
            rows = await list_lines(session, scope.tenant_id, filters, after=after, limit=_EXPORT_ROWS)
        if not rows:
            return
        yield "".join(f"{row.line}\n" for row in rows)
        after = (rows[-1].at, rows[-1].id)


@router.get("/seals", responses=errors(409))
async def list_audit_seals(
    _scope: ReaderScope, session: ReadSession, *, after: Annotated[int, Query(ge=0, lt=2**62)] = 0, limit: Limit = 100
) -> SealList:
    """The seals after number `after`, to be kept elsewhere: with them, a cut or rewritten log is found out."""
    lines = await list_anchor_lines(session, after=after, limit=limit)
    return SealList(seals=[SealOut(**line) for line in lines])


@router.post("/verify")
async def verify_audit_log(
    request: Request,
    scope: AuditorScope,
    caller: CurrentCaller,
    body: Annotated[VerifyBody | None, Body()] = None,
) -> VerifyReportOut:
    """Check that nothing in the log was changed, removed or inserted; with anchors, also that nothing was cut off.

    A long log takes several requests: while `complete` is false, call again with `after` set to `last_seal`.
    """
    if not await request.app.state.rates.spend(f"verify:{scope.tenant_id}", _VERIFICATIONS_PER_MINUTE):
        raise RateLimited("the log was verified a moment ago: wait a minute", retry_after_sec=60)
    database, now = get_database(request), now_of(request)
    body = body or VerifyBody()
    if _VERIFYING.locked():
        message = "another verification is running: try again in a few seconds"
        raise RateLimited(message, retry_after_sec=_REQUEST_SECONDS)
    async with _VERIFYING:
        limits = VerifyLimits(after=body.after, seconds=_REQUEST_SECONDS, statement_seconds=_STATEMENT_SECONDS)
        report = await verify(database, vault_of(request), body.anchors, now=now, limits=limits)
    async with database.transaction(caller.context()) as session:
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
    return VerifyReportOut(**report.fields(scope.tenant_id))

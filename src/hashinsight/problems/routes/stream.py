"""Server-sent events: changes in the caller's scope, as they happen."""

import time
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from hashinsight.identity.access import CurrentCaller, authenticate
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.inventory.parameters import SiteQuery
from hashinsight.inventory.queries import places
from hashinsight.kit.changes import ChangeFeed
from hashinsight.kit.errors import RateLimited, ValidationFailed
from hashinsight.kit.web.responses import errors
from hashinsight.kit.web.state import get_database
from hashinsight.problems.service.stream import KINDS, MAX_STREAMS_PER_USER, StreamWatch, has_room, watch

router = APIRouter()

_MOST_SECONDS = 3600
_TOO_MANY = f"too many open streams (at most {MAX_STREAMS_PER_USER} per user): close some, or retry later"
_EXAMPLE = (
    'retry: 3000\nevent: hello\ndata: {"sites":[3],"kinds":["problems"]}\n\n'
    'id: 01980f80-0000-7000-8000-0000000007e2\nevent: problems\ndata: {"site_id":3,"changes":[{"id":'
    '"01980f80-0000-7000-8000-0000000007e2","problem_id":"01980f80-0000-7000-8000-0000000000e1","kind":"opened",'
    '"miner_id":"B2-R14-03","issue_code":"offline","severity":"P0","status":"open"}]}\n\n: beat\n\n'
)
_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Until it ends",
        "content": {"text/event-stream": {"schema": {"type": "string"}, "example": _EXAMPLE}},
    },
    **errors(404),
}


@router.get("/stream", response_class=StreamingResponse, responses=_ANSWERS)
async def stream_changes(
    *,
    request: Request,
    principal: CurrentCaller,
    site_id: SiteQuery = None,
    kinds: Annotated[
        str, Query(max_length=100, description="`problems`, `telemetry`, or both, comma-separated.")
    ] = "problems",
    seconds: Annotated[
        int, Query(ge=0, le=_MOST_SECONDS, description="Maximum duration; 0: send what is new and end.")
    ] = _MOST_SECONDS,
    last_event_id: Annotated[
        str | None,
        Header(max_length=64, description="Repeat what came after this one; browsers send it by themselves."),
    ] = None,
) -> Response:
    """Changes in the caller's scope, as they happen (text/event-stream).

    `hello`: what is watched; read lists now. `problems`: what happened to which problem. `telemetry`: a site has new
    live values. `resync`: too many changes or an unknown event id, read lists again. `bye`: why the stream ends (signed
    out, time is up, server stops). A comment every 15 seconds keeps the connection open.
    """
    chosen, last = _kinds(kinds), _uuid(last_event_id)
    announcer: ChangeFeed = request.app.state.announcer
    scope = principal.scope_for(Permission.SEE)
    holder = str(principal.person_id or principal.actor.id)
    if not has_room(announcer, scope.tenant_id, holder):
        raise RateLimited(_TOO_MANY, code="TOO_MANY_STREAMS", retry_after_sec=30)
    site = None
    if site_id is not None:
        async with get_database(request).reading(scope.context(read_only=True)) as session:
            site = (await places.get_site(session, scope, site_id)).id

    async def current_scope() -> Scope:
        return (await authenticate(request)).scope_for(Permission.SEE)

    lasts = 0 if request.scope.get("is_head") else seconds
    watching = StreamWatch(
        get_database(request), announcer, current_scope, time.monotonic, site, chosen, last, lasts, holder
    )
    lines = watch(watching, scope)
    # proxies must not buffer the events
    return StreamingResponse(lines, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


def _kinds(given: str) -> frozenset[str]:
    chosen = frozenset(word.strip() for word in given.split(",") if word.strip())
    if not chosen or chosen - set(KINDS):
        raise ValidationFailed(f"kinds are {' and '.join(KINDS)}", code="UNKNOWN_KIND")
    return chosen


def _uuid(given: str | None) -> UUID | None:
    try:
        return None if not given else UUID(given)
    except ValueError:
        raise ValidationFailed("Last-Event-ID is not an id of this stream", code="UNKNOWN_EVENT_ID") from None

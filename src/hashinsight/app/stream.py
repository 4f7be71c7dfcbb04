"""What changed, as server-sent events: the console reads again what it shows, and never by a full reload."""

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from hashinsight.identity.scope import Scope
from hashinsight.inventory.routes.asking import See
from hashinsight.kit.web.streams import Streams

router = APIRouter(prefix="/api/v1", tags=["stream"])

KINDS = {
    "telemetry_live": "telemetry",
    "telemetry_5min": "history",
    "telemetry_hours": "history",
    "collectors_offline": "collectors",
}
_AGAIN_MS = 2000
_EXAMPLE = (
    'retry: 2000\n\nevent: hello\ndata: {"live":true}\n\nevent: changed\ndata: {"kind":"telemetry","site_id":null}\n\n'
)
_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"description": "As long as asked", "content": {"text/event-stream": {"example": _EXAMPLE}}}
}


@router.get("/stream", response_class=StreamingResponse, responses=_ANSWERS)
async def stream(
    request: Request,
    scope: See,
    seconds: Annotated[int, Query(ge=0, le=600, description="It ends by itself; open it anew.")] = 300,
) -> StreamingResponse:
    """Says that something changed, never what: read again what you show. `site_id` is null for every site.

    `hello` says whether changes are heard (`live`); while they are not, ask now and then.
    """
    streams: Streams = request.app.state.streams
    return StreamingResponse(_events(streams, scope, seconds), media_type="text/event-stream")


async def _events(streams: Streams, scope: Scope, seconds: int) -> AsyncIterator[str]:
    yield f"retry: {_AGAIN_MS}\n\n" + _event("hello", {"live": streams.listens})
    async for done in streams.follow(seconds):
        if done is None:
            yield _event("beat", {"live": streams.listens})
        elif (kind := KINDS.get(done.tick)) is not None and (not done.site_id or scope.sees_site(done.site_id)):
            yield _event("changed", {"kind": kind, "site_id": done.site_id or None})


def _event(name: str, data: dict[str, object]) -> str:
    return f"event: {name}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n"

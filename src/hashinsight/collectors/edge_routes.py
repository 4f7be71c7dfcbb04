"""Routes for collectors: register, heartbeat, events, configuration."""

from typing import Any

from fastapi import APIRouter, Request

from hashinsight.collectors.access import Caller, EdgeSession, any_collector, record_refused, refusal_error
from hashinsight.collectors.queries.configs import find_wanted
from hashinsight.collectors.queries.registry import get_collector
from hashinsight.collectors.queries.tokens import find_code_owner
from hashinsight.collectors.schemas.edge import (
    AppliedAnswer,
    AppliedBody,
    CollectorState,
    ConfigAnswer,
    EventFault,
    EventsAnswer,
    EventsBody,
    HeartbeatAnswer,
    HeartbeatBody,
    RegisterBody,
)
from hashinsight.collectors.service import events
from hashinsight.collectors.service.configs import note_applied
from hashinsight.collectors.service.enrolment import Enrolment, register
from hashinsight.collectors.service.liveness import store_heartbeat
from hashinsight.collectors.states import CollectorPermission, Status
from hashinsight.identity.access import anonymous_actor
from hashinsight.identity.caller import AccessRefusal
from hashinsight.inventory.parameters import Now
from hashinsight.inventory.queries.discovery import list_in_other_zones
from hashinsight.kit.crypto import token_hash
from hashinsight.kit.db.context import Context
from hashinsight.kit.errors import Unauthenticated
from hashinsight.kit.web.responses import errors
from hashinsight.kit.web.state import get_database

router = APIRouter(prefix="/api/edge/v1", tags=["edge"])


@router.post("/register", response_model=CollectorState, responses=errors(401, 403))
async def register_collector(request: Request, now: Now, body: RegisterBody) -> Any:
    """Register with a one-time enrolment code: the answer has the token, once. The collector is pending then.

    With its token and no code, a collector reads its own state, also while pending or disabled.
    """
    if body.enrolment_code is None:
        if not {"authorization", "x-collector-key"} & set(request.headers):
            raise Unauthenticated("send an enrolment code, or the token to read the state")
        caller = await any_collector(request)
        return _state(caller.collector_id, caller.status, caller.site_name)
    enrolment = Enrolment(body.enrolment_code.get_secret_value(), body.version, body.device_id)
    async with get_database(request).transaction(Context()) as session:
        owner = await find_code_owner(session, token_hash(enrolment.code))
        enrolled = await register(session, anonymous_actor(request), owner, enrolment, now=now)
    if isinstance(enrolled, AccessRefusal):
        await record_refused(request, enrolled, owner)
        raise refusal_error(enrolled)
    secret = {"token": enrolled.secret.value, "token_expires_at": enrolled.secret.expires_at}
    return _state(enrolled.collector.id, Status(enrolled.collector.status), enrolled.site_code) | secret


@router.post("/heartbeat")
async def send_heartbeat(caller: Caller, session: EdgeSession, now: Now, body: HeartbeatBody) -> HeartbeatAnswer:
    """The collector's condition. All fields are optional; `sent_at` shows how far its clock is off."""
    collector = await get_collector(session, caller.collector_id)
    fields = body.model_dump(exclude={"sent_at"})
    skew = await store_heartbeat(session, collector, fields, device_id=caller.device_id, sent_at=body.sent_at, now=now)
    wanted = await find_wanted(session, collector) if caller.may(CollectorPermission.CONFIG) else None
    return HeartbeatAnswer(
        server_time=now,
        clock_skew_sec=skew,
        config_version=wanted.version if wanted else None,
        commands_allowed=caller.may(CollectorPermission.CONTROL),
    )


@router.post("/events")
async def report_events(request: Request, caller: Caller, now: Now, body: EventsBody) -> EventsAnswer:
    """What the collector noticed or did by itself. An event with an `event_id` is stored once.

    For a zone's collector, events about machines of other zones are rejected; the rest is stored.
    """
    size = len(await request.body())
    values = await events.scrub_reported(caller.collector_id, [event.values() for event in body.events], size)
    miner_ids = [event.miner_id for event in body.events if event.miner_id is not None]
    async with get_database(request).transaction(caller.context()) as session:
        collector = await get_collector(session, caller.collector_id)
        foreign = await list_in_other_zones(session, caller.site_id, caller.zone_id, miner_ids)
        reported = [event for event, sent in zip(values, body.events, strict=True) if sent.miner_id not in foreign]
        stored = await events.report(session, caller.actor, collector, reported, now=now)
    reason = "this machine is in another zone than the token's"
    faults = [
        EventFault(index=index, error_code="ZONE_MISMATCH", reason=reason)
        for index, event in enumerate(body.events)
        if event.miner_id in foreign
    ]
    return EventsAnswer(stored=stored, duplicates=len(reported) - stored, rejected=len(faults), errors=faults)


@router.get("/config")
async def get_collector_config(caller: Caller, session: EdgeSession) -> ConfigAnswer:
    """The configuration that this collector should run; empty without the permission `config`."""
    collector = await get_collector(session, caller.collector_id)
    wanted = await find_wanted(session, collector) if caller.may(CollectorPermission.CONFIG) else None
    if wanted is None:
        return ConfigAnswer(version=None, config={}, in_step=True)
    in_step = wanted.version == collector.config_version
    return ConfigAnswer(version=wanted.version, config=wanted.data, in_step=in_step)


@router.post("/config/applied")
async def report_applied_config(caller: Caller, session: EdgeSession, now: Now, body: AppliedBody) -> AppliedAnswer:
    """The collector reports the version that it runs now."""
    known = await note_applied(session, caller.actor, caller.collector_id, body.version, now=now)
    return AppliedAnswer(version=body.version, known=known)


def _state(collector_id: object, status: Status, site_name: str) -> dict[str, Any]:
    return {"success": True, "collector_id": str(collector_id), "status": status, "site_id": site_name}

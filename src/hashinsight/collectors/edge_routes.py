"""What collectors call: register, heartbeat, events, configuration."""

from typing import Any

from fastapi import APIRouter, Request

from hashinsight.collectors.access import Caller, EdgeSession, any_collector, record_refused, refusal_error
from hashinsight.collectors.caller import CollectorCaller
from hashinsight.collectors.edge_schemas import AppliedBody, EventsBody, HeartbeatBody, RegisterBody
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import configs, registry
from hashinsight.collectors.queries.tokens import find_code_owner
from hashinsight.collectors.service import events
from hashinsight.collectors.service.configs import note_applied
from hashinsight.collectors.service.enrolment import Registration, register
from hashinsight.collectors.service.liveness import store_heartbeat
from hashinsight.collectors.states import DEFAULT_CONFIG, DEFAULT_VERSION, CollectorPermission, Status
from hashinsight.identity.access import anonymous_actor, now_of
from hashinsight.identity.caller import AccessRefusal
from hashinsight.inventory.queries.discovery import list_in_other_zones
from hashinsight.kit.clock import iso_z
from hashinsight.kit.crypto import token_hash
from hashinsight.kit.db.context import Context
from hashinsight.kit.errors import NotFound, Unauthenticated
from hashinsight.kit.web.examples import answers
from hashinsight.kit.web.state import get_database

router = APIRouter(prefix="/api/edge/v1", tags=["edge"])

_ID = "01980f7e-9c30-7f77-8c5d-1c3d4e5f6071"
_STATE = {
    "success": True,
    "collector_id": _ID,
    "status": "pending",
    "site_id": "tx-midland-1",
    "token": "hi_collector_…",
    "token_expires_at": "2027-03-01T12:00:00Z",
}
_OTHER_ZONE = {"error_code": "ZONE_MISMATCH", "reason": "this machine is of another zone than the token's"}
_REPORTED = {"success": True, "stored": 1, "duplicates": 0, "rejected": 1, "errors": [{"index": 1, **_OTHER_ZONE}]}
_BEATEN = {
    "success": True,
    "server_time": "2026-03-01T12:00:00Z",
    "clock_skew_sec": -0.031,
    "config_version": "v1.0.0",
    "commands_allowed": True,
}


@router.post("/register", responses=answers(_STATE))
async def register_collector(request: Request, body: RegisterBody) -> dict[str, Any]:
    """Register with a one-time enrolment code: the answer holds the token, once. The collector waits to be approved.

    With its token and no code, a collector asks for its own state, also while it is pending or disabled.
    """
    if body.enrolment_code is None:
        if not {"authorization", "x-collector-key"} & set(request.headers):
            raise Unauthenticated("send an enrolment code, or the token to ask for the state")
        caller = await any_collector(request)
        return _state(caller.collector_id, caller.status, caller.site_name)
    given = Registration(body.enrolment_code.get_secret_value(), body.version, body.device_id)
    async with get_database(request).transaction(Context()) as session:
        owner = await find_code_owner(session, token_hash(given.code))
        made = await register(session, anonymous_actor(request), owner, given, now=now_of(request))
    if isinstance(made, AccessRefusal):
        await record_refused(request, made, owner)
        raise refusal_error(made)
    secret = {"token": made.secret.value, "token_expires_at": iso_z(made.secret.expires_at)}
    return _state(made.collector.id, Status(made.collector.status), made.site_code) | secret


@router.post("/heartbeat", responses=answers(_BEATEN))
async def heartbeat(request: Request, caller: Caller, session: EdgeSession, body: HeartbeatBody) -> dict[str, Any]:
    """How the collector is. All fields are optional; `sent_at` lets us tell how far its clock is off."""
    now = now_of(request)
    collector = await _own(session, caller)
    fields = body.model_dump(exclude={"sent_at"})
    skew = await store_heartbeat(session, collector, fields, device_id=caller.device_id, sent_at=body.sent_at, now=now)
    wanted = await configs.find_wanted(session, collector) if caller.may(CollectorPermission.CONFIG) else None
    return {
        "success": True,
        "server_time": iso_z(now),
        "clock_skew_sec": skew,
        "config_version": wanted.version if wanted else None,
        "commands_allowed": caller.may(CollectorPermission.CONTROL),
    }


@router.post("/events", responses=answers(_REPORTED))
async def report_events(request: Request, caller: Caller, body: EventsBody) -> dict[str, Any]:
    """What the collector noticed or did by itself. An event with an `event_id` that came before is stored once.

    Of a zone's collector, one that names a machine of another zone is not stored; the others are.
    """
    size = len(await request.body())
    values = await events.clean(caller.collector_id, [event.values() for event in body.events], size)
    named = [event.miner_id for event in body.events if event.miner_id is not None]
    async with get_database(request).transaction(caller.context()) as session:
        collector = await _own(session, caller)
        foreign = await list_in_other_zones(session, caller.site_id, caller.zone_id, named)
        reported = [event for event, sent in zip(values, body.events, strict=True) if sent.miner_id not in foreign]
        stored = await events.report(session, caller.actor, collector, reported, now=now_of(request))
    errors = [{"index": n, **_OTHER_ZONE} for n, event in enumerate(body.events) if event.miner_id in foreign]
    counts = {"stored": stored, "duplicates": len(reported) - stored, "rejected": len(errors)}
    return {"success": True, **counts, "errors": errors}


@router.get(
    "/config",
    responses=answers({"success": True, "version": DEFAULT_VERSION, "config": DEFAULT_CONFIG, "in_step": False}),
)
async def get_config(caller: Caller, session: EdgeSession) -> dict[str, Any]:
    """The configuration that this collector should run; empty without the permission `config`."""
    collector = await _own(session, caller)
    wanted = await configs.find_wanted(session, collector) if caller.may(CollectorPermission.CONFIG) else None
    if wanted is None:
        return {"success": True, "version": None, "config": {}, "in_step": True}
    in_step = wanted.version == collector.config_version
    return {"success": True, "version": wanted.version, "config": wanted.data, "in_step": in_step}


@router.post("/config/applied", responses=answers({"success": True, "version": DEFAULT_VERSION, "known": True}))
async def config_applied(request: Request, caller: Caller, session: EdgeSession, body: AppliedBody) -> dict[str, Any]:
    """The collector says which version it runs now. `known` tells whether it is one of ours."""
    known = await note_applied(session, caller.actor, caller.collector_id, body.version, now=now_of(request))
    return {"success": True, "version": body.version, "known": known}


async def _own(session: EdgeSession, caller: CollectorCaller) -> Collector:
    collector = await registry.find_collector(session, caller.collector_id)
    if collector is None:
        raise NotFound("no such collector")
    return collector


def _state(collector_id: object, status: Status, site_name: str) -> dict[str, Any]:
    return {"success": True, "collector_id": str(collector_id), "status": status.value, "site_id": site_name}

"""Access for collectors: who is calling, by its token, and what it may do.

A route takes `caller: Caller` and, if it needs the database, `session: EdgeSession`, which sees only the caller's
tenant and site. The token decides both; names in the request are only checked. Nothing is cached between calls: a
revoked token is refused at its next call, by every process.
"""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor, ActorKind
from hashinsight.audit.service.entries import record
from hashinsight.collectors.caller import CollectorCaller
from hashinsight.collectors.operators import get_zone_id, parse_zone_id
from hashinsight.collectors.queries import tokens
from hashinsight.collectors.service.liveness import is_call_due, note_call
from hashinsight.collectors.states import SERVED, CollectorPermission, Status
from hashinsight.identity.access import anonymous_actor, now_of
from hashinsight.identity.caller import AccessRefusal
from hashinsight.identity.scope import Reach, make_scope
from hashinsight.kit.crypto import token_hash
from hashinsight.kit.db.context import Context
from hashinsight.kit.errors import Forbidden, HashInsightError, NotFound, Unauthenticated, ValidationFailed
from hashinsight.kit.networks import network_of
from hashinsight.kit.web.state import get_database
from hashinsight.wire.sites import matches_site

_DEVICE_HEADERS = ("x-device-id", "x-edge-id", "x-edge-device-id")
_MAX_DEVICE_CHARS = 200
_REFUSALS_PER_MINUTE = 10  # recorded per unknown address; metrics count the rest
_REFUSALS_PER_MINUTE_OF_ONE = 1  # per collector, which may retry for days


async def collector_caller(request: Request) -> CollectorCaller:
    """An active collector, or 401 or 403. The call is noted."""
    return await _authenticate(request, only_served=True)


async def any_collector(request: Request) -> CollectorCaller:
    """Also pending or disabled ones: only to tell them their state."""
    return await _authenticate(request, only_served=False)


Caller = Annotated[CollectorCaller, Depends(collector_caller)]


async def _session(request: Request, caller: Caller) -> AsyncIterator[AsyncSession]:
    async with get_database(request).transaction(caller.context()) as session:
        yield session


EdgeSession = Annotated[AsyncSession, Depends(_session, scope="function")]


def refusal_error(refusal: AccessRefusal) -> HashInsightError:
    error = Unauthenticated if refusal.status == Unauthenticated.status else Forbidden
    return error(refusal.message, code=refusal.code)


async def record_refused(request: Request, refusal: AccessRefusal, owner: tokens.TokenOwner | None) -> None:
    """An audit entry, limited per minute."""
    actor = anonymous_actor(request)
    if owner is None:
        key, per_minute = f"collector-refused:{network_of(actor.address)}", _REFUSALS_PER_MINUTE
    else:
        key, per_minute = f"collector-refused:{owner.collector_id}:{refusal.code}", _REFUSALS_PER_MINUTE_OF_ONE
        actor = Actor(ActorKind.COLLECTOR, str(owner.collector_id), actor.request_id, actor.address)
    if not await request.app.state.rates.spend(key, per_minute):
        return
    tenant_id = owner.tenant_id if owner else None
    async with get_database(request).transaction(Context(tenant=str(tenant_id) if tenant_id else None)) as session:
        await record(
            session,
            actor,
            Action.COLLECTOR_REFUSED,
            "collector",
            owner.collector_id if owner else None,
            tenant_id=tenant_id,
            after={"error_code": refusal.code},
            now=now_of(request),
        )


async def _authenticate(request: Request, *, only_served: bool) -> CollectorCaller:
    token = _token(request)
    if not token:
        raise Unauthenticated("send the collector's token as Authorization: Bearer or X-Collector-Key")
    now, device_id = now_of(request), _device(request)
    holder = await tokens.find_holder(get_database(request), token_hash(token))
    caller = await _check(request, holder, device_id, only_served=only_served, now=now)
    if isinstance(caller, AccessRefusal):
        await record_refused(request, caller, holder)
        raise refusal_error(caller)
    if only_served and holder is not None and is_call_due(holder, now=now):
        form = caller.site_name if caller.names_site else None
        # a short transaction of its own: devices that share a token must not wait for each other
        async with get_database(request).transaction(caller.context()) as session:
            await note_call(session, caller.actor, caller.collector_id, device_id=device_id, site_form=form, now=now)
    return caller


async def _check(
    request: Request, holder: tokens.TokenHolder | None, device_id: str | None, *, only_served: bool, now: datetime
) -> CollectorCaller | AccessRefusal:
    if holder is None:
        return AccessRefusal(401, "COLLECTOR_TOKEN_UNKNOWN", "unknown token")
    sites = _named_sites(request)
    refusal = _check_token(holder, now) or _check_names(request, holder, sites)
    if refusal is not None:
        return refusal
    zone_id = await _find_named_zone(request, holder)
    if zone_id is None and _named_zone(request):
        return AccessRefusal(403, "ZONE_MISMATCH", "this token is for another zone, or the site has no such zone")
    if only_served and holder.status not in SERVED:
        return AccessRefusal(403, "COLLECTOR_NOT_ACTIVE", f"this collector is {holder.status}")
    actor = anonymous_actor(request)
    return CollectorCaller(
        tenant_id=holder.tenant_id,
        site_id=holder.site_id,
        site_code=holder.site_code,
        zone_id=holder.zone_id,
        collector_id=holder.collector_id,
        collector_no=holder.collector_no,
        name=holder.name,
        status=Status(holder.status),
        permissions=frozenset(map(CollectorPermission, holder.permissions)),
        device_id=device_id,
        site_name=sites[0] if sites else _last_site_form(holder),
        actor=Actor(ActorKind.COLLECTOR, str(holder.collector_id), actor.request_id, actor.address),
        clock_skew_sec=holder.clock_skew_sec,
        names_site=bool(sites),
        named_zone_id=zone_id,
    )


def _last_site_form(holder: tokens.TokenHolder) -> str:
    """The site as the collector last wrote it, unless the site has another code since."""
    form = holder.site_form or ""
    return form if matches_site(form, site_id=holder.site_id, code=holder.site_code) else holder.site_code


def _check_token(token: tokens.TokenHolder, now: datetime) -> AccessRefusal | None:
    if token.revoked_at is not None:
        return AccessRefusal(401, "COLLECTOR_TOKEN_REVOKED", "this token was revoked")
    if token.expires_at <= now:
        return AccessRefusal(401, "COLLECTOR_TOKEN_EXPIRED", "this token has expired: request a new one")
    return None


def _check_names(request: Request, holder: tokens.TokenHolder, named_sites: list[str]) -> AccessRefusal | None:
    if not all(matches_site(named, site_id=holder.site_id, code=holder.site_code) for named in named_sites):
        return AccessRefusal(403, "SITE_MISMATCH", "this token belongs to another site")
    named = request.query_params.get("collector_id", "")
    if named and named.lower() not in (str(holder.collector_id), holder.name.lower()):
        return AccessRefusal(403, "COLLECTOR_MISMATCH", "this token belongs to another collector")
    return None


async def _find_named_zone(request: Request, holder: tokens.TokenHolder) -> int | None:
    named = _named_zone(request)
    if not named:
        return None
    own = Context(tenant=str(holder.tenant_id), sites=(holder.site_id,))
    async with get_database(request).transaction(own) as session:
        return await find_own_zone(session, anonymous_actor(request), holder, named)


async def find_own_zone(
    session: AsyncSession, actor: Actor, own: tokens.TokenHolder | CollectorCaller, named: str
) -> int | None:
    """A site's collector may name any of its zones, a zone's collector only that one. None: not allowed.

    Its own zone's id means that zone, even if another zone has that number as its code.
    """
    if own.zone_id is not None and parse_zone_id(named) == own.zone_id:
        return own.zone_id
    own_site = make_scope(own.tenant_id, actor, [Reach(sites=(own.site_id,))])
    try:
        zone_id = await get_zone_id(session, own_site, own.site_id, named)
    except NotFound:
        return None
    return zone_id if own.zone_id in (None, zone_id) else None


def _token(request: Request) -> str:
    header = request.headers.get("authorization", "")
    if header.lower().startswith("bearer "):
        return header[7:].strip()
    return request.headers.get("x-collector-key", "").strip()


def _named_zone(request: Request) -> str:
    return request.headers.get("x-zone-id", "").strip()


def _named_sites(request: Request) -> list[str]:
    named = (request.headers.get("x-site-id", ""), request.query_params.get("site_id", ""))
    return [site.strip() for site in named if site.strip()]


def _device(request: Request) -> str | None:
    for header in _DEVICE_HEADERS:
        device = request.headers.get(header, "").strip()
        if len(device) > _MAX_DEVICE_CHARS:
            raise ValidationFailed(f"the device id must have at most {_MAX_DEVICE_CHARS} characters")
        if device:
            return device
    return None

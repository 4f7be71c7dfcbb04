"""Poll and ack, for collectors: v1 and the legacy routes, with the same code behind both.

Every answer is committed before it is sent: polled commands are leased, and an ack answered with 200 is stored. These
are the most frequent calls, so they hold a connection for two or three round trips and no longer.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request, Response

from hashinsight.collectors.access import Caller
from hashinsight.collectors.caller import CollectorCaller
from hashinsight.collectors.queries.keys import signer_statement
from hashinsight.collectors.service.keys import signer_of
from hashinsight.collectors.states import CollectorPermission
from hashinsight.commands import metrics, service
from hashinsight.commands.ack_messages import MachineLookup, read_ack, read_acks
from hashinsight.commands.limits import POLL_LIMIT
from hashinsight.commands.queries.acks import list_machines
from hashinsight.commands.schemas.edge import (
    ACK_BATCH_BODY,
    ACK_BODY,
    NAMED_ACK_BODY,
    AckAnswer,
    AckBatchAnswer,
    LegacyPollAnswer,
    Limit,
    PollAnswer,
)
from hashinsight.commands.states import State
from hashinsight.identity.access import now_of, vault_of
from hashinsight.kit.db.context import Context
from hashinsight.kit.errors import NotFound
from hashinsight.kit.web.responses import encode, errors
from hashinsight.kit.web.state import get_database
from hashinsight.wire.acks import Ack, AckFault
from hashinsight.wire.commands import Command, poll_answer
from hashinsight.wire.signing import sign

router = APIRouter(tags=["edge"])

_V1 = "/api/edge/v1/commands"
_LEGACY = "/api/collector/commands"
_MAX_INCARNATION, _MAX_DIGITS = 2**53, 20


@router.get(f"{_V1}/poll", response_model=PollAnswer)
async def poll_commands(request: Request, caller: Caller, *, limit: Limit = POLL_LIMIT) -> Response:
    """The next commands, leased for 180 s to this collector and device; an empty list if there are none.

    A device that counts its starts in `X-Device-Incarnation` gets its commands from before a restart at once, under
    the same ids. Optional: `collector_id` and `site_id` (refused if not the token's). Without the permission `control`
    the list is always empty.
    """
    return encode(PollAnswer, poll_answer(await _lease(request, caller, limit, caller.site_name)))


@router.post(f"{_V1}/ack/batch", response_model=AckBatchAnswer, openapi_extra=ACK_BATCH_BODY)
async def ack_commands(request: Request, caller: Caller) -> Response:
    """Up to 500 acks in one call, each processed on its own: `results` has one entry per ack, in their order."""
    acks = await read_acks(await request.body(), _machine_lookup(request, caller), caller=caller.collector_id)
    judged = iter(await _ack(request, caller, [message for message in acks if isinstance(message, Ack)]))
    results = [_fault(message) if isinstance(message, AckFault) else _outcome(next(judged)) for message in acks]
    applied = sum(result["applied"] for result in results)
    return encode(AckBatchAnswer, {"success": True, "applied": applied, "results": results})


@router.post(f"{_V1}/{{command_id}}/ack", response_model=AckAnswer, openapi_extra=ACK_BODY, responses=errors(404))
async def ack_command(request: Request, caller: Caller, command_id: str) -> Response:
    """The result of a command, or that it is running; both dialects. 200 means stored.

    A late, repeated or superseded ack changes nothing and is answered `"applied": false` with an `error_code`
    (`ALREADY_FINAL`, `COMMAND_EXPIRED`, `SUPERSEDED`, `STALE_DISPATCH` …). 404: no such dispatch at this site.
    """
    return await _ack_one(request, caller, command_id)


@router.get(f"{_LEGACY}/pending", response_model=LegacyPollAnswer, deprecated=True)
async def poll_commands_legacy(request: Request, caller: Caller, *, limit: Limit = POLL_LIMIT) -> Response:
    """The poll of older collectors."""
    return encode(LegacyPollAnswer, poll_answer(await _lease(request, caller, limit, caller.site_name), legacy=True))


@router.get(f"{_LEGACY}/pending/{{site_id}}", response_model=LegacyPollAnswer, deprecated=True)
async def poll_site_commands_legacy(
    request: Request, caller: Caller, site_id: str, *, limit: Limit = POLL_LIMIT
) -> Response:
    """The same with the site's id or code in the path; refused if it is not the token's."""
    site = site_id.strip()
    caller.check_site(site)
    return encode(LegacyPollAnswer, poll_answer(await _lease(request, caller, limit, site), legacy=True))


@router.post(
    f"{_LEGACY}/{{command_id}}/result",
    response_model=AckAnswer,
    openapi_extra=ACK_BODY,
    responses=errors(404),
    deprecated=True,
)
async def ack_command_legacy(request: Request, caller: Caller, command_id: str) -> Response:
    """The ack of older collectors."""
    return await _ack_one(request, caller, command_id)


@router.post(
    f"{_LEGACY}/ack", response_model=AckAnswer, openapi_extra=NAMED_ACK_BODY, responses=errors(404), deprecated=True
)
async def ack_named_command_legacy(request: Request, caller: Caller) -> Response:
    """The ack with the command's id in the body."""
    return await _ack_one(request, caller, None)


async def _lease(request: Request, caller: CollectorCaller, limit: int, site: str) -> list[Command]:
    """`site` as the collector writes it: it refuses commands that name another."""
    if not caller.may(CollectorPermission.CONTROL):
        return []
    await _note_incarnation(request, caller)
    vault, holder = vault_of(request), service.lease_holder(caller)
    zone = request.headers.get("x-zone-id", "").strip() or None
    if zone is not None:  # it would refuse commands of other zones, even with a token for the whole site
        holder = replace(holder, zone_id=caller.named_zone_id)
    turns: service.PollTurns = request.app.state.turns
    async with turns.of(caller.site_id), get_database(request).hot() as session:
        now = now_of(request)  # after all waiting: commands that expired meanwhile are not leased
        signer = signer_statement(caller.collector_id, now=now)
        leased, ((row,),) = await service.poll(
            session, vault, holder, signer, limit=limit, entering=_context(caller), now=now
        )
        key = signer_of(vault, caller.collector_id, row) if leased else None
        commands = [_wire_command(command, site, zone) for command in leased]
        if key is not None:
            tenant_id = str(caller.tenant_id)
            commands = [sign(command, key, tenant_id=tenant_id, not_before=now) for command in commands]
    metrics.DISPATCHED.inc(len(commands))
    return commands


def _wire_command(leased: service.LeasedCommand, site: str, zone: str | None) -> Command:
    return Command(
        command_id=str(leased.dispatch_id),
        site_id=site,
        miner_id=leased.miner_id,
        command_type=leased.command_type,
        issued_at=leased.issued_at,
        expires_at=leased.expires_at,
        ttl_sec=leased.ttl_sec,
        lease_until=leased.lease_until,
        params=leased.params,
        priority=leased.urgency,
        attempt=leased.attempt,
        zone_id=zone,
    )


async def _note_incarnation(request: Request, caller: CollectorCaller) -> None:
    """In a transaction of its own before the lease, and only if this process does not know the incarnation yet."""
    known: service.KnownIncarnations = request.app.state.met
    incarnation = _parse_incarnation(request.headers.get("x-device-incarnation", ""))
    device = caller.device_id
    if device is None or incarnation is None or known.knows(caller.collector_id, device, incarnation):
        return
    async with get_database(request).transaction(caller.context()) as session:
        await service.note_incarnation(session, service.lease_holder(caller), device, incarnation, now=now_of(request))
    known.note(caller.collector_id, device, incarnation)


def _parse_incarnation(header: str) -> int | None:
    """None for anything that is not a plausible counter."""
    digits = header.strip()
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > _MAX_DIGITS:
        return None
    return int(digits) if 0 < int(digits) < _MAX_INCARNATION else None


async def _ack_one(request: Request, caller: CollectorCaller, command_id: str | None) -> Response:
    lookup = _machine_lookup(request, caller)
    message = await read_ack(await request.body(), command_id, lookup, caller=caller.collector_id)
    (result,) = await _ack(request, caller, [message])
    if not result.found:
        raise NotFound("no such command")
    return encode(AckAnswer, {"success": True, **_outcome(result)})


async def _ack(request: Request, caller: CollectorCaller, acks: Sequence[Ack]) -> list[service.AckResult]:
    if not acks:
        return []
    holder = service.lease_holder(caller)
    async with get_database(request).hot() as session:
        results = await service.ack(session, holder, acks, entering=_context(caller), now=now_of(request))
    for outcome, count in Counter("applied" if result.applied else result.error_code for result in results).items():
        metrics.acks(outcome).inc(count)
    metrics.FAILED.inc(sum(result.applied and result.state is State.FAILED for result in results))
    return results


def _machine_lookup(request: Request, caller: CollectorCaller) -> MachineLookup:
    """For the few acks with results of several machines."""

    async def find_machines(dispatch_ids: Sequence[str]) -> dict[str, str]:
        async with get_database(request).transaction(caller.context()) as session:
            return await list_machines(session, caller.site_id, dispatch_ids)

    return find_machines


def _context(caller: CollectorCaller) -> Context:
    return replace(caller.context(), by_index=True)


def _outcome(result: service.AckResult) -> dict[str, Any]:
    outcome: dict[str, Any] = {"command_id": result.dispatch_id, "applied": result.applied, "state": result.state}
    return outcome if result.error_code is None else outcome | {"error_code": result.error_code}


def _fault(fault: AckFault) -> dict[str, Any]:
    outcome = {"command_id": fault.command_id, "applied": False, "state": None}
    return outcome | {"error_code": fault.error_code, "reason": fault.reason}

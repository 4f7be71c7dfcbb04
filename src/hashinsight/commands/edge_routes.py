"""What collectors call for commands: poll and ack, v1 and the legacy routes, with the same code behind both.

Every answer is committed before it goes out: what a poll hands over is leased, and an ack that is answered 200 is kept.
The hot ones of all calls, so they hold a connection for two or three ways to the server and no longer.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
from fastapi import APIRouter, Request, Response

from hashinsight.collectors.access import Caller
from hashinsight.collectors.caller import CollectorCaller
from hashinsight.collectors.queries.signing_keys import signer_statement
from hashinsight.collectors.service.signing_keys import signer_of
from hashinsight.collectors.states import CollectorPermission
from hashinsight.commands import edge_schemas as shown
from hashinsight.commands import metrics, service
from hashinsight.commands.ack_messages import MachineLookup, read_ack, read_acks
from hashinsight.commands.edge_schemas import POLL_LIMIT, Limit
from hashinsight.commands.handing import handed, signed
from hashinsight.commands.queries.acks import list_machines
from hashinsight.commands.states import State
from hashinsight.identity.access import now_of, vault_of
from hashinsight.kit.db.context import Context
from hashinsight.kit.errors import NotFound
from hashinsight.kit.web.examples import answers
from hashinsight.kit.web.state import get_database
from hashinsight.wire.acks import Ack, AckFault
from hashinsight.wire.commands import Command, poll_answer

router = APIRouter(tags=["edge"])

_V1 = "/api/edge/v1/commands"
_LEGACY = "/api/collector/commands"
_MOST_LIVES, _MOST_DIGITS = 2**53, 20


@router.get(f"{_V1}/poll", responses=answers(shown.POLLED))
async def poll(request: Request, caller: Caller, *, limit: Limit = POLL_LIMIT) -> Response:
    """The next commands, leased for 180 s to this collector and device; also 200 when there are none.

    A device that counts its starts in `X-Device-Incarnation` gets what its last life held at once, under the same ids.
    Optional: `collector_id`, `site_id` (refused when not the token's) and `limit`. Without the permission `control`
    it is always empty.
    """
    return _said(poll_answer(await _lease(request, caller, limit, caller.site_name)))


@router.post(f"{_V1}/ack/batch", responses=answers(shown.ACKED_ALL), openapi_extra=shown.MANY_ACKS)
async def ack_batch(request: Request, caller: Caller) -> Response:
    """Many acks in one call, at most 500, each judged on its own: `results` has one answer for each, in their order."""
    said = await read_acks(await request.body(), _machines(request, caller), caller=caller.collector_id)
    judged = iter(await _judge(request, caller, [one for one in said if isinstance(one, Ack)]))
    results = [_fault(one) if isinstance(one, AckFault) else _result(next(judged)) for one in said]
    return _said({"success": True, "applied": sum(one["applied"] for one in results), "results": results})


@router.post(f"{_V1}/{{command_id}}/ack", responses=answers(shown.ACKED), openapi_extra=shown.ONE_ACK)
async def ack(request: Request, caller: Caller, command_id: str) -> Response:
    """How a command ended, or that it runs; both dialects. 200 means kept.

    One that is late, repeated or superseded changes nothing and is answered `"applied": false` with an `error_code`
    (`ALREADY_FINAL`, `COMMAND_EXPIRED`, `SUPERSEDED`, `STALE_DISPATCH` …). 404: nobody's id.
    """
    return await _ack(request, caller, command_id)


@router.get(f"{_LEGACY}/pending", responses=answers(shown.PENDING), deprecated=True)
async def pending(request: Request, caller: Caller, *, limit: Limit = POLL_LIMIT) -> Response:
    """The poll, as older collectors call it."""
    return _said(poll_answer(await _lease(request, caller, limit, caller.site_name), legacy=True))


@router.get(f"{_LEGACY}/pending/{{site_id}}", responses=answers(shown.PENDING), deprecated=True)
async def pending_of_site(request: Request, caller: Caller, site_id: str, *, limit: Limit = POLL_LIMIT) -> Response:
    """The same with the site in the path, by its id or code: another one than the token's is refused."""
    named = site_id.strip()
    caller.check_site(named)
    return _said(poll_answer(await _lease(request, caller, limit, named), legacy=True))


@router.post(
    f"{_LEGACY}/{{command_id}}/result", responses=answers(shown.ACKED), openapi_extra=shown.ONE_ACK, deprecated=True
)
async def result(request: Request, caller: Caller, command_id: str) -> Response:
    """The ack, as older collectors call it."""
    return await _ack(request, caller, command_id)


@router.post(f"{_LEGACY}/ack", responses=answers(shown.ACKED), openapi_extra=shown.NAMED_ACK, deprecated=True)
async def ack_named(request: Request, caller: Caller) -> Response:
    """The ack with the command's id in the body."""
    return await _ack(request, caller, None)


async def _lease(request: Request, caller: CollectorCaller, limit: int, site: str) -> list[Command]:
    if not caller.may(CollectorPermission.CONTROL):
        return []
    await _meet(request, caller)
    vault, holder = vault_of(request), service.lease_holder(caller)
    zone = request.headers.get("x-zone-id", "").strip() or None
    if zone is not None:  # it would refuse what is of another zone, also when its token is for the whole site
        holder = replace(holder, zone_id=caller.named_zone_id)
    async with _turns(request).of(caller.site_id), get_database(request).hot() as session:
        now = now_of(request)  # behind all waiting: what ran out meanwhile is not handed out
        signer = signer_statement(caller.collector_id, now=now)
        leased, ((row,),) = await service.poll(
            session, vault, holder, signer, limit=limit, entering=_context(caller), now=now
        )
        key = signer_of(vault, caller.collector_id, row) if leased else None
        commands = handed(leased, site=site, zone=zone)
        commands = commands if key is None else signed(commands, key, caller.tenant_id, now=now)
    metrics.DISPATCHED.inc(len(commands))
    return commands


async def _meet(request: Request, caller: CollectorCaller) -> None:
    """In a transaction of its own, before the lease, and only where this process has not met that life."""
    life, device, met = _life(request.headers.get("x-device-incarnation", "")), caller.device_id, _met(request)
    if device is None or life is None or met.knows(caller.collector_id, device, life):
        return
    async with get_database(request).transaction(caller.context()) as session:
        await service.note_incarnation(session, service.lease_holder(caller), device, life, now=now_of(request))
    met.note(caller.collector_id, device, life)


def _life(said: str) -> int | None:
    """None for what is no number that a device can have counted to."""
    digits = said.strip()
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > _MOST_DIGITS:
        return None
    return int(digits) if 0 < int(digits) < _MOST_LIVES else None


def _met(request: Request) -> service.KnownIncarnations:
    found: service.KnownIncarnations = request.app.state.met
    return found


def _turns(request: Request) -> service.PollTurns:
    found: service.PollTurns = request.app.state.turns
    return found


async def _ack(request: Request, caller: CollectorCaller, command_id: str | None) -> Response:
    said = await read_ack(await request.body(), command_id, _machines(request, caller), caller=caller.collector_id)
    (answer,) = await _judge(request, caller, [said])
    if not answer.found:
        raise NotFound("no such command")
    return _said({"success": True, **_result(answer)})


async def _judge(request: Request, caller: CollectorCaller, acks: Sequence[Ack]) -> list[service.AckResult]:
    if not acks:
        return []
    async with get_database(request).hot() as session:
        judged = await service.ack(
            session, service.lease_holder(caller), acks, entering=_context(caller), now=now_of(request)
        )
    for outcome, count in Counter("applied" if one.applied else one.error_code for one in judged).items():
        metrics.acks(outcome).inc(count)
    metrics.FAILED.inc(sum(one.applied and one.state == State.FAILED for one in judged))
    return judged


def _machines(request: Request, caller: CollectorCaller) -> MachineLookup:
    """For the few acks that name several machines."""

    async def find(named: Sequence[str]) -> dict[str, str]:
        async with get_database(request).transaction(caller.context()) as session:
            return await list_machines(session, caller.site_id, named)

    return find


def _context(caller: CollectorCaller) -> Context:
    return replace(caller.context(), by_index=True)


def _result(answer: service.AckResult) -> dict[str, Any]:
    told: dict[str, Any] = {"command_id": answer.dispatch_id, "applied": answer.applied, "state": answer.state}
    return told if answer.error_code is None else told | {"error_code": answer.error_code}


def _fault(fault: AckFault) -> dict[str, Any]:
    told = {"command_id": fault.command_id, "applied": False, "state": None}
    return told | {"error_code": fault.error_code, "reason": fault.reason}


def _said(answer: dict[str, Any]) -> Response:
    return Response(msgspec.json.encode(answer), media_type="application/json")

"""What collectors say, from the bytes of a body to acks. Only what decides can make one unreadable."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec

from hashinsight.kit.errors import HashInsightError, NotFound, PayloadTooLarge, ValidationFailed
from hashinsight.wire.acks import Ack, AckFault, ack_of, acks_of
from hashinsight.wire.bounds import decode
from hashinsight.wire.errors import MalformedMessage

Machines = Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]  # the machine's id by the dispatch's
_AMBIGUOUS = "RESULTS_AMBIGUOUS"
_LONG = 64 * 1024  # bytes that are read beside the event loop


def read_document(body: bytes) -> Any:
    """Fast where it is good JSON; what the field writes in its place is read by the reader that mends."""
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return decode(body)


async def read_one(body: bytes, command_id: str | None, machines: Machines) -> Ack:
    """One ack, named by the path or by itself. Where it lists several machines, the command's own counts."""
    try:
        document = read_document(body)
        try:
            return ack_of(document, command_id)
        except MalformedMessage as fault:
            named = command_id or _named(document)
            if fault.code != _AMBIGUOUS or named is None:
                raise
        found = await machines([named])
        if named not in found:
            raise NotFound("no such command")
        return ack_of(document, command_id, miner_id=found[named])
    except MalformedMessage as fault:
        raise _refusal(fault) from None


async def read_many(body: bytes, machines: Machines) -> list[Ack | AckFault]:
    """A batch, each judged on its own and in their order."""
    try:
        said, documents = await asyncio.to_thread(_read, body) if len(body) > _LONG else _read(body)
    except MalformedMessage as fault:
        raise _refusal(fault) from None
    unclear = {no: named for no, one in enumerate(said) if (named := _unclear(one)) is not None}
    if unclear:
        found = await machines(list(unclear.values()))
        for no, named in unclear.items():
            if named in found:
                said[no] = _again(documents[no], said[no], found[named])
    return said


def _read(body: bytes) -> tuple[list[Ack | AckFault], Sequence[Any]]:
    document = read_document(body)
    said = acks_of(document)
    return said, _listed(document, len(said))


def _listed(document: Any, count: int) -> Sequence[Any]:
    """The documents behind a batch, as `acks_of` took them."""
    if isinstance(document, list):
        return document
    lists = (document.get(name) for name in ("acks", "results"))
    return next((one for one in lists if isinstance(one, list) and len(one) == count), [document])


def _unclear(one: Ack | AckFault) -> str | None:
    """The command whose machine decides among several results."""
    return one.command_id if isinstance(one, AckFault) and one.error_code == _AMBIGUOUS else None


def _again(document: Any, said: Ack | AckFault, miner_id: str) -> Ack | AckFault:
    try:
        return ack_of(document, miner_id=miner_id)
    except MalformedMessage:
        return said


def _named(document: Mapping[str, Any]) -> str | None:
    named = document.get("command_id") or document.get("id")
    return named if isinstance(named, str) else None


def _refusal(fault: MalformedMessage) -> HashInsightError:
    kind = PayloadTooLarge if fault.code == "TOO_MANY_ACKS" else ValidationFailed
    return kind(str(fault), code=fault.code)

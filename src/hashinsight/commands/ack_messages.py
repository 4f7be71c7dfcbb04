"""What collectors say, from the bytes of a body to clean acks. Only what decides can make one unreadable."""

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from hashinsight.kit.errors import HashInsightError, NotFound, PayloadTooLarge, ValidationFailed
from hashinsight.kit.offload import offload
from hashinsight.kit.scrub import MAX_CHARS_ON_LOOP, Scrubber, scrub_text
from hashinsight.wire.acks import Ack, AckFault, parse_ack, parse_acks
from hashinsight.wire.foreign_json import MalformedMessage, decode_json


def scrub_ack(ack: Ack, scrubber: Scrubber) -> Ack:
    """The ack as it may be kept. Before anything is done with it: a batch of them takes its time."""
    return Ack(
        ack.command_id,
        ack.status,
        ack.miner_id,
        ack.device_id,
        ack.started_at,
        ack.finished_at,
        ack.duration_ms,
        # some write the whole exception into it; it is short and decides, so it is not cut for what others send
        ack.error_code and scrub_text(ack.error_code),
        scrubber.scrub(ack.message),
        scrubber.scrub(ack.result),
        scrubber.scrub(ack.before),
        scrubber.scrub(ack.after),
    )


def ack_columns(ack: Ack) -> dict[str, Any]:
    """A clean ack as the columns of a command and its attempt."""
    return {
        "result": ack.status,
        "error_message": ack.message,
        "payload": ack_payload(ack),
        "snapshot_before": ack.before,
        "snapshot_after": ack.after,
        "started_at": ack.started_at,
        "finished_at": ack.finished_at,
        "execution_time_ms": ack.duration_ms,
    }


def ack_payload(ack: Ack) -> dict[str, Any]:
    """What was said, but for the snapshots, which have columns of their own."""
    said = {
        "status": ack.status,
        "miner_id": ack.miner_id,
        "device_id": ack.device_id,
        "started_at": ack.started_at,
        "finished_at": ack.finished_at,
        "duration_ms": ack.duration_ms,
        "error_code": ack.error_code,
        "error_message": ack.message,
        "result": ack.result,
    }
    return {name: value for name, value in said.items() if value is not None}


T = TypeVar("T")
MachineLookup = Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]  # the machine's id by the dispatch's
_AMBIGUOUS = "RESULTS_AMBIGUOUS"
_LONG = MAX_CHARS_ON_LOOP  # bytes; what has more is read beside the event loop


def read_document(body: bytes) -> Any:
    """Fast where it is good JSON; what the field writes in its place is read by the reader that mends."""
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return decode_json(body)


async def read_ack(body: bytes, command_id: str | None, machines: MachineLookup, *, caller: Hashable) -> Ack:
    """One ack, named by the path or by itself. Where it lists several machines, the command's own counts."""
    try:
        ack, document = await _aside(caller, body, lambda: _read_ack(body, command_id))
        if ack is not None:
            return ack
        named = command_id or _named(document)
        found = await machines([named])
        if named not in found:
            raise NotFound("no such command")
        miner_id = found[named]
        return await _aside(
            caller, body, lambda: scrub_ack(parse_ack(document, command_id, miner_id=miner_id), Scrubber())
        )
    except MalformedMessage as fault:
        raise _refusal(fault) from None


async def read_acks(body: bytes, machines: MachineLookup, *, caller: Hashable) -> list[Ack | AckFault]:
    """A batch, each judged on its own and in their order."""
    scrubber = Scrubber()
    try:
        said, documents = await _aside(caller, body, lambda: _read_acks(body, scrubber))
    except MalformedMessage as fault:
        raise _refusal(fault) from None
    unclear = {no: named for no, one in enumerate(said) if (named := _unclear(one)) is not None}
    if unclear:
        found = await machines(list(unclear.values()))
        known = {no: found[named] for no, named in unclear.items() if named in found}

        def again() -> dict[int, Ack | AckFault]:
            return {no: _again(documents[no], said[no], miner_id, scrubber) for no, miner_id in known.items()}

        for no, one in (await _aside(caller, body, again)).items():
            said[no] = one
    return said


async def _aside(caller: Hashable, body: bytes, work: Callable[[], T]) -> T:
    return await offload(caller, work) if len(body) > _LONG else work()


def _read_ack(body: bytes, command_id: str | None) -> tuple[Ack | None, Any]:
    """The ack, or None where only the command's machine can tell which of several results is meant."""
    document = read_document(body)
    try:
        return scrub_ack(parse_ack(document, command_id), Scrubber()), document
    except MalformedMessage as fault:
        if fault.code != _AMBIGUOUS:
            raise
        return None, document


def _read_acks(body: bytes, scrubber: Scrubber) -> tuple[list[Ack | AckFault], Sequence[Any]]:
    document = read_document(body)
    said = parse_acks(document)
    cleaned = [scrub_ack(one, scrubber) if isinstance(one, Ack) else one for one in said]
    return cleaned, _listed(document, len(said))


def _listed(document: Any, count: int) -> Sequence[Any]:
    """The documents behind a batch, as `acks_of` took them."""
    if isinstance(document, list):
        return document
    lists = (document.get(name) for name in ("acks", "results"))
    return next((one for one in lists if isinstance(one, list) and len(one) == count), [document])


def _unclear(one: Ack | AckFault) -> str | None:
    """The command whose machine decides among several results."""
    return one.command_id if isinstance(one, AckFault) and one.error_code == _AMBIGUOUS else None


def _again(document: Any, said: Ack | AckFault, miner_id: str, scrubber: Scrubber) -> Ack | AckFault:
    try:
        return scrub_ack(parse_ack(document, miner_id=miner_id), scrubber)
    except MalformedMessage:
        return said


def _named(document: Mapping[str, Any]) -> str:
    named = document.get("command_id") or document.get("id")
    if not isinstance(named, str):
        raise MalformedMessage("the ack names no command", code="NO_COMMAND_ID")
    return named


def _refusal(fault: MalformedMessage) -> HashInsightError:
    kind = PayloadTooLarge if fault.code == "TOO_MANY_ACKS" else ValidationFailed
    return kind(str(fault), code=fault.code)

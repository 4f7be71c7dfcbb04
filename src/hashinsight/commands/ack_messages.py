"""Acks as collectors send them: from the bytes of a body to scrubbed acks, in every dialect of the field."""

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from hashinsight.kit.errors import HashInsightError, NotFound, PayloadTooLarge, ValidationFailed
from hashinsight.kit.offload import offload
from hashinsight.kit.scrub import MAX_CHARS_ON_LOOP, Scrubber, scrub_text
from hashinsight.wire.acks import Ack, AckFault, parse_ack, parse_acks
from hashinsight.wire.foreign_json import MalformedMessage, decode_json

T = TypeVar("T")
MachineLookup = Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]  # dispatch ids → miner ids
_AMBIGUOUS = "RESULTS_AMBIGUOUS"


async def read_ack(body: bytes, command_id: str | None, find_machines: MachineLookup, *, caller: Hashable) -> Ack:
    """One ack, named by the path or by itself. Of results of several machines, that of the command's machine counts."""
    try:
        ack, document = await _run(caller, body, lambda: _read_ack(body, command_id))
        if ack is not None:
            return ack
        dispatch_id = command_id or _dispatch_id(document)
        machines = await find_machines([dispatch_id])
        if dispatch_id not in machines:
            raise NotFound("no such command")
        miner_id = machines[dispatch_id]
        return await _run(
            caller, body, lambda: scrub_ack(parse_ack(document, command_id, miner_id=miner_id), Scrubber())
        )
    except MalformedMessage as fault:
        raise _refusal(fault) from None


async def read_acks(body: bytes, find_machines: MachineLookup, *, caller: Hashable) -> list[Ack | AckFault]:
    """A batch, each ack judged on its own, in the order of the body."""
    scrubber = Scrubber()
    try:
        acks, documents = await _run(caller, body, lambda: _read_acks(body, scrubber))
    except MalformedMessage as fault:
        raise _refusal(fault) from None
    ambiguous = {
        index: ack.command_id
        for index, ack in enumerate(acks)
        if isinstance(ack, AckFault) and ack.error_code == _AMBIGUOUS and ack.command_id is not None
    }
    if ambiguous:
        machines = await find_machines(list(ambiguous.values()))
        known = {index: machines[name] for index, name in ambiguous.items() if name in machines}

        def read_again() -> dict[int, Ack | AckFault]:
            return {index: _read_again(documents[index], acks[index], known[index], scrubber) for index in known}

        for index, ack in (await _run(caller, body, read_again)).items():
            acks[index] = ack
    return acks


def scrub_ack(ack: Ack, scrubber: Scrubber) -> Ack:
    """Without addresses and credentials."""
    return Ack(
        ack.command_id,
        ack.status,
        ack.miner_id,
        ack.device_id,
        ack.started_at,
        ack.finished_at,
        ack.duration_ms,
        # some collectors put a whole exception here; it decides about retries, so it is scrubbed outside the budget
        ack.error_code and scrub_text(ack.error_code),
        scrubber.scrub(ack.message),
        scrubber.scrub(ack.result),
        scrubber.scrub(ack.before),
        scrubber.scrub(ack.after),
    )


def ack_columns(ack: Ack) -> dict[str, Any]:
    """A scrubbed ack as columns of a command and its attempt."""
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
    """The ack without its snapshots, which have columns of their own."""
    fields = {
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
    return {name: value for name, value in fields.items() if value is not None}


async def _run(caller: Hashable, body: bytes, work: Callable[[], T]) -> T:
    """Long bodies are read off the event loop."""
    return await offload(caller, work) if len(body) > MAX_CHARS_ON_LOOP else work()


def _read_document(body: bytes) -> Any:
    """Valid JSON fast; the collectors' invalid JSON by the tolerant reader."""
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return decode_json(body)


def _read_ack(body: bytes, command_id: str | None) -> tuple[Ack | None, Any]:
    """The ack; None if only the command's machine can tell which of several results is meant."""
    document = _read_document(body)
    try:
        return scrub_ack(parse_ack(document, command_id), Scrubber()), document
    except MalformedMessage as fault:
        if fault.code != _AMBIGUOUS:
            raise
        return None, document


def _read_acks(body: bytes, scrubber: Scrubber) -> tuple[list[Ack | AckFault], Sequence[Any]]:
    document = _read_document(body)
    acks = parse_acks(document)
    scrubbed = [scrub_ack(ack, scrubber) if isinstance(ack, Ack) else ack for ack in acks]
    return scrubbed, _documents(document, len(acks))


def _documents(document: Any, count: int) -> Sequence[Any]:
    """The list that `parse_acks` read."""
    if isinstance(document, list):
        return document
    lists = (document.get(name) for name in ("acks", "results"))
    return next((listed for listed in lists if isinstance(listed, list) and len(listed) == count), [document])


def _read_again(document: Any, fault: Ack | AckFault, miner_id: str, scrubber: Scrubber) -> Ack | AckFault:
    try:
        return scrub_ack(parse_ack(document, miner_id=miner_id), scrubber)
    except MalformedMessage:
        return fault


def _dispatch_id(document: Mapping[str, Any]) -> str:
    dispatch_id = document.get("command_id") or document.get("id")
    if not isinstance(dispatch_id, str):
        raise MalformedMessage("the ack has no command_id", code="NO_COMMAND_ID")
    return dispatch_id


def _refusal(fault: MalformedMessage) -> HashInsightError:
    error = PayloadTooLarge if fault.code == "TOO_MANY_ACKS" else ValidationFailed
    return error(str(fault), code=fault.code)

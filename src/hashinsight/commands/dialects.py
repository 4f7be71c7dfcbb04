"""What collectors say, from the bytes of a body to clean acks. Only what decides can make one unreadable."""

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from hashinsight.commands.evidence import clean
from hashinsight.kit.errors import HashInsightError, NotFound, PayloadTooLarge, ValidationFailed
from hashinsight.kit.offload import offload
from hashinsight.kit.scrub import MOST_AT_ONCE, Scrubber
from hashinsight.wire.acks import Ack, AckFault, ack_of, acks_of
from hashinsight.wire.bounds import decode
from hashinsight.wire.errors import MalformedMessage

T = TypeVar("T")
Machines = Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]  # the machine's id by the dispatch's
_AMBIGUOUS = "RESULTS_AMBIGUOUS"
_LONG = MOST_AT_ONCE  # bytes; what has more is read beside the event loop


def read_document(body: bytes) -> Any:
    """Fast where it is good JSON; what the field writes in its place is read by the reader that mends."""
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return decode(body)


async def read_one(body: bytes, command_id: str | None, machines: Machines, *, caller: Hashable) -> Ack:
    """One ack, named by the path or by itself. Where it lists several machines, the command's own counts."""
    try:
        ack, document = await _aside(caller, body, lambda: _read_one(body, command_id))
        if ack is not None:
            return ack
        named = command_id or _named(document)
        found = await machines([named])
        if named not in found:
            raise NotFound("no such command")
        miner_id = found[named]
        return await _aside(caller, body, lambda: clean(ack_of(document, command_id, miner_id=miner_id), Scrubber()))
    except MalformedMessage as fault:
        raise _refusal(fault) from None


async def read_many(body: bytes, machines: Machines, *, caller: Hashable) -> list[Ack | AckFault]:
    """A batch, each judged on its own and in their order."""
    scrubber = Scrubber()
    try:
        said, documents = await _aside(caller, body, lambda: _read_many(body, scrubber))
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


def _read_one(body: bytes, command_id: str | None) -> tuple[Ack | None, Any]:
    """The ack, or None where only the command's machine can tell which of several results is meant."""
    document = read_document(body)
    try:
        return clean(ack_of(document, command_id), Scrubber()), document
    except MalformedMessage as fault:
        if fault.code != _AMBIGUOUS:
            raise
        return None, document


def _read_many(body: bytes, scrubber: Scrubber) -> tuple[list[Ack | AckFault], Sequence[Any]]:
    document = read_document(body)
    said = acks_of(document)
    cleaned = [clean(one, scrubber) if isinstance(one, Ack) else one for one in said]
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
        return clean(ack_of(document, miner_id=miner_id), scrubber)
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

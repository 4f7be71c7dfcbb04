"""What is kept of an ack: what was said, without addresses and credentials. Pure."""

from dataclasses import replace
from typing import Any

from hashinsight.kit.scrub import scrub, scrub_text
from hashinsight.wire.acks import Ack


def clean(ack: Ack) -> Ack:
    """Its words: some write the whole exception where a code belongs."""
    if ack.error_code is None and ack.message is None:
        return ack
    code, message = (None if said is None else scrub_text(said) for said in (ack.error_code, ack.message))
    return replace(ack, error_code=code, message=message)


def kept(ack: Ack) -> dict[str, Any]:
    """As the columns of a command and its attempt."""
    return {
        "result": ack.status,
        "error_message": ack.message,
        "payload": payload(ack),
        "snapshot_before": None if ack.before is None else scrub(ack.before),
        "snapshot_after": None if ack.after is None else scrub(ack.after),
        "started_at": ack.started_at,
        "finished_at": ack.finished_at,
        "execution_time_ms": ack.duration_ms,
    }


def payload(ack: Ack) -> dict[str, Any]:
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
        "result": None if ack.result is None else scrub(ack.result),
    }
    return {name: value for name, value in said.items() if value is not None}

"""What is kept of an ack: what was said, without addresses and credentials. Pure."""

from typing import Any

from hashinsight.kit.scrub import Scrubber, scrub_text
from hashinsight.wire.acks import Ack


def clean(ack: Ack, scrubber: Scrubber) -> Ack:
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


def kept(ack: Ack) -> dict[str, Any]:
    """A clean ack as the columns of a command and its attempt."""
    return {
        "result": ack.status,
        "error_message": ack.message,
        "payload": payload(ack),
        "snapshot_before": ack.before,
        "snapshot_after": ack.after,
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
        "result": ack.result,
    }
    return {name: value for name, value in said.items() if value is not None}

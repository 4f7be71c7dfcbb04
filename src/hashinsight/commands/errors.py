"""The refusals of commands that have a code of their own, beside those of the catalogue."""

from uuid import UUID

from hashinsight.commands.limits import MAX_MACHINES
from hashinsight.kit.errors import Conflict, Forbidden, NotFound, ValidationFailed


def too_many_machines() -> ValidationFailed:
    return ValidationFailed(f"one request reaches at most {MAX_MACHINES} machines: split it", code="TOO_MANY_MACHINES")


def several_sites() -> ValidationFailed:
    return ValidationFailed("the machines stand at several sites: name one with site_id", code="SEVERAL_SITES")


def ambiguous(miner_ids: list[str]) -> Conflict:
    return Conflict(
        "more than one of your sites has a miner of this id: say site_id, too",
        code="AMBIGUOUS_MINER",
        details={"miner_ids": miner_ids},
    )


def no_machine() -> NotFound:
    return NotFound("none of these machines exists", code="NOT_FOUND")


def key_reused() -> Conflict:
    return Conflict("this Idempotency-Key was used for another request", code="IDEMPOTENCY_KEY_REUSED")


def already_final(state: str) -> Conflict:
    return Conflict(f"it is {state} already, and that is final", code="ALREADY_FINAL", details={"state": state})


def already_decided() -> Conflict:
    return Conflict("nothing here waits for approval any more", code="ALREADY_DECIDED")


def own_request() -> Forbidden:
    return Forbidden("you asked for it: somebody else must approve it", code="OWN_REQUEST")


def already_canceling() -> Conflict:
    return Conflict("a cancel was requested already: its ack or the end of its lease decides", code="CANCEL_REQUESTED")


def unknown_dispatch(command_id: str | UUID) -> NotFound:
    return NotFound("there is no such command", details={"command_id": str(command_id)[:64]})

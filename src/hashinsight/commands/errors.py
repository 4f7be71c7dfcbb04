"""Errors of commands with a code of their own, besides those of the catalogue."""

from hashinsight.commands.limits import MAX_MACHINES
from hashinsight.kit.errors import Conflict, Forbidden, NotFound, ValidationFailed


def too_many_machines() -> ValidationFailed:
    return ValidationFailed(f"at most {MAX_MACHINES} machines per request: split it", code="TOO_MANY_MACHINES")


def several_sites() -> ValidationFailed:
    return ValidationFailed("the machines are at several sites: choose one with site_id", code="SEVERAL_SITES")


def ambiguous_miner(miner_ids: list[str]) -> Conflict:
    return Conflict(
        "this miner id exists at more than one of your sites: add site_id",
        code="AMBIGUOUS_MINER",
        details={"miner_ids": miner_ids},
    )


def no_machine() -> NotFound:
    return NotFound("none of these machines exists", code="NOT_FOUND")


def command_not_found() -> NotFound:
    return NotFound("no such command")


def batch_not_found() -> NotFound:
    return NotFound("no such batch")


def key_reused() -> Conflict:
    return Conflict("this Idempotency-Key was used for another request", code="IDEMPOTENCY_KEY_REUSED")


def already_final(state: str) -> Conflict:
    return Conflict(f"already {state}", code="ALREADY_FINAL", details={"state": state})


def already_decided() -> Conflict:
    return Conflict("no longer waiting for approval", code="ALREADY_DECIDED")


def own_request() -> Forbidden:
    return Forbidden("your own request: someone else must approve it", code="OWN_REQUEST")


def already_canceling() -> Conflict:
    return Conflict("cancel already requested: the ack or the end of the lease decides", code="CANCEL_REQUESTED")

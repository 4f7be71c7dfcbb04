"""Whether a command is carried out here. Pure, each with its reason: the site has the last word on its machines.

RUN      begin it
REFUSE   answer it, and touch nothing
WAIT     leave it without an answer: its lease runs out and it comes again, while it lasts
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from hashinsight.edge.commands.checks import types_in
from hashinsight.edge.settings import Limits
from hashinsight.wire.acks import AckStatus
from hashinsight.wire.commands import VERBS, Command
from hashinsight.wire.keys import KeyRing
from hashinsight.wire.signing import SignatureStatus as Signed
from hashinsight.wire.signing import verify
from hashinsight.wire.times import find_time


class Decision(StrEnum):
    RUN = "run"
    REFUSE = "refuse"
    WAIT = "wait"


@dataclass(frozen=True)
class Rules:
    """What holds at this site, for every command."""

    site: str | None
    zone: str | None
    tenant_id: str | None
    limits: Limits
    keys: KeyRing | None  # None: signatures are not looked at
    accept_from: float = 0.0  # the journal knows nothing of what was issued before


@dataclass(frozen=True)
class Standing:
    """What holds at this instant, for this command."""

    is_known: bool
    is_busy: bool
    running: int
    begun_last_minute: int


@dataclass(frozen=True)
class Ruling:
    decision: Decision
    code: str = ""
    reason: str = ""
    status: AckStatus = AckStatus.REJECTED  # of the answer, where there is one


_RUN = Ruling(Decision.RUN)
_SIGNED = {
    Signed.UNSIGNED: ("UNSIGNED", "the command is not signed, and this site takes only signed ones"),
    Signed.UNKNOWN_KEY: ("UNKNOWN_KEY", "it is signed with a key that this site does not have"),
    Signed.WRONG: ("BAD_SIGNATURE", "the signature is not of this command"),
}


def admit(message: Mapping[str, Any], command: Command, rules: Rules, standing: Standing, *, now: datetime) -> Ruling:
    """The signature first: nothing else that a forged command says counts."""
    return (
        _signature(message, rules, now)
        or _place(command, rules)
        or _time(message, command, rules, now)
        or _allowed(command, rules.limits)
        or _machine(command, rules.limits, standing)
        or _RUN
    )


def _signature(message: Mapping[str, Any], rules: Rules, now: datetime) -> Ruling | None:
    if rules.keys is None:
        return None
    verdict = verify(message, rules.keys, now=now, tenant_id=rules.tenant_id)
    if verdict is Signed.NOT_YET:
        return Ruling(Decision.WAIT, "NOT_YET", "its time has not come")
    if verdict in _SIGNED:
        return Ruling(Decision.REFUSE, *_SIGNED[verdict])
    return None  # a stale one is told as expired, below


def _place(command: Command, rules: Rules) -> Ruling | None:
    if rules.site is not None and str(command.site_id) != rules.site:
        return Ruling(Decision.REFUSE, "WRONG_SITE", "the command is for another site")
    if rules.zone is not None and command.zone_id is not None and str(command.zone_id) != rules.zone:
        return Ruling(Decision.REFUSE, "WRONG_ZONE", "the command is for another zone")
    return None


def _time(message: Mapping[str, Any], command: Command, rules: Rules, now: datetime) -> Ruling | None:
    if now >= command.expires_at:
        return Ruling(Decision.REFUSE, "COMMAND_EXPIRED", "it came after its time, or this box's clock is wrong")
    if now >= command.lease_until:
        return Ruling(Decision.WAIT, "LEASE_ENDED", "its lease ran out before it could be begun")
    if _issued(message, command).timestamp() < rules.accept_from:
        reason = "the journal was lost after it was issued: it may have run before"
        return Ruling(Decision.REFUSE, "OUTCOME_UNKNOWN", reason, AckStatus.SKIPPED)
    return None


def _issued(message: Mapping[str, Any], command: Command) -> datetime:
    """By what is signed, where it is signed: the time of issue beside it could be anybody's."""
    seal = message.get("cloud_sign")
    signed = find_time(seal.get("not_before")) if isinstance(seal, Mapping) else None
    return signed or command.issued_at


def _allowed(command: Command, limits: Limits) -> Ruling | None:
    if command.command_type not in VERBS:
        return Ruling(Decision.REFUSE, "UNSUPPORTED", "this edge does not know such a command")
    asked = {command.command_type, *(types_in(command.params) if command.command_type == "update_config" else ())}
    if not limits.commands or not asked <= set(limits.types):
        return Ruling(Decision.REFUSE, "NOT_ALLOWED_HERE", "this site does not let the cloud do that")
    return None


def _machine(command: Command, limits: Limits, standing: Standing) -> Ruling | None:
    if not standing.is_known:  # another shard may know it, or the next discovery: so it may be tried again
        reason = f"no machine here is called {command.miner_id[:64]}"
        return Ruling(Decision.REFUSE, "MINER_UNKNOWN", reason, AckStatus.FAILED)
    if standing.is_busy:
        return Ruling(Decision.WAIT, "MINER_BUSY", "another command runs on this machine")
    if standing.running >= limits.at_once:
        return Ruling(Decision.WAIT, "TOO_MANY_AT_ONCE", "as many commands run as this site allows at once")
    if standing.begun_last_minute >= limits.per_minute:
        return Ruling(Decision.WAIT, "LOCAL_RATE", "as many commands were begun as this site allows in a minute")
    return None

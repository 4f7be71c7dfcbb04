"""Whether a command runs at this site. Pure; each ruling has a reason: the site has the last word on its machines.

RUN      start it
REFUSE   ack it without touching a machine
WAIT     no ack: its lease runs out and it comes again, until it expires
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from hashinsight.edge.commands.checks import config_command_types
from hashinsight.edge.settings import Limits
from hashinsight.wire.acks import OUTCOME_UNKNOWN, AckStatus
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
class SiteRules:
    """The site's rules for all commands."""

    site: str | None
    zone: str | None
    tenant_id: str | None
    limits: Limits
    keys: KeyRing | None  # None: signatures are not checked
    accept_from: float = 0.0  # the journal was lost then: commands issued before may have run


@dataclass(frozen=True)
class CommandContext:
    """The situation of one command now."""

    is_known: bool
    is_busy: bool
    running: int
    begun_last_minute: int


@dataclass(frozen=True)
class Ruling:
    decision: Decision
    code: str = ""
    reason: str = ""
    status: AckStatus = AckStatus.REJECTED  # of the ack, for REFUSE


_RUN = Ruling(Decision.RUN)
_SIGNED = {
    Signed.UNSIGNED: ("UNSIGNED", "the command is not signed, and this site accepts only signed commands"),
    Signed.UNKNOWN_KEY: ("UNKNOWN_KEY", "the command is signed with a key that this site does not have"),
    Signed.WRONG: ("BAD_SIGNATURE", "the signature does not match the command"),
}


def admit(
    message: Mapping[str, Any], command: Command, rules: SiteRules, context: CommandContext, *, now: datetime
) -> Ruling:
    """The signature first: a forged command is not looked at any further."""
    return (
        _signature(message, rules, now)
        or _place(command, rules)
        or _time(message, command, rules, now)
        or _allowed(command, rules.limits)
        or _machine(command, rules.limits, context)
        or _RUN
    )


def _signature(message: Mapping[str, Any], rules: SiteRules, now: datetime) -> Ruling | None:
    if rules.keys is None:
        return None
    verdict = verify(message, rules.keys, now=now, tenant_id=rules.tenant_id)
    if verdict is Signed.NOT_YET:
        return Ruling(Decision.WAIT, "NOT_YET", "the command is not valid yet")
    if verdict in _SIGNED:
        return Ruling(Decision.REFUSE, *_SIGNED[verdict])
    return None  # expired signatures are reported as expired commands below


def _place(command: Command, rules: SiteRules) -> Ruling | None:
    if rules.site is not None and str(command.site_id) != rules.site:
        return Ruling(Decision.REFUSE, "WRONG_SITE", "the command is for another site")
    if rules.zone is not None and command.zone_id is not None and str(command.zone_id) != rules.zone:
        return Ruling(Decision.REFUSE, "WRONG_ZONE", "the command is for another zone")
    return None


def _time(message: Mapping[str, Any], command: Command, rules: SiteRules, now: datetime) -> Ruling | None:
    if now >= command.expires_at:
        return Ruling(Decision.REFUSE, "COMMAND_EXPIRED", "the command has expired, or this device's clock is wrong")
    if now >= command.lease_until:
        return Ruling(Decision.WAIT, "LEASE_ENDED", "the lease ran out before the command could start")
    if _issued_at(message, command).timestamp() < rules.accept_from:
        reason = "the journal was lost after the command was issued; it may have run already"
        return Ruling(Decision.REFUSE, OUTCOME_UNKNOWN, reason, AckStatus.SKIPPED)
    return None


def _issued_at(message: Mapping[str, Any], command: Command) -> datetime:
    """From the signed part if there is one: the plain time of issue could be forged."""
    signature = message.get("cloud_sign")
    signed_at = find_time(signature.get("not_before")) if isinstance(signature, Mapping) else None
    return signed_at or command.issued_at


def _allowed(command: Command, limits: Limits) -> Ruling | None:
    if command.command_type not in VERBS:
        return Ruling(Decision.REFUSE, "UNSUPPORTED", "this collector does not know this command type")
    types = {
        command.command_type,
        *(config_command_types(command.params) if command.command_type == "update_config" else ()),
    }
    if not limits.commands or not types <= set(limits.types):
        return Ruling(Decision.REFUSE, "NOT_ALLOWED_HERE", "this site does not allow this command type")
    return None


def _machine(command: Command, limits: Limits, context: CommandContext) -> Ruling | None:
    if not context.is_known:  # another collector may know it, or the next discovery: so it may be retried
        reason = f"this collector has no machine {command.miner_id[:64]}"
        return Ruling(Decision.REFUSE, "MINER_UNKNOWN", reason, AckStatus.FAILED)
    if context.is_busy:
        return Ruling(Decision.WAIT, "MINER_BUSY", "another command is running on this machine")
    if context.running >= limits.at_once:
        return Ruling(Decision.WAIT, "TOO_MANY_AT_ONCE", "the site's limit of concurrent commands is reached")
    if context.begun_last_minute >= limits.per_minute:
        return Ruling(Decision.WAIT, "LOCAL_RATE", "the site's limit of commands per minute is reached")
    return None

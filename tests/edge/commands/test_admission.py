"""Which commands the site admits, each ruling with its reason."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hashinsight.edge.commands.admission import CommandContext, Decision, Ruling, SiteRules, admit
from hashinsight.edge.settings import Limits
from hashinsight.wire.acks import AckStatus
from hashinsight.wire.commands import Command
from hashinsight.wire.keys import Ed25519Key, HmacKey, key_ring, verifying_key
from hashinsight.wire.signing import sign
from tests.edge.factories import SITE, command

NOW = datetime.now(UTC)
FREE = CommandContext(is_known=True, is_busy=False, running=0, begun_last_minute=0)
OPEN = SiteRules(SITE, None, None, Limits(), None)
KEY = Ed25519Key("cloud-1", bytes(range(32)))
OTHER = HmacKey("cloud-2", bytes(range(1, 33)))
SIGNED = replace(OPEN, keys=key_ring([verifying_key("ed25519", "cloud-1", KEY.public)]), tenant_id="t-1")


def ruled(
    given: Command | None = None,
    rules: SiteRules = OPEN,
    context: CommandContext = FREE,
    now: datetime = NOW,
    **message: Any,
) -> Ruling:
    made = given or command()
    return admit(made.to_wire() | message, made, rules, context, now=now)


@pytest.mark.parametrize(
    ("given", "rules", "context", "expected"),
    [
        (command(), OPEN, FREE, (Decision.RUN, "", None)),
        (command(site_id="tx-2"), OPEN, FREE, (Decision.REFUSE, "WRONG_SITE", AckStatus.REJECTED)),
        (command(site_id=3), replace(OPEN, site="3"), FREE, (Decision.RUN, "", None)),
        (command(zone_id="hall-2"), replace(OPEN, zone="hall-1"), FREE, (Decision.REFUSE, "WRONG_ZONE", None)),
        (command(zone_id="hall-1"), replace(OPEN, zone="hall-1"), FREE, (Decision.RUN, "", None)),
        (command(), replace(OPEN, zone="hall-1"), FREE, (Decision.RUN, "", None)),
        (command(expires_at=NOW), OPEN, FREE, (Decision.REFUSE, "COMMAND_EXPIRED", AckStatus.REJECTED)),
        (command(lease_until=NOW), OPEN, FREE, (Decision.WAIT, "LEASE_ENDED", None)),
        (
            command(command_type="set_fan"),
            replace(OPEN, limits=Limits(types=("reboot_device",))),
            FREE,
            (Decision.REFUSE, "NOT_ALLOWED_HERE", AckStatus.REJECTED),
        ),
        (
            command(command_type="update_config", params={"config": {"power_limit_w": 3000}}),
            replace(OPEN, limits=Limits(types=("update_config", "set_power_mode"))),
            FREE,
            (Decision.REFUSE, "NOT_ALLOWED_HERE", None),
        ),
        (command(), replace(OPEN, limits=Limits(commands=False)), FREE, (Decision.REFUSE, "NOT_ALLOWED_HERE", None)),
        (command(), OPEN, replace(FREE, is_known=False), (Decision.REFUSE, "MINER_UNKNOWN", AckStatus.FAILED)),
        (command(), OPEN, replace(FREE, is_busy=True), (Decision.WAIT, "MINER_BUSY", None)),
        (command(), OPEN, replace(FREE, running=20), (Decision.WAIT, "TOO_MANY_AT_ONCE", None)),
        (command(), OPEN, replace(FREE, begun_last_minute=60), (Decision.WAIT, "LOCAL_RATE", None)),
        (
            command(issued_at=NOW - timedelta(minutes=9)),
            replace(OPEN, accept_from=NOW.timestamp() - 60),
            FREE,
            (Decision.REFUSE, "OUTCOME_UNKNOWN", AckStatus.SKIPPED),
        ),
        (command(), SIGNED, FREE, (Decision.REFUSE, "UNSIGNED", AckStatus.REJECTED)),
    ],
)
def test_each_ruling_has_its_reason(
    given: Command, rules: SiteRules, context: CommandContext, expected: tuple[Decision, str, AckStatus | None]
) -> None:
    decision, code, status = expected
    ruling = ruled(given, rules, context)
    assert (ruling.decision, ruling.code) == (decision, code)
    assert bool(ruling.reason) == (decision is not Decision.RUN)
    assert status is None or ruling.status is status


def signed(given: Command, key: Any = KEY, tenant_id: str = "t-1", before: datetime = NOW) -> Command:
    return sign(given, key, tenant_id=tenant_id, not_before=before)


@pytest.mark.parametrize(
    ("make", "decision", "code"),
    [
        (lambda: signed(command()), Decision.RUN, ""),
        (lambda: signed(command(), OTHER), Decision.REFUSE, "UNKNOWN_KEY"),
        (lambda: signed(command(), tenant_id="t-2"), Decision.REFUSE, "BAD_SIGNATURE"),
        (lambda: replace(signed(command()), miner_id="A-2"), Decision.REFUSE, "BAD_SIGNATURE"),
        (lambda: replace(signed(command()), params={"delay_seconds": 0}), Decision.REFUSE, "BAD_SIGNATURE"),
        (lambda: signed(command(), before=NOW + timedelta(minutes=5)), Decision.WAIT, "NOT_YET"),
        (lambda: signed(command(expires_at=NOW - timedelta(seconds=1))), Decision.REFUSE, "COMMAND_EXPIRED"),
        (lambda: signed(command(site_id="tx-2")), Decision.REFUSE, "WRONG_SITE"),
    ],
)
def test_signatures_are_checked_before_anything_else(
    make: Callable[[], Command], decision: Decision, code: str
) -> None:
    ruling = ruled(make(), SIGNED)
    assert (ruling.decision, ruling.code) == (decision, code)


def test_after_a_lost_journal_a_signed_command_is_dated_by_its_signature() -> None:
    """The plain time of issue could be forged: set to now, it would revive an old dispatch."""
    old = signed(command(issued_at=NOW), before=NOW - timedelta(minutes=9))
    assert ruled(old, replace(SIGNED, accept_from=NOW.timestamp() - 60)).code == "OUTCOME_UNKNOWN"

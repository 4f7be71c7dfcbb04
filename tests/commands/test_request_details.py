"""Small promises: whose an Idempotency-Key is, what a batch says of approvals, what a config may name."""

from typing import Any

import pytest

from hashinsight.commands.queries.batches import BatchFilter
from hashinsight.commands.service import batches
from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.identity.permissions import Role
from hashinsight.kit.errors import Conflict
from tests.commands.command_site import CommandSite

FAN: dict[str, Any] = {"params": {"speed": 60}}


@pytest.mark.parametrize(
    "other",
    [
        {"approval_required": True},
        {"max_retries": 0},
        {"retry_backoff_sec": 60},
        {"dedupe_window_sec": 60},
        {"evidence": {"seen": "by eye"}},
    ],
)
async def test_an_idempotency_key_is_for_exactly_one_request(fleet: CommandSite, other: dict[str, Any]) -> None:
    await fleet.request("set_fan", 1, **FAN, idempotency_key="k")
    with pytest.raises(Conflict) as error:
        await fleet.request("set_fan", 1, **FAN, idempotency_key="k", **other)
    assert error.value.error_code == "IDEMPOTENCY_KEY_REUSED"


async def test_idempotency_keys_are_separate_by_requester(fleet: CommandSite) -> None:
    """Somebody who may command nothing would else be shown what another one made."""
    await fleet.request("set_fan", 1, **FAN, idempotency_key="k")
    with pytest.raises(Conflict) as error:
        await fleet.request(
            "set_fan", 1, **FAN, idempotency_key="k", caller=fleet.person("bob", role=Role.CUSTOMER_SUCCESS)
        )
    assert error.value.error_code == "IDEMPOTENCY_KEY_REUSED"


async def _waiting(fleet: CommandSite) -> list[Any]:
    async with fleet.session() as session:
        scope = fleet.person("olga").seen
        listed = await batches.list_batches(session, scope, BatchFilter(waiting=True), limit=10)
        all_of_them = await batches.list_batches(session, scope, BatchFilter(), limit=10)
    shown = [row["batch_id"] for row in listed.rows]
    assert [row["batch_id"] for row in all_of_them.rows if row["waits"]] == shown
    return shown


@pytest.mark.parametrize("end", ["approve", "reject", "cancel", "expire", "supersede"])
async def test_waiting_batches_are_those_that_can_be_decided(fleet: CommandSite, end: str) -> None:
    batch_id = (await fleet.request("reboot_device", 1, 2)).batch_id
    await fleet.request("set_fan", 3, **FAN)
    assert await _waiting(fleet) == [batch_id]
    which, olga = DecisionTarget(batch_id=batch_id), fleet.person("olga")
    match end:
        case "approve":
            await fleet.approve(which, olga)
        case "reject":
            await fleet.reject(which, olga)
        case "cancel":
            await fleet.cancel(which)
        case "expire":
            fleet.pass_time(24 * 3600)
            await fleet.sweep()
        case "supersede":
            await fleet.request("set_fan", 1, 2, **FAN, priority="safety")
    assert await _waiting(fleet) == []


@pytest.mark.parametrize("status", ["failed", "rejected"])
async def test_an_error_code_keeps_no_address_either(fleet: CommandSite, status: str) -> None:
    """Some collectors write the whole exception into `error_class`."""
    await fleet.make_command("set_fan", 1, **FAN)
    leased = await fleet.lease_one()
    for _ in range(2):  # the second is late, and kept as evidence
        await fleet.ack_one(leased.dispatch_id, status, error_code="dial tcp 10.20.30.40:4028: password=CANARY")
    tables = ("commands", "command_attempts", "command_history", "audit_log")
    kept = str([fleet.rows(f"select * from {table}") for table in tables])
    assert "dial tcp" in kept
    assert "10.20.30.40" not in kept
    assert "CANARY" not in kept


async def test_a_partly_sent_batch_is_not_rejected(fleet: CommandSite) -> None:
    answer = await fleet.request("reboot_device", 1, 2)
    first, second = (made.command_id for made in answer.commands)
    await fleet.approve(DecisionTarget(first), fleet.person("olga"))
    await fleet.reject(DecisionTarget(second), fleet.person("olga"))
    assert fleet.rows("select approval_state from command_batches") == [{"approval_state": "approved"}]


async def test_a_repeated_request_returns_its_wait_reason_again(fleet: CommandSite) -> None:
    first = await fleet.request("reboot_device", *range(1, 23), idempotency_key="k")
    again = await fleet.request("reboot_device", *range(1, 23), idempotency_key="k")
    assert (again.repeated, again.approval_reasons) == (True, first.approval_reasons)
    assert len(first.approval_reasons) == 2


@pytest.mark.parametrize("kind", ["set_fan", "reboot_device"])
async def test_expired_commands_conflict_with_nothing_even_before_the_sweep(fleet: CommandSite, kind: str) -> None:
    """By its TTL, or because nobody approved it: it will never go out, so it is no reason to refuse the same."""
    more = FAN if kind == "set_fan" else {}
    first = await fleet.make_command(kind, 1, **more, ttl_sec=60)
    fleet.pass_time(60 if kind == "set_fan" else 24 * 3600)
    second = await fleet.make_command(kind, 1, **more)
    await fleet.sweep()
    assert [await fleet.state(command_id) for command_id in (first, second)] == ["expired", "queued"]

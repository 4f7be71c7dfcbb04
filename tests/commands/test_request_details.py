"""Small promises: whose an Idempotency-Key is, what a batch says of approvals, what a config may name."""

from typing import Any

import pytest

from hashinsight.commands.queries.batches import BatchFilter
from hashinsight.commands.service import batches
from hashinsight.commands.service.approvals import DecisionTarget
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
async def test_an_idempotency_key_is_for_one_request_to_the_last_word(yard: CommandSite, other: dict[str, Any]) -> None:
    await yard.request("set_fan", 1, **FAN, idempotency_key="k")
    with pytest.raises(Conflict) as told:
        await yard.request("set_fan", 1, **FAN, idempotency_key="k", **other)
    assert told.value.error_code == "IDEMPOTENCY_KEY_REUSED"


async def test_an_idempotency_key_is_one_askers(yard: CommandSite) -> None:
    """Somebody who may command nothing would else be shown what another one made."""
    await yard.request("set_fan", 1, **FAN, idempotency_key="k")
    with pytest.raises(Conflict) as told:
        await yard.request("set_fan", 1, **FAN, idempotency_key="k", asker=yard.person("bob", may=""))
    assert told.value.error_code == "IDEMPOTENCY_KEY_REUSED"


async def _waiting(yard: CommandSite) -> list[Any]:
    async with yard.session() as session:
        scope = yard.person("olga").seen
        found = await batches.list_batches(session, scope, BatchFilter(waiting=True), limit=10)
        all_of_them = await batches.list_batches(session, scope, BatchFilter(), limit=10)
    shown = [row["batch_id"] for row in found.rows]
    assert [row["batch_id"] for row in all_of_them.rows if row["waits"]] == shown
    return shown


@pytest.mark.parametrize("end", ["approve", "reject", "cancel", "expire", "supersede"])
async def test_the_batches_that_wait_are_those_that_somebody_can_decide_about(yard: CommandSite, end: str) -> None:
    batch_id = (await yard.request("reboot_device", 1, 2)).batch_id
    await yard.request("set_fan", 3, **FAN)
    assert await _waiting(yard) == [batch_id]
    which, olga = DecisionTarget(batch_id=batch_id), yard.person("olga")
    match end:
        case "approve":
            await yard.approve(which, olga)
        case "reject":
            await yard.reject(which, olga)
        case "cancel":
            await yard.cancel(which)
        case "expire":
            yard.pass_time(24 * 3600)
            await yard.sweep()
        case "supersede":
            await yard.request("set_fan", 1, 2, **FAN, priority="safety")
    assert await _waiting(yard) == []


@pytest.mark.parametrize("status", ["failed", "rejected"])
async def test_an_error_code_keeps_no_address_either(yard: CommandSite, status: str) -> None:
    """Some collectors write the whole exception into `error_class`."""
    await yard.made("set_fan", 1, **FAN)
    leased = await yard.lease_one()
    for _ in range(2):  # the second is late, and kept as evidence
        await yard.say(leased.dispatch_id, status, error_code="dial tcp 10.20.30.40:4028: password=CANARY")
    tables = ("commands", "command_attempts", "command_history", "audit_log")
    kept = str([yard.rows(f"select * from {table}") for table in tables])
    assert "dial tcp" in kept
    assert "10.20.30.40" not in kept
    assert "CANARY" not in kept


async def test_a_batch_of_which_a_part_went_out_is_not_called_rejected(yard: CommandSite) -> None:
    answer = await yard.request("reboot_device", 1, 2)
    first, second = (made.command_id for made in answer.commands)
    await yard.approve(DecisionTarget(first), yard.person("olga"))
    await yard.reject(DecisionTarget(second), yard.person("olga"))
    assert yard.rows("select approval_state from command_batches") == [{"approval_state": "approved"}]


async def test_a_repeated_request_is_told_again_why_it_waits(yard: CommandSite) -> None:
    first = await yard.request("reboot_device", *range(1, 23), idempotency_key="k")
    again = await yard.request("reboot_device", *range(1, 23), idempotency_key="k")
    assert (again.repeated, again.approval_reasons) == (True, first.approval_reasons)
    assert len(first.approval_reasons) == 2


@pytest.mark.parametrize("kind", ["set_fan", "reboot_device"])
async def test_what_ran_out_stands_against_nobody_also_before_the_sweep(yard: CommandSite, kind: str) -> None:
    """By its TTL, or because nobody approved it: it will never go out, so it is no reason to refuse the same."""
    more = FAN if kind == "set_fan" else {}
    first = await yard.made(kind, 1, **more, ttl_sec=60)
    yard.pass_time(60 if kind == "set_fan" else 24 * 3600)
    second = await yard.made(kind, 1, **more)
    await yard.sweep()
    assert [await yard.state(one) for one in (first, second)] == ["expired", "queued"]

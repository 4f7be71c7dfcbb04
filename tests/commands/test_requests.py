"""The one door: what is made, what is refused and why, dry runs, dedupe, idempotency; bad input stores nothing."""

from datetime import timedelta
from typing import Any

import pytest

from hashinsight.commands.requests import PreApproval, RuleRef
from hashinsight.identity.permissions import Role
from hashinsight.identity.scope import Reach
from hashinsight.inventory.filters import MinerFilter
from hashinsight.kit.errors import Conflict, Forbidden, HashInsightError, NotFound, ValidationFailed
from tests.commands.command_site import NOON, CommandSite

FAN: dict[str, Any] = {"params": {"speed": 60}}
TABLES = ("commands", "command_batches", "command_history", "command_dedupe", "command_keys", "approvals")


def stored(fleet: CommandSite) -> list[int]:
    return [fleet.count(table) for table in TABLES]


async def test_a_request_makes_one_row_per_machine_with_all_its_fields(fleet: CommandSite) -> None:
    answer = await fleet.request(
        "set_fan",
        *(1, 2),
        caller=fleet.rule,
        **FAN,
        priority="compliance",
        priority_number=9,
        ttl_sec=60,
        reason="too hot",
        rule=RuleRef("7", 3),
        problem_id="p-1",
        evidence={"temp_max": 91.5},
    )
    assert [(command.miner_id, command.state, command.approval_state) for command in answer.commands] == [
        ("m1", "queued", "none"),
        ("m2", "queued", "none"),
    ]
    story = await fleet.story(answer.commands[0].command_id)
    assert (story["priority"], story["urgency"], story["ttl_sec"]) == ("compliance", 29, 60)
    assert story["expires_at"] == NOON + timedelta(seconds=60)
    assert (story["rule_id"], story["rule_version"], story["problem_id"]) == ("7", 3, "p-1")
    assert (story["evidence"], story["created_reason"]) == ({"temp_max": 91.5}, "too hot")
    assert (story["created_by_kind"], story["created_by"], story["batch_id"]) == ("rule", "rule-7", answer.batch_id)
    assert story["zone_id"] == 1


async def test_groups_and_filters_are_expanded(fleet: CommandSite) -> None:
    fleet.write(
        "insert into groups (id, tenant_id, name, kind, created_at) overriding system value"
        " values (5, %s, 'g', 'listed', %s)",
        fleet.tenant,
        NOON,
    )
    fleet.write(
        "insert into group_members (group_id, miner_no, tenant_id, site_id)"
        " select 5, n, %s, 1 from generate_series(1, 7) n",
        fleet.tenant,
    )
    by_group = await fleet.request("fault_light", group_id=5, params={"on": True})
    assert len(by_group.commands) == 7
    by_zone = await fleet.request("fault_light", filter=MinerFilter(zone="z1"), params={"on": True})
    assert {int(command.miner_id[1:]) % 2 for command in by_zone.commands} == {1}
    assert len(by_zone.commands) == 30
    fleet.write(
        "insert into telemetry_live (miner_no, tenant_id, site_id, ts, online, status, flags, updated_at)"
        " values (3, %s, 1, %s, false, 0, 0, %s)",
        fleet.tenant,
        NOON,
        NOON,
    )
    silent = await fleet.request("fault_light", filter=MinerFilter(), online=False, params={"on": False})
    assert [command.miner_id for command in silent.commands] == ["m3"]


async def test_unknown_machines_are_refused_and_the_rest_goes_on(fleet: CommandSite) -> None:
    fleet.write("update miners set state = 'retired' where miner_no = 2")
    fleet.add_machines(900, 900, site_id=2)
    answer = await fleet.request("set_fan", 1, 2, 777, 900, **FAN)
    assert [command.miner_id for command in answer.commands] == ["m1"]
    assert {(refusal.miner_id, refusal.error_code) for refusal in answer.refused} == {
        ("m2", "MINER_RETIRED"),
        ("m777", "NOT_FOUND"),
        ("m900", "NOT_FOUND"),
    }


BAD: list[tuple[str, tuple[int, ...], dict[str, Any], type[HashInsightError], str]] = [
    ("brew_coffee", (1,), {}, ValidationFailed, "UNKNOWN_COMMAND_TYPE"),
    ("set_fan", (1,), {"params": {"speed": 101}}, ValidationFailed, "BAD_PARAMS"),
    ("set_fan", (1,), {"params": {}}, ValidationFailed, "BAD_PARAMS"),
    ("set_fan", (1,), {**FAN, "ttl_sec": 0}, ValidationFailed, "BAD_TTL"),
    ("set_fan", (1,), {**FAN, "ttl_sec": 365 * 24 * 3600}, ValidationFailed, "BAD_TTL"),
    ("set_fan", (1,), {**FAN, "priority": "urgent"}, ValidationFailed, "BAD_PRIORITY"),
    ("set_fan", (1,), {**FAN, "priority_number": 10}, ValidationFailed, "BAD_PRIORITY"),
    ("set_fan", (1,), {**FAN, "reason": "\0"}, ValidationFailed, "VALIDATION_FAILED"),
    ("set_fan", (1,), {**FAN, "evidence": {"x": float("nan")}}, ValidationFailed, "VALIDATION_FAILED"),
    ("set_fan", (1,), {**FAN, "group_id": 3}, ValidationFailed, "BAD_TARGET"),
    ("set_fan", (), FAN, ValidationFailed, "BAD_TARGET"),
    ("set_fan", (), {**FAN, "miner_ids": ()}, ValidationFailed, "BAD_TARGET"),
    ("set_fan", (), {**FAN, "filter": MinerFilter(), "site": None}, ValidationFailed, "BAD_TARGET"),
    ("set_fan", (), {**FAN, "filter": MinerFilter(model="nothing like it")}, NotFound, "NO_MACHINES"),
    ("set_fan", (), {**FAN, "group_id": 99}, NotFound, "NOT_FOUND"),
    ("set_fan", (999,), FAN, NotFound, "NOT_FOUND"),
    ("set_fan", (1,), {**FAN, "site": "nowhere"}, NotFound, "NOT_FOUND"),
    ("set_fan", tuple(range(100_001)), FAN, ValidationFailed, "TOO_MANY_MACHINES"),
]


@pytest.mark.parametrize("bad", BAD, ids=lambda case: f"{case[0]} {case[4]} {str(case[2])[:30]}")
async def test_bad_input_has_a_code_and_stores_nothing(
    fleet: CommandSite, bad: tuple[str, tuple[int, ...], dict[str, Any], type[HashInsightError], str]
) -> None:
    command_type, miners, more, kind, code = bad
    with pytest.raises(kind) as error:
        await fleet.request(command_type, *miners, **more)
    assert error.value.error_code == code
    assert stored(fleet) == [0] * len(TABLES)
    assert fleet.count("audit_log") == 0


async def test_a_machine_of_two_sites_must_be_named_by_its_site(fleet: CommandSite) -> None:
    fleet.write(
        "insert into miners (miner_no, tenant_id, site_id, miner_id, created_at, updated_at) overriding system value"
        " values (500, %s, 2, 'm1', %s, %s)",
        fleet.tenant,
        NOON,
        NOON,
    )
    with pytest.raises(Conflict) as error:
        await fleet.request("set_fan", 1, **FAN, site=None)
    assert error.value.error_code == "AMBIGUOUS_MINER"
    assert (await fleet.request("set_fan", 1, **FAN, site="site-2")).commands


async def test_more_than_100_000_machines_by_a_filter_are_refused(fleet: CommandSite) -> None:
    fleet.add_machines(1001, 101_001)
    with pytest.raises(ValidationFailed) as error:
        await fleet.request("fault_light", filter=MinerFilter(), params={"on": True})
    assert error.value.error_code == "TOO_MANY_MACHINES"
    assert stored(fleet) == [0] * len(TABLES)


async def test_roles_and_scopes_hold_for_each_machine(fleet: CommandSite) -> None:
    technician = fleet.person("tom", role=Role.TECHNICIAN)
    assert (await fleet.request("set_fan", 1, caller=technician, **FAN)).commands
    with pytest.raises(Forbidden):
        await fleet.request("reboot_device", 1, caller=technician)
    with pytest.raises(Forbidden):
        await fleet.request("set_fan", 3, 5, caller=technician, **FAN)
    with pytest.raises(Forbidden) as error:
        await fleet.request("set_fan", 3, caller=fleet.person("noc", role=Role.NOC), **FAN, emergency=True)
    assert error.value.error_code == "EMERGENCY_NOT_ALLOWED"
    zoned = fleet.person("zoe", Reach(zones=(1,)))
    answer = await fleet.request("set_fan", 3, 4, caller=zoned, **FAN)
    assert [command.miner_id for command in answer.commands] == ["m3"]
    assert [(refusal.miner_id, refusal.error_code) for refusal in answer.refused] == [("m4", "NOT_FOUND")]
    with pytest.raises(NotFound):
        await fleet.request("set_fan", 4, caller=zoned, **FAN)


async def test_a_dedupe_key_makes_one_command_a_machine_in_its_window(fleet: CommandSite) -> None:
    """Jitter around a threshold: the rule fires again and again, and one command comes of it."""
    key = {"dedupe_key": "rule:7", "dedupe_window_sec": 600}
    first = await fleet.request("set_power_mode", 1, 2, caller=fleet.rule, params={"mode": "eco"}, **key)
    for _ in range(5):
        fleet.pass_time(30)
        again = await fleet.request("set_power_mode", 1, 2, caller=fleet.rule, params={"mode": "eco"}, **key)
        assert [(command.command_id, command.existing) for command in again.commands] == [
            (command.command_id, True) for command in first.commands
        ]
    third = await fleet.request("set_power_mode", 2, 3, caller=fleet.rule, params={"mode": "eco"}, **key)
    assert [(command.miner_id, command.existing) for command in third.commands] == [("m3", False), ("m2", True)]
    for command in await fleet.lease():
        await fleet.ack_one(command.dispatch_id)
    fleet.pass_time(300)
    await fleet.archive()
    finished = await fleet.request("set_power_mode", 1, caller=fleet.rule, params={"mode": "eco"}, **key)
    assert [(command.existing, command.state) for command in finished.commands] == [(True, "succeeded")]
    fleet.pass_time(200)
    assert (
        not (await fleet.request("set_power_mode", 1, caller=fleet.rule, params={"mode": "eco"}, **key))
        .commands[0]
        .existing
    )


async def test_an_idempotency_key_answers_the_same_and_is_for_one_request(fleet: CommandSite) -> None:
    key: dict[str, Any] = {"idempotency_key": "k-1"}
    first = await fleet.request("set_fan", 1, 777, **FAN, **key)
    again = await fleet.request("set_fan", 1, 777, **FAN, **key)
    assert (again.repeated, again.batch_id) == (True, first.batch_id)
    assert (again.commands, again.refused) == (first.commands, first.refused)
    assert fleet.count("commands") == 1
    with pytest.raises(Conflict) as error:
        await fleet.request("set_fan", 2, **FAN, **key)
    assert error.value.error_code == "IDEMPOTENCY_KEY_REUSED"
    fleet.pass_time(25 * 3600)
    assert not (await fleet.request("set_fan", 2, **FAN, **key)).repeated


async def test_a_dry_run_equals_the_request_and_stores_nothing(fleet: CommandSite) -> None:
    fleet.write(
        "insert into telemetry_live (miner_no, tenant_id, site_id, ts, online, status, flags, power_w,"
        " hashrate_5min_ths, updated_at) values (1, %s, 1, %s, true, 1, 0, 5000, 90, %s)",
        fleet.tenant,
        NOON,
        NOON,
    )
    fleet.write("update miners set model = null, expected_ths = null where miner_no = 3")
    miners = (1, 2, 3, 777)
    preview = await fleet.dry_run("disable_hashing", *miners)
    assert stored(fleet) == [0] * len(TABLES)
    assert fleet.count("audit_log") == 0
    assert (preview.impact.machines, preview.impact.kw, preview.impact.ths) == (3, 8.25, 90)
    assert (preview.impact.unknown_power, preview.impact.unknown_ths) == (1, 2)
    assert preview.impact.share_of_site == 3 / 60
    assert [(refusal.miner_id, refusal.error_code) for refusal in preview.excluded] == [("m777", "NOT_FOUND")]
    assert preview.needs_approval
    made = await fleet.request("disable_hashing", *miners)
    assert [command.miner_id for command in made.commands] == ["m1", "m2", "m3"]
    assert {command.approval_state for command in made.commands} == {"required"}


@pytest.mark.parametrize(
    "case",
    [
        ("fault_light", 20, {"params": {"on": True}}, "none", None),
        ("fault_light", 21, {"params": {"on": True}}, "required", "21 machines"),
        ("reboot_device", 1, {}, "required", "high-risk"),
        ("set_fan", 1, {**FAN, "approval_required": True}, "required", "approval was requested"),
        ("reboot_device", 1, {"emergency": True}, "approved", "high-risk"),
        ("reboot_device", 1, {"pre_approval": PreApproval("olga", "rule 7")}, "approved", "high-risk"),
    ],
)
async def test_what_needs_approval(fleet: CommandSite, case: tuple[str, int, dict[str, Any], str, str | None]) -> None:
    command_type, machines, more, state, word = case
    answer = await fleet.request(command_type, *range(1, machines + 1), **more)
    assert {command.approval_state for command in answer.commands} == {state}
    assert any(word in reason for reason in answer.approval_reasons) if word else not answer.approval_reasons


async def test_much_power_needs_approval(fleet: CommandSite) -> None:
    fleet.write(
        "insert into telemetry_live (miner_no, tenant_id, site_id, ts, online, status, flags, power_w, updated_at)"
        " select n, %s, 1, %s, true, 1, 0, 60000, %s from generate_series(1, 2) n",
        fleet.tenant,
        NOON,
        NOON,
    )
    assert (await fleet.request("set_fan", 1, 2, **FAN)).approval_reasons == ("120 kW in one request (limit 100 kW)",)


async def test_a_pre_approval_is_on_record(fleet: CommandSite) -> None:
    answer = await fleet.request("reboot_device", 1, caller=fleet.rule, pre_approval=PreApproval("olga", "rule 7 may"))
    (approval,) = (await fleet.story(answer.commands[0].command_id))["approvals"]
    assert (approval["decision"], approval["by_id"], approval["reason"]) == ("pre_approved", "olga", "rule 7 may")


async def test_a_pools_password_is_sealed_and_never_shown(fleet: CommandSite) -> None:
    params = {"pool_url": "stratum+tcp://pool.example:3333", "pool_user": "farm.1", "pool_password": "hunter2secret"}
    answer = await fleet.request("set_pool", 1, params=params, emergency=True)
    leased = await fleet.lease_one()
    assert leased.params["pool_password"] == "hunter2secret"
    assert "hunter2secret" not in repr(leased)
    await fleet.ack_one(leased.dispatch_id)
    story = await fleet.story(answer.commands[0].command_id)
    assert "hunter2secret" not in str(story)
    assert not {"sealed_params", "asks"} & story.keys()
    for table in ("commands", "command_history", "command_batches", "audit_log", "command_attempts"):
        assert not fleet.rows(f"select 1 from {table} t where t::text like '%%hunter2%%'")


async def test_a_pool_that_the_tenant_does_not_allow_is_refused(fleet: CommandSite) -> None:
    fleet.write(
        "insert into tenant_settings (tenant_id, version, data, updated_at) values (%s, 1, %s, %s)",
        fleet.tenant,
        '{"pools": {"allowed": ["*.example", "other.org:25"]}}',
        NOON,
    )
    for host, is_good in (("pool.example:3333", True), ("evil.org:3333", False), ("other.org:25", True)):
        params = {"pool_url": f"stratum+tcp://{host}", "pool_user": "farm.1"}
        if is_good:
            assert (await fleet.dry_run("set_pool", 1, params=params)).needs_approval
        else:
            with pytest.raises(ValidationFailed) as error:
                await fleet.dry_run("set_pool", 1, params=params)
            assert error.value.error_code == "POOL_NOT_ALLOWED"


async def test_many_machines_cost_as_many_statements_as_one(fleet: CommandSite) -> None:
    counts = []
    await fleet.dry_run("set_fan", 60, **FAN)  # a new connection asks its server some things of its own
    for miners in ((1,), range(2, 20), range(20, 60)):
        with fleet.statements() as sent:
            await fleet.request("set_fan", *miners, **FAN)
        counts.append(len(sent))
    assert counts[0] == counts[1] <= 17  # with `begin` and the context of the transaction
    assert counts[2] < counts[0], "what waits for approval is not counted as unapproved"

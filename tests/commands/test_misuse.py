"""What a valid token of a Technician or NOC must not reach, over HTTP, whatever way it takes."""

from typing import Any

import pytest

from hashinsight.client import CommandRequest, HashInsight
from tests.commands.two_tenants import TwoTenants, fan_command, refused_with

URL = "stratum+tcp://pool.example:3333"


def new(command_type: str, params: dict[str, Any], **more: Any) -> CommandRequest:
    return CommandRequest(command_type, params, **{"site_id": "tx-1", "miner_ids": ["m1"], "reason": "a test", **more})


@pytest.fixture
async def technician(tenants: TwoTenants) -> HashInsight:
    return await tenants.person("Technician")


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"url": "evil.example:3333"}, "config.url"),
        ({"power_mode": "eco", "URL1": "evil.example:3333"}, "config.URL1"),
        ({"mining": {"remote": [{"endpoint": "evil.example:3333"}]}}, "config.mining"),
        ({"power_mode": {"url": "evil.example:3333"}}, "config.power_mode"),
        ({"power_mode": "eco;set pool evil.example"}, "config.power_mode"),
        ({"fan_speed_pct": 101}, "config.fan_speed_pct"),
        ({"hostname": "evil.example"}, "config.hostname"),
    ],
)
async def test_a_configuration_with_a_pool_is_refused_naming_the_field(
    tenants: TwoTenants, technician: HashInsight, config: dict[str, Any], field: str
) -> None:
    body = {"site_id": "tx-1", "miner_ids": ["m1"], "command_type": "update_config", "params": {"config": config}}
    headers = dict(technician._session.headers)
    for caller in (headers, await tenants.headers("NOC"), await tenants.headers("Owner")):
        answer = await tenants.post("/commands", body, caller)
        assert (answer.status_code, answer.json()["error_code"]) == (422, "BAD_PARAMS")
        assert [param["param"] for param in answer.json()["details"]["params"]] == [field]
        assert "evil" not in answer.text
    assert set(tenants.stored().values()) == {0}


async def test_allowed_configuration_fields_are_sent_unchanged(tenants: TwoTenants, technician: HashInsight) -> None:
    config = {"power_mode": "eco", "fan_speed_pct": 80}
    made = await technician.commands.request(new("update_config", {"config": config}))
    assert made["commands"][0]["approval_state"] == "none"
    async with await tenants.edge() as edge:
        (handed,) = await edge.poll()
    assert handed.params == {"config": config}


@pytest.mark.parametrize("name", ["reboot_miner", "reboot_device", "switch_pool", "set_pool", "disable_hashing"])
async def test_another_name_does_not_lower_the_risk(tenants: TwoTenants, technician: HashInsight, name: str) -> None:
    params = {"pool_url": URL, "pool_user": "acme"} if "pool" in name else {}
    assert await refused_with(technician.commands.request(new(name, params))) == (403, "FORBIDDEN")
    made = await tenants.noc.commands.request(new(name, params))
    assert made["commands"][0]["approval_state"] == "required"


@pytest.mark.parametrize("target", [{"filter": {"text": "m1"}}, {"group_id": 1}, {"miner_ids": ["m1", "m2"]}])
async def test_groups_filters_and_lists_are_batches(technician: HashInsight, target: dict[str, Any]) -> None:
    request = new("set_fan", {"speed": 60}, **{"miner_ids": None, **target})
    assert await refused_with(technician.commands.request(request)) == (403, "FORBIDDEN")


@pytest.mark.parametrize("priority", ["safety", "compliance"])
async def test_a_technician_cannot_request_a_class_that_supersedes(
    tenants: TwoTenants, technician: HashInsight, priority: str
) -> None:
    """An approved stop in the queue would be superseded by a fan's speed."""
    stop = (await tenants.noc.commands.request(new("disable_hashing", {})))["commands"][0]["command_id"]
    await tenants.manager.commands.approve(stop, "seen")
    assert await refused_with(technician.commands.request(fan_command("m1", priority=priority))) == (403, "FORBIDDEN")
    assert (await tenants.noc.commands.get(stop))["state"] == "queued"
    urgent = (await tenants.noc.commands.request(fan_command("m2", priority=priority)))["commands"][0]["command_id"]
    assert await refused_with(technician.commands.cancel(urgent)) == (403, "FORBIDDEN")
    ordinary = (await tenants.noc.commands.request(fan_command("m3")))["commands"][0]["command_id"]
    assert (await technician.commands.cancel(ordinary))["state"] == "canceled"


async def test_an_allowed_pool_does_not_allow_a_foreign_account(tenants: TwoTenants) -> None:
    body = {"version": 0, "pools": {"allowed": ["pool.example"], "workers": ["acme"]}}
    changed = await tenants.api.patch("/api/admin/v1/settings", json=body, headers=await tenants.headers())
    assert changed.status_code == 200, changed.text
    for user, url in (("thief", URL), ("acmethief.m1", URL), ("acme", "stratum+tcp://thief.example:3333")):
        request = new("set_pool", {"pool_url": url, "pool_user": user})
        assert await refused_with(tenants.noc.commands.request(request)) == (422, "POOL_NOT_ALLOWED")
    for user in ("acme", "acme.m1"):
        run = await tenants.noc.commands.dry_run(new("set_pool", {"pool_url": URL, "pool_user": user}))
        assert run["machines"] == 1


async def test_emergency_and_pre_approval_cannot_be_claimed(tenants: TwoTenants, technician: HashInsight) -> None:
    urgent = fan_command("m1", emergency=True, priority="safety")
    for person, code in ((technician, "FORBIDDEN"), (tenants.noc, "EMERGENCY_NOT_ALLOWED")):
        assert await refused_with(person.commands.request(urgent)) == (403, code)
    for extra in ({"pre_approval": {"allowed_by": "me"}}, {"approval_state": "approved"}, {"rule": {"id": "r"}}):
        body = {"site_id": "tx-1", "miner_ids": ["m1"], "command_type": "set_fan", "params": {"speed": 60}, **extra}
        answer = await tenants.post("/commands", body, dict(technician._session.headers))
        assert (answer.status_code, answer.json()["error_code"]) == (422, "VALIDATION_FAILED")


@pytest.mark.parametrize("status", ["failed", "rejected"])
async def test_a_wrong_password_is_not_tried_again_and_is_named(tenants: TwoTenants, status: str) -> None:
    command_id = (await tenants.noc.commands.request(fan_command("m1")))["commands"][0]["command_id"]
    async with await tenants.edge() as edge:
        (handed,) = await edge.poll()
        await edge.ack(handed.command_id, status, error_code="AUTH_FAILED", message="401 from the miner")
        assert await edge.poll() == []
    story = await tenants.noc.commands.get(command_id)
    assert (story["state"], story["error_code"], story["error_message"]) == (
        *("failed", "AUTH_FAILED"),
        "401 from the miner",
    )
    assert story["history"][-1]["message"].startswith("the machine rejected the password")

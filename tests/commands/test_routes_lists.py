"""Lists, stories and batches over HTTP, and who sees what of them."""

import pytest

from hashinsight.client import HashInsight
from tests.commands.two_tenants import ADMIN, TwoTenants, fan_command, reboot_command, refused_with

NOBODYS = "01980f80-0000-7000-8000-00000000dead"


async def test_a_story_has_attempts_history_approvals_and_audit(tenants: TwoTenants) -> None:
    waiting = await tenants.noc.commands.request(reboot_command("m2"))
    command_id = waiting["commands"][0]["command_id"]
    await tenants.manager.commands.approve(command_id, "yes")
    async with await tenants.edge(device_id="box") as edge:
        for command in await edge.poll():
            await edge.ack(command.command_id, "succeeded", before={"fan": 1}, after={"fan": 2})
    story = await tenants.owner.commands.get(command_id)
    (attempt,) = story["attempts"]
    assert (attempt["result"], attempt["snapshot_before"], attempt["snapshot_after"]) == (
        "succeeded",
        {"fan": 1},
        {"fan": 2},
    )
    assert [move["event"] for move in story["history"]] == ["created", "approved", "leased", "succeeded"]
    assert [approval["decision"] for approval in story["approvals"]] == ["approved"]
    assert {entry["action"] for entry in story["audit"] or ()} >= {"command_created", "command_acked"}
    assert story["created_at"].endswith("Z")


async def test_the_catalogue_has_parameters_with_units(tenants: TwoTenants) -> None:
    catalogue = await tenants.noc.commands.catalogue()
    (kind,) = [kind for kind in catalogue["types"] if kind["command_type"] == "set_fan"]
    speed = {"type": "integer", "title": "Speed", "minimum": 0, "maximum": 100, "unit": "%"}
    assert kind["params"] == {"properties": {"speed": speed}, "required": ["speed"], "anyOf": []}
    (pool,) = [kind for kind in catalogue["types"] if kind["command_type"] == "set_pool"]
    assert [part["required"] for part in pool["params"]["anyOf"]] == [["pool_url", "pool_user"], ["pool_id"]]
    assert (kind["wire_verb"], kind["risk"], kind["effect"], kind["down"]) == ("set_fan", "medium", "adjusts", "no")
    assert catalogue["priorities"] == ["safety", "compliance", "efficiency", "convenience"]


async def test_a_list_is_paged_to_its_end_over_open_and_finished_commands(tenants: TwoTenants) -> None:
    for n in range(1, 8):
        tenants.at(n)
        await tenants.noc.commands.request(fan_command(f"m{n}"))
    async with await tenants.edge() as edge:
        for handed in await edge.poll(3):
            await edge.ack(handed.command_id)
    tenants.write(
        "with gone as (delete from commands where state = 'succeeded' returning *) insert into commands_done table gone"
    )
    listed = [command async for command in tenants.noc.commands.list(limit=2)]
    assert [command["miner_id"] for command in listed] == ["m7", "m6", "m5", "m4", "m3", "m2", "m1"]
    done = [command["miner_id"] async for command in tenants.noc.commands.list(limit=1, state="succeeded")]
    assert done == ["m3", "m2", "m1"]
    both = [command async for command in tenants.noc.commands.list(state=["succeeded", "queued"])]
    assert len(both) == 7
    assert (await tenants.noc.commands.get(listed[-1]["command_id"]))["state"] == "succeeded"


async def test_filters_narrow_and_a_machine_is_found_under_its_new_name(tenants: TwoTenants) -> None:
    first = await tenants.noc.commands.request(fan_command("m1", problem_id="p-1", priority="safety"))
    await tenants.noc.commands.request(reboot_command("m2"))
    await tenants.noc.commands.request(fan_command("n1", site_id="tx-2"))

    async def miner_ids(**wanted: object) -> list[str]:
        return [command["miner_id"] async for command in tenants.noc.commands.list(**wanted)]

    assert await miner_ids(site_id="tx-1") == ["m2", "m1"]
    assert await miner_ids(batch_id=first["batch_id"]) == ["m1"]
    assert await miner_ids(approval_state="required") == ["m2"]
    assert await miner_ids(command_type="set_fan", priority="safety") == ["m1"]
    assert await miner_ids(problem_id="p-1") == ["m1"]
    assert await miner_ids(miner_id="n1") == ["n1"]
    assert await miner_ids(since=tenants.now.isoformat(), until=tenants.now.isoformat()) == []
    assert await refused_with(anext(tenants.noc.commands.list(state="asleep"))) == (422, "VALIDATION_FAILED")
    assert await refused_with(anext(tenants.noc.commands.list(cursor="junk"))) == (422, "VALIDATION_FAILED")
    assert await refused_with(anext(tenants.noc.commands.list(site_id="other"))) == (404, "NOT_FOUND")
    tenants.write("update miners set miner_id = 'renamed' where miner_id = 'm1'")
    assert await miner_ids(miner_id="renamed") == ["m1"]
    assert await miner_ids(miner_id="m1") == ["m1"]


async def test_another_tenant_finds_nothing_of_it(tenants: TwoTenants) -> None:
    made = await tenants.noc.commands.request(reboot_command("m1"))
    command_id, batch_id = made["commands"][0]["command_id"], made["batch_id"]
    stranger = await tenants.person("Owner", "b")
    assert [command async for command in stranger.commands.list()] == []
    assert [batch async for batch in stranger.batches.list()] == []
    for call in (
        stranger.commands.get(command_id),
        stranger.commands.approve(command_id, "x"),
        stranger.commands.reject(command_id, "x"),
        stranger.commands.cancel(command_id),
        stranger.batches.get(batch_id),
        anext(stranger.batches.refused(batch_id)),
        stranger.batches.approve(batch_id, "x"),
        stranger.batches.reject(batch_id, "x"),
        stranger.batches.cancel(batch_id),
        stranger.commands.get(NOBODYS),
    ):
        assert await refused_with(call) == (404, "NOT_FOUND")
    assert (await tenants.noc.commands.get(command_id))["approval_state"] == "required"


@pytest.mark.parametrize(
    ("role", "may"),
    [("NOC", "one many reboot"), ("Technician", "one"), ("CustomerSuccess", ""), ("Customer", "")],
)
async def test_each_role_requests_what_it_may_and_sees_all(tenants: TwoTenants, role: str, may: str) -> None:
    person = await tenants.person(role)
    requests = {"one": fan_command("m1"), "many": fan_command("m2", "m3"), "reboot": reboot_command("m4")}
    for name, new in requests.items():
        if name in may.split():
            assert (await person.commands.request(new))["counts"]["refused"] == 0
        else:
            assert await refused_with(person.commands.request(new)) == (403, "FORBIDDEN")
            assert await refused_with(person.commands.dry_run(new)) == (403, "FORBIDDEN")
    made = await tenants.noc.commands.request(fan_command("m5"))
    command_id = made["commands"][0]["command_id"]
    story = await person.commands.get(command_id)
    assert (story["audit"] is not None) == (role == "NOC")
    assert (await person.batches.get(made["batch_id"]))["states"] == {"queued": 1}
    if not may:
        assert await refused_with(person.commands.cancel(command_id)) == (403, "FORBIDDEN")


async def test_a_zone_operator_commands_and_sees_that_zone_only(tenants: TwoTenants) -> None:
    odd = await tenants.person("NOC", zones=[tenants.zone_id("z1")])
    made = await odd.commands.request(fan_command("m1", "m2", "m3"))
    assert sorted(command["miner_id"] for command in made["commands"]) == ["m1", "m3"]
    assert made["refused"] == [{"miner_id": "m2", "error_code": "NOT_FOUND", "reason": "no such machine"}]
    others = await tenants.noc.commands.request(fan_command("m2", "m5"))
    assert {command["miner_id"] async for command in odd.commands.list()} == {"m1", "m3", "m5"}
    hidden = next(command["command_id"] for command in others["commands"] if command["miner_id"] == "m2")
    assert await refused_with(odd.commands.get(hidden)) == (404, "NOT_FOUND")
    assert await refused_with(odd.batches.get(others["batch_id"])) == (404, "NOT_FOUND")
    assert (await odd.batches.get(made["batch_id"]))["counts"]["created"] == 2
    assert [batch["batch_id"] async for batch in odd.batches.list()] == [made["batch_id"]]


async def test_an_operator_of_another_site_commands_nothing_here(tenants: TwoTenants) -> None:
    there = await tenants.person("Owner", sites=[tenants.site_id("tx-2")])
    assert await refused_with(there.commands.request(fan_command("m1"))) == (404, "NOT_FOUND")
    assert await refused_with(there.commands.request(fan_command("m1", site_id=None))) == (404, "NOT_FOUND")
    assert (await there.commands.request(fan_command("n1", site_id="tx-2")))["counts"]["created"] == 1
    assert set(tenants.rows("select distinct miner_id from commands")[0].values()) == {"n1"}


async def test_a_zone_operator_who_sees_the_site_gets_the_machines_refused_to_them(tenants: TwoTenants) -> None:
    user_id, email = await tenants.people.user("Customer")
    tokens = await tenants.people.sign_in(email)
    person = HashInsight(tenants.api, token=tokens.access_token)
    grant = {"user_id": str(user_id), "role": "NOC", "zone_ids": [tenants.zone_id("z1")]}
    assert (await tenants.post("/grants", grant, dict(tenants.owner._session.headers))).status_code == 201
    made = await person.commands.request(fan_command("m1", "m2"))
    assert [command["miner_id"] for command in made["commands"]] == ["m1"]
    assert [(refusal["miner_id"], refusal["error_code"]) for refusal in made["refused"]] == [("m2", "FORBIDDEN")]
    assert await refused_with(person.commands.request(fan_command("m4"))) == (403, "FORBIDDEN")


async def test_refused_machines_of_a_batch_are_paged(tenants: TwoTenants) -> None:
    miners = [f"m{n}" for n in range(1, 11)]
    await tenants.noc.commands.request(fan_command(*miners))
    again = await tenants.noc.commands.request(fan_command(*miners))
    listed = [refusal async for refusal in tenants.noc.batches.refused(again["batch_id"], limit=3)]
    assert listed == again["refused"]
    assert len(listed) == 10
    answer = await tenants.api.get(
        f"{ADMIN}/batches/{again['batch_id']}/refused", params={"cursor": "junk"}, headers=tenants.noc._session.headers
    )
    assert answer.status_code == 422


async def test_a_long_answer_is_cut_and_its_counts_are_not(
    tenants: TwoTenants, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hashinsight.commands.schemas.batches.MAX_ROWS_IN_ANSWER", 4)
    miners = [f"m{n}" for n in range(1, 11)]
    made = await tenants.noc.commands.request(fan_command(*miners))
    assert (len(made["commands"]), made["counts"]["created"]) == (4, 10)
    assert len([command async for command in tenants.noc.commands.list(batch_id=made["batch_id"])]) == 10
    again = await tenants.noc.commands.request(fan_command(*miners))
    assert (len(again["refused"]), again["counts"]["refused"]) == (4, 10)
    run = await tenants.noc.commands.dry_run(fan_command(*miners))
    assert (len(run["excluded"]), run["counts"]["excluded"]) == (4, 10)

"""A poll over HTTP: who gets what, in which words, and that nobody gets what another has."""

import asyncio
from datetime import timedelta
from itertools import product
from typing import Any
from uuid import UUID

import pytest

from hashinsight.kit.clock import iso_z
from tests.commands.edge_site import LEGACY, POLL, EdgeSite
from tests.edge.simulated_site import until
from tests.installation import HANG_TIMEOUT_SEC

PATHS = [POLL, f"{LEGACY}/pending", f"{LEGACY}/pending/tx-1"]


@pytest.mark.parametrize("path", PATHS)
async def test_a_stranger_is_refused_and_another_tenant_gets_nothing(gate: EdgeSite, path: str) -> None:
    await gate.order()
    assert (await gate.api.get(path)).status_code == 401
    answer = await gate.poll(await gate.stranger(), path)
    assert answer.status_code == (403 if "tx-1" in path else 200)
    assert not answer.json().get("commands")
    assert len(await gate.polled()) == 1


async def test_a_command_is_handed_out_as_the_contract_has_it(gate: EdgeSite) -> None:
    (command_id,) = await gate.order("set_fan", 1, priority="compliance", priority_number=7, ttl_sec=600)
    (handed,) = await gate.polled()
    now = gate.scene.now
    assert UUID(handed.pop("command_id")) != command_id
    assert handed == {
        "site_id": "tx-1",
        "miner_id": "m1",
        "command_type": "set_fan",
        "command": "set_fan",
        "params": {"speed": 60},
        "priority": 27,
        "issued_at": iso_z(now),
        "expires_at": iso_z(now + timedelta(seconds=600)),
        "ttl_sec": 600,
        "attempt": 1,
        "lease_until": iso_z(now + timedelta(seconds=180)),
    }
    row = gate.command(command_id)
    assert (row["state"], str(row["lease_owner"])) == ("dispatched", gate.collector_id)


@pytest.mark.parametrize("path", PATHS)
async def test_an_empty_poll_is_200_and_a_list(gate: EdgeSite, path: str) -> None:
    answer = await gate.poll(path=path)
    assert answer.status_code == 200
    assert answer.json() == ({"commands": []} if path == POLL else {"success": True, "commands": []})


@pytest.mark.parametrize("path", PATHS[1:])
async def test_the_legacy_routes_lease_the_same_commands(gate: EdgeSite, path: str) -> None:
    await gate.order()
    answer = (await gate.poll(path=path)).json()
    assert answer["success"] is True
    (handed,) = answer["commands"]
    assert (handed["command"], handed["miner_id"]) == ("set_fan", "m1")
    assert await gate.polled() == []


async def test_two_collectors_that_poll_at_once_never_get_the_same_command(gate: EdgeSite) -> None:
    machines = range(1, 61)
    await gate.order("set_fan", *machines)
    polls = [gate.polled(headers, limit=7) for _ in range(6) for headers in (gate.north, gate.south)]
    taken = [one for polled in await asyncio.gather(*polls) for one in polled]
    while more := await gate.polled():
        taken += more
    assert sorted(one["miner_id"] for one in taken) == sorted(f"m{one}" for one in machines)
    assert len({one["command_id"] for one in taken}) == len(machines)
    assert gate.rows("select command_id from command_attempts where deliveries <> 1") == []


async def test_the_urgent_come_first_and_then_the_old(gate: EdgeSite) -> None:
    await gate.order("set_fan", 1, priority="convenience")
    await gate.order("set_fan", 2)
    gate.scene.at(1)
    await gate.order("set_fan", 3)
    await gate.order("set_fan", 4, priority="safety")
    assert [one["miner_id"] for one in await gate.polled(limit=3)] == ["m4", "m2", "m3"]


async def test_the_site_comes_back_in_the_form_that_the_collector_uses(gate: EdgeSite) -> None:
    number = str(gate.scene.site_id)
    for machine, said in enumerate(("tx-1", number, "tx-1"), 1):
        await gate.order("set_fan", machine)
        (handed,) = await gate.polled(gate.north | {"X-Site-ID": said})
        assert handed["site_id"] == said
    await gate.order("set_fan", 4)
    (handed,) = await gate.polled()
    assert handed["site_id"] == "tx-1"


async def test_the_form_is_also_taken_from_the_query_and_from_the_path(gate: EdgeSite) -> None:
    number = str(gate.scene.site_id)
    await gate.order("set_fan", 1, 2)
    (first,) = await gate.polled(site_id=number, limit=1)
    (second,) = (await gate.poll(path=f"{LEGACY}/pending/{number}")).json()["commands"]
    assert first["site_id"] == second["site_id"] == number


ELSEWHERE: list[tuple[dict[str, str], dict[str, str]]] = [
    ({"X-Site-ID": "other"}, {}),
    ({"X-Zone-ID": "other"}, {}),
    ({}, {"site_id": "other"}),
    ({}, {"collector_id": "south"}),
    ({}, {"collector_id": "0195508a-0000-7000-8000-00000000000b"}),
]


async def test_who_names_another_place_or_collector_is_refused_and_never_with_404(gate: EdgeSite) -> None:
    await gate.order()
    for (headers, params), path in product(ELSEWHERE, PATHS[:2]):
        assert (await gate.poll(gate.north | headers, path, **params)).status_code == 403
    assert (await gate.poll(path=f"{LEGACY}/pending/other")).status_code == 403
    assert len(await gate.polled(collector_id=gate.collector_id.upper())) == 1


async def test_a_zone_that_the_collector_says_is_the_only_one_it_gets_commands_for(gate: EdgeSite) -> None:
    await gate.order("set_fan", 1, 2, 3)
    for zone in ("hall", str(gate.zone_id)):
        (one,) = await gate.polled(gate.north | {"X-Zone-ID": zone}, limit=1)
        assert (one["zone_id"], int(one["miner_id"][1:]) % 2) == (zone, 1)
    assert await gate.polled(gate.north | {"X-Zone-ID": "hall"}) == []
    (rest,) = await gate.polled()
    assert rest["miner_id"] == "m2"
    assert "zone_id" not in rest


async def test_a_collector_of_a_zone_gets_its_machines_commands(gate: EdgeSite) -> None:
    zoned = await gate.collector("zoned", zone_id="hall")
    await gate.order("set_fan", 1, 2)
    (one,) = await gate.polled(zoned)
    assert one["miner_id"] == "m1"


async def test_without_the_permission_to_control_a_poll_is_empty(gate: EdgeSite) -> None:
    reader = await gate.collector("reader", permissions=["read"])
    await gate.order()
    assert await gate.polled(reader) == []
    assert len(await gate.polled()) == 1


async def test_a_disabled_collector_gets_none(gate: EdgeSite) -> None:
    await gate.order()
    await gate.scene.post(f"collectors/{gate.collector_id}/disable")
    answer = await gate.poll()
    assert (answer.status_code, answer.json()["error_code"]) == (403, "COLLECTOR_NOT_ACTIVE")


async def test_fifty_are_the_default_and_a_limit_beyond_the_most_is_cut(gate: EdgeSite) -> None:
    await gate.order("set_fan", *range(1, 61))
    assert len(await gate.polled()) == 50
    assert len(await gate.polled(limit=10**30)) == 10


async def test_a_limit_that_is_none_is_refused_by_a_code(gate: EdgeSite) -> None:
    await gate.order()
    for limit in ("0", "-1", "x", "1.5", ""):
        answer = await gate.poll(limit=limit)
        assert (answer.status_code, answer.json()["error_code"]) == (422, "VALIDATION_FAILED"), limit
    assert len(await gate.polled()) == 1


async def test_a_pools_password_is_for_the_wire_alone(gate: EdgeSite) -> None:
    pool = {"pool_url": "stratum+tcp://pool.example:3333", "pool_user": "acme.1", "pool_password": "hunter22"}
    await gate.order("set_pool", 1, params=pool)
    (handed,) = await gate.polled()
    assert handed["params"] == pool
    await gate.said(handed["command_id"], body={"result": {"pool_password": "hunter22"}, "after": pool})
    kept = str(gate.everything()) + str(gate.rows("select * from audit_log"))
    assert "hunter22" not in kept


async def test_what_cannot_be_committed_is_neither_handed_out_nor_leased(gate: EdgeSite) -> None:
    (command_id,) = await gate.order()
    gate.write(
        "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;"
        "create constraint trigger refuse after insert on command_attempts deferrable initially deferred"
        " for each row execute function refuse()"
    )
    answer = await gate.poll()
    assert answer.status_code == 500
    assert "commands" not in answer.json()
    assert gate.command(command_id)["state"] == "queued"
    gate.write("drop trigger refuse on command_attempts")
    assert len(await gate.polled()) == 1


async def test_a_device_keeps_its_own_leases_under_a_shared_token(gate: EdgeSite) -> None:
    await gate.order("set_fan", 1, 2)
    shards: list[Any] = [await gate.polled(gate.north | {"X-Device-ID": name}, limit=1) for name in ("a", "b")]
    (first,), (second,) = shards
    assert {first["miner_id"], second["miner_id"]} == {"m1", "m2"}
    devices = gate.rows("select device from command_attempts order by device")
    assert [one["device"] for one in devices] == ["a", "b"]


async def test_what_runs_out_while_a_poll_waits_for_its_turn_is_not_handed_out(gate: EdgeSite) -> None:
    await gate.order("set_fan", 1, ttl_sec=5)
    await gate.order("set_fan", 2, ttl_sec=60)
    turns = gate.scene.app.state.turns
    turns._patience_seconds = HANG_TIMEOUT_SEC
    async with turns.of(gate.scene.site_id):
        polled = asyncio.create_task(gate.polled())
        await until(lambda: bool(turns._of[gate.scene.site_id]._waiters), "it to stand in line")
        gate.scene.at(6)
    (handed,) = await polled
    assert handed["miner_id"] == "m2"
    assert handed["lease_until"] == iso_z(gate.scene.now + timedelta(seconds=180))


SAMPLES = {"schema": "telemetry_envelope.v1", "records": [{"miner_id": "m60", "online": False}]}


@pytest.mark.parametrize("device", [None, "box-1"])
async def test_a_device_that_only_uploads_while_it_is_at_its_commands_keeps_its_leases(
    gate: EdgeSite, device: str | None
) -> None:
    """Some makes send no heartbeat, and ack when the whole poll is done: 150 s for machines that do not answer."""
    quick = await gate.collector("quick", collection_interval_sec=20, heartbeat_interval_sec=20)
    quick |= {} if device is None else {"X-Device-ID": device}
    (command_id,) = await gate.order("set_fan", 1)
    assert len(await gate.polled(quick)) == 1
    for seconds in range(20, 160, 20):
        gate.scene.at(seconds)
        answer = await gate.post("/api/edge/v1/telemetry/batch", SAMPLES, quick)
        assert answer.status_code == 200, answer.text
        await gate.sweep()
        assert gate.command(command_id)["state"] == "dispatched", f"after {seconds} s"
    for seconds in (165, 205):
        gate.scene.at(seconds)
        await gate.sweep()
    assert gate.events(command_id)[-1] == "lease_lost", "and when it is silent, it gives them back"

"""A poll over HTTP: who gets what, in which words, and that nobody gets what another has."""

import asyncio
from datetime import timedelta
from itertools import product
from typing import Any
from uuid import UUID

import pytest

from hashinsight.wire.times import write_time
from tests.commands.edge_site import LEGACY, POLL, EdgeSite
from tests.edge.simulated_site import until
from tests.installation import HANG_TIMEOUT_SEC

PATHS = [POLL, f"{LEGACY}/pending", f"{LEGACY}/pending/tx-1"]


@pytest.mark.parametrize("path", PATHS)
async def test_a_stranger_is_refused_and_another_tenant_gets_nothing(edge_site: EdgeSite, path: str) -> None:
    await edge_site.make_commands()
    assert (await edge_site.api.get(path)).status_code == 401
    answer = await edge_site.poll(await edge_site.stranger(), path)
    assert answer.status_code == (403 if "tx-1" in path else 200)
    assert not answer.json().get("commands")
    assert len(await edge_site.poll_commands()) == 1


async def test_a_polled_command_follows_the_contract(edge_site: EdgeSite) -> None:
    (command_id,) = await edge_site.make_commands("set_fan", 1, priority="compliance", priority_number=7, ttl_sec=600)
    (handed,) = await edge_site.poll_commands()
    now = edge_site.collector_site.now
    assert UUID(handed.pop("command_id")) != command_id
    assert handed == {
        "site_id": "tx-1",
        "miner_id": "m1",
        "command_type": "set_fan",
        "command": "set_fan",
        "params": {"speed": 60},
        "priority": 27,
        "issued_at": write_time(now),
        "expires_at": write_time(now + timedelta(seconds=600)),
        "ttl_sec": 600,
        "attempt": 1,
        "lease_until": write_time(now + timedelta(seconds=180)),
    }
    row = edge_site.command(command_id)
    assert (row["state"], str(row["lease_owner"])) == ("dispatched", edge_site.collector_id)


@pytest.mark.parametrize("path", PATHS)
async def test_an_empty_poll_is_200_with_an_empty_list(edge_site: EdgeSite, path: str) -> None:
    answer = await edge_site.poll(path=path)
    assert answer.status_code == 200
    assert answer.json() == ({"commands": []} if path == POLL else {"success": True, "commands": []})


@pytest.mark.parametrize("path", PATHS[1:])
async def test_the_legacy_routes_lease_the_same_commands(edge_site: EdgeSite, path: str) -> None:
    await edge_site.make_commands()
    answer = (await edge_site.poll(path=path)).json()
    assert answer["success"] is True
    (handed,) = answer["commands"]
    assert (handed["command"], handed["miner_id"]) == ("set_fan", "m1")
    assert await edge_site.poll_commands() == []


async def test_two_collectors_that_poll_at_once_never_get_the_same_command(edge_site: EdgeSite) -> None:
    machines = range(1, 61)
    await edge_site.make_commands("set_fan", *machines)
    polls = [
        edge_site.poll_commands(headers, limit=7) for _ in range(6) for headers in (edge_site.north, edge_site.south)
    ]
    taken = [command for polled in await asyncio.gather(*polls) for command in polled]
    while more := await edge_site.poll_commands():
        taken += more
    assert sorted(machine["miner_id"] for machine in taken) == sorted(f"m{machine}" for machine in machines)
    assert len({command["command_id"] for command in taken}) == len(machines)
    assert edge_site.rows("select command_id from command_attempts where deliveries <> 1") == []


async def test_urgent_commands_come_first_and_then_the_oldest(edge_site: EdgeSite) -> None:
    await edge_site.make_commands("set_fan", 1, priority="convenience")
    await edge_site.make_commands("set_fan", 2)
    edge_site.collector_site.at(1)
    await edge_site.make_commands("set_fan", 3)
    await edge_site.make_commands("set_fan", 4, priority="safety")
    assert [command["miner_id"] for command in await edge_site.poll_commands(limit=3)] == ["m4", "m2", "m3"]


async def test_the_site_is_returned_in_the_form_that_the_collector_uses(edge_site: EdgeSite) -> None:
    number = str(edge_site.collector_site.site_id)
    for machine, site in enumerate(("tx-1", number, "tx-1"), 1):
        await edge_site.make_commands("set_fan", machine)
        (handed,) = await edge_site.poll_commands(edge_site.north | {"X-Site-ID": site})
        assert handed["site_id"] == site
    await edge_site.make_commands("set_fan", 4)
    (handed,) = await edge_site.poll_commands()
    assert handed["site_id"] == "tx-1"


async def test_the_form_is_also_taken_from_the_query_and_from_the_path(edge_site: EdgeSite) -> None:
    number = str(edge_site.collector_site.site_id)
    await edge_site.make_commands("set_fan", 1, 2)
    (first,) = await edge_site.poll_commands(site_id=number, limit=1)
    (second,) = (await edge_site.poll(path=f"{LEGACY}/pending/{number}")).json()["commands"]
    assert first["site_id"] == second["site_id"] == number


ELSEWHERE: list[tuple[dict[str, str], dict[str, str]]] = [
    ({"X-Site-ID": "other"}, {}),
    ({"X-Zone-ID": "other"}, {}),
    ({}, {"site_id": "other"}),
    ({}, {"collector_id": "south"}),
    ({}, {"collector_id": "0195508a-0000-7000-8000-00000000000b"}),
]


async def test_naming_another_site_or_collector_is_refused_and_never_with_404(edge_site: EdgeSite) -> None:
    await edge_site.make_commands()
    for (headers, params), path in product(ELSEWHERE, PATHS[:2]):
        assert (await edge_site.poll(edge_site.north | headers, path, **params)).status_code == 403
    assert (await edge_site.poll(path=f"{LEGACY}/pending/other")).status_code == 403
    assert len(await edge_site.poll_commands(collector_id=edge_site.collector_id.upper())) == 1


async def test_a_collector_naming_a_zone_gets_commands_of_that_zone_only(edge_site: EdgeSite) -> None:
    await edge_site.make_commands("set_fan", 1, 2, 3)
    for zone in ("hall", str(edge_site.zone_id)):
        (command,) = await edge_site.poll_commands(edge_site.north | {"X-Zone-ID": zone}, limit=1)
        assert (command["zone_id"], int(command["miner_id"][1:]) % 2) == (zone, 1)
    assert await edge_site.poll_commands(edge_site.north | {"X-Zone-ID": "hall"}) == []
    (rest,) = await edge_site.poll_commands()
    assert rest["miner_id"] == "m2"
    assert "zone_id" not in rest


async def test_a_collector_of_a_zone_gets_its_machines_commands(edge_site: EdgeSite) -> None:
    zoned = await edge_site.collector("zoned", zone_id="hall")
    await edge_site.make_commands("set_fan", 1, 2)
    (command,) = await edge_site.poll_commands(zoned)
    assert command["miner_id"] == "m1"


async def test_without_the_permission_to_control_a_poll_is_empty(edge_site: EdgeSite) -> None:
    reader = await edge_site.collector("reader", permissions=["read"])
    await edge_site.make_commands()
    assert await edge_site.poll_commands(reader) == []
    assert len(await edge_site.poll_commands()) == 1


async def test_a_disabled_collector_gets_none(edge_site: EdgeSite) -> None:
    await edge_site.make_commands()
    await edge_site.collector_site.post(f"collectors/{edge_site.collector_id}/disable")
    answer = await edge_site.poll()
    assert (answer.status_code, answer.json()["error_code"]) == (403, "COLLECTOR_NOT_ACTIVE")


async def test_fifty_are_the_default_and_a_limit_beyond_the_most_is_cut(edge_site: EdgeSite) -> None:
    await edge_site.make_commands("set_fan", *range(1, 61))
    assert len(await edge_site.poll_commands()) == 50
    assert len(await edge_site.poll_commands(limit=10**30)) == 10


async def test_an_invalid_limit_is_refused_with_a_code(edge_site: EdgeSite) -> None:
    await edge_site.make_commands()
    for limit in ("0", "-1", "x", "1.5", ""):
        answer = await edge_site.poll(limit=limit)
        assert (answer.status_code, answer.json()["error_code"]) == (422, "VALIDATION_FAILED"), limit
    assert len(await edge_site.poll_commands()) == 1


async def test_a_pool_password_is_only_sent_on_the_wire(edge_site: EdgeSite) -> None:
    pool = {"pool_url": "stratum+tcp://pool.example:3333", "pool_user": "acme.1", "pool_password": "hunter22"}
    await edge_site.make_commands("set_pool", 1, params=pool)
    (handed,) = await edge_site.poll_commands()
    assert handed["params"] == pool
    await edge_site.ack(handed["command_id"], body={"result": {"pool_password": "hunter22"}, "after": pool})
    kept = str(edge_site.everything()) + str(edge_site.rows("select * from audit_log"))
    assert "hunter22" not in kept


async def test_a_failed_commit_hands_out_and_leases_nothing(edge_site: EdgeSite) -> None:
    (command_id,) = await edge_site.make_commands()
    edge_site.write(
        "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;"
        "create constraint trigger refuse after insert on command_attempts deferrable initially deferred"
        " for each row execute function refuse()"
    )
    answer = await edge_site.poll()
    assert answer.status_code == 500
    assert "commands" not in answer.json()
    assert edge_site.command(command_id)["state"] == "queued"
    edge_site.write("drop trigger refuse on command_attempts")
    assert len(await edge_site.poll_commands()) == 1


async def test_a_device_keeps_its_own_leases_under_a_shared_token(edge_site: EdgeSite) -> None:
    await edge_site.make_commands("set_fan", 1, 2)
    shards: list[Any] = [
        await edge_site.poll_commands(edge_site.north | {"X-Device-ID": name}, limit=1) for name in ("a", "b")
    ]
    (first,), (second,) = shards
    assert {first["miner_id"], second["miner_id"]} == {"m1", "m2"}
    devices = edge_site.rows("select device from command_attempts order by device")
    assert [device["device"] for device in devices] == ["a", "b"]


async def test_commands_expiring_while_a_poll_waits_are_not_handed_out(edge_site: EdgeSite) -> None:
    await edge_site.make_commands("set_fan", 1, ttl_sec=5)
    await edge_site.make_commands("set_fan", 2, ttl_sec=60)
    turns = edge_site.collector_site.app.state.turns
    turns._patience_seconds = HANG_TIMEOUT_SEC
    async with turns.of(edge_site.collector_site.site_id):
        polled = asyncio.create_task(edge_site.poll_commands())
        await until(lambda: bool(turns._locks[edge_site.collector_site.site_id]._waiters), "it to stand in line")
        edge_site.collector_site.at(6)
    (handed,) = await polled
    assert handed["miner_id"] == "m2"
    assert handed["lease_until"] == write_time(edge_site.collector_site.now + timedelta(seconds=180))


SAMPLES = {"schema": "telemetry_envelope.v1", "records": [{"miner_id": "m60", "online": False}]}


@pytest.mark.parametrize("device", [None, "box-1"])
async def test_a_device_uploading_while_it_runs_commands_keeps_its_leases(
    edge_site: EdgeSite, device: str | None
) -> None:
    """Some makes send no heartbeat, and ack when the whole poll is done: 150 s for machines that do not answer."""
    quick = await edge_site.collector("quick", collection_interval_sec=20, heartbeat_interval_sec=20)
    quick |= {} if device is None else {"X-Device-ID": device}
    (command_id,) = await edge_site.make_commands("set_fan", 1)
    assert len(await edge_site.poll_commands(quick)) == 1
    for seconds in range(20, 160, 20):
        edge_site.collector_site.at(seconds)
        answer = await edge_site.post("/api/edge/v1/telemetry/batch", SAMPLES, quick)
        assert answer.status_code == 200, answer.text
        await edge_site.sweep()
        assert edge_site.command(command_id)["state"] == "dispatched", f"after {seconds} s"
    for seconds in (165, 205):
        edge_site.collector_site.at(seconds)
        await edge_site.sweep()
    assert edge_site.events(command_id)[-1] == "lease_lost", "and when it is silent, it gives them back"

"""Every door of a collector, tried with one zone's token on another zone's machines, commands and collectors."""

from typing import Any

import pytest

from tests.telemetry.zoned_site import EDGE, ZonedSite

LEGACY = "/api/collector"


async def dispatched(halls: ZonedSite) -> str:
    """A command for b1 that b's collector was handed: its id on the wire."""
    order = {"site_id": "tx-1", "miner_ids": ["b1"], "command_type": "set_fan", "params": {"speed": 60}}
    await halls.act("POST", "/commands", **order)
    for path in (f"{EDGE}/commands/poll", f"{LEGACY}/commands/pending", f"{LEGACY}/commands/pending/tx-1"):
        assert (await halls.place.api.get(path, headers=halls.a)).json()["commands"] == []
    (command,) = (await halls.place.api.get(f"{EDGE}/commands/poll", headers=halls.b)).json()["commands"]
    command_id: str = command["command_id"]
    return command_id


async def test_no_ack_of_another_zones_command_is_applied_by_any_route_or_dialect(halls: ZonedSite) -> None:
    command_id = await dispatched(halls)
    done: dict[str, Any] = {"status": "succeeded"}
    listed = {"results": [{"asset_id": "b1", "status": "succeeded"}, {"asset_id": "a1", "status": "failed"}]}
    tries: list[tuple[str, Any]] = [
        (f"{EDGE}/commands/{command_id}/ack", done),
        (f"{EDGE}/commands/{command_id}/ack", {"status": "running"}),
        (f"{EDGE}/commands/{command_id}/ack", listed),
        (f"{EDGE}/commands/ack/batch", {"acks": [{"command_id": command_id, **done}]}),
        (f"{LEGACY}/commands/{command_id}/result", {"status": "failed", "result_code": 1}),
        (f"{LEGACY}/commands/ack", {"command_id": command_id, **done}),
        (f"{LEGACY}/commands/ack", {"command_id": command_id, **listed}),
    ]
    for device in ({}, {"X-Device-ID": "box-b"}):
        for path, body in tries:
            said = (await halls.place.api.post(path, json=body, headers=halls.a | device)).json()
            said = said["results"][0] if "results" in said else said
            assert (said["applied"], said["error_code"]) == (False, "NOT_LEASE_OWNER"), path
    assert halls.place.rows("select state from commands") == [("dispatched",)]
    ended = await halls.place.api.post(f"{EDGE}/commands/{command_id}/ack", json=done, headers=halls.b)
    assert ended.json()["applied"] is True


async def test_a_device_id_of_another_zones_collector_gives_none_of_its_leases_back(halls: ZonedSite) -> None:
    await dispatched(halls)
    for life in ("1", "2", "3"):
        headers = halls.a | {"X-Device-ID": "box-b", "X-Device-Incarnation": life}
        polled = await halls.place.api.get(f"{EDGE}/commands/poll", headers=headers)
        assert polled.json()["commands"] == []
    assert halls.place.rows("select state, lease_owner is not null from commands") == [("dispatched", True)]


async def test_heartbeats_configurations_and_registration_speak_for_the_tokens_own_collector_alone(
    halls: ZonedSite,
) -> None:
    b = await halls.collector_id("b")
    before = await halls.act("GET", f"/collectors/{b}")
    api = halls.place.api
    for named in ({"collector_id": b}, {"collector_id": "b"}):
        beat = await api.post(f"{EDGE}/heartbeat", json={"status": "error"}, params=named, headers=halls.a)
        assert (beat.status_code, beat.json()["error_code"]) == (403, "COLLECTOR_MISMATCH")
    forged = {"status": "error", "miners_online": 0, "collector_id": b, "site_id": 1, "zone_id": "hall-b"}
    assert (await api.post(f"{EDGE}/heartbeat", json=forged, headers=halls.a)).status_code == 200
    assert (await api.post(f"{EDGE}/config/applied", json={"version": "v9"}, headers=halls.a)).status_code == 200
    state = await api.post(f"{EDGE}/register", json={"device_id": "b"}, headers=halls.a)
    assert state.json()["collector_id"] == await halls.collector_id("a")
    assert await halls.act("GET", f"/collectors/{b}") == before


async def test_machines_that_a_zone_calls_offline_are_its_own(halls: ZonedSite) -> None:
    """Another zone's stay as they were: online, with their own address, model and serial."""
    known: dict[str, Any] = {"mac_address": "02:00:00:00:00:0b", "serial_number": "SNB", "hashrate_ths": 100.0}
    assert await halls.send(halls.b, "b1", **known) == {}
    await halls.told()
    lies: dict[str, Any] = {
        "online": False,
        "error_message": "unreachable",
        "mac_address": "02:00:00:00:00:0c",
        "serial_number": "X",
    }
    assert await halls.send(halls.a, "b1", seconds=60, **lies) == {"b1": "ZONE_MISMATCH"}
    # its own machine in the other's clothes
    assert await halls.send(halls.a, "a1", seconds=61, **known) == {}
    await halls.told()
    await halls.fleet.roll()
    assert halls.place.rows("select mac, serial from miners where miner_id = 'b1'") == [("02:00:00:00:00:0b", "SNB")]
    assert halls.place.rows("select serial from miners where miner_id = 'a1'") == [(None,)], "a serial is held once"
    live = await halls.fleet.live(right_now="true")
    assert (live["b1"]["online"], live["b1"]["hashrate"]["value"]) == (True, 100.0)


@pytest.mark.parametrize(
    ("listed", "alike"),
    [
        ("Rig-B1", "rig-b1"),
        ("Rig-B1", "RIG-B1"),
        ("Rig B1", "Rig  B1"),
        ("Halle-\u00fc1", "Halle-u\u03081"),
        ("Rig-B1", "\uff32ig-B1"),
        ("STRASSE-1", "stra\u00dfe-1"),
        ("Rig-B1", "Rig\u2010B1"),
        ("Rig-B1", "Rig\u2212B1"),
        ("Rig-B1", "Rig-B\u0661"),
        ("Rig-B1", "Rig-B1\ufe0f"),
        ("Rig-B1", "Rig-\u034fB1"),
        ("Rig-B1", "Rig-B1\u3164"),
    ],
)
async def test_a_zone_registers_no_machine_that_reads_like_another_zones(
    halls: ZonedSite, listed: str, alike: str
) -> None:
    await halls.act("POST", "/miners", site_id="tx-1", miner_id=listed, zone="hall-b")
    await halls.later(seconds=10)
    refused = await halls.send(halls.a, alike, "new", "a1")
    assert refused == {alike: "MINER_ID_ALIKE"}
    count = "select count(*) from miners where miner_id in ('new', 'a1')"
    assert halls.place.rows(count) == [(2,)]
    assert halls.place.rows("select count(*) from miners") == [(5,)]
    (event,) = await halls.events("zone_mismatch")
    assert event["details"] == {"error_code": "MINER_ID_ALIKE", "machines": 1, "miner_ids": [alike]}
    await halls.act("POST", "/miners", site_id="tx-1", miner_id=alike, zone="hall-a")
    await halls.later(seconds=10)
    assert await halls.send(halls.a, alike) == {}, "who lists it decides"


async def test_spaces_around_an_id_are_no_part_of_it(halls: ZonedSite) -> None:
    assert await halls.send(halls.a, " b1", "b1\u00a0", "\tb1 ") == dict.fromkeys(
        (" b1", "b1\u00a0", "\tb1 "), "ZONE_MISMATCH"
    )


async def test_in_its_own_zone_and_for_the_whole_site_ids_stay_case_sensitive(halls: ZonedSite) -> None:
    assert await halls.send(halls.a, "A1") == {}
    assert await halls.send(halls.whole, "B1") == {}
    assert halls.place.rows("select miner_id from miners order by miner_no desc limit 2") == [("B1",), ("A1",)]

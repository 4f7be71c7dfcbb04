"""Every door of a collector, tried with one zone's token on another zone's machines, commands and collectors."""

from typing import Any

import pytest

from tests.telemetry.zoned_site import EDGE, ZonedSite

LEGACY = "/api/collector"


async def dispatched(zoned_site: ZonedSite) -> str:
    """A command for b1 that b's collector was handed: its id on the wire."""
    order = {"site_id": "tx-1", "miner_ids": ["b1"], "command_type": "set_fan", "params": {"speed": 60}}
    await zoned_site.act("POST", "/commands", **order)
    for path in (f"{EDGE}/commands/poll", f"{LEGACY}/commands/pending", f"{LEGACY}/commands/pending/tx-1"):
        assert (await zoned_site.site.api.get(path, headers=zoned_site.a)).json()["commands"] == []
    (command,) = (await zoned_site.site.api.get(f"{EDGE}/commands/poll", headers=zoned_site.b)).json()["commands"]
    command_id: str = command["command_id"]
    return command_id


async def test_no_ack_of_another_zones_command_is_applied_by_any_route_or_dialect(zoned_site: ZonedSite) -> None:
    command_id = await dispatched(zoned_site)
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
            answer = (await zoned_site.site.api.post(path, json=body, headers=zoned_site.a | device)).json()
            answer = answer["results"][0] if "results" in answer else answer
            assert (answer["applied"], answer["error_code"]) == (False, "NOT_LEASE_OWNER"), path
    assert zoned_site.site.rows("select state from commands") == [("dispatched",)]
    ended = await zoned_site.site.api.post(f"{EDGE}/commands/{command_id}/ack", json=done, headers=zoned_site.b)
    assert ended.json()["applied"] is True


async def test_a_device_id_of_another_zones_collector_gives_none_of_its_leases_back(zoned_site: ZonedSite) -> None:
    await dispatched(zoned_site)
    for life in ("1", "2", "3"):
        headers = zoned_site.a | {"X-Device-ID": "box-b", "X-Device-Incarnation": life}
        polled = await zoned_site.site.api.get(f"{EDGE}/commands/poll", headers=headers)
        assert polled.json()["commands"] == []
    assert zoned_site.site.rows("select state, lease_owner is not null from commands") == [("dispatched", True)]


async def test_heartbeats_configs_and_registration_affect_only_the_tokens_collector(
    zoned_site: ZonedSite,
) -> None:
    b = await zoned_site.collector_id("b")
    before = await zoned_site.act("GET", f"/collectors/{b}")
    api = zoned_site.site.api
    for named in ({"collector_id": b}, {"collector_id": "b"}):
        beat = await api.post(f"{EDGE}/heartbeat", json={"status": "error"}, params=named, headers=zoned_site.a)
        assert (beat.status_code, beat.json()["error_code"]) == (403, "COLLECTOR_MISMATCH")
    forged = {"status": "error", "miners_online": 0, "collector_id": b, "site_id": 1, "zone_id": "hall-b"}
    assert (await api.post(f"{EDGE}/heartbeat", json=forged, headers=zoned_site.a)).status_code == 200
    assert (await api.post(f"{EDGE}/config/applied", json={"version": "v9"}, headers=zoned_site.a)).status_code == 200
    state = await api.post(f"{EDGE}/register", json={"device_id": "b"}, headers=zoned_site.a)
    assert state.json()["collector_id"] == await zoned_site.collector_id("a")
    assert await zoned_site.act("GET", f"/collectors/{b}") == before


async def test_a_zone_can_report_only_its_own_machines_offline(zoned_site: ZonedSite) -> None:
    """Another zone's stay as they were: online, with their own address, model and serial."""
    known: dict[str, Any] = {"mac_address": "02:00:00:00:00:0b", "serial_number": "SNB", "hashrate_ths": 100.0}
    assert await zoned_site.send(zoned_site.b, "b1", **known) == {}
    await zoned_site.settle()
    lies: dict[str, Any] = {
        "online": False,
        "error_message": "unreachable",
        "mac_address": "02:00:00:00:00:0c",
        "serial_number": "X",
    }
    assert await zoned_site.send(zoned_site.a, "b1", seconds=60, **lies) == {"b1": "ZONE_MISMATCH"}
    # its own machine in the other's clothes
    assert await zoned_site.send(zoned_site.a, "a1", seconds=61, **known) == {}
    await zoned_site.settle()
    await zoned_site.fleet.roll()
    assert zoned_site.site.rows("select mac, serial from miners where miner_id = 'b1'") == [
        ("02:00:00:00:00:0b", "SNB")
    ]
    assert zoned_site.site.rows("select serial from miners where miner_id = 'a1'") == [(None,)], "a serial is held once"
    live = await zoned_site.fleet.live(right_now="true")
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
async def test_a_zone_cannot_register_an_id_that_looks_like_another_zones_machine(
    zoned_site: ZonedSite, listed: str, alike: str
) -> None:
    await zoned_site.act("POST", "/miners", site_id="tx-1", miner_id=listed, zone="hall-b")
    await zoned_site.later(seconds=10)
    refused = await zoned_site.send(zoned_site.a, alike, "new", "a1")
    assert refused == {alike: "MINER_ID_ALIKE"}
    count = "select count(*) from miners where miner_id in ('new', 'a1')"
    assert zoned_site.site.rows(count) == [(2,)]
    assert zoned_site.site.rows("select count(*) from miners") == [(5,)]
    (event,) = await zoned_site.events("zone_mismatch")
    assert event["details"] == {"error_code": "MINER_ID_ALIKE", "machines": 1, "miner_ids": [alike]}
    await zoned_site.act("POST", "/miners", site_id="tx-1", miner_id=alike, zone="hall-a")
    await zoned_site.later(seconds=10)
    assert await zoned_site.send(zoned_site.a, alike) == {}, "who lists it decides"


async def test_spaces_around_an_id_are_ignored(zoned_site: ZonedSite) -> None:
    assert await zoned_site.send(zoned_site.a, " b1", "b1\u00a0", "\tb1 ") == dict.fromkeys(
        (" b1", "b1\u00a0", "\tb1 "), "ZONE_MISMATCH"
    )


async def test_in_its_own_zone_and_for_the_whole_site_ids_stay_case_sensitive(zoned_site: ZonedSite) -> None:
    assert await zoned_site.send(zoned_site.a, "A1") == {}
    assert await zoned_site.send(zoned_site.whole, "B1") == {}
    assert zoned_site.site.rows("select miner_id from miners order by miner_no desc limit 2") == [("B1",), ("A1",)]

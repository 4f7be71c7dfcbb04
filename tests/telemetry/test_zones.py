"""Uploads are bound to the zone of their token: what is another zone's stays untouched, everywhere."""

from dataclasses import replace
from typing import Any

from sqlalchemy import event

from tests.telemetry.zoned_site import ADMIN, EDGE, ZonedSite


async def test_a_sample_of_another_zones_machine_is_refused_and_the_rest_of_the_batch_is_stored(
    halls: ZonedSite,
) -> None:
    forged: dict[str, Any] = {"model": "S9", "firmware": "evil", "hashrate_ths": 1.0, "power_w": 9}
    forged |= {"mac_address": "02:00:00:00:00:09", "serial_number": "SN9"}
    assert await halls.send(halls.a, "a1", "b1", **forged) == {"b1": "ZONE_MISMATCH"}
    await halls.told()
    await halls.fleet.roll()
    place = halls.place
    assert place.rows("select miner_id from telemetry_raw join miners using (miner_no)") == [("a1",)]
    assert place.rows("select miner_id from telemetry_live join miners using (miner_no)") == [("a1",)]
    stays = "select model, firmware, mac, serial from miners where miner_id = 'b1'"
    assert place.rows(stays) == [("Antminer S21", None, None, None)]
    assert place.rows("select count(*) from miner_changes c join miners using (miner_no) where miner_id = 'b1'") == [
        (0,)
    ]
    now = await halls.fleet.live(right_now="true")
    assert (now["a1"]["hashrate"]["value"], now["b1"]["hashrate"]["value"]) == (1.0, None)


async def test_the_same_holds_for_the_legacy_upload_and_for_what_was_sent_before_by_the_rightful_one(
    halls: ZonedSite,
) -> None:
    sample = [{"miner_id": "b1", "ts": halls.fleet.at(0), "firmware": "2.1"}]
    for token, accepted in ((halls.a, 0), (halls.b, 1), (halls.a, 0)):
        answer = await halls.place.api.post("/api/collector/upload", json=sample, headers=token)
        assert (answer.status_code, answer.json()["accepted"]) == (200, accepted)
        assert answer.json()["duplicates"] == 0, "whose it is comes first"
    await halls.told()
    assert halls.place.rows("select firmware from miners where miner_id = 'b1'") == [("2.1",)]


async def test_a_collector_of_the_whole_site_reports_machines_of_every_zone(halls: ZonedSite) -> None:
    assert await halls.send(halls.whole, "a1", "b1", "n1", "new") == {}
    assert halls.zone_of("new") is None


async def test_a_machine_that_a_zones_collector_reports_first_stands_in_that_zone(halls: ZonedSite) -> None:
    assert await halls.send(halls.a, "new") == {}
    assert halls.zone_of("new") == "hall-a"
    assert await halls.send(halls.b, "new", seconds=-1) == {"new": "ZONE_MISMATCH"}
    of_zone = await halls.place.people.headers(
        "Customer", zones=[halls.place.rows("select id from zones where code = 'hall-a'")[0][0]]
    )
    assert set(await halls.fleet.live(of_zone)) == {"a1", "new"}, "its people see it"
    (entry,) = halls.place.rows("select after->>'zone_id' from audit_log where action = 'miners_registered'")
    assert entry[0] is not None


async def test_a_whole_sites_collector_that_names_a_zone_registers_machines_there(halls: ZonedSite) -> None:
    samples = [{"miner_id": "h1", "ts": halls.fleet.at(0)}]
    answer = await halls.place.post(samples, headers={"X-Zone-ID": "HALL-B"})
    assert answer.json()["accepted"] == 1, answer.text
    envelope = {"zone_id": "hall-a", "records": [{"miner_id": "h2", "ts": halls.fleet.at(0)}]}
    assert (await halls.place.post(envelope)).json()["accepted"] == 1
    assert (halls.zone_of("h1"), halls.zone_of("h2")) == ("hall-b", "hall-a")


async def test_a_machine_that_was_moved_is_taken_from_its_new_zone_without_waiting(halls: ZonedSite) -> None:
    assert await halls.send(halls.b, "a1", "b1") == {"a1": "ZONE_MISMATCH"}
    moved = await halls.place.api.patch(f"{ADMIN}/miners/a1", json={"zone": "hall-b"}, headers=halls.place.owner)
    assert moved.is_success, moved.text
    lookup = halls.place.api.app.state.store.machines  # type: ignore[attr-defined] # the fixture's
    kept = lookup.numbers.find(halls.place.site_id)
    lookup.numbers.keep(halls.place.site_id, replace(kept, read_at=kept.read_at - 6))  # 6 s ago
    assert await halls.send(halls.b, "a1", seconds=-1) == {}


async def test_the_zone_costs_an_upload_no_statement(halls: ZonedSite) -> None:
    statements: list[str] = []
    engine = halls.place.api.app.state.database._engine.sync_engine  # type: ignore[attr-defined]
    for n, token in enumerate((halls.whole, halls.a)):
        await halls.send(token, "a1", seconds=-10 - n)
    event.listen(engine, "before_cursor_execute", lambda *arguments: statements.append(str(arguments[2])))
    for n, token in enumerate((halls.whole, halls.a)):
        assert await halls.send(token, "a1", seconds=-20 - n) == {}
    assert not [one for one in statements if "FROM miners" in one], "what is remembered answers"


async def test_an_event_that_names_another_zones_machine_is_not_stored(halls: ZonedSite) -> None:
    events = [{"kind": "miner_error", "miner_id": one} for one in ("b1", "a1", "n1", "nobody")] + [{"kind": "odd"}]
    answer = await halls.place.api.post(f"{EDGE}/events", json={"events": events}, headers=halls.a)
    assert answer.status_code == 200, answer.text
    said = answer.json()
    assert (said["stored"], said["duplicates"], said["rejected"]) == (4, 0, 1)
    assert [(error["index"], error["error_code"]) for error in said["errors"]] == [(0, "ZONE_MISMATCH")]
    only = await halls.place.api.post(f"{EDGE}/events", json={"events": events[:1]}, headers=halls.a)
    assert only.json()["stored"] == 0
    whole = await halls.place.api.post(f"{EDGE}/events", json={"events": events[:1]}, headers=halls.whole)
    assert whole.json()["stored"] == 1

"""Uploads are bound to the zone of their token: what is another zone's stays untouched, everywhere."""

from dataclasses import replace
from typing import Any

from sqlalchemy import event

from tests.telemetry.zoned_site import ADMIN, EDGE, ZonedSite


async def test_a_sample_of_another_zones_machine_is_refused_and_the_rest_of_the_batch_is_stored(
    zoned_site: ZonedSite,
) -> None:
    forged: dict[str, Any] = {"model": "S9", "firmware": "evil", "hashrate_ths": 1.0, "power_w": 9}
    forged |= {"mac_address": "02:00:00:00:00:09", "serial_number": "SN9"}
    assert await zoned_site.send(zoned_site.a, "a1", "b1", **forged) == {"b1": "ZONE_MISMATCH"}
    await zoned_site.settle()
    await zoned_site.fleet.roll()
    site = zoned_site.site
    assert site.rows("select miner_id from telemetry_raw join miners using (miner_no)") == [("a1",)]
    assert site.rows("select miner_id from telemetry_live join miners using (miner_no)") == [("a1",)]
    stays = "select model, firmware, mac, serial from miners where miner_id = 'b1'"
    assert site.rows(stays) == [("Antminer S21", None, None, None)]
    assert site.rows("select count(*) from miner_changes c join miners using (miner_no) where miner_id = 'b1'") == [
        (0,)
    ]
    now = await zoned_site.fleet.live(right_now="true")
    assert (now["a1"]["hashrate"]["value"], now["b1"]["hashrate"]["value"]) == (1.0, None)


async def test_the_legacy_upload_and_repeated_samples_respect_zones_too(
    zoned_site: ZonedSite,
) -> None:
    sample = [{"miner_id": "b1", "ts": zoned_site.fleet.at(0), "firmware": "2.1"}]
    for token, accepted in ((zoned_site.a, 0), (zoned_site.b, 1), (zoned_site.a, 0)):
        answer = await zoned_site.site.api.post("/api/collector/upload", json=sample, headers=token)
        assert (answer.status_code, answer.json()["accepted"]) == (200, accepted)
        assert answer.json()["duplicates"] == 0, "whose it is comes first"
    await zoned_site.settle()
    assert zoned_site.site.rows("select firmware from miners where miner_id = 'b1'") == [("2.1",)]


async def test_a_collector_of_the_whole_site_reports_machines_of_every_zone(zoned_site: ZonedSite) -> None:
    assert await zoned_site.send(zoned_site.whole, "a1", "b1", "n1", "new") == {}
    assert zoned_site.zone_of("new") is None


async def test_a_machine_first_reported_by_a_zone_collector_joins_that_zone(zoned_site: ZonedSite) -> None:
    assert await zoned_site.send(zoned_site.a, "new") == {}
    assert zoned_site.zone_of("new") == "hall-a"
    assert await zoned_site.send(zoned_site.b, "new", seconds=-1) == {"new": "ZONE_MISMATCH"}
    of_zone = await zoned_site.site.people.headers(
        "Customer", zones=[zoned_site.site.rows("select id from zones where code = 'hall-a'")[0][0]]
    )
    assert set(await zoned_site.fleet.live(of_zone)) == {"a1", "new"}, "its people see it"
    (entry,) = zoned_site.site.rows("select after->>'zone_id' from audit_log where action = 'miners_registered'")
    assert entry[0] is not None


async def test_a_whole_sites_collector_that_names_a_zone_registers_machines_there(zoned_site: ZonedSite) -> None:
    samples = [{"miner_id": "h1", "ts": zoned_site.fleet.at(0)}]
    answer = await zoned_site.site.post(samples, headers={"X-Zone-ID": "HALL-B"})
    assert answer.json()["accepted"] == 1, answer.text
    envelope = {"zone_id": "hall-a", "records": [{"miner_id": "h2", "ts": zoned_site.fleet.at(0)}]}
    assert (await zoned_site.site.post(envelope)).json()["accepted"] == 1
    assert (zoned_site.zone_of("h1"), zoned_site.zone_of("h2")) == ("hall-b", "hall-a")


async def test_a_moved_machine_is_accepted_from_its_new_zone_at_once(zoned_site: ZonedSite) -> None:
    assert await zoned_site.send(zoned_site.b, "a1", "b1") == {"a1": "ZONE_MISMATCH"}
    moved = await zoned_site.site.api.patch(
        f"{ADMIN}/miners/a1", json={"zone": "hall-b"}, headers=zoned_site.site.owner
    )
    assert moved.is_success, moved.text
    lookup = zoned_site.site.api.app.state.store.machines  # type: ignore[attr-defined] # the fixture's
    kept = lookup.cache.find(zoned_site.site.site_id)
    lookup.cache.keep(zoned_site.site.site_id, replace(kept, read_at=kept.read_at - 6))  # 6 s ago
    assert await zoned_site.send(zoned_site.b, "a1", seconds=-1) == {}


async def test_the_zone_check_costs_an_upload_no_extra_statement(zoned_site: ZonedSite) -> None:
    statements: list[str] = []
    engine = zoned_site.site.api.app.state.database._engine.sync_engine  # type: ignore[attr-defined]
    for n, token in enumerate((zoned_site.whole, zoned_site.a)):
        await zoned_site.send(token, "a1", seconds=-10 - n)
    event.listen(engine, "before_cursor_execute", lambda *arguments: statements.append(str(arguments[2])))
    for n, token in enumerate((zoned_site.whole, zoned_site.a)):
        assert await zoned_site.send(token, "a1", seconds=-20 - n) == {}
    assert not [statement for statement in statements if "FROM miners" in statement], "what is remembered answers"


async def test_an_event_that_names_another_zones_machine_is_not_stored(zoned_site: ZonedSite) -> None:
    events = [{"kind": "miner_error", "miner_id": miner_id} for miner_id in ("b1", "a1", "n1", "nobody")] + [
        {"kind": "odd"}
    ]
    answer = await zoned_site.site.api.post(f"{EDGE}/events", json={"events": events}, headers=zoned_site.a)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["stored"], body["duplicates"], body["rejected"]) == (4, 0, 1)
    assert [(error["index"], error["error_code"]) for error in body["errors"]] == [(0, "ZONE_MISMATCH")]
    only = await zoned_site.site.api.post(f"{EDGE}/events", json={"events": events[:1]}, headers=zoned_site.a)
    assert only.json()["stored"] == 0
    whole = await zoned_site.site.api.post(f"{EDGE}/events", json={"events": events[:1]}, headers=zoned_site.whole)
    assert whole.json()["stored"] == 1

"""Batches over HTTP: what is stored, what is refused, and what each bad sample costs."""

from tests.telemetry.site_with_collector import SiteWithCollector


async def test_a_batch_is_stored_and_its_machines_join_the_inventory(site: SiteWithCollector) -> None:
    samples = [
        {"miner_id": f"m{n}", "ts": site.at(-n), "hashrate_ths": 100 + n, "fan_speeds": [5000, 5100]} for n in range(3)
    ]
    answer = await site.send(samples)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"success": True, "accepted": 3, "rejected": 0, "duplicates": 0, "errors": []}
    rows = site.rows(
        "select miner_id, hashrate_ths, fan_speeds from telemetry_raw join miners using (miner_no) order by 1"
    )
    assert rows == [("m0", 100.0, [5000.0, 5100.0]), ("m1", 101.0, [5000.0, 5100.0]), ("m2", 102.0, [5000.0, 5100.0])]


async def test_a_repeated_batch_is_counted_as_duplicates(site: SiteWithCollector) -> None:
    samples = [{"miner_id": f"m{n}", "ts": site.at(-n), "hashrate_ths": 100} for n in range(3)]
    await site.send(samples)
    again = await site.send([*samples, {"miner_id": "m9", "ts": site.at(0)}], zipped=True)
    assert (again.json()["accepted"], again.json()["duplicates"]) == (1, 3)
    assert site.rows("select count(*) from telemetry_raw") == [(4,)]

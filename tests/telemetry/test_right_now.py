"""The newest sample of each machine in Redis: never an older one over a newer one, and nobody waits for it."""

import asyncio
import random
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from redis.asyncio import Redis

from hashinsight.telemetry.ingest.decoder import DecodedBatch
from hashinsight.telemetry.ingest.normaliser import normalise
from hashinsight.telemetry.ingest.samples import Samples
from hashinsight.telemetry.right_now import RECORD, RightNow, key_of
from tests.installation import HANG_TIMEOUT_SEC
from tests.telemetry.fleet import LIVE, Fleet, sample

NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    client = Redis.from_url(redis_url)
    yield client
    await client.aclose()


def samples_of(rows: list[dict[str, Any]]) -> Samples:
    names = {name for row in rows for name in row}
    columns = {name: [row.get(name) for row in rows] for name in names}
    return normalise(DecodedBatch(list(range(len(rows))), columns, len(rows)), zero_is_unknown=False)


def note(right_now: RightNow, site_id: int, rows: list[dict[str, Any]], now: datetime = NOW) -> None:
    samples = samples_of(rows)
    right_now.add(site_id, samples, np.arange(len(samples)), now=now)


def at(seconds: float) -> str:
    return (NOW + timedelta(seconds=seconds)).isoformat()


async def test_the_newest_sample_stays_whatever_the_order(redis: Redis) -> None:
    right_now = RightNow(redis)
    rows = [{"miner_id": f"m{n}", "ts": at(-s), "hashrate_ths": 1000 - s} for n in range(20) for s in range(40)]
    random.Random(4).shuffle(rows)
    for begins in range(0, len(rows), 37):
        note(right_now, 7, rows[begins : begins + 37])
        if begins % 2:
            await right_now.settle()
    await right_now.settle()
    readings = await right_now.read(7)
    assert readings is not None
    assert sorted(readings["miner_id"].to_list()) == sorted(f"m{n}" for n in range(20))
    assert readings["hashrate_ths"].unique().to_list() == [1000.0]
    assert readings["ts"].unique().to_list() == [NOW]
    assert 3500 < await redis.ttl(key_of(7)) <= 3600
    assert await right_now.read(8) is not None
    assert (await right_now.read(7, ["m3", "nobody"])).height == 1  # type: ignore[union-attr]


async def test_unknown_values_stay_unknown_and_old_samples_are_not_stored(redis: Redis) -> None:
    right_now = RightNow(redis)
    note(right_now, 7, [{"miner_id": "m1", "ts": at(-5)}, {"miner_id": "old", "ts": at(-4000), "power_w": 1}])
    await right_now.settle()
    readings = await right_now.read(7)
    assert readings is not None
    (row,) = readings.to_dicts()
    assert (row["miner_id"], row["power_w"], row["accepted"], row["status"]) == ("m1", None, None, 1)
    await redis.hset(key_of(7), "m1", b"something else")
    assert (await right_now.read(7)).height == 0  # type: ignore[union-attr]
    note(right_now, 7, [{"miner_id": "m1", "ts": at(-5), "power_w": 5}])
    await right_now.settle()
    assert (await right_now.read(7))["power_w"].to_list() == [5.0]  # type: ignore[index]


async def test_a_batch_is_one_call(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    right_now = RightNow(redis)
    note(right_now, 7, [{"miner_id": "first", "ts": at(0)}])
    await right_now.settle()
    messages: list[str] = []
    execute: Any = redis.execute_command

    async def noted(*words: Any, **options: Any) -> Any:
        messages.append(words[0])
        return await execute(*words, **options)

    with monkeypatch.context() as patch:  # the server's own count has the calls of other tests in it
        patch.setattr(redis, "execute_command", noted)
        note(right_now, 7, [{"miner_id": f"m{n}", "ts": at(0)} for n in range(1000)])
        await right_now.settle()
    assert messages == ["EVALSHA"]
    assert len((await redis.hget(key_of(7), "m1")) or b"") == RECORD.itemsize


async def test_without_redis_nothing_blocks_or_fails(tmp_path: Path) -> None:
    away = Redis.from_url(f"unix://{tmp_path}/nobody.sock")
    right_now = RightNow(away)
    rows = [{"miner_id": f"m{n}", "ts": at(0)} for n in range(100)]
    note(right_now, 7, rows)
    await right_now.settle()
    began = time.thread_time()
    for _ in range(200):
        note(right_now, 7, rows[:1])
    assert time.thread_time() - began < 1
    assert not right_now._waiting
    assert await right_now.read(7) is None
    await right_now.aclose()
    await away.aclose()


async def test_an_unresponsive_redis_holds_a_limited_number_of_samples_and_blocks_no_reader(tmp_path: Path) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_unix_server(silent, tmp_path / "silent.sock")
    slow = Redis.from_url(f"unix://{tmp_path}/silent.sock", socket_timeout=HANG_TIMEOUT_SEC)
    right_now = RightNow(slow)
    rows = [{"miner_id": f"m{n}", "ts": at(0)} for n in range(2000)]
    samples, every = samples_of(rows), np.arange(2000)
    for _ in range(80):
        right_now.add(7, samples, every, now=NOW)
        await asyncio.sleep(0)
    assert right_now._count <= 100_000
    began = time.monotonic()
    assert await right_now.read(7, ["m1"]) is None
    assert time.monotonic() - began < HANG_TIMEOUT_SEC, "it does not wait for as long as a socket would"
    await right_now.aclose()
    await slow.aclose()
    server.close()


async def test_the_right_now_view_replaces_live_values_only_with_newer_samples(fleet: Fleet) -> None:
    await fleet.send(*(sample(name, fleet.at(-60), hashrate_ths=100, power_w=3000) for name in ("m1", "m2", "m3")))
    await fleet.roll()
    right_now: RightNow = fleet.app.state.right_now
    newer: list[dict[str, Any]] = [
        {"miner_id": "m1", "ts": fleet.at(-5), "hashrate_ths": 50, "status": "online"},
        {"miner_id": "m2", "ts": fleet.at(-90), "hashrate_ths": 60, "status": "online"},
        {"miner_id": "m3", "ts": fleet.at(-5), "status": "offline"},
    ]
    note(right_now, fleet.site.site_id, newer, fleet.now)
    await right_now.settle()
    answer = await fleet.ok(LIVE, right_now=True)
    assert (answer["_meta"]["source"], answer["_meta"]["right_now"]) == ("right_now", "used")
    machines = {machine["miner_id"]: machine for machine in answer["miners"]}
    assert (machines["m1"]["hashrate"]["value"], machines["m1"]["hashrate"]["source"]) == (50.0, "newest")
    assert (machines["m1"]["source"], machines["m1"]["age_sec"], machines["m1"]["power"]["value"]) == (
        "right_now",
        5.0,
        None,
    )
    assert (machines["m2"]["source"], machines["m2"]["hashrate"]["value"]) == ("live", 100.0)
    assert (machines["m3"]["online"], machines["m3"]["state"]) == (False, "offline")
    assert machines["m3"]["last_seen"] == fleet.at(-60).replace("+00:00", "Z")
    assert set(await fleet.live(right_now=True, online=True)) == {"m1", "m2"}
    assert (await fleet.live())["m1"]["hashrate"]["value"] == 100.0
    file = (await fleet.get(LIVE, right_now=True, format="csv")).text.splitlines()
    assert [line.split(",")[11] for line in file] == ["source", "right_now", "live", "right_now"]


async def test_an_uploaded_sample_is_visible_before_the_rollup_and_duplicates_change_nothing(fleet: Fleet) -> None:
    rows = [sample("m1", fleet.at(-30), hashrate_ths=99), sample("m1", fleet.at(-5), hashrate_ths=101)]
    await fleet.send(*rows)
    again = await fleet.site.send(rows[:1])
    assert again.json()["duplicates"] == 1
    await fleet.app.state.right_now.settle()
    live = await fleet.live(right_now=True, site_id="tx-1")
    assert (live["m1"]["hashrate"]["value"], live["m1"]["state"], live["m1"]["age_sec"]) == (101.0, "fresh", 5.0)
    assert (await fleet.live())["m1"]["state"] == "unknown"


async def test_an_empty_page_does_not_report_redis_as_unavailable(fleet: Fleet) -> None:
    answer = await fleet.ok(LIVE, right_now=True)
    assert (answer["miners"], answer["_meta"]["right_now"]) == ([], "used")


async def test_without_redis_the_right_now_view_falls_back_to_the_live_layer_and_names_it(
    fleet: Fleet, tmp_path: Path
) -> None:
    await fleet.send(sample("m1", fleet.at(-60), hashrate_ths=100))
    await fleet.roll()
    away = Redis.from_url(f"unix://{tmp_path}/nobody.sock")
    fleet.app.state.right_now = RightNow(away)
    answer = await fleet.ok(LIVE, right_now=True)
    assert (answer["_meta"]["source"], answer["_meta"]["right_now"]) == ("live", "unavailable")
    assert [machine["miner_id"] for machine in answer["miners"]] == ["m1"]
    await away.aclose()

"""The layers end the same in whatever order, pieces and repetitions the samples came."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from hashinsight.kit.db.context import job_context
from hashinsight.telemetry.service import rollups
from tests.telemetry.site_with_collector import SiteWithCollector

LAYERS = ("telemetry_raw", "telemetry_live", "telemetry_5min", "telemetry_hour", "telemetry_day")
VOLATILE = {"received_at", "created_at", "updated_at", "upload_mode"}
NOW = datetime.now(UTC).replace(minute=2, second=30, microsecond=0)
START = NOW - timedelta(hours=23)


def history(machines: int, seed: int) -> list[dict[str, Any]]:
    """A day of a few machines: counters that restart, gaps, an offline spell, nothing known now and then."""
    chance = random.Random(seed)
    samples: list[dict[str, Any]] = []
    for n in range(machines):
        accepted, rejected, errors = 1000 * n, 3, 0
        for minute in range(0, 23 * 60, 7):
            if chance.random() < 0.05:
                continue
            at = START + timedelta(minutes=minute, seconds=n)
            accepted, rejected = accepted + chance.randrange(100), rejected + chance.randrange(3)
            if chance.random() < 0.01:
                accepted = rejected = errors = 0
            sample: dict[str, Any] = {"miner_id": f"m{n}", "ts": at.isoformat(), "status": "running"}
            if chance.random() < 0.95:
                sample |= {"hashrate_ths": round(chance.gauss(100, 5), 3), "power_w": round(chance.gauss(3000, 50), 1)}
            if chance.random() < 0.9:
                sample |= {"accepted_shares": accepted, "rejected_shares": rejected, "hw_errors": errors}
            sample |= {"temp_avg": round(chance.gauss(60, 4), 2), "fan_speeds": [chance.randrange(5000, 6000)] * 4}
            if 300 < minute < 330:
                sample = {"miner_id": f"m{n}", "ts": at.isoformat(), "status": "offline"}
            samples.append(sample)
    return samples


async def roll(site: SiteWithCollector, now: datetime = NOW) -> None:
    database = site.api.app.state.database  # type: ignore[attr-defined] # the fixture's
    steps = (rollups.roll_up_live, rollups.roll_up_five_minutes, rollups.roll_up_hours, rollups.roll_up_days)
    async with database.transaction(job_context()) as session:
        for step in steps:
            await step(session, now=now)


def contents(site: SiteWithCollector) -> dict[str, list[tuple[Any, ...]]]:
    rows_by_layer: dict[str, list[tuple[Any, ...]]] = {}
    for table in LAYERS:
        names = [
            row[0]
            for row in site.rows(
                f"select column_name from information_schema.columns where table_name = '{table}' order by 1"
            )
            if row[0] not in VOLATILE
        ]
        rows_by_layer[table] = site.rows(f"select {', '.join(names)} from {table} order by miner_no, 1, 2, 3")
        rows_by_layer[table].sort(key=repr)
    return rows_by_layer


async def send_all(
    site: SiteWithCollector, parts: Sequence[list[dict[str, Any]]], *, rolling_between: bool, seed: int
) -> None:
    chance = random.Random(seed)
    site.api.app.state.clock = lambda: NOW  # type: ignore[attr-defined] # the fixture's
    for part in parts:
        answer = await site.send(part)
        assert answer.status_code == 200, answer.text
        assert answer.json()["rejected"] == 0, answer.json()
        if rolling_between and chance.random() < 0.3:
            await roll(site)
    await roll(site)


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_shuffled_repeated_split_and_late_batches_give_the_same_layers_as_one_ordered_pass(
    site: SiteWithCollector, seed: int
) -> None:
    samples = history(3, seed)
    ordered = sorted(samples, key=lambda sample: sample["ts"])
    await send_all(site, [ordered[n : n + 200] for n in range(0, len(ordered), 200)], rolling_between=False, seed=0)
    wanted = contents(site)
    assert len(wanted["telemetry_raw"]) == len(samples)
    assert len(wanted["telemetry_live"]) == 3
    assert len(wanted["telemetry_hour"]) > 60
    async with site.api.app.state.database.transaction(job_context()) as session:  # type: ignore[attr-defined]
        for table in (*LAYERS[1:], "telemetry_touched"):
            await session.execute(text(f"delete from {table}"))
        await session.execute(text("truncate telemetry_raw"))

    chance = random.Random(seed)
    mixed = samples + chance.sample(samples, len(samples) // 3)
    chance.shuffle(mixed)
    parts: list[list[dict[str, Any]]] = []
    while mixed:
        size = chance.randrange(1, 120)
        parts.append(mixed[:size])
        mixed = mixed[size:]
    await send_all(site, parts, rolling_between=True, seed=seed)
    contents_now = contents(site)
    for table in LAYERS:
        assert contents_now[table] == wanted[table], table


async def test_rolling_up_again_changes_nothing(site: SiteWithCollector) -> None:
    await send_all(site, [history(2, 9)], rolling_between=False, seed=0)
    before = contents(site)
    async with site.api.app.state.database.transaction(job_context()) as session:  # type: ignore[attr-defined]
        await session.execute(
            text(
                "insert into telemetry_touched (tenant_id, site_id, layer, bucket_ts) select distinct tenant_id,"
                " site_id, layer, date_bin('5 minutes', ts, 'epoch') from telemetry_raw, generate_series(0, 1) layer"
            )
        )
    await roll(site)
    assert contents(site) == before

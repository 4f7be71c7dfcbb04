"""Rolling up what is out of the ordinary: machines that moved from site to site, and a backlog longer than a run."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text

from hashinsight.kit.db.context import job_context
from hashinsight.kit.ticks.tick import TickRun
from hashinsight.telemetry.service import rollups
from hashinsight.telemetry.ticks import telemetry_ticks
from tests.telemetry.site_with_collector import SiteWithCollector
from tests.telemetry.test_layers import contents, roll


def hour_before(site: SiteWithCollector) -> datetime:
    return site.now.replace(minute=0, second=0) - timedelta(hours=2)


def sample(at: datetime, ths: float, miner_id: str = "m0", **more: Any) -> dict[str, Any]:
    return {"miner_id": miner_id, "ts": at.isoformat(), "hashrate_ths": ths} | more


async def test_a_machine_that_moved_keeps_the_history_of_each_site(site: SiteWithCollector) -> None:
    """In one bucket, one hour and one day: rolled up together, and again when only one of the sites is late."""
    began = hour_before(site)
    other = await site.api.post("/api/admin/v1/sites", json={"code": "tx-2", "name": "2"}, headers=site.owner)
    north, south = site.collector, await site.add_collector("south", "tx-2")
    assert (await site.post([sample(began, 100, accepted_shares=50)])).json()["accepted"] == 1
    moved = await site.api.patch("/api/admin/v1/miners/m0", json={"site_id": "tx-2"}, headers=site.owner)
    assert moved.status_code == 200, moved.text
    site.collector = south
    after = [sample(began + timedelta(minutes=n), 50, accepted_shares=60) for n in (1, 30)]
    assert (await site.post(after)).json()["accepted"] == 2
    tomorrow = site.now + timedelta(days=1, hours=1)
    await roll(site, tomorrow)
    here, there = site.site_id, other.json()["id"]
    layers = {
        table: site.rows(
            "select site_id, sum(samples)::int, sum(hashrate_sum), sum(accepted_delta)::int"
            f" from {table} group by 1 order by 1"
        )
        for table in ("telemetry_5min", "telemetry_hour", "telemetry_day")
    }
    assert layers["telemetry_5min"] == [(here, 1, 100.0, None), (there, 2, 100.0, None)]
    assert layers["telemetry_hour"] == layers["telemetry_day"] == [(here, 1, 100.0, 0), (there, 2, 100.0, 0)]
    assert site.rows("select site_id from telemetry_live") == [(there,)]

    before = contents(site)
    for collector, moved_site in ((south, there), (north, here)):
        site.collector = collector
        await _touch_all(site, moved_site)
        await roll(site, tomorrow)
        assert contents(site) == before


async def test_a_backlog_rolled_up_over_several_runs_gives_the_same_result(site: SiteWithCollector) -> None:
    began = site.now - timedelta(hours=20)
    samples = [sample(began + timedelta(minutes=4 * n), 90 + n % 7, f"m{n % 3}") for n in range(285)]
    samples.append(sample(began, 80, "silent since"))
    assert (await site.post(samples)).json()["accepted"] == 286
    wanted: dict[str, Any] = {}
    for most in (None, 8):
        async with site.api.app.state.database.transaction(job_context()) as session:  # type: ignore[attr-defined]
            for run in range(1 if most is None else 40):
                await rollups.roll_up_live(session, now=site.now, most=most)
                await rollups.roll_up_five_minutes(session, now=site.now, most=most)
                if most is not None and run == 0:
                    newest = (await session.execute(text("select count(*), max(ts) from telemetry_live"))).one()
                    assert newest == (3, began + timedelta(minutes=4 * 284)), "whoever still answers comes first"
            await rollups.roll_up_hours(session, now=site.now)
        layers = contents(site)
        assert len(layers["telemetry_live"]) == 4
        wanted = wanted or layers
        assert layers == wanted
        await _forget(site)
        await _touch_all(site, site.site_id)


async def test_one_tick_rolls_up_a_limited_number_of_buckets(site: SiteWithCollector) -> None:
    began = site.now - timedelta(hours=20)
    await site.post([sample(began + timedelta(minutes=5 * n), 90) for n in range(200)])
    ticks = {tick.name: tick for tick in telemetry_ticks(five_minutes_kept=timedelta(days=90), days_kept=None)}
    for name, layer in (("telemetry_live", 0), ("telemetry_5min", 1)):
        waiting = f"select count(distinct bucket_ts) from telemetry_touched where layer = {layer}"
        before = site.rows(waiting)[0][0]
        run = TickRun(name, 0, site.now, site.now, 1)
        async with site.api.app.state.database.transaction(job_context()) as session:  # type: ignore[attr-defined]
            await ticks[name].work(session, run)
        assert 0 < before - site.rows(waiting)[0][0] <= 48


async def _touch_all(site: SiteWithCollector, site_id: int) -> None:
    async with site.api.app.state.database.transaction(job_context()) as session:  # type: ignore[attr-defined]
        await session.execute(
            text(
                "insert into telemetry_touched (tenant_id, site_id, layer, bucket_ts)"
                " select distinct tenant_id, site_id, layer, date_bin('5 minutes', ts, 'epoch')"
                " from telemetry_raw, generate_series(0, 1) layer"
                " where site_id = :site"
            ),
            {"site": site_id},
        )


async def _forget(site: SiteWithCollector) -> None:
    async with site.api.app.state.database.transaction(job_context()) as session:  # type: ignore[attr-defined]
        for table in ("telemetry_live", "telemetry_5min", "telemetry_hour", "telemetry_day", "telemetry_touched"):
            await session.execute(text(f"delete from {table}"))

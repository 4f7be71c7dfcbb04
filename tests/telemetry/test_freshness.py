"""Stale and offline follow the collection interval of the machine's own collector, in every answer and in the table."""

from datetime import timedelta

from hashinsight.telemetry.queries import live_frame
from tests.telemetry.fleet import LIVE, Fleet, sample

HOUR_SEC = 3600


async def site_with_two_intervals(fleet: Fleet) -> None:
    """A machine of a 60 s collector and one of an hourly collector, each with a sample of 40 minutes ago."""
    await fleet.send(sample("every-minute", fleet.at(-2400), hashrate_ths=90))
    fleet.site.collector = await fleet.site.add_collector("hourly", "tx-1", collection_interval_sec=HOUR_SEC)
    await fleet.send(sample("hourly", fleet.at(-2400), hashrate_ths=90))
    await fleet.roll()


async def test_a_machine_read_hourly_is_online_when_one_read_every_minute_is_long_offline(fleet: Fleet) -> None:
    await site_with_two_intervals(fleet)
    machines = await fleet.live()
    assert {name: (machine["state"], machine["online"]) for name, machine in machines.items()} == {
        "every-minute": ("offline", False),
        "hourly": ("fresh", True),
    }
    assert set(await fleet.live(online=True)) == {"hourly"}
    assert set(await fleet.live(online=False)) == {"every-minute"}
    stored = fleet.site.rows(
        "select miner_id, online from telemetry_live join miners using (miner_no) order by miner_id"
    )
    assert stored == [("every-minute", False), ("hourly", True)]


async def test_a_machine_read_hourly_is_stale_after_three_hours_and_offline_after_five(fleet: Fleet) -> None:
    await site_with_two_intervals(fleet)
    fleet.site.rows("update collectors set last_seen_at = last_seen_at + interval '1 day' returning 1")
    scope = await fleet.scope()
    for hours, state in ((3, "stale"), (4, "stale"), (5, "offline")):
        frame = await live_frame(fleet.database, scope, as_of=fleet.now + timedelta(hours=hours))
        states = dict(frame.select("miner_id", "data_state").iter_rows())
        assert states["hourly"] == state, hours


async def test_the_rollup_moves_a_machine_offline_by_its_own_interval(fleet: Fleet) -> None:
    await site_with_two_intervals(fleet)
    online = "select online from telemetry_live join miners using (miner_no) where miner_id = 'hourly'"
    await fleet.pass_time(timedelta(hours=4))
    await fleet.roll()
    assert fleet.site.rows(online) == [(True,)]
    await fleet.pass_time(timedelta(hours=1))
    await fleet.roll()
    assert fleet.site.rows(online) == [(False,)]


async def test_the_answer_has_the_thresholds_of_the_longest_interval_shown(fleet: Fleet) -> None:
    await site_with_two_intervals(fleet)
    meta = (await fleet.ok(LIVE))["_meta"]
    assert (meta["stale_after_sec"], meta["offline_after_sec"]) == (3 * HOUR_SEC, 5 * HOUR_SEC)
    meta = (await fleet.ok(LIVE, miner_id="every-minute"))["_meta"]
    assert (meta["stale_after_sec"], meta["offline_after_sec"]) == (180, 300)

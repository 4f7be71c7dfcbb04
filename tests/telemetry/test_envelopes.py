"""What an envelope says of itself: its place, mode, count and clock."""

from datetime import UTC, datetime, timedelta
from typing import Any

from prometheus_client import REGISTRY

from hashinsight.kit.ids import new_id
from hashinsight.telemetry.ingest.envelope import ClockSkews
from tests.telemetry.site_with_collector import SiteWithCollector

_NOW = datetime.fromisoformat("2026-03-01T12:00:00Z")


def envelope(site: SiteWithCollector, *records: dict[str, Any], **claims: Any) -> dict[str, Any]:
    return {"schema": "telemetry_envelope.v1", "site_id": "tx-1", "sent_at": site.at(0), **claims, "records": records}


def sample(site: SiteWithCollector, seconds: float = 0, miner_id: str = "m1") -> dict[str, Any]:
    return {"miner_id": miner_id, "timestamp": site.at(seconds)}


def freeze(site: SiteWithCollector) -> None:
    """From now on it is now: not when the place was made, which is before its owner signed in."""
    site.now = datetime.now(UTC).replace(microsecond=0)
    site.api.app.state.clock = lambda: site.now  # type: ignore[attr-defined] # the fixture's


async def collector_of(site: SiteWithCollector) -> dict[str, Any]:
    collectors: list[dict[str, Any]] = (await site.api.get("/api/admin/v1/collectors", headers=site.owner)).json()[
        "collectors"
    ]
    return collectors[0]


async def test_site_and_zone_are_accepted_by_id_and_by_code(site: SiteWithCollector) -> None:
    zone = {"site_id": "tx-1", "code": "hall-1", "name": "hall 1"}
    made = (await site.api.post("/api/admin/v1/zones", json=zone, headers=site.owner)).json()
    for claim in (
        {},
        {"site_id": site.site_id},
        {"site_id": str(site.site_id)},
        {"zone_id": "hall-1"},
        {"zone_id": made["id"]},
    ):
        answer = await site.post(envelope(site, **claim))
        assert answer.status_code == 200, answer.text


async def test_a_zone_collector_cannot_name_another_zone(site: SiteWithCollector) -> None:
    for code in ("hall-1", "hall-2"):
        zone = {"site_id": "tx-1", "code": code, "name": code}
        await site.api.post("/api/admin/v1/zones", json=zone, headers=site.owner)
    own = await collector_of(site)
    await site.api.patch(f"/api/admin/v1/collectors/{own['id']}", json={"zone_id": "hall-1"}, headers=site.owner)
    assert (await site.post(envelope(site, sample(site), zone_id="hall-1"))).status_code == 200
    for zone_id in ("hall-2", "hall-3", 0, True):
        answer = await site.post(envelope(site, sample(site, -1), zone_id=zone_id))
        assert (answer.status_code, answer.json()["error_code"]) == (403, "ZONE_MISMATCH"), zone_id
    header = await site.post(envelope(site), headers={"X-Zone-ID": "hall-2"})
    assert (header.status_code, header.json()["error_code"]) == (403, "ZONE_MISMATCH")
    assert site.rows("select count(*) from telemetry_raw") == [(1,)]


async def test_the_upload_mode_comes_from_the_header_then_from_the_envelope(
    site: SiteWithCollector,
) -> None:
    await site.post(envelope(site, sample(site, 0), mode="latest"))
    await site.post(envelope(site, sample(site, -1), mode="raw"), headers={"X-Upload-Mode": "latest"})
    await site.post(envelope(site, sample(site, -2), mode="raw"))
    await site.post(envelope(site, sample(site, -3), mode={"odd": 1}))
    twice = await site.post(envelope(site, sample(site, -2), mode="latest"))
    assert twice.json()["duplicates"] == 1
    assert site.rows("select upload_mode from telemetry_raw order by ts desc") == [(1,), (1,), (0,), (0,)]


async def test_a_wrong_record_count_is_counted_and_the_batch_accepted(site: SiteWithCollector) -> None:
    def miscounted() -> float:
        return REGISTRY.get_sample_value("hashinsight_telemetry_miscounted_total") or 0.0

    before = miscounted()
    assert (await site.post(envelope(site, sample(site), record_count=1))).json()["accepted"] == 1
    assert miscounted() == before
    assert (await site.post(envelope(site, sample(site, -1), record_count=7))).json()["accepted"] == 1
    assert miscounted() == before + 1


async def test_a_clock_ten_minutes_ahead_is_accepted_and_its_skew_shown(site: SiteWithCollector) -> None:
    freeze(site)
    ahead = 600
    answer = await site.post(envelope(site, sample(site, ahead), sent_at=site.at(ahead)))
    assert answer.json()["accepted"] == 1, answer.text
    assert site.rows("select ts from telemetry_raw") == [(site.now + timedelta(seconds=ahead),)], "stored as sent"
    assert (await collector_of(site))["clock_skew_sec"] == 600
    again = await site.post(envelope(site, sample(site, ahead), sent_at=site.at(ahead)))
    assert again.json()["duplicates"] == 1
    plain = await site.post([sample(site, ahead + 1)])
    assert plain.json()["accepted"] == 1, "also what comes without sent_at"


async def test_samples_from_the_future_are_rejected_beyond_the_known_skew(site: SiteWithCollector) -> None:
    freeze(site)
    answer = await site.post(envelope(site, sample(site, 299), sample(site, 301)))
    assert [error["error_code"] for error in answer.json()["errors"]] == ["IN_THE_FUTURE"]
    far = await site.post(envelope(site, sample(site, 1199), sample(site, 1201), sent_at=site.at(86_400)))
    assert (far.json()["accepted"], far.json()["rejected"]) == (1, 1), "at most 15 minutes and the allowance"


async def test_a_slow_clock_does_not_narrow_the_accepted_window(site: SiteWithCollector) -> None:
    freeze(site)
    behind = await site.post(envelope(site, sample(site, 290), sent_at=site.at(-3600)))
    assert behind.json()["accepted"] == 1
    odd = await site.post(envelope(site, sample(site, 0), sent_at="lately"))
    assert odd.json()["accepted"] == 1


def test_time_in_a_spool_does_not_count_as_clock_skew() -> None:
    skews, who = ClockSkews(), (new_id(), "box-1")
    assert skews.add(who, 600.0, now=_NOW) == 600.0
    assert skews.add(who, -7200.0, now=_NOW) == 600.0, "wrapped two hours ago"
    assert skews.add((who[0], "box-2"), -3.0, now=_NOW) == -3.0, "each device has its clock"
    assert skews.add(who, 0.5, now=_NOW + timedelta(minutes=11)) == 0.5, "the clock was set"


def test_a_skew_is_stored_only_when_it_changes() -> None:
    skews, who = ClockSkews(), new_id()
    assert not skews.should_store(who, 0.4, 0.0, now=_NOW)
    assert skews.should_store(who, 5.0, None, now=_NOW)
    assert not skews.should_store(who, 5.5, None, now=_NOW + timedelta(minutes=1)), "hardly changed"
    assert not skews.should_store(who, 60.0, None, now=_NOW + timedelta(seconds=10)), "said just now"
    assert skews.should_store(who, 60.0, None, now=_NOW + timedelta(seconds=31))


async def test_lag_outcomes_and_reasons_are_measured(site: SiteWithCollector) -> None:
    freeze(site)

    def value(name: str, **chosen: str) -> float:
        return REGISTRY.get_sample_value(name, chosen) or 0.0

    def values() -> dict[str, float]:
        return {
            "accepted": value("hashinsight_telemetry_samples_total", outcome="accepted"),
            "duplicates": value("hashinsight_telemetry_samples_total", outcome="duplicates"),
            "negative": value("hashinsight_telemetry_rejected_total", error_code="NEGATIVE"),
            "refused": value("hashinsight_telemetry_batches_refused_total", error_code="BAD_JSON"),
            "batches": value("hashinsight_telemetry_batch_seconds_count"),
            "lags": value("telemetry_ingest_lag_seconds_count"),
            "lag": value("telemetry_ingest_lag_seconds_sum"),
        }

    before = values()
    await site.post([sample(site, -90), sample(site, -40), sample(site, -40), {**sample(site), "power_w": -1}])
    await site.post(b"nothing")
    after = values()
    grown = {name: after[name] - before[name] for name in before}
    assert grown == {"accepted": 2, "duplicates": 1, "negative": 1, "refused": 1, "batches": 1, "lags": 1, "lag": 40}
    shown = (await site.api.get("/metrics")).text
    assert "telemetry_ingest_lag_seconds_bucket" in shown

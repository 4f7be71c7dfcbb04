"""In which unit a collector writes its reject rates: what it states, what its counters say, and what it sent before."""

import json
from typing import Any

import pytest

from hashinsight.telemetry.ingest.normaliser import normalise
from hashinsight.telemetry.ingest.samples import RejectRateUnitCounts, Samples
from tests.telemetry.decoded_samples import TS, decode_batch
from tests.telemetry.site_with_collector import SiteWithCollector

LOW = {"accepted_shares": 99_820, "rejected_shares": 180}  # 0.18 % of its shares
HIGH = {"accepted_shares": 82_000, "rejected_shares": 18_000}


def read(*fields: dict[str, Any], before: RejectRateUnitCounts | None = None, **envelope: Any) -> Samples:
    records = [{"miner_id": f"m{no}", "ts": TS, **fields_of_one} for no, fields_of_one in enumerate(fields)]
    sent = {"records": records, **envelope} if envelope else records
    return normalise(decode_batch(json.dumps(sent).encode()), zero_is_unknown=False, rate_units=before)


def rates(samples: Samples) -> list[float]:
    assert samples.rejected == {}
    return [round(rate, 6) for rate in samples.number("reject_rate").tolist()]


def test_a_percentage_below_one_is_stored_as_the_ratio_that_the_counters_show() -> None:
    assert rates(read({"reject_rate": 0.18, **LOW})) == [0.0018]
    assert rates(read({"reject_rate": 0.18, **HIGH})) == [0.18]


def test_a_collector_has_one_unit_that_most_of_its_samples_decide() -> None:
    percents = [{"reject_rate": 0.18, **LOW}, {"reject_rate": 0.5, **LOW}, {"reject_rate": 0.3}, {"reject_rate": 2.5}]
    assert rates(read(*percents)) == [0.0018, 0.005, 0.003, 0.025]
    # a machine of which the pool rejects much of late stays at that: the others say ratio
    ratios = [{"reject_rate": 0.0018, **LOW}, {"reject_rate": 0.002, **LOW}, {"reject_rate": 0.3, **LOW}]
    assert rates(read(*ratios)) == [0.0018, 0.002, 0.3]


def test_a_value_over_one_is_a_percentage_and_shows_the_unit_of_its_batch() -> None:
    assert rates(read({"reject_rate": 2.5}, {"reject_rate": 0.18}, {"reject_rate": 0})) == [0.025, 0.0018, 0.0]


def test_a_sample_without_counters_uses_those_of_the_neighbouring_sample() -> None:
    records = [
        {"miner_id": "m1", "ts": TS, **LOW},
        {"miner_id": "m1", "ts": "2026-03-01T12:01:00Z", "reject_rate": 0.18},
    ]
    samples = normalise(decode_batch(json.dumps(records).encode()), zero_is_unknown=False)
    assert rates(samples)[1] == 0.0018


def test_without_evidence_a_value_up_to_one_is_a_ratio() -> None:
    assert rates(read({"reject_rate": 0.18}, {"reject_rate": 1})) == [0.18, 1.0]
    no_rejects = {"accepted_shares": 5, "rejected_shares": 0}  # says neither
    assert rates(read({"reject_rate": 0.18, **no_rejects})) == [0.18]


@pytest.mark.parametrize(
    ("unit", "stored"),
    [("percent", [0.0018, 0.025]), ("ratio", [0.18, 0.025]), ("furlong", [0.0018, 0.025]), (7, [0.0018, 0.025])],
)
def test_a_stated_unit_is_used(unit: Any, stored: list[float]) -> None:
    sent = [{"reject_rate": 0.18}, {"reject_rate": 2.5}]  # of whom states none that we know, the values decide
    assert rates(read(*sent, reject_rate_unit=unit)) == stored


@pytest.mark.parametrize("name", ["reject_rate_percent", "reject_rate_pct", "reject_percent"])
def test_a_field_named_percent_is_a_percentage(name: str) -> None:
    assert rates(read({name: 0.18, **HIGH})) == [0.0018]


def test_old_evidence_fades_so_that_an_updated_collector_is_read_by_its_new_unit() -> None:
    counts = RejectRateUnitCounts(ratio=10_000)
    for _ in range(4):
        counts = counts.add(RejectRateUnitCounts(percent=3_000))
    assert counts.is_percent


SICK, IDLE = {"accepted_shares": 99_600, "rejected_shares": 400}, {"reject_rate": 0, **LOW}


def test_a_sick_machine_is_not_read_as_a_percentage_because_few_shares_were_rejected_since_boot() -> None:
    """0.30 of the last minutes, 0.004 since boot; healthy machines write 0."""
    assert rates(read({"reject_rate": 0.3, **SICK})) == [0.3]
    assert rates(read({"reject_rate": 0.3, **SICK}, *[IDLE] * 20))[0] == 0.3


def test_a_rate_that_is_a_hundred_times_the_counters_by_chance_decides_nothing_where_others_do_not_fit() -> None:
    by_chance = {"reject_rate": 0.4, **SICK}
    assert rates(read(by_chance, IDLE, IDLE))[0] == 0.4
    before = read(IDLE, IDLE, IDLE).rate_units  # what it sent before counts, too
    assert rates(read(by_chance, before=before)) == [0.4]


@pytest.mark.parametrize(("sent", "stored"), [(0.3, 0.3), (30, 0.3), (0.7, 0.007)])
def test_counters_since_the_sample_before_show_the_unit_of_a_rate_of_that_time(sent: float, stored: float) -> None:
    """The pool refuses what is sent as `stored` of 1,000 new shares, whatever was refused since boot."""
    rejected = round(1000 * stored)
    more = {"accepted_shares": 99_600 + 1000 - rejected, "rejected_shares": 400 + rejected}
    records = [
        {"miner_id": "m1", "ts": "2026-03-01T12:01:00Z", "reject_rate": sent, **more},
        {"miner_id": "m2", "ts": TS, **LOW},
        {"miner_id": "m1", "ts": TS, **SICK},
    ]
    samples = normalise(decode_batch(json.dumps(records).encode()), zero_is_unknown=False)
    assert rates(samples)[0] == stored


async def test_earlier_batches_decide_the_unit_of_a_batch_without_evidence(site: SiteWithCollector) -> None:
    other = await site.add_collector("south", "tx-1")
    await site.post([{"miner_id": "m1", "ts": site.at(-60), "reject_rate": 0.18, **LOW}])
    await site.post([{"miner_id": "m1", "ts": site.at(0), "reject_rate": 0.4}])
    await site.post([{"miner_id": "m2", "ts": site.at(0), "reject_rate": 0.4}], headers=other)
    stored = site.rows("select miner_id, reject_rate from telemetry_raw_24h order by miner_id, ts")
    assert stored == [("m1", pytest.approx(0.0018)), ("m1", pytest.approx(0.004)), ("m2", pytest.approx(0.4))]

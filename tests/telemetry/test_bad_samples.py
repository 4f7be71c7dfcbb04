"""Bad samples cost only themselves: one batch with good neighbours before and after each."""

import json
import logging
from datetime import timedelta
from typing import Any

import pytest

from hashinsight.kit.logs import configure_logs
from hashinsight.kit.settings import Settings
from tests.telemetry.site_with_collector import SiteWithCollector

GOOD = '{{"miner_id": "good-{n}", "ts": {at}, "hashrate_ths": 100}}'

# as written in the body, with the code that it is refused for; {at} is a good time
BAD: dict[str, tuple[str, str]] = {
    "NaN": ('{"miner_id": "bad", "ts": {at}, "hashrate_ths": NaN}', "NOT_A_NUMBER"),
    "Infinity": ('{"miner_id": "bad", "ts": {at}, "power_w": Infinity}', "NOT_A_NUMBER"),
    "-Infinity": ('{"miner_id": "bad", "ts": {at}, "temp_max": -Infinity}', "NOT_A_NUMBER"),
    "NaN in a list": ('{"miner_id": "bad", "ts": {at}, "fan_speeds": [5000, NaN]}', "NOT_A_NUMBER"),
    "NaN as time": ('{"miner_id": "bad", "ts": NaN}', "NOT_A_NUMBER"),
    "a float beyond all": ('{"miner_id": "bad", "ts": {at}, "hashrate_ths": 1e999}', "NOT_A_NUMBER"),
    "a huge int": ('{"miner_id": "bad", "ts": {at}, "accepted_shares": ' + "9" * 400 + "}", "OUT_OF_RANGE"),
    "a vast int": ('{"miner_id": "bad", "ts": {at}, "accepted_shares": ' + "9" * 5000 + "}", "*"),
    "too large a count": ('{"miner_id": "bad", "ts": {at}, "accepted_shares": 1e19}', "OUT_OF_RANGE"),
    "negative hashrate": ('{"miner_id": "bad", "ts": {at}, "hashrate_ths": -1}', "NEGATIVE"),
    "negative GH/s": ('{"miner_id": "bad", "ts": {at}, "hashrate_ghs": -0.5}', "NEGATIVE"),
    "impossible temperature": ('{"miner_id": "bad", "ts": {at}, "temp_max": 5000}', "OUT_OF_RANGE"),
    "impossible chip": ('{"miner_id": "bad", "ts": {at}, "temperature_chips": [60, 5000]}', "OUT_OF_RANGE"),
    "ten megabytes in a text": (
        '{"miner_id": "bad", "ts": {at}, "model": "' + "x" * 10_000_000 + '"}',
        "TEXT_TOO_LONG",
    ),
    "a long text": ('{"miner_id": "bad", "ts": {at}, "error_message": "' + "x" * 2001 + '"}', "TEXT_TOO_LONG"),
    "a list without end": ('{"miner_id": "bad", "ts": {at}, "fan_speeds": [' + "1," * 600 + "1]}", "TOO_LONG"),
    "a date without time": ('{"miner_id": "bad", "ts": "2026-03-01"}', "BAD_TIME"),
    "a date of another land": ('{"miner_id": "bad", "ts": "01/03/2026 12:00"}', "BAD_TIME"),
    "a date that is none": ('{"miner_id": "bad", "ts": "2026-02-30T12:00:00Z"}', "BAD_TIME"),
    "a date in words": ('{"miner_id": "bad", "ts": "yesterday at noon"}', "BAD_TIME"),
    "milliseconds": ('{"miner_id": "bad", "ts": 1772366400000}', "BAD_TIME"),
    "a time as object": ('{"miner_id": "bad", "ts": {"at": 1}}', "BAD_TIME"),
    "true as time": ('{"miner_id": "bad", "ts": true}', "BAD_TIME"),
    "no time": ('{"miner_id": "bad"}', "BAD_TIME"),
    "an old time": ('{"miner_id": "bad", "ts": "2020-01-01T00:00:00Z"}', "TOO_OLD"),
    "a time to come": ('{"miner_id": "bad", "ts": "2099-01-01T00:00:00Z"}', "IN_THE_FUTURE"),
    "a number as text": ('{"miner_id": "bad", "ts": {at}, "power_w": "3000"}', "WRONG_TYPE"),
    "a boolean as number": ('{"miner_id": "bad", "ts": {at}, "power_w": true}', "WRONG_TYPE"),
    "a number as model": ('{"miner_id": "bad", "ts": {at}, "model": 19}', "WRONG_TYPE"),
    "an object as number": ('{"miner_id": "bad", "ts": {at}, "hashrate": {"5s": 100}}', "WRONG_TYPE"),
    "texts as fans": ('{"miner_id": "bad", "ts": {at}, "fan_speeds": ["fast"]}', "WRONG_TYPE"),
    "lists in lists": ('{"miner_id": "bad", "ts": {at}, "temperature_chips": [[60]]}', "WRONG_TYPE"),
    "no id": ('{"ts": {at}}', "BAD_MINER_ID"),
    "an empty id": ('{"miner_id": "  ", "ts": {at}}', "BAD_MINER_ID"),
    "a long id": ('{"miner_id": "' + "m" * 65 + '", "ts": {at}}', "BAD_MINER_ID"),
    "an id with a control character": ('{"miner_id": "b\\u0007ad", "ts": {at}}', "BAD_MINER_ID"),
    "an id with NUL": ('{"miner_id": "bad\\u0000", "ts": {at}}', "BAD_MINER_ID"),
    "an id with half a character": ('{"miner_id": "bad\\ud800", "ts": {at}}', "BAD_MINER_ID"),
    "an id with a path": ('{"miner_id": "../bad", "ts": {at}}', "BAD_MINER_ID"),
    "an id that is a path": ('{"miner_id": "import", "ts": {at}}', "BAD_MINER_ID"),
    "an id that is a formula": ('{"miner_id": "=1+1", "ts": {at}}', "BAD_MINER_ID"),
    "an id that is an object": ('{"miner_id": {"a": 1}, "ts": {at}}', "BAD_MINER_ID"),
    "an id of many digits": ('{"miner_id": ' + "9" * 100 + ', "ts": {at}}', "BAD_MINER_ID"),
    "a text as sample": ('"bad"', "NOT_AN_OBJECT"),
    "null as sample": ("null", "NOT_AN_OBJECT"),
    "a list as sample": ("[]", "NOT_AN_OBJECT"),
}
# what is odd and kept, and what is then stored of it
KEPT: dict[str, tuple[str, str, Any]] = {
    "NUL in a text": ('{"miner_id": "kept", "ts": {at}, "error_message": "a\\u0000b"}', "error_message", "a b"),
    "escape codes": ('{"miner_id": "kept", "ts": {at}, "worker_name": "\\u001b[31mred"}', "worker", "[31mred"),
    "half a character": ('{"miner_id": "kept", "ts": {at}, "error_message": "a\\ud800b"}', "error_message", "a?b"),
    "NUL in an unknown field": ('{"miner_id": "kept", "ts": {at}, "odd\\u0000": "a\\u0000b"}', "extra", {"odd": "ab"}),
    "a text about NUL": ('{"miner_id": "kept", "ts": {at}, "odd": "a\\\\u0000"}', "extra", {"odd": "a\\u0000"}),
    "half a character in an unknown field": (
        '{"miner_id": "kept", "ts": {at}, "odd": "\\ud800"}',
        "extra",
        {"odd": "?"},
    ),
    "NaN in an unknown field": ('{"miner_id": "kept", "ts": {at}, "odd": [NaN, 1]}', "extra", {"odd": [None, 1]}),
    "a vast int in an unknown field": (
        '{"miner_id": "kept", "ts": {at}, "odd": ' + "9" * 90 + "}",
        "extra",
        {"odd": None},
    ),
    "nested junk": (
        '{"miner_id": "kept", "ts": {at}, "odd": ' + "[" * 50 + "]" * 50 + "}",
        "extra",
        {"odd": [[[[[None]]]]]},
    ),
    "too much of unknown fields": (
        '{"miner_id": "kept", "ts": {at}, "odd": "' + "x" * 9000 + '"}',
        "extra",
        {"dropped": "too large"},
    ),
    "a key twice": ('{"miner_id": "kept", "ts": {at}, "power_w": "x", "power_w": 3000}', "power_w", 3000.0),
    "a number as id": ('{"miner_id": 1234, "ts": {at}, "power_w": 3000}', "power_w", 3000.0),
}


def body_of(site: SiteWithCollector, *samples: str) -> bytes:
    """The samples with a good one before, between and after."""
    at = json.dumps(site.at(0))
    good = [GOOD.format(n=n, at=at) for n in range(len(samples) + 1)]
    bad = [sample.replace("{at}", at) for sample in samples]
    mixed = [sample for pair in zip(good, bad, strict=False) for sample in pair]
    return ("[" + ",".join([*mixed, good[-1]]) + "]").encode()


async def test_a_bad_sample_costs_only_itself(site: SiteWithCollector) -> None:
    for name, (sample, code) in BAD.items():
        site.now += timedelta(seconds=1)
        answer = await site.post(body_of(site, sample), zipped=True)
        assert answer.status_code == 200, f"{name}: {answer.text}"
        body = answer.json()
        assert (body["success"], body["accepted"], body["rejected"], body["duplicates"]) == (True, 2, 1, 0), name
        (error,) = body["errors"]
        assert error["index"] == 1, name
        assert code in ("*", error["error_code"]), f"{name}: {error}"
        assert len(error["reason"]) < 250, name
    rows = site.rows("select miner_id, count(*) from telemetry_raw join miners using (miner_no) group by 1 order by 1")
    assert rows == [("good-0", len(BAD)), ("good-1", len(BAD))]
    assert site.rows("select count(*) from miners") == [(2,)], "nobody is registered by a bad sample"


async def test_an_odd_sample_is_repaired_and_stored(site: SiteWithCollector) -> None:
    for name, (sample, column, stored) in KEPT.items():
        site.now += timedelta(seconds=1)
        answer = await site.post(body_of(site, sample))
        assert answer.status_code == 200, f"{name}: {answer.text}"
        assert answer.json()["accepted"] == 3, f"{name}: {answer.text}"
        rows = site.rows(
            f"select {column} from telemetry_raw join miners using (miner_no)"
            f" where miner_id in ('kept', '1234') and ts = '{site.at(0)}'"
        )
        assert rows == [(stored,)], name


async def test_all_bad_samples_in_one_batch_are_rejected_with_and_without_a_known_dialect(
    site: SiteWithCollector,
) -> None:
    samples = [sample for name, (sample, _) in BAD.items() if "megabytes" not in name]
    assert (await site.post(body_of(site))).json()["accepted"] == 1
    for fresh in (len(samples), 0):
        body = (await site.post(body_of(site, *samples))).json()
        assert (body["accepted"], body["rejected"]) == (fresh, len(samples))
        assert [error["index"] for error in body["errors"]] == [2 * n + 1 for n in range(len(samples))]


async def test_invalid_utf8_costs_only_its_own_sample(site: SiteWithCollector) -> None:
    body = body_of(site, '{"miner_id": "kept", "ts": {at}, "error_message": "caf?"}').replace(b"caf?", b"caf\xe9")
    assert (await site.post(body)).json()["accepted"] == 3
    rows = site.rows("select error_message from telemetry_raw where error_message is not null")
    assert rows == [("caf?",)]


async def test_a_batch_of_nothing_but_bad_samples_is_answered_200(site: SiteWithCollector) -> None:
    body = (await site.post([{"miner_id": "m", "ts": "no"}] * 150)).json()
    assert (body["success"], body["accepted"], body["rejected"]) == (True, 0, 150)
    assert len(body["errors"]) == 100


CANARIES = (
    "10.20.30.40",
    "192.168.7.7",
    "canary-user",
    "canary-pass",
    "canary-key",
    "canary-host",
    "AA:BB:CC:00:11:22",
)


async def test_addresses_and_credentials_of_machines_reach_neither_the_tables_nor_the_logs(
    site: SiteWithCollector, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logs(settings.model_copy(update={"log_level": "DEBUG", "log_format": "json"}), "test")
    sample: dict[str, Any] = {
        "ip": "10.20.30.40",
        "ip_address": "10.20.30.40",
        "minerIp": "10.20.30.40",
        "host": "canary-host",
        "hostname": "canary-host",
        "username": "canary-user",
        "password": "canary-pass",
        "miner_key": "canary-key",
        "pool_user": "canary-user",
        "pool_password": "canary-pass",
        "sshPassword": "canary-pass",
        "api_key": "canary-key",
        "credentials": {"user": "canary-user"},
        "pool_url": "stratum+tcp://canary-user:canary/pass:canary-pass@pool.example:3333?password=canary-pass",
        "error_message": "connect to 192.168.7.7:4028 failed, password=canary-pass",
        "raw_data": {"STATS": [{"ip": "10.20.30.40", "note": "at 192.168.7.7", "Password": "canary-pass"}]},
        "boards": [{"hashrate": 30, "ip": "10.20.30.40", "token": "canary-key"}],
        "unknown": {"deep": {"mac": "AA:BB:CC:00:11:22", "text": "token=canary-key"}},
    }
    try:
        bad: list[dict[str, Any]] = [{}, {"power_w": "wrong"}, {"hashrate_ths": -1}, {"model": "x" * 300}]
        for n, extra in enumerate(bad):
            answer = await site.post([{"miner_id": f"m{n}", "ts": site.at(0), **sample, **extra}])
            assert answer.status_code == 200
            assert not [canary for canary in CANARIES if canary in answer.text]
        await site.api.app.state.store.reports.settle()  # type: ignore[attr-defined] # the fixture's
    finally:
        configure_logs(Settings(log_level="WARNING", log_format="json"), "test")
    logged = "".join(capsys.readouterr())
    assert "/api/edge/v1/telemetry/batch" in logged
    stored = "".join(
        str(site.rows(f"select string_agg(t::text, ' ') from {table} t"))
        for table in ("telemetry_raw", "miners", "audit_log", "collectors", "collector_events")
    )
    assert "stratum+tcp://pool.example:3333" in stored
    for canary in CANARIES:
        assert canary not in stored
        assert canary not in logged
    assert logging.getLogger().level == logging.WARNING

"""The field map: every documented name lands in its column, in its unit; and what zeros, sentinels and words mean."""

import json
from typing import Any

import pytest

from hashinsight.telemetry.states import SampleFlags, SampleStatus
from tests.telemetry.decoded_samples import decode_sample, stored_values
from tests.telemetry.site_with_collector import SiteWithCollector

# the documented name, what is sent, and the column and value that it is stored as
ALIASES: list[tuple[str, Any, str, Any]] = [
    ("hashrate", 104.5, "hashrate_ths", 104.5),
    ("hashrate_ths", 104.5, "hashrate_ths", 104.5),
    ("hashrate_th", 104.5, "hashrate_ths", 104.5),
    ("hashrate_ghs", 104_500, "hashrate_ths", 104.5),
    ("hashrate_1m", 104.5, "hashrate_ths", 104.5),
    ("hashrate_5m", 104.5, "hashrate_ths", 104.5),
    ("hashrate_15m", 104.5, "hashrate_ths", 104.5),
    ("hashrate_5s", 104.5, "hashrate_5s_ths", 104.5),
    ("hashrate_5s_ghs", 104_500, "hashrate_5s_ths", 104.5),
    ("expected_ths", 110, "expected_ths", 110.0),
    ("hashrate_expected_ghs", 110_000, "expected_ths", 110.0),
    ("temp_avg", 61.5, "temp_c", 61.5),
    ("temperature_avg", 61.5, "temp_c", 61.5),
    ("temp_max", 71.5, "temp_max_c", 71.5),
    ("temperature_max", 71.5, "temp_max_c", 71.5),
    ("temperature_min", 41.5, "temp_min_c", 41.5),
    ("temp_chip_max", 92.5, "temp_chip_max_c", 92.5),
    ("temp_chip_max", 92.5, "temp_max_c", 92.5),
    ("temp_board_max", 78.5, "temp_board_max_c", 78.5),
    ("temp_limit_c", 95, "temp_limits", "chip -/95"),
    ("temp_limits", {"board": {"warn_c": 70, "stop_c": 80}}, "temp_limits", "board 70/80"),
    ("temperature_chips", [60, 62], "chip_temps_c", [60.0, 62.0]),
    ("temperature_chips", [60, 62], "temp_c", 61.0),
    ("temperature_board1", 66, "temp_max_c", 66.0),
    ("temperature_board2", 66, "temp_max_c", 66.0),
    ("temperature_board3", 66, "temp_max_c", 66.0),
    ("fan_rpm", 5000, "fan_rpm", 5000.0),
    ("fan_rpm", [5000, 5200], "fan_speeds", [5000.0, 5200.0]),
    ("fan_speeds", [5000, 5200], "fan_rpm", 5100.0),
    ("fan_speeds", [5000, 5200], "fan_min_rpm", 5000.0),
    ("fan_speed_avg", 5100, "fan_rpm", 5100.0),
    *((f"fan{n}_speed", 5300, "fan_rpm", 5300.0) for n in (1, 2, 3, 4)),
    ("power_w", 3250, "power_w", 3250.0),
    ("power_consumption", 3250, "power_w", 3250.0),
    ("power_consumption_w", 3250, "power_w", 3250.0),
    ("voltage_v", 12.5, "voltage_v", 12.5),
    ("current_a", 14.5, "current_a", 14.5),
    ("frequency_avg", 545, "frequency_mhz", 545.0),
    ("frequency_mhz", 545, "frequency_mhz", 545.0),
    ("hw_errors", 7, "hw_errors", 7.0),
    ("hardware_errors", 7, "hw_errors", 7.0),
    ("accepted_shares", 1000, "accepted", 1000.0),
    ("rejected_shares", 12, "rejected", 12.0),
    ("reject_rate", 0.02, "reject_rate", 0.02),
    ("reject_rate", 2.5, "reject_rate", 0.025),
    ("boards_healthy", 2, "boards_healthy", 2.0),
    ("boards_total", 3, "boards_total", 3.0),
    ("model", "S19", "model", "S19"),
    ("miner_type", "S19", "model", "S19"),
    ("firmware", "2.1", "firmware", "2.1"),
    ("firmware_version", "2.1", "firmware", "2.1"),
    ("uptime_seconds", 86_400, "uptime_sec", 86_400.0),
    ("pool_url", "stratum+tcp://pool.example:3333", "pool_url", "stratum+tcp://pool.example:3333"),
    ("worker_name", "farm.1", "worker", "farm.1"),
    ("pool_worker", "farm.1", "worker", "farm.1"),
    ("pool_status", "alive", "pool_status", "alive"),
    ("pool_latency_ms", 31.5, "pool_latency_ms", 31.5),
    ("mac_address", "aa:bb:cc:dd:ee:ff", "mac", "aa:bb:cc:dd:ee:ff"),
    ("serial_number", "SN1", "serial", "SN1"),
    ("mode", "eco", "mode", "eco"),
    ("state", "idle", "state", "idle"),
    ("status", "idle", "state", "idle"),
    ("error_type", "timeout", "error_type", "timeout"),
    ("error_message", "no answer", "error_message", "no answer"),
    ("raw_data", {"a": 1}, "extra", '{"raw_data":{"a":1}}'),
    ("chip_voltage_mv", 310, "extra", '{"chip_voltage_mv":310}'),
]


@pytest.mark.parametrize(("name", "sent", "column", "stored"), ALIASES)
def test_a_documented_name_lands_in_its_column_and_unit(name: str, sent: Any, column: str, stored: Any) -> None:
    samples = decode_sample({name: sent})
    assert samples.rejected == {}
    values = stored_values(samples)[column]
    assert values == (pytest.approx(stored) if isinstance(stored, float) else stored)


@pytest.mark.parametrize(
    ("fields", "column", "stored"),
    [
        ({"hashrate_ths": 100, "hashrate_ghs": 5}, "hashrate_ths", 100.0),
        ({"hashrate_ths": None, "hashrate_ghs": 90_000}, "hashrate_ths", 90.0),
        ({"temp_avg": 50, "temperature_chips": [60, 62]}, "temp_c", 61.0),
        ({"temp_avg": 50, "temp_max": 55, "temperature_chips": [60, 62]}, "temp_max_c", 62.0),
        ({"model": None, "miner_type": "M50"}, "model", "M50"),
    ],
)
def test_of_several_aliases_the_first_with_a_value_counts(fields: dict[str, Any], column: str, stored: Any) -> None:
    assert stored_values(decode_sample(fields))[column] == stored


@pytest.mark.parametrize("word", ["running", "stopped", "idle", "RUNNING", "something new"])
def test_an_unknown_status_word_counts_as_online_and_is_stored(word: str) -> None:
    samples = decode_sample({"status": word})
    assert samples.status[0] == SampleStatus.ONLINE
    assert stored_values(samples)["state"] == word


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"status": "error"}, SampleStatus.ERROR),
        ({"status": "fault"}, SampleStatus.ERROR),
        ({"status": "offline"}, SampleStatus.OFFLINE),
        ({"state": "unreachable"}, SampleStatus.OFFLINE),
        ({"online": False}, SampleStatus.OFFLINE),
        ({"online": False, "status": "running"}, SampleStatus.OFFLINE),
        ({"online": True, "status": "offline"}, SampleStatus.OFFLINE),
        ({"online": True}, SampleStatus.ONLINE),
        ({"online": None}, SampleStatus.ONLINE),
        ({"online": {"odd": []}}, SampleStatus.ONLINE),
        ({}, SampleStatus.ONLINE),
    ],
)
def test_a_machine_is_offline_by_status_or_by_online(fields: dict[str, Any], status: SampleStatus) -> None:
    assert decode_sample(fields).status[0] == status


@pytest.mark.parametrize(
    ("fields", "flag", "gone"),
    [
        ({"temp_avg": 0}, SampleFlags.TEMPERATURE_SENTINEL, "temp_c"),
        ({"temp_max": 255}, SampleFlags.TEMPERATURE_SENTINEL, "temp_max_c"),
        ({"fan_speed_avg": -1}, SampleFlags.FAN_SENTINEL, "fan_rpm"),
        ({"fan1_speed": -1}, SampleFlags.FAN_SENTINEL, "fan_rpm"),
        ({"hashrate_ths": 90_000}, SampleFlags.IMPLAUSIBLE, "hashrate_ths"),
        ({"power_w": 0}, SampleFlags.POWER_UNKNOWN, "power_w"),
    ],
)
def test_an_impossible_reading_is_unknown_and_flagged(fields: dict[str, Any], flag: SampleFlags, gone: str) -> None:
    samples = decode_sample(fields)
    assert samples.rejected == {}
    assert samples.flags[0] & flag
    assert gone not in stored_values(samples)


def test_a_broken_sensor_among_good_ones_does_not_count() -> None:
    samples = decode_sample({"temperature_chips": [0, 60, 255, 64], "fan_speeds": [5000, -1]})
    assert samples.flags[0] == SampleFlags.TEMPERATURE_SENTINEL | SampleFlags.FAN_SENTINEL | SampleFlags.CHIP_SENSOR
    values = stored_values(samples)
    assert (values["temp_c"], values["temp_max_c"], values["temp_min_c"], values["fan_rpm"]) == (
        62.0,
        64.0,
        60.0,
        5000.0,
    )
    assert (values["chip_temps_c"], values["fan_speeds"]) == ([None, 60.0, None, 64.0], [5000.0, None])


def test_a_mean_that_may_include_a_broken_sensor_does_not_replace_the_maximum() -> None:
    samples = decode_sample({"temp_avg": 123.0, "temp_max": 255})
    assert "temp_max_c" not in stored_values(samples)
    assert stored_values(decode_sample({"temp_avg": 61.0}))["temp_max_c"] == 61.0
    assert (
        stored_values(decode_sample({"temp_avg": 61.0, "temp_max": 255, "temperature_board1": 66}))["temp_max_c"]
        == 66.0
    )


def test_a_hashrate_a_million_times_too_high_is_rescaled() -> None:
    samples = decode_sample({"hashrate_ths": 104_500_000})
    assert stored_values(samples)["hashrate_ths"] == pytest.approx(104.5)
    assert samples.flags[0] == SampleFlags.UNITS_MENDED


ZEROS: dict[str, Any] = {
    "power_consumption": 0,
    "frequency_avg": 0,
    "uptime_seconds": 0,
    "fan_speeds": [0, 0],
    "accepted_shares": 0,
    "rejected_shares": 0,
    "hardware_errors": 0,
    "worker_name": "",
    "pool_url": "",
    "error_message": "",
}


def test_zeros_are_unknown_from_collectors_that_write_zero_for_unknown() -> None:
    values = stored_values(decode_sample({"hashrate_ghs": 0, **ZEROS}, zero_is_unknown=True))
    assert values == {"hashrate_ths": 0.0}, "a hashrate of 0 is a reading"


def test_zeros_of_other_collectors_are_readings_except_power_of_a_responding_machine() -> None:
    values = stored_values(decode_sample(ZEROS))
    assert values["frequency_mhz"] == values["uptime_sec"] == values["fan_rpm"] == values["accepted"] == 0
    assert "power_w" not in values
    assert stored_values(decode_sample({**ZEROS, "status": "offline"}))["power_w"] == 0


@pytest.mark.parametrize(
    ("fields", "is_fault"),
    [
        ({"temperature_avg": 0, "temperature_max": 0, "temperature_chips": []}, False),
        ({"temperature_avg": 0, "temperature_chips": [0, 0, 0]}, False),
        ({"temperature_chips": [0, 60, 64]}, True),
        ({"temperature_chips": [255, 255], "temperature_max": 255}, True),
    ],
)
def test_an_unknown_temperature_is_not_a_broken_sensor(fields: dict[str, Any], *, is_fault: bool) -> None:
    samples = decode_sample({"online": True, **fields}, zero_is_unknown=True)
    assert bool(samples.flags[0] & SampleFlags.TEMPERATURE_SENTINEL) is is_fault
    assert [value for value in stored_values(samples).values() if value in (0.0, 255.0)] == []


def test_an_offline_machine_has_no_broken_sensors() -> None:
    fields = {"temp_avg": 0, "temp_max": 255, "temperature_chips": [0, 0], "fan_speeds": [-1, -1], "fan1_speed": -1}
    samples = decode_sample({"status": "offline", **fields})
    assert samples.flags[0] == 0
    assert {"temp_c", "temp_max_c", "fan_rpm"}.isdisjoint(stored_values(samples))


def test_if_one_counter_counts_zeros_of_the_others_are_readings() -> None:
    values = stored_values(decode_sample({**ZEROS, "accepted_shares": 5}, zero_is_unknown=True))
    assert (values["accepted"], values["rejected"], values["hw_errors"]) == (5, 0, 0)


@pytest.mark.parametrize(
    ("boards", "total", "healthy"),
    [
        ([{"hashrate": 30}, {"hashrate": 0}, {"hashrate_ths": 31}], 3, 2),
        ([{"status": "ok"}, {"status": "dead"}, {"status": True}, {"status": None}], 4, 2),
        ([{"hashrate_ths": 31.0, "chips": 110}, {"hashrate_ths": None, "chips": 0}, {"chips": 108}], 3, 2),
        ([{"hashrate_ths": 12.0, "chips": 0}, {"hashrate_ths": 31.0}], 2, 1),  # a mean outlives its board
        ([{"hashrate": 30}, {}, {"hashrate": None}], 3, 1),  # nothing is said of a board: it is not a sound one
        ([{}, "junk", None, [1]], 4, None),
    ],
)
def test_listed_boards_are_counted(boards: list[Any], total: int, healthy: int | None) -> None:
    values = stored_values(decode_sample({"boards": boards}))
    assert (values["boards_total"], values.get("boards_healthy")) == (total, healthy)
    assert json.loads(values["boards"]) == boards


@pytest.mark.parametrize(
    ("fields", "slowest"),
    [
        ({"hashrate_ths": 95.0, "fan_speeds": [0, 0, 0, 0]}, 0),
        ({"hashrate_ths": 95.0, "fan_speeds": [5880, 0]}, 0),
        ({"hashrate_ths": 0.0, "fan_speeds": [5880, 0]}, 0),
        ({"hashrate_ths": 0.0, "fan_speeds": [0, 0, 0, 0]}, None),
        ({"fan_speeds": [0, 0, 0, 0]}, None),
    ],
)
def test_fans_that_are_all_stopped_count_only_while_the_machine_hashes(
    fields: dict[str, Any], slowest: float | None
) -> None:
    values = stored_values(decode_sample({"online": True, **fields}))
    assert values.get("fan_min_rpm") == slowest
    assert "fan_rpm" in values


@pytest.mark.parametrize(
    ("words", "flags"),
    [
        (["hashrate_units_mended"], SampleFlags.UNITS_MENDED),
        (["hashrate_doubtful", "sensor_broken"], SampleFlags.HASHRATE_DOUBTFUL | SampleFlags.TEMPERATURE_SENTINEL),
        (["fan_sensor_broken", "sensor_silent", "boards_silent"], SampleFlags.FAN_SENTINEL),
        (["boards_contradict_total"], SampleFlags.HASHRATE_DOUBTFUL),
        (["board_units_mended"], SampleFlags.UNITS_MENDED),
        (["expected_units_mended"], SampleFlags.UNITS_MENDED),
        (["temp_max_is_a_mean"], SampleFlags.TEMPERATURE_DOUBTFUL),
        (["temp_is_water"], SampleFlags.TEMPERATURE_DOUBTFUL),
        (["temp_unknown"], SampleFlags.TEMPERATURE_DOUBTFUL),
        (["none of ours", 3, None, {}], 0),
        ("hashrate_doubtful", 0),
    ],
)
def test_flags_of_the_edge_are_stored_with_the_sample(words: Any, flags: int) -> None:
    assert decode_sample({"hashrate_ths": 95.0, "raw_data": {"flags": words}}).flags[0] == flags


def test_reported_board_counts_have_priority_over_counting() -> None:
    values = stored_values(decode_sample({"boards": [{"hashrate": 1}], "boards_total": 3, "boards_healthy": 2}))
    assert (values["boards_total"], values["boards_healthy"]) == (3, 2)


@pytest.mark.parametrize("boards", ["three", 3, {"0": {}}, [], None])
def test_boards_that_are_not_a_list_are_not_counted(boards: Any) -> None:
    samples = decode_sample({"boards": boards})
    assert samples.rejected == {}
    assert stored_values(samples) == {}


async def test_the_legacy_route_stores_and_answers_the_same(site: SiteWithCollector) -> None:
    sample = {"timestamp": site.at(0)[:19], "hashrate_ghs": 100_000, "temperature_max": 70, "fan_speeds": [5000]}
    old = await site.post([{"miner_id": "old", **sample}], path="/api/collector/upload", zipped=True)
    new = await site.post([{"miner_id": "new", **sample}], zipped=True)
    assert old.status_code == new.status_code == 200
    assert old.json() == new.json() == {"success": True, "accepted": 1, "rejected": 0, "duplicates": 0, "errors": []}
    columns = "ts, site_id, upload_mode, status, flags, hashrate_ths, temp_max_c, fan_rpm, fan_speeds"
    row, other = site.rows(f"select {columns} from telemetry_raw")
    assert row == other
    document = (await site.api.get("/openapi.json")).json()
    assert document["paths"]["/api/collector/upload"]["post"]["deprecated"] is True

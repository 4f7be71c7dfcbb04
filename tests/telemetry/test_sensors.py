"""What kind of sensor was read, the limits that a machine reports, and counts that are no readings."""

import json
from typing import Any

import pytest

from hashinsight.kit.db.context import job_context
from hashinsight.telemetry.ingest.normaliser import normalise
from hashinsight.telemetry.queries import live_frame, sensors_frame
from hashinsight.telemetry.states import SampleFlags
from tests.telemetry.decoded_samples import TS, decode_batch, decode_sample, stored_values
from tests.telemetry.fleet import Fleet, sample

KINDS = SampleFlags.CHIP_SENSOR | SampleFlags.BOARD_SENSOR


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"temp_max": 92.5, "temp_sensor": "chip"}, SampleFlags.CHIP_SENSOR),
        ({"temp_max": 62.5, "temp_sensor": "board"}, SampleFlags.BOARD_SENSOR),
        ({"temperature_max": 62.5}, 0),
        ({"temp_max": 62.5, "temp_sensor": "air"}, 0),
        ({"temp_max": 71.0, "temperature_chips": [70, 71]}, SampleFlags.CHIP_SENSOR),
        ({"temp_max": 73.0, "temperature_chips": [70, 71]}, SampleFlags.CHIP_SENSOR),
        ({"temperature_board1": 90.0, "temperature_chips": [70, 72]}, SampleFlags.BOARD_SENSOR),
        ({"temperature_board1": 66.0, "temperature_chips": [70, 72]}, SampleFlags.CHIP_SENSOR),
        ({"temperature_board2": 90.0}, SampleFlags.BOARD_SENSOR),
        ({"temperature_chips": [0, 0], "temp_max": 62.0}, 0),
        ({"temp_max": 80.0, "temp_chip_max": 80.0, "temp_board_max": 66.0}, SampleFlags.CHIP_SENSOR),
        ({"temp_max": 80.0, "temp_chip_max": 61.0, "temp_board_max": 80.0}, SampleFlags.BOARD_SENSOR),
        ({"temp_max": 80.0, "temp_board_max": 80.0, "temp_sensor": "board"}, SampleFlags.BOARD_SENSOR),
    ],
)
def test_the_kind_of_the_hottest_sensor_is_kept_as_a_flag(fields: dict[str, Any], kind: SampleFlags | int) -> None:
    samples = decode_sample(fields, zero_is_unknown=True)
    assert samples.flags[0] & KINDS == kind
    assert "temp_sensor" not in stored_values(samples)


@pytest.mark.parametrize(
    ("fields", "limits"),
    [
        ({"temp_sensor": "chip", "temp_limit_c": 90, "temp_warn_c": 80}, "chip 80/90"),
        ({"temp_sensor": "board", "temp_limit_c": 70.5}, "board -/70.5"),
        ({"firmware": "LUXminer 2026.1", "temp_limit_c": 70, "temp_warn_c": 65}, "board 65/70"),
        ({"temp_limits": {"chip": {"warn_c": 80, "stop_c": 90}, "board": {"stop_c": 75}}}, "board -/75 chip 80/90"),
        ({"temp_limits": {"chip": {"warn_c": 80}}}, None),
        ({"temp_limits": {"chip": "hot", "air": {"stop_c": 40}}}, None),
        ({"temp_limits": [90]}, None),
        ({"temp_warn_c": 80}, None),
        ({"temp_limits": {"chip": {"warn_c": True, "stop_c": "90"}}}, None),
    ],
)
def test_the_limits_that_a_machine_reports_are_kept_as_one_text(fields: dict[str, Any], limits: str | None) -> None:
    stored = stored_values(decode_sample({"temp_max": 71.0, **fields}))
    assert stored.get("temp_limits") == limits
    assert {"temp_limit_c", "temp_warn_c"}.isdisjoint(stored)


def test_a_hot_board_is_stored_as_a_board() -> None:
    stored = stored_values(
        decode_sample({"temperature_board1": 66.0, "temperature_board2": 90.0, "temperature_chips": [70, 72]})
    )
    assert (stored["temp_max_c"], stored["temp_board_max_c"], stored["temp_chip_max_c"]) == (90.0, 90.0, 72.0)


def field_record(**fields: Any) -> dict[str, Any]:
    """As a field collector's envelope has it: hashing at 95 TH/s, 0 for what it does not know."""
    return {"online": True, "hashrate_ghs": 95_000, "temperature_avg": 78, "temperature_max": 80, **fields}


CHIPS = {"temperature_chips": [76, 78, 80]}


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"firmware_version": "LuxOS 2024.5"}, SampleFlags.BOARD_SENSOR),
        ({"firmware_version": "LUXminer 2025.4.8.220305"}, SampleFlags.BOARD_SENSOR),
        ({"firmware_version": "2025.4.8.220305"}, SampleFlags.BOARD_SENSOR),  # as its own `stats` has it
        (
            {"firmware_version": "LuxOS", "temperature_max": 83},
            SampleFlags.BOARD_SENSOR,
        ),  # a board beyond the listed ones
        ({"firmware_version": "LuxOS", "miner_type": "Antminer S19j Pro"}, SampleFlags.BOARD_SENSOR),
        ({"firmware_version": "LuxOS", "miner_type": "Antminer S9"}, SampleFlags.CHIP_SENSOR),
        ({"firmware_version": "LuxOS", "temp_sensor": "chip"}, SampleFlags.CHIP_SENSOR),
        ({"firmware_version": "Vnish 1.2.6"}, SampleFlags.CHIP_SENSOR),
        ({"firmware_version": "Braiins OS 24.09"}, SampleFlags.CHIP_SENSOR),
        ({"firmware_version": "49.0.1.3"}, SampleFlags.CHIP_SENSOR),
        ({"firmware_version": "Fri Nov 17 17:37:49 CST 2021"}, SampleFlags.CHIP_SENSOR),
        ({}, SampleFlags.CHIP_SENSOR),
    ],
)
def test_chips_that_a_field_record_lists_are_boards_where_its_firmware_measures_boards_alone(
    fields: dict[str, Any], kind: SampleFlags
) -> None:
    samples = decode_sample(field_record(**CHIPS, **fields), zero_is_unknown=True)
    assert samples.flags[0] & KINDS == kind
    column, other = ("temp_chip_max_c", "temp_board_max_c")[:: 1 if kind is SampleFlags.CHIP_SENSOR else -1]
    assert stored_values(samples)[column] == 80.0
    assert other not in stored_values(samples)


def test_firmware_in_a_batch_is_read_for_each_machine() -> None:
    firmwares = ("LuxOS 2024.5", "49.0.1.3", "LuxOS 2024.5", "Vnish 1.2.6")
    rows = [
        {"miner_id": f"m{no}", "ts": TS, **field_record(**CHIPS, firmware_version=firmware)}
        for no, firmware in enumerate(firmwares)
    ]
    samples = normalise(decode_batch(json.dumps(rows).encode()), zero_is_unknown=True)
    board, chip = SampleFlags.BOARD_SENSOR, SampleFlags.CHIP_SENSOR
    assert (samples.flags & KINDS).tolist() == [board, chip, board, chip]


def test_the_hottest_is_the_hottest_of_all_also_where_the_collectors_own_maximum_leaves_one_out() -> None:
    assert (
        stored_values(decode_sample({"temperature_max": 61.75, "temperature_chips": [60, 78, 61]}))["temp_max_c"]
        == 78.0
    )


def test_limits_of_one_machine_are_not_written_for_the_others_of_its_batch() -> None:
    limits = {"board": {"warn_c": 65, "stop_c": 70}}
    rows = [{"miner_id": f"m{n}", "ts": TS, "temp_max": 61.0, "firmware": "LUXminer"} for n in range(3)]
    sent = json.dumps([rows[0], rows[1] | {"temp_limits": limits}, rows[2]]).encode()
    samples = normalise(decode_batch(sent), zero_is_unknown=False)
    assert samples.texts["temp_limits"] == [None, "board 65/70", None]


def test_a_reported_limit_shows_the_sensor_kind() -> None:
    luxos = decode_sample({"temp_max": 60.0, "temp_limit_c": 70, "firmware": "LUXminer 2026.1"})
    stock = decode_sample({"temp_max": 60.0, "temp_limit_c": 95})
    assert [samples.flags[0] & KINDS for samples in (luxos, stock)] == [
        SampleFlags.BOARD_SENSOR,
        SampleFlags.CHIP_SENSOR,
    ]


def test_a_broken_chip_sensor_leaves_the_board_known() -> None:
    samples = decode_sample({"temp_chip_max": 255, "temp_board_max": 66.0})
    assert stored_values(samples)["temp_board_max_c"] == 66.0
    assert "temp_chip_max_c" not in stored_values(samples)
    assert stored_values(samples)["temp_max_c"] == 66.0
    assert samples.flags[0] == SampleFlags.TEMPERATURE_SENTINEL | SampleFlags.BOARD_SENSOR


@pytest.mark.parametrize(
    "fields",
    [
        {"fan_speeds": [4, 5880, 5760, 5910, 5850]},
        {"fan_speeds": [5880, 5760, 5910, 5850, 4]},
        {"fan_rpm": [2, 5850, 5850]},
        {"fan1_speed": 4, "fan2_speed": 5850},
    ],
)
def test_a_fan_count_sent_as_a_speed_is_not_a_fan(fields: dict[str, Any]) -> None:
    samples = decode_sample(fields)
    assert stored_values(samples)["fan_min_rpm"] > 5000
    assert stored_values(samples)["fan_rpm"] > 5000
    assert samples.flags[0] == 0


@pytest.mark.parametrize("fields", [{"fan_speeds": [4]}, {"fan_rpm": 4}, {"fan_speed_avg": 4}, {"fan3_speed": 2}])
def test_a_fan_count_alone_leaves_the_fans_unknown(fields: dict[str, Any]) -> None:
    assert {"fan_min_rpm", "fan_rpm"}.isdisjoint(stored_values(decode_sample(fields)))


def test_a_single_stopped_fan_is_still_seen() -> None:
    assert stored_values(decode_sample({"fan_speeds": [4, 5880, 0, 5910, 5850]}))["fan_min_rpm"] == 0


S9, S19 = {"miner_type": "Antminer S9"}, {"miner_type": "Antminer S19"}


def fans_at(*rpm: int) -> dict[str, int]:
    return {f"fan{no}_speed": speed for no, speed in enumerate(rpm, 1)}


@pytest.mark.parametrize(
    ("fields", "slowest"),
    [
        (fans_at(0, 0), None),
        (fans_at(0, 0, 0, 0) | S19, None),
        (fans_at(5000, 5100, 0, 0) | S9, 5000),
        (fans_at(0, 5000, 0, 5100) | S9, 5000),
        (fans_at(5000, 0, 0, 0) | S9, 0),
        (fans_at(5000, 5100, 5000, 0) | S19, 0),
        (fans_at(5000, 5100, 0, 0) | S19, 0),
        (fans_at(5000, 5100, 0, 0), 5000),
        (fans_at(5000, 5100, 5000, 0), 0),
        (fans_at(5000, 0), 0),
        (fans_at(5000, 5100, 4900, 5000) | S19, 4900),
    ],
)
def test_a_fan_at_0_is_stopped_only_if_fewer_fans_spin_than_the_model_has(
    fields: dict[str, Any], slowest: float | None
) -> None:
    stored = stored_values(decode_sample(field_record(**fields), zero_is_unknown=True))
    assert stored.get("fan_min_rpm") == slowest
    assert ("fan_rpm" in stored) == (slowest is not None)
    as_read = stored_values(decode_sample(field_record(**fields)))
    assert as_read["fan_min_rpm"] == min(rpm for name, rpm in fields.items() if name.startswith("fan")), (
        "0 is a reading"
    )


def test_an_impossibly_fast_fan_is_a_broken_sensor() -> None:
    samples = decode_sample({"fan_speeds": [5880, 65_535]})
    assert stored_values(samples)["fan_rpm"] == 5880
    assert samples.flags[0] == SampleFlags.FAN_SENTINEL


def test_a_sensor_count_among_temperatures_is_not_a_chip() -> None:
    samples = decode_sample({"temperature_chips": [3, 61, 62, 63]})
    assert stored_values(samples)["temp_c"] == 62.0
    assert stored_values(samples)["temp_min_c"] == 61.0
    assert stored_values(decode_sample({"temperature_chips": [9, 10, 11]}))["temp_min_c"] == 9.0, (
        "a machine that starts in the cold"
    )


async def test_sensor_kind_and_limits_reach_the_live_layer(fleet: Fleet) -> None:
    await fleet.load("m1,M20S,A,", "m2,M20S,A,")
    limits = {"chip": {"warn_c": 98, "stop_c": 105}}
    temperatures = {"temp_max": 92.5, "temp_chip_max": 92.5, "temp_board_max": 78.0}
    await fleet.send(
        sample("m1", fleet.at(-40), temp_sensor="chip", temp_limits=limits, **temperatures),
        sample("m2", fleet.at(-40), temp_max=61.0),
    )
    await fleet.roll()
    live = (await live_frame(fleet.database, await fleet.scope(), as_of=fleet.now)).sort("miner_id")
    assert [flags & KINDS for flags in live["flags"].to_list()] == [SampleFlags.CHIP_SENSOR, 0]
    named = await sensors_frame(fleet.database, job_context(), live["site_id"][0])
    assert named.rows() == [(live["miner_no"][0], 92.5, 78.0, "chip 98/105")], "only of who names its sensor"

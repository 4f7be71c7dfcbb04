"""Readings that come one field each: means of hashrate, temperatures of boards, fans. None of them is lost."""

import json
from typing import Any

import pytest

from tests.telemetry.decoded_samples import decode_sample, stored_values
from tests.telemetry.fleet import Fleet

SENT: dict[str, Any] = {
    "hashrate_ths": 100.0, "hashrate_1m": 101.5, "hashrate_5m": 102.5, "hashrate_15m": 103.5,
    "temperature_board1": 66, "temperature_board2": 71, "temperature_board3": 68,
    "fan1_speed": 5000, "fan2_speed": 5200, "fan3_speed": 5100, "fan4_speed": 5300,
}  # fmt: skip


async def test_board_temperatures_fans_and_hashrates_of_minutes_are_kept_in_raw_and_live(fleet: Fleet) -> None:
    await fleet.send({"miner_id": "m1", "ts": fleet.at(-30), **SENT})
    await fleet.roll()
    for layer in ("telemetry_raw_24h", "miner_telemetry_live"):
        query = f"select boards_data, fan_speeds, extra, temperature_max from {layer}"
        ((boards, fans, extra, hottest),) = fleet.site.rows(query)
        assert boards == [{"board": 1, "temp_c": 66}, {"board": 2, "temp_c": 71}, {"board": 3, "temp_c": 68}], layer
        assert fans == [5000, 5200, 5100, 5300]
        assert extra == {"hashrate_1m": 101.5, "hashrate_5m": 102.5, "hashrate_15m": 103.5}
        assert hottest == 71


def test_a_listed_board_gets_its_temperature_unless_it_has_one() -> None:
    boards = [{"chips": 126}, {"chips": 126, "temp_c": 60}]
    stored = stored_values(decode_sample({"boards": boards, "temperature_board1": 66, "temperature_board2": 71}))
    assert json.loads(stored["boards"]) == [{"temp_c": 66, "chips": 126}, {"temp_c": 60, "chips": 126}]
    assert (stored["boards_total"], stored["boards_healthy"]) == (2, 2)


def test_board_temperatures_alone_do_not_count_boards() -> None:
    stored = stored_values(decode_sample({"temperature_board1": 255, "temperature_board3": 68}))
    assert json.loads(stored["boards"]) == [{"board": 3, "temp_c": 68}]
    assert not {"boards_total", "boards_healthy"} & stored.keys()
    assert "boards" not in stored_values(decode_sample({"temperature_board1": 255}))


@pytest.mark.parametrize(
    ("fields", "zero_is_unknown", "fans"),
    [
        ({"fan1_speed": 5000, "fan3_speed": 5200}, False, [5000, None, 5200]),
        ({"fan1_speed": 5000, "fan2_speed": 0}, False, [5000, 0]),
        ({"fan1_speed": 5000, "fan2_speed": -1}, False, [5000, None]),
        ({"fan1_speed": 5000, "fan2_speed": 5100, "fan3_speed": 0, "fan4_speed": 0}, True, [5000, 5100]),
        ({"fan1_speed": 0, "fan2_speed": 0}, True, None),
        ({"fan1_speed": 5000, "fan_speeds": [4000, 4100]}, False, [4000, 4100]),
        ({"fan1_speed": 5000, "fan_speeds": []}, False, [5000]),
    ],
)
def test_fans_in_one_field_each_become_an_ordered_list(
    fields: dict[str, Any], *, zero_is_unknown: bool, fans: list[float | None] | None
) -> None:
    assert stored_values(decode_sample(fields, zero_is_unknown=zero_is_unknown)).get("fan_speeds") == fans


def test_a_mean_hashrate_replaces_a_missing_one_and_is_rescaled_alike() -> None:
    stored = stored_values(decode_sample({"hashrate_5m": 102.5, "hashrate_15m": 103.5, "chip_voltage_mv": 310}))
    assert stored["hashrate_ths"] == 102.5
    assert json.loads(stored["extra"]) == {"hashrate_5m": 102.5, "hashrate_15m": 103.5, "chip_voltage_mv": 310}
    wild = decode_sample({"hashrate_ths": 100, "hashrate_15m": 1e10})
    assert (wild.flags[0], stored_values(wild)["hashrate_ths"]) == (0, 100)  # nothing is wrong with what is judged
    unknown = stored_values(decode_sample({"hashrate_ths": 100, "hashrate_1m": 0}, zero_is_unknown=True))
    assert "extra" not in unknown

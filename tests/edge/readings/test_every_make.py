"""The record of each make matches what the machine reports: real sockets, the real child, asic-rs."""

import pytest

from tests.edge.makes.catalogue import NAMES
from tests.edge.makes.reader import Read, read_all
from tests.edge.makes.unit import Unit

BY_NAME = pytest.mark.parametrize("name", NAMES)
# makes that report the figure of a preset
PRESETS = [name for name in NAMES if any(word in name for word in ("VNish", "LuxOS", "Braiins", "M30S", "M20S"))]
ONE_STOCK = [name for name in NAMES if name == "Antminer S19, stock"]
WITHOUT_METER = ("stock",)  # stock Antminers report no watts
IN_CORNERS = ("stock", "LuxOS", "Avalon")  # these report each corner or chip, others the hottest of a board


@pytest.fixture(scope="module")
def sound() -> dict[str, Read]:
    return read_all(lambda _: None, times=2)


@pytest.fixture(scope="module")
def hot() -> dict[str, Read]:
    return read_all(lambda unit: unit.heat(105.0), times=2)


@pytest.fixture(scope="module")
def one_board_dead() -> dict[str, Read]:
    return read_all(lambda unit: unit.lose_board(1))


@pytest.fixture(scope="module")
def fans_stopped() -> dict[str, Read]:
    return read_all(lambda unit: unit.stop_fans())


@pytest.fixture(scope="module")
def one_fan_stopped() -> dict[str, Read]:
    return read_all(lambda unit: unit.stop_fans(1))


@pytest.fixture(scope="module")
def sensor_broken() -> dict[str, Read]:
    return read_all(lambda unit: unit.break_sensor(255.0))


@pytest.fixture(scope="module")
def pools_dead() -> dict[str, Read]:
    def kill(unit: Unit) -> None:
        for pool in unit.pools:
            pool.is_alive = pool.is_active = False

    return read_all(kill)


@pytest.fixture(scope="module")
def pool_idle() -> dict[str, Read]:
    def rest(unit: Unit) -> None:
        for pool in unit.pools:
            pool.is_active = False

    return read_all(rest)


@BY_NAME
def test_the_hottest_sensor_is_reported_with_its_kind(sound: dict[str, Read], name: str) -> None:
    unit, record = sound[name].unit, sound[name].record
    assert record["temp_max"] == unit.hottest_c
    assert record["temp_sensor"] == unit.sensor
    assert record[f"temp_{unit.sensor}_max"] == unit.hottest_c
    assert record["temp_avg"] <= record["temp_max"]


@BY_NAME
def test_one_chip_at_105_degrees_is_reported_as_105(hot: dict[str, Read], name: str) -> None:
    assert hot[name].record["temp_max"] == 105.0
    assert hot[name].record["temp_sensor"] == hot[name].unit.sensor


@BY_NAME
def test_board_temperatures_are_reported_separately_from_chips_where_the_make_measures_them(
    sound: dict[str, Read], name: str
) -> None:
    """The mean or the coolest of the chips is no board temperature: it would be judged by a board's limits."""
    unit, record = sound[name].unit, sound[name].record
    if "temp_board_max" in record:
        assert record["temp_board_max"] == max(max(board.pcb_c) for board in unit.boards)
    assert ("temp_board_max" in record) == ("Avalon" not in name)
    assert ("temp_chip_max" in record) == ("LuxOS" not in name)


@BY_NAME
def test_a_broken_sensor_hides_no_other_and_is_flagged(sensor_broken: dict[str, Read], name: str) -> None:
    unit, record = sensor_broken[name].unit, sensor_broken[name].record
    readable = unit.boards if any(word in name for word in IN_CORNERS) and "S9" not in name else unit.boards[1:]
    temps = [temp for board in readable for temp in unit.sensors_of(board) if temp != 255]
    if name == "Whatsminer M60S, API 2":  # its only chip figure is broken now: boards are left
        temps = [max(board.pcb_c) for board in unit.boards[1:]]
    assert record["temp_max"] == max(temps)
    assert "sensor_broken" in record["raw_data"]["flags"]


@BY_NAME
def test_a_dead_board_is_reported_dead(one_board_dead: dict[str, Read], name: str) -> None:
    unit, record = one_board_dead[name].unit, one_board_dead[name].record
    assert record["boards_total"] == len(unit.boards)
    assert record["boards_healthy"] == len(unit.boards) - 1
    assert record["temp_max"] == unit.hottest_c


@BY_NAME
def test_every_board_of_a_healthy_machine_is_reported_healthy(sound: dict[str, Read], name: str) -> None:
    unit, record = sound[name].unit, sound[name].record
    assert (record["boards_healthy"], record["boards_total"]) == (len(unit.boards), len(unit.boards))
    assert [board["chips"] for board in record["boards"]] == [board.chips for board in unit.boards]


@BY_NAME
def test_fan_speeds_are_reported_as_they_are(sound: dict[str, Read], name: str) -> None:
    assert sound[name].record["fan_speeds"] == sound[name].unit.fans


@BY_NAME
def test_stopped_fans_of_a_hashing_machine_are_reported_as_0(fans_stopped: dict[str, Read], name: str) -> None:
    assert fans_stopped[name].record["fan_speeds"] == [0] * len(fans_stopped[name].unit.fans)
    assert fans_stopped[name].record["hashrate_ths"] > 0


@BY_NAME
def test_one_stopped_fan_is_reported_beside_turning_ones(one_fan_stopped: dict[str, Read], name: str) -> None:
    assert sorted(one_fan_stopped[name].record["fan_speeds"]) == sorted(one_fan_stopped[name].unit.fans)


@BY_NAME
def test_hashrate_and_power_are_the_machines_own(sound: dict[str, Read], name: str) -> None:
    unit, record = sound[name].unit, sound[name].record
    assert record["hashrate_ths"] == pytest.approx(unit.ths, rel=1e-3)
    assert record["expected_ths"] == pytest.approx(unit.rated_ths, rel=1e-3)
    assert record.get("power_w") == (None if any(word in name for word in WITHOUT_METER) else unit.power_w)
    assert record["state"] == "running"


@BY_NAME
def test_a_healthy_machine_is_read_without_flags(sound: dict[str, Read], name: str) -> None:
    assert "flags" not in sound[name].record["raw_data"]


@BY_NAME
def test_the_pool_in_use_is_reported_alive(sound: dict[str, Read], name: str) -> None:
    record = sound[name].record
    assert record["pool_status"] == "alive"
    assert record["pool_url"] == "stratum+tcp://main.pool.example:3333"
    assert record["worker_name"] == "farm.worker"


@BY_NAME
def test_pools_that_do_not_answer_are_reported_dead(pools_dead: dict[str, Read], name: str) -> None:
    assert pools_dead[name].record["pool_status"] == "dead"


@BY_NAME
def test_a_pool_that_answers_is_not_dead_because_it_is_not_in_use(pool_idle: dict[str, Read], name: str) -> None:
    assert pool_idle[name].record["pool_status"] in ("alive", None)


@pytest.fixture(scope="module")
def preset() -> dict[str, Read]:
    def tune(unit: Unit) -> None:
        unit.preset = "2300W"
        unit.memory["mode"] = "Low"
        for board in unit.boards:
            board.nominal_ths, board.ths = board.nominal_ths * 0.8, board.ths * 0.8

    return read_all(tune, PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_expected_hashrate_follows_the_preset_and_not_the_nameplate(preset: dict[str, Read], name: str) -> None:
    unit, record = preset[name].unit, preset[name].record
    assert record["expected_ths"] == pytest.approx(0.8 * unit.rated_ths, rel=1e-3)


@pytest.mark.parametrize("name", [name for name in PRESETS if "Antminer" in name])
def test_a_dead_board_does_not_lower_the_expected_hashrate_of_a_preset(
    one_board_dead: dict[str, Read], name: str
) -> None:
    unit, record = one_board_dead[name].unit, one_board_dead[name].record
    assert record["expected_ths"] == pytest.approx(unit.rated_ths, rel=1e-3)


def test_a_firmwares_own_limits_are_reported_and_read_once() -> None:
    names = ["Antminer S19k Pro, LuxOS", *(name for name in NAMES if "Braiins" in name)]
    read = read_all(lambda _: None, names, times=3)
    luxos = read["Antminer S19k Pro, LuxOS"].record
    assert (luxos["temp_warn_c"], luxos["temp_limit_c"]) == (65.0, 70.0)
    assert luxos["temp_limits"] == {"board": {"warn_c": 65.0, "stop_c": 70.0}}
    for name in names[1:]:
        assert read[name].record["temp_limits"] == {"chip": {"warn_c": 90.0, "stop_c": 100.0}}
        assert read[name].record["temp_limit_c"] == 100.0
    assert all(result.unit.queries.count("tempctrl") == 1 for result in read.values())


@pytest.mark.parametrize("name", ["Antminer S19k Pro, LuxOS", "Whatsminer M60S, API 2", *ONE_STOCK])
def test_a_machine_that_accepts_one_command_per_request_is_read_the_same(name: str) -> None:
    read = read_all(lambda unit: unit.memory.update(one_by_one=True), [name], times=3)[name]
    assert read.record["temp_max"] == read.unit.hottest_c
    assert "flags" not in read.record["raw_data"]
    assert sum("+" in question for question in read.unit.queries) == 1


@pytest.mark.parametrize("name", [name for name in NAMES if "stock" in name or "VNish" in name or "Braiins" in name])
def test_a_machine_that_refuses_the_password_is_not_reported_stopped(locked: dict[str, Read], name: str) -> None:
    record = locked[name].record
    assert record.get("state") != "stopped"
    if record["online"]:
        assert record["hashrate_ths"] == pytest.approx(locked[name].unit.ths, rel=1e-3)


def test_a_hashing_machine_without_temperatures_is_flagged(locked: dict[str, Read]) -> None:
    blind = {name for name, read in locked.items() if read.record.get("hashrate_ths") and "temp_max" not in read.record}
    flagged = {
        name for name, read in locked.items() if "temp_unknown" in read.record.get("raw_data", {}).get("flags", ())
    }
    assert flagged == blind
    assert "Antminer S19, VNish" in blind


@pytest.fixture(scope="module")
def locked() -> dict[str, Read]:
    def lock(unit: Unit) -> None:
        unit.password = "changed"

    return read_all(lock)

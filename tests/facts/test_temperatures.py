"""Which limits hold: the machine's own, the catalogue's by series, firmware and sensor kind, or assumed ones."""

import pytest

from hashinsight.facts.temperatures import (
    FIRMWARE_LIMITS,
    FLUID_WARNS_SOONER_C,
    SERIES_LIMITS,
    FirmwareFamily,
    LimitSource,
    ReportedLimits,
    SensorKind,
    find_limits,
    find_reported_limits,
    firmware_family,
    format_limits,
    parse_limits,
    protection_limit_c,
    record_sensor,
    sensor_kind,
)

CHIP, BOARD = SensorKind.CHIP, SensorKind.BOARD
SOUND = [
    ("Antminer S9", CHIP, 89.0),
    ("Antminer S9", CHIP, 98.0),
    ("S9j", BOARD, 70.0),
    ("Antminer T9+", CHIP, 92.0),
    ("Antminer S17 Pro", CHIP, 85.0),
    ("Antminer T17+", CHIP, 84.0),
    ("Antminer S19", CHIP, 78.0),
    ("Antminer S19", BOARD, 81.0),
    ("Antminer S19j Pro", CHIP, 83.0),
    ("Antminer S19 XP", BOARD, 68.0),
    ("Antminer S21", CHIP, 96.0),
    ("Antminer S21 XP Hyd.", BOARD, 70.0),
    ("Antminer T21", CHIP, 94.0),
    ("M20SV10", CHIP, 92.5),
    ("M21SV60", CHIP, 93.0),
    ("M30S++VH60", CHIP, 95.0),
    ("M31S+", CHIP, 94.0),
    ("M50S", CHIP, 92.0),
    ("M60S", CHIP, 78.0),
    ("M66S", BOARD, 65.0),
    ("AvalonMiner 1066", CHIP, 93.0),
    ("A1246", CHIP, 92.0),
    ("Avalon1366", CHIP, 90.0),
    ("Avalon A1566", CHIP, 91.0),
]  # as machines run at their rated hashrate


@pytest.mark.parametrize(
    ("firmware", "kind"),
    [("LUXminer 2026.1", BOARD), ("Braiins OS 24.09", CHIP), (None, CHIP)],
)
def test_the_firmware_decides_which_sensor_kind_it_reports(firmware: str | None, kind: SensorKind) -> None:
    assert sensor_kind(firmware) is kind


def test_an_unknown_version_is_stock_firmware() -> None:
    assert firmware_family("49.0.1.3") is FirmwareFamily.STOCK


@pytest.mark.parametrize(("model", "sensor", "temp_c"), SOUND)
def test_a_machine_that_runs_as_rated_is_below_every_limit(model: str, sensor: SensorKind, temp_c: float) -> None:
    limits = find_limits(model, sensor)
    assert limits.source is LimitSource.CATALOGUE
    assert temp_c < limits.warn_c
    assert temp_c < protection_limit_c(limits, sensor)


@pytest.mark.parametrize("model", sorted({model for model, _, _ in SOUND}))
def test_a_chip_at_112_degrees_is_over_the_limit_of_every_series(model: str) -> None:
    assert protection_limit_c(find_limits(model, CHIP), CHIP) <= 112


def test_ninety_five_degrees_is_normal_at_the_chip_of_an_s21_and_critical_on_an_s19() -> None:
    assert find_limits("Antminer S21", CHIP).warn_c > 95
    assert find_limits("Antminer S19", CHIP).critical_c <= 95


def test_limits_rise_from_target_to_critical_and_a_chip_is_allowed_more_than_its_board() -> None:
    for series, by_sensor in SERIES_LIMITS.items():
        for limits in by_sensor.values():
            assert limits.target_c < limits.warn_c < limits.critical_c, series
        if len(by_sensor) == 2 and series != "Bitaxe":  # its board sensor is the voltage regulator
            assert by_sensor[BOARD].critical_c < by_sensor[CHIP].critical_c, series
    for (_, series, sensor), limits in FIRMWARE_LIMITS.items():
        assert limits.target_c < limits.warn_c < limits.critical_c <= SERIES_LIMITS[series][sensor].critical_c


def test_firmware_with_its_own_limits_is_judged_by_them() -> None:
    assert find_limits("Antminer S19", BOARD, firmware="LUXminer 2026.1").critical_c == 70
    assert find_limits("Antminer S19", BOARD, firmware="Vnish 1.2.7").critical_c == 80
    assert find_limits("Antminer S19", BOARD, firmware="49.0.1.3").critical_c == 90


@pytest.mark.parametrize("series", ["Antminer S11", "Antminer S15", "Antminer S17", "Antminer S19", "Antminer S21"])
def test_on_stock_firmware_a_board_limit_is_5_degrees_below_its_chip_limit(series: str) -> None:
    chip, board = find_limits(series, CHIP), find_limits(series, BOARD)
    assert (chip.warn_c - board.warn_c, chip.critical_c - board.critical_c) == (5, 5)


def test_reported_limits_take_precedence_over_the_catalogue() -> None:
    limits = find_limits("Antminer S19", CHIP, reported=ReportedLimits(warn_c=80.0, stop_c=90.0))
    assert (limits.warn_c, limits.critical_c, limits.source) == (80.0, 90.0, LimitSource.MACHINE)


def test_a_machine_that_reports_only_its_stop_limit_warns_below_it() -> None:
    known = find_limits("Antminer S19", CHIP, reported=ReportedLimits(stop_c=92.0))
    unknown = find_limits("home made", CHIP, reported=ReportedLimits(stop_c=100.0))
    assert known.warn_c == find_limits("Antminer S19", CHIP).warn_c
    assert unknown.warn_c == 95.0


@pytest.mark.parametrize("stop_c", [0.0, -1.0, 20.0, 255.0, 1e9, float("nan"), None, True, "90"])
def test_an_implausible_reported_limit_is_ignored(stop_c: object) -> None:
    limits = find_limits("Antminer S19", CHIP, reported=ReportedLimits(stop_c=stop_c))  # type: ignore[arg-type]
    assert limits == find_limits("Antminer S19", CHIP)


def test_a_reported_limit_counts_up_to_10_degrees_above_the_catalogues() -> None:
    known = find_limits("Antminer S19", CHIP)
    assert find_limits("Antminer S19", CHIP, reported=ReportedLimits(stop_c=105.0)).critical_c == 105.0
    assert find_limits("Antminer S19", CHIP, reported=ReportedLimits(stop_c=106.0)).critical_c == 105.0
    assert find_limits("Antminer S19", CHIP, reported=ReportedLimits(stop_c=131.0)) == known
    assert find_limits("home made", CHIP, reported=ReportedLimits(stop_c=120.0)).critical_c == 120.0


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (ReportedLimits(85.25, 95), "chip 85.2/95"),
        (ReportedLimits(85.26, 100.04), "chip 85.3/100"),
        (ReportedLimits(None, 95.5), "chip -/95.5"),
        (ReportedLimits(-3.0, 95.0), "chip -/95"),
        (ReportedLimits(80.0, 1e9), None),
    ],
)
def test_limits_are_formatted_to_a_tenth_of_a_degree_and_parsed_back(limits: ReportedLimits, text: str | None) -> None:
    written = format_limits({CHIP: limits})
    assert written == text
    assert format_limits(parse_limits(written)) == text


def test_limits_with_more_digits_are_parsed_too() -> None:
    assert parse_limits("board 70.25/80.125 chip 85.25/95") == {
        BOARD: ReportedLimits(70.25, 80.125),
        CHIP: ReportedLimits(85.25, 95.0),
    }


def test_an_unknown_model_has_assumed_limits_of_75_and_85_and_is_stopped_only_far_above() -> None:
    for sensor, stop_c in ((CHIP, 105.0), (BOARD, 95.0)):
        limits = find_limits("home made", sensor)
        assert (limits.warn_c, limits.critical_c, limits.source) == (75.0, 85.0, LimitSource.ASSUMED)
        assert protection_limit_c(limits, sensor) == stop_c
    assert find_limits(None, CHIP).source is LimitSource.ASSUMED


def test_in_fluid_the_same_machine_stops_at_the_same_temperature_and_warns_earlier() -> None:
    air, fluid = find_limits("Antminer S21", CHIP), find_limits("Antminer S21", CHIP, fluid=True)
    assert fluid.critical_c == air.critical_c
    assert fluid.warn_c == air.warn_c - FLUID_WARNS_SOONER_C


def test_a_record_names_its_sensor_and_its_limits() -> None:
    record = {"temp_sensor": "board", "temp_limit_c": 80, "temp_warn_c": 75, "firmware": "49.0.1.3"}
    assert record_sensor(record) is BOARD
    assert find_reported_limits(record, BOARD) == ReportedLimits(75, 80)
    assert find_reported_limits(record, CHIP) is None
    both = {**record, "temp_limits": {"chip": {"stop_c": 95}, "board": {"warn_c": 70, "stop_c": 80}}}
    assert find_reported_limits(both, CHIP) == ReportedLimits(None, 95)
    assert find_reported_limits(both, BOARD) == ReportedLimits(70, 80)


@pytest.mark.parametrize("record", [{}, {"temp_sensor": "air"}, {"temp_sensor": 7}, {"temp_limits": "no"}])
def test_a_record_without_a_sensor_kind_uses_that_of_its_firmware(record: dict[str, object]) -> None:
    assert record_sensor(record) is CHIP
    assert find_reported_limits(record, CHIP) is None

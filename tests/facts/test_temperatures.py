"""Limits by model and sensor kind."""

import pytest

from hashinsight.facts.models import MODELS
from hashinsight.facts.temperatures import (
    CHIP_OVER_BOARD_C,
    LIMITS,
    FirmwareFamily,
    SensorKind,
    firmware_family,
    is_broken_reading,
    limits_for,
    sensor_kind,
)


@pytest.mark.parametrize(
    ("firmware", "kind"),
    [("LUXminer 2026.1", SensorKind.BOARD), ("Braiins OS 24.09", SensorKind.CHIP), (None, SensorKind.CHIP)],
)
def test_the_firmware_tells_what_its_temperature_measures(firmware: str | None, kind: SensorKind) -> None:
    assert sensor_kind(firmware) is kind


def test_a_version_that_names_nobody_is_the_makers_own() -> None:
    assert firmware_family("49.0.1.3") is FirmwareFamily.STOCK


def test_ninety_five_degrees_is_normal_at_the_chip_of_an_s21_and_critical_on_an_s19() -> None:
    assert limits_for("Antminer S21", SensorKind.CHIP).warn_c > 95
    assert limits_for("Antminer S19", SensorKind.CHIP).critical_c < 95


def test_a_chip_is_allowed_what_its_board_is_allowed_and_fifteen_degrees_more() -> None:
    for (name, kind), limits in LIMITS.items():
        assert limits.target_c < limits.warn_c < limits.critical_c
        if kind is SensorKind.CHIP:
            assert limits.critical_c - LIMITS[name, SensorKind.BOARD].critical_c == CHIP_OVER_BOARD_C


def test_every_name_in_the_table_of_limits_is_a_model_of_the_catalogue() -> None:
    assert {name for name, _ in LIMITS} <= {model.name for model in MODELS}


def test_a_model_without_limits_of_its_own_gets_the_general_ones() -> None:
    assert limits_for(None, SensorKind.CHIP) == limits_for("Avalon A1366", SensorKind.CHIP)


def test_what_a_broken_sensor_says_is_no_temperature() -> None:
    assert is_broken_reading(0)
    assert is_broken_reading(255.0)
    assert not is_broken_reading(25.0)

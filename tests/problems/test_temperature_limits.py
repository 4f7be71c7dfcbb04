"""Heat by sensor kind: each is judged by its own limit, and the evidence says whose limit that is."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from hashinsight.cli.problems.evidence import sentence
from hashinsight.facts.temperatures import SERIES_LIMITS, SensorKind
from hashinsight.identity.caller import system_caller
from hashinsight.kit.db.context import job_context
from hashinsight.problems.codes import Issue, RuleVerdict
from hashinsight.problems.config import Config
from hashinsight.problems.frame import text_column
from hashinsight.problems.service.lists import list_miner_problems
from hashinsight.problems.temperature_limits import LimitLayers, MachineTemperatureLimits, machine_temperature_limits
from hashinsight.telemetry.states import SampleFlags as Said
from tests.problems.fleet import Fleet, readings_of, same
from tests.problems.rule_cases import read_evidence
from tests.problems.stored_site import StoredFleet, StoredSite

FINE, HIT = RuleVerdict.FINE, RuleVerdict.HIT
CHIP, BOARD = float(Said.CHIP_SENSOR), float(Said.BOARD_SENSOR)
MACHINES = 12
STOCK, LUXOS, VNISH = "stock 1.0", "LUXminer 2026.1", "Vnish 1.2.7"

# as captured from machines that hash what they are rated for: model, firmware, sensor, hottest chip, hottest board
SOUND: list[tuple[str, str, float, float | None, float | None]] = [
    ("Antminer S9", STOCK, CHIP, 89.0, 68.0),
    ("Antminer S9", "Braiins OS 22.08", CHIP, 95.0, None),
    ("Antminer S9j", STOCK, CHIP, 92.0, 72.0),
    ("Antminer T9+", STOCK, CHIP, 88.0, 70.0),
    ("Antminer S17", STOCK, CHIP, 85.0, 68.0),
    ("Antminer S17 Pro", "Braiins OS 22.08", CHIP, 80.0, None),
    ("Antminer T17", STOCK, CHIP, 83.0, 66.0),
    ("Antminer S19", STOCK, CHIP, 78.0, 73.0),
    ("Antminer S19", STOCK, CHIP, 86.0, 81.0),
    ("Antminer S19j Pro", VNISH, CHIP, 84.0, 66.0),
    ("Antminer S19j Pro", LUXOS, BOARD, None, 58.0),
    ("Antminer S19 XP", "Braiins OS 24.09", CHIP, 82.0, 64.0),
    ("Antminer S19k Pro", STOCK, CHIP, 80.0, 64.0),
    ("Antminer S21", STOCK, CHIP, 96.0, 78.0),
    ("Antminer S21 XP", STOCK, CHIP, 92.0, 74.0),
    ("Antminer T21", STOCK, CHIP, 94.0, 77.0),
    ("M20SV10", STOCK, CHIP, 92.5, 78.0),
    ("M21SV60", STOCK, CHIP, 90.0, 76.0),
    ("M30S++VH60", STOCK, CHIP, 95.0, 80.0),
    ("M31S+VE20", STOCK, CHIP, 93.0, 79.0),
    ("M50SVJ30", STOCK, CHIP, 90.0, 80.0),
    ("M60SVK30", STOCK, CHIP, 78.0, 67.0),
    ("M30SEV10", STOCK, CHIP, 94.0, 80.0),
    ("AvalonMiner 1066", STOCK, CHIP, 92.0, 74.0),
    ("Avalon1246", STOCK, CHIP, 93.0, 75.0),
    ("Avalon1566", STOCK, CHIP, 90.0, 72.0),
]


def machines(*rows: tuple[str, str, float, float | None, float | None]) -> Fleet:
    fleet = Fleet(n=len(rows))
    models, firmwares, kinds, chips, boards = zip(*rows, strict=True)
    known = [[np.nan if temp is None else temp for temp in temps] for temps in (chips, boards)]
    fleet.columns |= {
        "model": text_column(models),
        "firmware": text_column(firmwares),
        "flags": np.array(kinds),
        "temp_chip_c": np.array(known[0]),
        "temp_board_c": np.array(known[1]),
    }
    return fleet


def show(fleet: Fleet) -> Any:
    """The hottest is whatever is hottest of what each machine gives."""

    def change(readings: dict[str, Any]) -> None:
        hottest = np.fmax(readings["temp_chip_c"], readings["temp_board_c"])
        readings |= {"temp_max_c": hottest, "temp_c": hottest - 4}

    return fleet.cycle(change)


def test_machines_that_run_as_rated_raise_nothing_grave_whatever_their_make() -> None:
    fleet = machines(*SOUND)
    for _ in range(4):
        show(fleet)
    grave = {(who, code) for who, code in fleet.everything_open() if code.startswith("overheat")}
    assert grave == set()


@pytest.mark.parametrize("sensor", list(SensorKind))
def test_a_sensor_at_its_limit_is_critical_on_every_series(sensor: SensorKind) -> None:
    for series, by_sensor in SERIES_LIMITS.items():
        if sensor in by_sensor:
            make, _, generation = series.partition(" ")
            model = f"Avalon A{generation}66" if make == "Avalon" else f"{series} Gamma" if make == "Bitaxe" else series
            temp_c = by_sensor[sensor].critical_c
            row = (CHIP, temp_c, None) if sensor is SensorKind.CHIP else (BOARD, None, temp_c)
            fleet = machines((model, STOCK, *row))
            show(fleet)
            assert fleet.say_of(Issue.OVERHEAT_CRIT) is HIT, series


def test_a_board_over_its_limit_is_not_hidden_by_a_cool_chip_nor_a_chip_by_a_board() -> None:
    """At an S19 a board stops at 90 °C and a chip at 95 °C."""
    fleet = machines(
        ("Antminer S19", STOCK, CHIP, 92.0, 91.0),
        ("Antminer S19", STOCK, CHIP, 84.0, 79.0),
        ("Antminer S19", STOCK, CHIP, 96.0, 82.0),
        ("Antminer S19", STOCK, BOARD, 60.0, 91.0),
        ("Antminer S19", STOCK, CHIP, 86.0, 84.0),
    )
    outcome = show(fleet)
    assert [fleet.say_of(Issue.OVERHEAT_CRIT, number) for number in range(5)] == [HIT, FINE, HIT, HIT, FINE]
    assert [fleet.say_of(Issue.OVERHEAT_WARN, each) for each in (1, 4)] == [FINE, HIT]
    board = read_evidence(outcome, 0, Issue.OVERHEAT_CRIT)
    assert (board["sensor"], board["temp_max"], board["threshold"]) == ("board", 91.0, 90.0)
    chip = read_evidence(outcome, 2, Issue.OVERHEAT_CRIT)
    assert (chip["sensor"], chip["temp_max"], chip["threshold"]) == ("chip", 96.0, 95.0)


@pytest.mark.parametrize(
    ("model", "limits", "layers", "limit", "words"),
    [
        ("Antminer S19", None, LimitLayers(), (95.0, "catalogue"), "limit 95 °C for this model"),
        ("Antminer S19", "chip 80/90", LimitLayers(), (90.0, "machine"), "limit 90 °C, from the machine"),
        ("home made", None, LimitLayers(), (85.0, "assumed"), "limit 85 °C, assumed: none known for this model"),
        ("home made", "chip -/97", LimitLayers(), (97.0, "machine"), "limit 97 °C, from the machine"),
        (
            *("home made", None, LimitLayers(tenant={"overheat_crit_c": 92.0})),
            *((92.0, "settings"), "limit 92 °C, from settings"),
        ),
        (
            *("Antminer S19", "chip 80/90", LimitLayers(models={"Antminer S19": {"overheat_crit_c": 93.0}})),
            *((93.0, "settings"), "limit 93 °C, from settings"),
        ),
        (
            *("Antminer S19", "chip 80/90", LimitLayers(tenant={"overheat_crit_c": 60.0})),
            *((90.0, "machine"), "limit 90 °C, from the machine"),
        ),
    ],
)
def test_the_evidence_shows_the_source_of_the_limit(
    model: str, limits: str | None, layers: LimitLayers, limit: tuple[float, str], words: str
) -> None:
    fleet = machines((model, STOCK, CHIP, 99.0, None))
    fleet.config = Config(interval_sec=300.0, layers=layers)
    if limits is not None:
        fleet.columns["temp_limits"] = same(limits, 1)
    evidence = read_evidence(show(fleet), 0, Issue.OVERHEAT_CRIT)
    assert (evidence["threshold"], evidence["limit_source"]) == limit
    assert f"Hottest sensor: 99.0 °C (chip sensor, {words})." in sentence(evidence)


def test_a_sample_without_a_kind_is_judged_as_its_firmware_measures() -> None:
    fleet = machines(("Antminer S19", LUXOS, 0.0, None, 71.0), ("Antminer S19", STOCK, 0.0, None, 71.0))
    outcome = show(fleet)
    assert [fleet.say_of(Issue.OVERHEAT_CRIT, each) for each in (0, 1)] == [HIT, FINE]
    assert read_evidence(outcome, 0, Issue.OVERHEAT_CRIT)["sensor"] == "board"


def limits_with(layers: LimitLayers, **more: Any) -> MachineTemperatureLimits:
    return machine_temperature_limits(layers, site="1", model="Antminer S19", firmware=STOCK, **more)


def test_a_limit_for_a_model_is_meant_for_the_sensor_that_the_machine_shows() -> None:
    layers = LimitLayers(models={"Antminer S19": {"overheat_crit_c": 92.0}})
    outcome = limits_with(layers)
    assert (outcome.main.sensor, outcome.main.crit_c, outcome.main.crit_source) == (SensorKind.CHIP, 92.0, "settings")
    assert (outcome.other.crit_c, outcome.other.crit_source) == (90.0, "catalogue")
    outcome = limits_with(layers, sensor=SensorKind.BOARD)
    assert (outcome.main.sensor, outcome.main.crit_c, outcome.other.crit_c) == (SensorKind.BOARD, 92.0, 95.0)


def test_a_limit_for_a_sensor_kind_holds_for_that_kind_alone() -> None:
    outcome = limits_with(LimitLayers(sensors={"board": {"overheat_crit_c": 75.0}}))
    assert (outcome.main.crit_c, outcome.other.crit_c, outcome.other.crit_source) == (95.0, 75.0, "settings")


def test_a_limit_that_cannot_be_one_leaves_the_catalogues() -> None:
    assert limits_with(LimitLayers(), reported="chip 10/20").main.crit_c == 95.0
    assert limits_with(LimitLayers(), reported="nonsense").main.crit_source == "catalogue"


def test_a_machine_switching_to_chip_readings_is_not_hotter_than_its_history() -> None:
    """An edge that named no sensor told the boards' mean; the hottest chip is some 16 °C above it."""
    fleet = Fleet(n=3)
    fleet.columns["flags"] = np.zeros(3)
    fleet.cycle(times=40)

    def read_at_the_chip(readings: dict[str, Any]) -> None:
        readings["flags"] = np.full(3, CHIP)
        for name in ("temp_c", "temp_max_c"):
            readings[name] = readings[name] + 16

    fleet.cycle(read_at_the_chip, times=20)
    assert fleet.everything_open() == set()
    begun = fleet.state["firmware_key"].copy()
    fleet.cycle(lambda readings: readings.update(temp_max_c=np.full(3, np.nan), flags=np.zeros(3)), times=2)
    np.testing.assert_array_equal(fleet.state["firmware_key"], begun, "without a temperature nothing is known of it")


async def test_stored_machines_are_judged_by_sensor_and_the_api_shows_the_source_of_the_limit(site: StoredSite) -> None:
    fleet = StoredFleet(site, MACHINES)
    models = ["Antminer S19j Pro"] * MACHINES
    models[5] = "home made"

    def hot(readings: dict[str, Any]) -> None:
        readings["flags"], readings["model"] = np.zeros(MACHINES), text_column(models)
        readings_of(3, flags=CHIP, temp_max_c=92.0, temp_chip_c=92.0, temp_board_c=91.0)(readings)
        readings_of(4, flags=CHIP, temp_max_c=92.0, temp_chip_c=92.0)(readings)
        readings_of(5, temp_max_c=86.0)(readings)
        readings["temp_limits"] = text_column([None] * 4 + ["chip 80/90"] + [None] * (MACHINES - 5))

    await fleet.cycle(hot, times=2)
    scope, now = system_caller(site.tenant_id).seen, datetime.fromtimestamp(fleet.now, UTC)
    readings = {}
    for machine in (3, 4, 5):
        async with site.database.transaction(job_context()) as session:
            outcome = await list_miner_problems(
                session, scope, f"m-{machine:03d}", None, status=(), include_resolved=False, now=now
            )
        (problem,) = [row for row in outcome["problems"] if row["issue_code"] == "overheat_crit"]
        evidence = problem["evidence_json"][-1]
        readings[machine] = tuple(evidence[name] for name in ("sensor", "temp_max", "threshold", "limit_source"))
    assert readings == {
        3: ("board", 91.0, 90.0, "catalogue"),
        4: ("chip", 92.0, 90.0, "machine"),
        5: ("chip", 86.0, 85.0, "assumed"),
    }

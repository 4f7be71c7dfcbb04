"""Scenario files: the library plays, and every mistake is one clear sentence."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hashinsight.sim.fleet import build_fleet
from hashinsight.sim.frames import stream
from hashinsight.sim.plan import ScenarioError
from hashinsight.sim.scenario import from_library, library, parse_scenario, read_scenario
from hashinsight.sim.scenario_tables import seconds
from tests.sim.worlds import START

OWED = {
    "quiet", "demo", "ordinary", "heat_wave", "switch_outage", "curtailment", "bad_lot", "pool_trouble", "messy_data",
}  # fmt: skip
SMALL = """
days = 2
[[pools]]
name = "main"
url = "stratum+tcp://pool.example:3333"
user = "farm"
[[sites]]
name = "north"
pools = ["main"]
[[sites.zones]]
name = "a"
[[sites.zones.machines]]
model = "S19j Pro"
count = 10
"""


def test_the_library_has_the_promised_scenarios_each_with_a_description() -> None:
    assert set(library()) >= OWED
    assert all(about and "\n" not in about for about in library().values())


@pytest.mark.parametrize("name", sorted(OWED))
def test_every_scenario_of_the_library_plays_at_any_size(name: str) -> None:
    for machines in (1, 7, 130):
        frames = list(stream(from_library(name).resized(machines), seed=1, start=START, days=0.05))
        assert 0 < sum(frame.height for frame in frames) <= 14 * machines * 1.2


@pytest.mark.parametrize("seed", [1, 2])
def test_in_the_heat_wave_rows_lose_five_to_ten_percent_and_the_hottest_stop(seed: int) -> None:
    scenario = from_library("heat_wave").resized(80)
    frame = pl.concat(stream(scenario, seed=seed, start=START, days=3.3, cadence_sec=900, parts=True))
    ratio = pl.col("hashrate_ths").sum() / pl.col("expected_ths").sum()
    by_zone = frame.group_by("zone", "ts").agg(ratio=ratio, inlet=pl.col("inlet_temp").mean())
    rows, corner = (by_zone.filter(pl.col("zone") == zone) for zone in ("rows", "corner"))
    afternoons = rows.filter(pl.col("inlet") > 40)["ratio"]
    assert afternoons.len() > 4
    assert 0.90 <= afternoons.median() <= 0.95  # type: ignore[operator]
    assert rows.filter(pl.col("inlet") < 34)["ratio"].median() > 0.99  # type: ignore[operator]
    assert corner["ratio"].min() < 0.3  # type: ignore[operator]


def test_a_resized_scenario_has_exactly_so_many_machines_in_the_same_shares() -> None:
    for machines in (1, 13, 500, 12_345):
        assert build_fleet(from_library("ordinary").resized(machines), 1).n == machines
    big = build_fleet(from_library("ordinary").resized(3000), 1)
    names = [big.models[no].name for no in np.unique(big.model)]
    assert len(names) == 9
    assert (big.model == [model.name for model in big.models].index("Antminer S21")).mean() == pytest.approx(0.2)
    assert len(set(big.machine_id)) == len(set(big.serial)) == len(set(big.mac)) == 3000


def test_a_fleet_of_no_machine_is_refused() -> None:
    with pytest.raises(ScenarioError, match="a fleet has at least one machine, not 0"):
        from_library("quiet").resized(0)


def test_machines_of_a_rack_share_a_switch_and_names_show_their_location() -> None:
    fleet = build_fleet(from_library("ordinary").resized(300), 1)
    assert fleet.rack[0] == "north/a/rack-01"
    assert fleet.switch[0] == "north/a/sw-01"
    assert fleet.pdu[13] == "north/a/pdu-02"
    assert fleet.zone[0] == "a"
    assert fleet.site[-1] == "south"
    assert max(np.bincount(fleet.rack.no)) <= 24
    assert max(np.bincount(fleet.pdu.no)) <= 12


def test_a_file_is_read_and_a_model_may_be_spelt_as_people_do(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(SMALL)
    scenario = read_scenario(file)
    assert scenario.name == "mine"
    assert scenario.sites[0].zones[0].batches[0].model == "Antminer S19j Pro"
    assert scenario.machines == 10


MISTAKES = [
    ("colour = 3", "colour is not a key of a scenario"),
    ("dais = 3", "dais is not a key of a scenario, did you mean days"),
    (
        '[[fault]]\nkind = "fan_failling"\nat = "1h"',
        "fault[1].kind 'fan_failling' is not known, did you mean fan_failing",
    ),
    ('[[fault]]\nkind = "board_drops_when_hot"\nat = "1h"', "fault[1].kind 'board_drops_when_hot' is not known"),
    ('[[fault]]\nkind = "dust"\nat = "3d"', "fault[1].at '3d' is after the end of the scenario, 2 days"),
    ('[[fault]]\nkind = "dust"\nat = "soon"', "fault[1].at must be a time like \"2d 6h 30m\", not 'soon'"),
    ('[[fault]]\nkind = "dust"', 'fault[1].at must be a time like "2d 6h 30m", not None'),
    ('[[fault]]\nkind = "dust"\nat = "1h"\nmodel = "S21"', "fault[1] matches no machine"),
    ('[[fault]]\nkind = "dust"\nat = "1h"\nmodel = "S99"', "fault[1].model 'S99' is not a model of the catalogue"),
    (
        '[[fault]]\nkind = "dust"\nat = "1h"\ncount = -1',
        "fault[1].count must be a whole number from 1 to 1000000, not -1",
    ),
    (
        '[[cause]]\nkind = "switch_outage"\nat = "1h"\nsite = "nord"',
        "cause[1].site 'nord' is not known, did you mean north",
    ),
    (
        '[[cause]]\nkind = "curtailment"\nat = "1h"\nfor = "3h"\nevery = "2h"',
        "cause[1].every must be longer than cause[1].for",
    ),
    (
        '[[cause]]\nkind = "pool_outage"\nat = "1h"\npool = "mian"',
        "cause[1].pool 'mian' is not known, did you mean main",
    ),
    ("[faults]\nper_year = -1", "faults.per_year must be a number from 0 to 10000, not -1"),
    ("[faults.rates]\ndusty = 1", "faults.rates.dusty is not a kind of fault, did you mean dust"),
    ("[faults]\nrepair_days = [3, 1]", "faults.repair_days must be two numbers up to 3660, the smaller first, not"),
    ("[faults]\nrepair_days = [1, inf]", "faults.repair_days must be two numbers up to 3660, the smaller first, not"),
    ('[[fault]]\nkind = "dust"\nat = "1h"\nfor = "0s"', "fault[1].for must be longer than 0 and at most 3660 days"),
    ('[[fault]]\nkind = "dust"\nat = "1h"\nfor = "99999d"', "fault[1].for must be longer than 0 and at most 3660"),
    ("[defects]\nmissing = 2", "defects.missing must be a number from 0 to 0.9, not 2"),
    ('[defects]\nunits_off_make = "Bitmin"', "defects.units_off_make 'Bitmin' is not known, did you mean Bitmain"),
    ('defects = "none"', "defects must be a table"),
]


@pytest.mark.parametrize(("addition", "sentence"), MISTAKES)
def test_a_mistake_is_named_with_its_key_and_place(addition: str, sentence: str) -> None:
    text = addition + SMALL if "=" in addition.splitlines()[0] else SMALL + addition
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, "mine")
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


BROKEN = [
    (
        "count = 10",
        "count = -3",
        "sites[1].zones[1].machines[1].count must be a whole number from 0 to 1000000, not -3",
    ),
    ("count = 10", "count = 0", "the sites have no machines"),
    ("count = 10", "count = true", "sites[1].zones[1].machines[1].count must be a whole number from 0 to"),
    ('model = "S19j Pro"', 'model = "S19k"', "sites[1].zones[1].machines[1].model 'S19k' is not simulated"),
    ('model = "S19j Pro"', 'model = "S9"', "sites[1].zones[1].machines[1].model 'S9' is not simulated"),
    ('pools = ["main"]', 'pools = ["backup"]', "sites[1].pools names 'backup', which is not known"),
    ('pools = ["main"]', "pools = []", "sites[1].pools must be a list of at least one text"),
    ('name = "north"', 'name = ""', "sites[1].name must be a text"),
    (
        'name = "a"',
        'name = "a"\nrack_size = 0',
        "sites[1].zones[1].rack_size must be a whole number from 1 to 1000, not 0",
    ),
    ("days = 2", "days = 2 3", "mine is not TOML"),
    ("[[sites]]", "[sites]", "sites must be a list of at least one table"),
]


@pytest.mark.parametrize(("old", "new", "sentence"), BROKEN)
def test_a_broken_place_is_named(old: str, new: str, sentence: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(SMALL.replace(old, new, 1), "mine")
    assert str(caught.value).startswith(sentence)


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot be read: No such file"):
        read_scenario(tmp_path / "none.toml")
    (tmp_path / "odd.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ScenarioError, match="is not UTF-8 text"):
        read_scenario(tmp_path / "odd.toml")


def test_the_library_stays_in_its_folder_and_suggests_similar_names() -> None:
    with pytest.raises(ScenarioError, match="the library has no scenario 'heat_wav', did you mean heat_wave"):
        from_library("heat_wav")
    with pytest.raises(ScenarioError, match="the library has no scenario"):
        from_library("../plan")


@pytest.mark.parametrize(
    ("text", "length"), [("90m", 5400), ("1d 12h", 129_600), ("1.5h", 5400), ("h", None), ("5", None)]
)
def test_times_are_written_as_people_write_them(text: str, length: float | None) -> None:
    assert seconds(text) == length

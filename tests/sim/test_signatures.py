"""Every fault and every common cause shows as it says, within the time that it says, on every model."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from hashinsight.sim.causes import CAUSES
from hashinsight.sim.causes.kind import CauseKind
from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.faults.family import Family
from hashinsight.sim.readings import Flags, Readings
from hashinsight.sim.reserved import RESERVED
from hashinsight.sim.scenario import library, parse_scenario
from hashinsight.sim.world import World
from tests.sim.signatures import SIGNATURES, machine_history
from tests.sim.worlds import DAY, EVERY_KIND, HOUR, quiet_world, watch

ALL: list[Family | CauseKind] = [*EVERY_KIND, *CAUSES]
MODELS = np.arange(0, 22, 2)  # two machines a model: the first gets the fault


def watched(world: World, seconds: float) -> tuple[list[Readings], list[Flags]]:
    """The last day of so many seconds, or all of them."""
    last_part = min(seconds, DAY)
    world.advance(world.at + seconds - last_part)
    return watch(world, last_part, 60.0 if seconds <= 2 * HOUR else 300.0)


@cache
def sound_twin(seconds: float) -> tuple[list[Readings], list[Flags]]:
    world = quiet_world()
    world.advance(world.at + 2 * HOUR)
    return watched(world, seconds)


@cache
def sound_after(seconds: float) -> Readings:
    world = quiet_world()
    world.advance(world.at + seconds)
    return world.readings()


@pytest.mark.parametrize("fault", ALL, ids=lambda fault: fault.kind)
def test_its_signature_is_measurable_within_its_stated_time(fault: Family | CauseKind) -> None:
    sick = quiet_world()
    sick.advance(sick.at + 2 * HOUR)
    made = sick.inject(fault.kind, MODELS)
    seen, twin = watched(sick, fault.within_sec), sound_twin(fault.within_sec)
    for machine in MODELS.tolist():
        with_it, without = machine_history(*seen, machine), machine_history(*twin, machine)
        model = sick.fleet.models[sick.fleet.model[machine]].name
        assert SIGNATURES[fault.kind](without, with_it), f"{fault.kind} does not show on {model}"
        assert not SIGNATURES[fault.kind](without, without), f"{fault.kind} is seen on a sound {model}"
    assert {episode.kind for episode in made} == {fault.kind}


@pytest.mark.parametrize("fault", ALL, ids=lambda fault: fault.kind)
def test_machines_without_the_fault_report_the_same_as_in_a_run_without_faults(fault: Family | CauseKind) -> None:
    sick = quiet_world()
    sick.inject(fault.kind, MODELS)
    others = np.setdiff1d(np.arange(22), MODELS)
    sick.advance(sick.at + HOUR)
    ours, theirs = sick.readings(), sound_after(HOUR)
    for name in ("hashrate_ths", "board_temp_c", "power_w", "fan_rpm", "uptime_sec"):
        assert np.array_equal(getattr(ours, name)[others], getattr(theirs, name)[others]), name


@pytest.mark.parametrize("fault", ALL, ids=lambda fault: fault.kind)
def test_when_it_ends_the_machine_is_as_before(fault: Family | CauseKind) -> None:
    world = quiet_world()
    for episode in world.inject(fault.kind, MODELS, until=world.at + 2 * HOUR):
        assert episode.end == world.at + 2 * HOUR
    world.advance(world.at + 3.5 * HOUR)
    ours, theirs = world.readings(), sound_after(3.5 * HOUR)
    assert ours.reachable.all()
    assert world.collected().all()
    assert np.allclose(ours.hashrate_ths, theirs.hashrate_ths, rtol=0.005)
    assert np.allclose(ours.board_temp_c, theirs.board_temp_c, atol=1.5)


def test_the_families_reserved_for_scoring_are_new_kinds() -> None:
    public = {family.kind for family in EVERY_KIND} - {family.kind for family in RESERVED}
    assert len(RESERVED) >= 3
    assert not {family.kind for family in RESERVED} & public


ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "simulator.md"


def test_the_documented_example_of_a_scenario_is_one() -> None:
    example = DOCUMENT.read_text(encoding="utf-8").split("```toml\n", 1)[1].split("```", 1)[0]
    scenario = parse_scenario(example, "example")
    assert scenario.machines == 40
    assert (len(scenario.faults), len(scenario.causes)) == (1, 1)
    assert scenario.rates.of_kind == {"dust": 0.02}


def test_the_documented_library_is_the_library() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert all(f"| `{name}` | {about} |" in text for name, about in library().items())


def test_every_documented_fault_exists() -> None:
    documented = {
        (page.name, kind)
        for page in (*ROOT.glob("README*.md"), *ROOT.glob("docs/*.md"))
        for kind in re.findall(r"sim inject ([a-z_]+)", page.read_text(encoding="utf-8"))
    }
    assert {name for name, _ in documented} >= {"README.md", "README.zh-CN.md"}
    known = {family.kind for family in PUBLIC}
    assert {kind for _, kind in documented} <= known

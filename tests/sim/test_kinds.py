"""The documented faults are the faults."""

import re
from pathlib import Path

from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.kinds import causes_table, faults_table
from hashinsight.sim.scenario import library, parse_scenario

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "simulator.md"


def test_the_documented_faults_and_causes_are_those_that_can_be_played() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert faults_table() in text
    assert causes_table() in text


def test_the_documented_example_of_a_scenario_is_one() -> None:
    example = DOCUMENT.read_text(encoding="utf-8").split("```toml\n", 1)[1].split("```", 1)[0]
    scenario = parse_scenario(example, "example")
    assert scenario.machines == 40
    assert (len(scenario.faults), len(scenario.causes)) == (1, 1)
    assert scenario.rates.of_kind == {"dust": 0.02}


def test_the_documented_library_is_the_library() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert all(f"| `{name}` | {about} |" in text for name, about in library().items())


def test_what_readers_are_told_to_break_can_break() -> None:
    told = {
        (page.name, kind)
        for page in (*ROOT.glob("README*.md"), *ROOT.glob("docs/*.md"))
        for kind in re.findall(r"sim inject ([a-z_]+)", page.read_text(encoding="utf-8"))
    }
    assert {name for name, _ in told} >= {"README.md", "README.zh-CN.md"}
    known = {family.kind for family in PUBLIC}
    assert {kind for _, kind in told} <= known

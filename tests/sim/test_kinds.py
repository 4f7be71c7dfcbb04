"""The documented faults are the faults."""

from pathlib import Path

from hashinsight.sim.kinds import causes_table, faults_table
from hashinsight.sim.scenario import library, parse_scenario

DOCUMENT = Path(__file__).parents[2] / "docs" / "simulator.md"


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

"""What `problem show` says of evidence: a sentence for each, as the console words it, and none of our own names."""

import re
from pathlib import Path

import pytest

from hashinsight.cli.problems.evidence import EXPECTED, NAMES, SENSORS, SOURCES, UNITS, sentence, value_of
from hashinsight.problems.codes import Issue
from hashinsight.problems.health_rules import RULES
from tests.problems.fleet import Fleet
from tests.problems.rule_cases import CASE_IDS, CASES, Drive, read_evidence, run_case, silent_collector
from tests.problems.rule_cases import EXAMPLE as EVIDENCE

CONSOLE = Path(__file__).parents[2] / "console" / "src"


def test_one_piece_of_evidence_is_one_sentence_with_its_limit_its_units_and_its_time() -> None:
    assert sentence(EVIDENCE) == (
        "2026-03-01 12:00:00 UTC: Hashrate below its own baseline, or repeated reboots."
        " Hashrate ratio: 67% (limit 97%, usually 100% ± 1%). Reference hashrate: 104 TH/s."
    )


@pytest.mark.parametrize(("issue", "way", "drive"), CASES, ids=CASE_IDS)
def test_every_rules_evidence_is_printed_as_a_sentence(issue: Issue, way: str, drive: Drive) -> None:
    evidence = read_evidence(run_case(issue, drive), 0, issue)
    assert evidence["way"] == way
    text = sentence(evidence)
    _, description, rest = text.partition(f"UTC: {evidence['description']}.")
    assert description, text
    facts = re.split(r"(?<=\.) (?=[A-Z])", rest.strip())
    assert not re.search(r"[_={}\[\]]|None|nan|True|False", text), text
    if evidence[evidence["metric"]] is not None:
        assert facts[0].lower().startswith(NAMES[evidence["metric"]]), text
        assert ("limit" in facts[0]) is (evidence["threshold"] is not None), text


def test_collector_down_shows_silence_and_last_contact() -> None:
    text = sentence(read_evidence(silent_collector(Fleet()), 0, Issue.COLLECTOR_DOWN))
    assert "Silent for: 10 min (limit 5 min)." in text
    assert re.search(r"Last contact: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\.$", text)


@pytest.mark.parametrize(
    ("expectation", "text"), [("given", "."), *((case, f" ({EXPECTED[case]}).") for case in EXPECTED)]
)
def test_an_inferred_reference_hashrate_is_marked_inferred(expectation: str, text: str) -> None:
    evidence = {**EVIDENCE, "expected_ths": 104.0, "expectation": expectation}
    assert sentence(evidence).endswith(f" Reference hashrate: 104 TH/s{text}")


def test_evidence_of_an_older_format_is_printed_as_far_as_known() -> None:
    assert sentence({"rule_code": "offline", "threshold": 0.05}) == "Offline."


@pytest.mark.parametrize(
    ("metric", "value", "text"),
    [
        ("temp_max", 91.25, "91.2 °C"),
        ("fan_speed_min", 0.0, "0 rpm"),
        ("fan_speed_min", 5760.4, "5,760 rpm"),
        ("sample_age_sec", 2900.0, "48 min"),
        ("boots", 3.0, "3"),
        ("reject_rate", 0.0213, "2.1%"),
        ("trend_slope", -0.0415, "-4.2% per day"),
        ("hw_error_rate", 0.425, "0.42 per TH/s per hour"),
        ("is_online", False, "no"),
        ("efficiency", None, "unknown"),
    ],
)
def test_a_value_has_its_unit(metric: str, value: float | None, text: str) -> None:
    assert value_of(metric, value) == text


def test_names_and_units_are_those_of_the_console() -> None:
    texts = (CONSOLE / "i18n" / "codes.ts").read_text()
    named = dict(re.findall(r'"metric\.(\w+)": \["([^"]+)"', texts))
    assert {name: named.get(name) for name in NAMES} == NAMES
    assert {criterion.metric for rule in RULES for criterion in rule.criteria} <= set(NAMES)
    sensors = dict(re.findall(r'"sensor\.(\w+)": \["([^"]+)"', texts))
    assert sensors == SENSORS
    of_problems = (CONSOLE / "i18n" / "problems.ts").read_text()
    assert dict(re.findall(r'"evidence\.limit\.(\w+)": \["([^"]+)"', of_problems)) == SOURCES
    assert dict(re.findall(r'"evidence\.expected\.(\w+)": \["([^"]+)"', of_problems)) == EXPECTED
    (block,) = re.findall(r"const UNITS[^{]*\{(.*?)\};", (CONSOLE / "problems" / "evidence.ts").read_text(), re.DOTALL)
    units = dict(re.findall(r'(\w+): "([^"]+)"', block))
    assert len(units) > 5
    assert {name: UNITS.get(name) for name in units} == units

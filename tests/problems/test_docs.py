import re
from pathlib import Path

from hashinsight.inventory.tenant_settings import RuleLimits
from hashinsight.problems.actions import ProblemAction, ResolutionCause
from hashinsight.problems.config import THRESHOLD_NAMES
from hashinsight.problems.health_rules import RULES
from hashinsight.replay.files import NUMBERS, TEXTS, TIMES

DOCS = Path(__file__).parents[2] / "docs"


def test_every_rule_is_documented_as_it_is() -> None:
    text = (DOCS / "problems.md").read_text()
    for rule in RULES:
        needs = ", ".join(f"`{name}`" for name in rule.needs) or "-"
        assert f"| `{rule.code}` | {rule.severity.name} | {rule.description} | {needs} |" in text


def test_every_criterion_of_a_rule_is_documented_as_it_is() -> None:
    text = (DOCS / "problems.md").read_text()
    for rule in RULES:
        for criterion in rule.criteria:
            row = f"| `{rule.code}` | `{criterion.name}` | `{criterion.metric}` | {criterion.side or '-'} |"
            assert row in text


def test_every_threshold_can_be_set_as_the_document_promises() -> None:
    assert "each can be set for a tenant" in (DOCS / "problems.md").read_text()
    assert set(RuleLimits.model_fields) == set(THRESHOLD_NAMES)


def test_every_column_of_the_replay_format_is_documented() -> None:
    text = (DOCS / "replay.md").read_text()
    assert [name for name in (*NUMBERS, *TEXTS, *TIMES) if f"`{name}`" not in text] == []


def test_every_code_and_route_of_the_api_is_documented() -> None:
    source = Path(__file__).parents[2] / "src" / "hashinsight" / "problems"
    files = [source / "errors.py", source / "actions.py", *(source / "routes").glob("*.py")]
    codes = {code for file in files for code in re.findall(r'(?:code=|Refusal\()"([A-Z_]+)"', file.read_text())}
    assert len(codes) > 10
    text = (DOCS / "problems.md").read_text()
    assert {code for code in codes if f"`{code}`" not in text} == set()
    for act in ProblemAction:
        assert act.value in text
    for cause in ResolutionCause:
        assert f"`{cause.value}`" in text

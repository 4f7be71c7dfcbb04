"""Every code that the server can tell has its words in the console, in both languages."""

import re
from pathlib import Path

from hashinsight.audit.actions import ActorKind
from hashinsight.commands.approval import ApprovalCode
from hashinsight.commands.arbitration import ArbitrationRefusal
from hashinsight.commands.catalogue import CATALOGUE
from hashinsight.commands.limits import WaitReason
from hashinsight.commands.states import State
from hashinsight.problems.actions import MOVES, ResolutionCause
from hashinsight.problems.codes import Age, EventStatus, ExpectationSource, ExpectedState, Issue, Metric
from hashinsight.problems.health_rules import RULES
from hashinsight.problems.registry import FLAPPING, THAWED, TIMELINE_KINDS

ROOT = Path(__file__).parents[2]
TEXTS = ROOT / "console" / "src" / "i18n"
# what the console's own pages can be told: not what collectors, imports or other pages are
TALKING = ("problems", "commands", "kit", "identity")
_CODE = re.compile(r'\bcode(?::[^=\n]*)? ?= ?"([A-Z_]{3,})"|Refus(?:ed|al)\([^"\n]*"([A-Z_]{3,})"')


def keys() -> set[str]:
    named = re.compile(r'^ {2}"([\w.]+)": \[', re.MULTILINE)
    found = {key for file in TEXTS.glob("*.ts") for key in named.findall(file.read_text())}
    assert len(found) > 400
    return found


def told() -> set[str]:
    """The codes of refusals, as they stand in the server's source."""
    files = [file for part in TALKING for file in (ROOT / "src" / "hashinsight" / part).rglob("*.py")]
    people = [file for file in files if not file.name.startswith("edge_") and "checker" not in file.parts]
    found = {code for file in people for pair in _CODE.findall(file.read_text()) for code in pair if code}
    assert {"ALREADY_RESOLVED", "NO_SUCH_USER", "MINER_RETIRED", "FORBIDDEN"} <= found
    return found


def missing(prefix: str, codes: set[str]) -> set[str]:
    return {f"{prefix}.{code}" for code in codes} - keys()


def test_every_refusal_has_words() -> None:
    assert missing("error", told() | {one.value for one in ArbitrationRefusal}) == set()


def test_everything_that_a_problem_can_say_has_words() -> None:
    issues = {one.code for one in Issue}
    assert missing("issue", issues) | missing("summary", issues) == set()
    assert missing("status", {one.name.lower() for one in EventStatus}) == set()
    kinds = {move.timeline_kind for move in MOVES.values()} | {"suppressed", "unsuppressed"}
    kinds |= {*TIMELINE_KINDS.values(), FLAPPING, THAWED}
    assert missing("event", kinds) == set()
    assert missing("resolution", {one.value for one in ResolutionCause}) == set()
    assert missing("actor", {one.value for one in ActorKind}) == set()
    assert missing("age", {one.value for one in Age}) == set()
    metrics = {one.name.lower() for one in Metric} | {rule.metric for rule in RULES} - {"robust_z"}
    metrics |= {criterion.metric for rule in RULES for criterion in rule.criteria}
    assert missing("metric", metrics) == set()
    inferred = {one.name.lower() for one in ExpectationSource if one > ExpectationSource.GIVEN}
    assert missing("evidence.expected", inferred) | missing("source", {"inferred"}) == set()


def test_everything_that_is_recommended_is_a_command_or_has_words() -> None:
    recommended = (ROOT / "console" / "src" / "problems" / "recommendations.ts").read_text()
    commands = dict(re.findall(r"^ {2}(\w+): \"(\w+)\",", recommended, re.MULTILINE))
    assert set(commands.values()) <= {kind.name for kind in CATALOGUE.values()}
    assert missing("todo", {action for rule in RULES for action in rule.actions} - set(commands)) == set()


def test_everything_about_a_command_has_words() -> None:
    assert missing("cmdtype", {kind.name for kind in CATALOGUE.values()}) == set()
    assert missing("cmdstate", {one.value for one in State}) == set()
    assert missing("wait", {one.value for one in WaitReason}) == set()
    assert missing("because", {one.value for one in ApprovalCode}) == set()
    assert missing("cmd.effect", {kind.effect.value for kind in CATALOGUE.values()}) == set()
    assert missing("expected", {one.name.lower() for one in ExpectedState} - {"nothing"}) == set()

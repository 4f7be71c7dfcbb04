"""Texts come from strangers: whatever is searched in them takes time in proportion to their length."""

import gc
import re
import time
from collections import deque
from collections.abc import Callable
from statistics import median
from typing import Any

import pytest

from hashinsight.kit.scrub import _hide, _is_hidden, scrub
from hashinsight.kit.secret_patterns import RULES
from hashinsight.wire.acks import parse_acks
from hashinsight.wire.foreign_json import find_text
from tests.kit.pattern_samples import every_pattern, growing_repeats, hard_texts, methods_of

PATTERNS = every_pattern()
SHORT, TIMES, GROWTH = 4_000, 10, 1.2  # ten times the text: at most twelve times as long
# Times as long again, and the growth that the smallest square shows there: what has 1.2 at first has 1.39, then 1.75.
# A busy machine, whose caches others empty, makes each of them dearer alike.
CONFIRMED_AT = {1: GROWTH, 2: 1.3, 4: 1.5}
HOPELESS, HOPELESS_ROUNDS = 4.0, 5  # a square would be ten; once may be anything
QUICK_SECONDS = 0.000_5  # of the long text: what is below has no share in anybody's waiting
ROUNDS, CLOSE, CLOSE_ROUNDS = 60, 1.5, 600  # what is close to the limit is measured for longer, not by a looser one


def grows_too_fast(work: Callable[[str], Any], unit: str, short: int = SHORT) -> bool:
    """Whether a long text takes longer than as many short ones together, at every length it is confirmed at."""
    for times, least in CONFIRMED_AT.items():
        growth = growth_of(work, unit * (short * times // len(unit)), least)
        if growth <= least or growth > HOPELESS:
            return growth > HOPELESS
    return True


def growth_of(work: Callable[[str], Any], short: str, least: float) -> float:
    """The time of one long text by that of as many short ones of the same length together.

    In processor time, the middle one of several taken in turns: what else the machine does falls on both alike. Not
    the best of several: a virtual machine takes stolen time off a thread's time late, so that now and then a turn
    seems shorter than it can be.
    """
    of_short, of_long = [], []
    gc.disable()
    try:
        for number in range(CLOSE_ROUNDS):
            of_long.append(took(work, [short * TIMES]))
            if min(of_long) < QUICK_SECONDS:
                return 0.0
            of_short.append(took(work, [short] * TIMES))
            growth = median(of_long) / max(median(of_short), 1e-9)
            is_hopeless = number >= HOPELESS_ROUNDS and growth > HOPELESS
            is_far = number >= ROUNDS and growth > CLOSE
            if growth <= least or is_hopeless or is_far:
                break
    finally:
        gc.enable()
    return growth


def took(work: Callable[[str], Any], texts: list[str]) -> float:
    began = time.thread_time()
    for text in texts:
        work(text)
    return time.thread_time() - began


def test_a_square_is_told_from_what_only_takes_long() -> None:
    square, line = re.compile("a*b"), re.compile("[a-z]")

    def a_square_in_part(text: str) -> None:
        deque(line.finditer(text * 4), maxlen=0)
        deque(square.finditer(text[::5]), maxlen=0)

    assert grows_too_fast(square.findall, "a", short=400)
    assert grows_too_fast(a_square_in_part, "a")
    assert not grows_too_fast(lambda text: deque(line.finditer(text * 40), maxlen=0), "a")


def test_the_package_is_searched_for_patterns_and_they_are_found() -> None:
    assert any(name.startswith("hashinsight.kit.secret_patterns") for name in PATTERNS)
    assert any(name.startswith("hashinsight.telemetry.ingest.texts:") for name in PATTERNS)
    assert len(PATTERNS) > 40


@pytest.mark.parametrize("name", sorted(PATTERNS))
def test_a_pattern_remembers_no_turn_of_a_group_that_repeats_without_bound(name: str) -> None:
    assert not growing_repeats(PATTERNS[name]), "make it possessive, as in (?:…)*+, or give it a bound"


@pytest.mark.parametrize("pattern", [r"(?:ab)*c", r"x(?:a|(?:bc)+)d", r"(?:(?:\\\\)*)\\u0000", r"(?:a(?:bc)*?){2}"])
def test_an_unbounded_repeat_is_found_at_any_depth(pattern: str) -> None:
    assert growing_repeats(re.compile(pattern))


def test_a_character_a_bounded_group_and_a_possessive_one_may_repeat() -> None:
    assert not growing_repeats(re.compile(r"a*[bc]+\d*.+(?:de){0,9}(?:fg)*+(?>h)"))


@pytest.mark.parametrize("name", sorted(PATTERNS))
def test_ten_times_the_text_takes_a_pattern_at_most_twelve_times_as_long(name: str) -> None:
    pattern = PATTERNS[name]
    is_bytes = isinstance(pattern.pattern, bytes)
    begins = methods_of(name) <= {"match", "fullmatch"}  # else it is tried at every place of the text

    def search(text: str) -> None:
        given = text.encode() if is_bytes else text
        if begins:
            pattern.match(given)
            pattern.fullmatch(given)
        else:
            deque(pattern.finditer(given), maxlen=0)

    slow = next((unit for unit in hard_texts(pattern) if grows_too_fast(search, unit)), None)
    assert slow is None, f"{pattern.pattern!r} looks again and again at a text of {slow!r}"


def batch_of_acks(text: str) -> None:
    parse_acks({"acks": [{"command_id": "x", "status": "failed", "error_message": text, "result": {text: [text]}}]})


@pytest.mark.parametrize(
    "work",
    [*(rule.hide for rule in RULES), _hide, _is_hidden, scrub, batch_of_acks, lambda text: find_text(text, 10**6)],
    ids=[*(f"rule-{number}" for number in range(len(RULES))), "hide", "name", "scrub", "acks", "line"],
)
def test_ten_times_the_text_takes_at_most_twelve_times_as_long(
    work: Callable[[str], Any],
) -> None:
    units = {unit for name, pattern in PATTERNS.items() if ".kit." in name for unit in hard_texts(pattern)}
    slow = next((unit for unit in sorted(units)[::7] if grows_too_fast(work, unit)), None)
    assert slow is None, f"a text of {slow!r} is looked at again and again"

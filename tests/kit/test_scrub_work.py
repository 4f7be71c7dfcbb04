"""However many small things a stranger sends: scrubbing them is bounded, counted in calls and not by the clock."""

import sys
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from hashinsight.commands.ack_messages import _read_acks
from hashinsight.kit import scrub as module
from hashinsight.kit.scrub import CUT, Scrubber, ScrubLimitExceeded
from hashinsight.kit.secret_patterns import HIDDEN
from hashinsight.telemetry.ingest.extras import encode_extra
from hashinsight.wire.acks import MAX_ACKS, Ack
from hashinsight.wire.foreign_json import MAX_GROUPS, bound_value

ALLOWANCE = 10_000
CALLS_A_CHARACTER = 4  # of the allowance: what any of them may cost, in calls of Python or C
KINDS: dict[str, Callable[[int], Any]] = {
    "one letter": lambda number: chr(97 + number % 26),
    "short": lambda number: f"w{number}",
    "marked": lambda number: f"w.{number}",
    "named secret": lambda number: f"key:{number}",
    "list": lambda _: ["a"],
    "empty list": lambda _: [],
    "object": lambda _: {"a": "b"},
    "empty object": lambda _: {},
    "new name": lambda number: {f"n{number}": 0},
    "marked name": lambda number: {f"n.{number}:key": 0},
    "hidden name": lambda number: {f"n{number}": 0, "ip": "10.4.0.9"},
}


def calls_of(work: Callable[[], Any]) -> int:
    count = 0

    def note(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.fixture(autouse=True)
def nothing_is_known_yet() -> None:
    module._CLEAN.clear()
    module._HIDDEN_AMONG.clear()
    module._is_known_hidden.cache_clear()


@pytest.mark.parametrize("kind", KINDS)
def test_ten_times_as_many_small_values_as_the_allowance_holds_cost_no_more_work(kind: str) -> None:
    def work(count: int) -> int:
        values = [KINDS[kind](number) for number in range(count)]
        return calls_of(lambda: Scrubber(ALLOWANCE).scrub(values))

    assert work(ALLOWANCE) <= CALLS_A_CHARACTER * ALLOWANCE
    assert work(10 * ALLOWANCE) <= CALLS_A_CHARACTER * ALLOWANCE


@pytest.mark.parametrize("kind", KINDS)
def test_small_values_over_the_allowance_are_left_out_and_marked(kind: str) -> None:
    scrubbed = Scrubber(ALLOWANCE).scrub([KINDS[kind](number) for number in range(10 * ALLOWANCE)])
    assert len(scrubbed) <= ALLOWANCE
    assert scrubbed[-1] == CUT
    with pytest.raises(ScrubLimitExceeded):
        Scrubber(ALLOWANCE, strict=True).scrub([KINDS[kind](number) for number in range(10 * ALLOWANCE)])


def test_objects_with_too_many_names_are_left_out_with_a_note() -> None:
    names = {f"10.4.{number // 256}.{number % 256}": number for number in range(ALLOWANCE)}
    assert Scrubber(ALLOWANCE).scrub({"boards": names}) == {"boards": {"dropped": "too large"}}


def test_names_that_hide_their_values_are_known_the_second_time_and_hide_them_still() -> None:
    snapshot = {"ip": "10.4.0.9", "pool_user": "CANARY", "mac": None, "hashrate": 1.5, "status": "on 10.4.0.9"}
    kept = {"ip": HIDDEN, "pool_user": HIDDEN, "mac": None, "hashrate": 1.5, "status": f"on {HIDDEN}"}
    scrubber = Scrubber()
    assert [scrubber.scrub(snapshot) for _ in range(3)] == [kept] * 3


def snapshot(number: int) -> dict[str, Any]:
    boards = [
        {"slot": slot, "serial": f"SMT{number}B{slot}X", "chips": 126, "status": "alive", "temps": [60.5] * 126}
        for slot in range(3)
    ]
    pools = [{"url": "stratum+tcp://btc.pool.example:3333", "status": "Alive", "priority": no} for no in range(3)]
    return {"model": "Antminer S19 Pro", "ip": "10.4.0.9", "fans": [5400] * 4, "boards": boards, "pools": pools}


def test_the_largest_batch_of_acks_with_two_snapshots_each_is_kept_whole() -> None:
    acks = [
        {
            "command_id": f"c-{number}",
            "status": "failed",
            "error_code": "CONNECTION_REFUSED",
            "error_message": f"machine {number} at 10.4.0.9 refused the connection on its port for commands",
            "before": snapshot(number),
            "after": snapshot(number),
        }
        for number in range(MAX_ACKS)
    ]
    scrubber = Scrubber()
    cleaned, _ = _read_acks(as_json({"acks": acks}), scrubber)
    for number, ack in enumerate(cleaned):
        assert isinstance(ack, Ack)
        assert ack.before == ack.after == snapshot(number) | {"ip": HIDDEN}
        assert ack.message == f"machine {number} at {HIDDEN} refused the connection on its port for commands"
    assert scrubber.spend(0)


def test_an_error_code_decides_and_is_kept_whatever_else_the_batch_holds() -> None:
    flood = {"command_id": "c-1", "status": "failed", "result": [f"key:{number}" for number in range(1000)]}
    last = {"command_id": "c-2", "status": "failed", "error_code": "AUTH_FAILED 10.4.0.9", "result": {"a": "b"}}
    cleaned, _ = _read_acks(as_json([flood, last]), Scrubber(ALLOWANCE))
    assert isinstance(cleaned[1], Ack)
    assert cleaned[1].error_code == f"AUTH_FAILED {HIDDEN}"
    assert cleaned[1].result == {"dropped": "too large"}


def test_five_thousand_samples_with_fields_of_their_own_are_kept_whole() -> None:
    extras = [{**snapshot(number), "serial": f"JYZZ{number}"} for number in range(5000)]
    encoded = encode_extra(extras, None, {}, Scrubber(1_000_000 + 256 * len(extras)), count=len(extras))
    assert encoded is not None
    assert all(f'"JYZZ{number}"' in str(text) for number, text in enumerate(encoded))
    assert not any("10.4.0.9" in str(text) for text in encoded)


@pytest.mark.parametrize("kind", KINDS)
def test_fields_of_samples_over_the_allowance_of_their_batch_cost_no_more_work(kind: str) -> None:
    def work(samples: int) -> int:
        extras = [{"x": [KINDS[kind](100 * row + number) for number in range(100)]} for row in range(samples)]
        return calls_of(lambda: encode_extra(extras, None, {}, Scrubber(ALLOWANCE), count=samples))

    assert work(1000) <= 5 * CALLS_A_CHARACTER * ALLOWANCE


def names(count: int) -> dict[str, int]:
    return {f"n{number}": 0 for number in range(count)}


TOO_LARGE: dict[str, Callable[[int], Any]] = {
    "lists": lambda times: [[]] * MAX_GROUPS * times,
    "controls": lambda times: ["\n"] * 20_000 * times,
    "numbers": lambda times: [0.5] * 20_000 * times,
    "names": lambda times: names(20_000 * times),
}


@pytest.mark.parametrize("kind", TOO_LARGE)
def test_a_free_value_of_an_ack_is_left_as_soon_as_it_is_more_than_may_be_kept(kind: str) -> None:
    large, larger = (TOO_LARGE[kind](times) for times in (1, 10))
    assert bound_value(large) == bound_value(larger) == {"dropped": "too large"}
    assert calls_of(lambda: bound_value(larger)) <= 1.1 * calls_of(lambda: bound_value(large))


def test_a_free_value_of_an_ack_may_hold_so_many_lists() -> None:
    value: list[list[int]] = [[]] * (MAX_GROUPS - 1)
    assert bound_value(value) == value


def as_json(document: Any) -> bytes:
    return msgspec.json.encode(document)

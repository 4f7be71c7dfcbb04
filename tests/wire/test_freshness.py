"""Stale, offline and silent follow from the collection interval."""

import pytest

from hashinsight.wire.freshness import Freshness, freshness, silence_limit_sec

DAY_SEC = 86_400


@pytest.mark.parametrize(
    ("interval_sec", "expected"),
    [
        (60, Freshness(180, 300)),
        (300, Freshness(900, 1500)),
        (DAY_SEC, Freshness(3 * DAY_SEC, 5 * DAY_SEC)),
    ],
)
def test_stale_is_three_collection_intervals_and_offline_is_five(interval_sec: int, expected: Freshness) -> None:
    assert freshness(interval_sec) == expected


def test_a_collector_faster_than_the_rollup_does_not_make_its_machines_stale_between_two_rollups() -> None:
    assert freshness(1) == freshness(10) == freshness(60)


def test_a_machine_without_a_known_interval_gets_the_default() -> None:
    assert freshness(None) == freshness(60)


def test_a_collector_is_silent_after_three_of_its_longer_interval() -> None:
    assert silence_limit_sec(30, 60) == 180
    assert silence_limit_sec(300, 60) == 900

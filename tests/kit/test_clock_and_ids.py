from datetime import UTC, datetime, timedelta

import pytest

from hashinsight.kit.clock import system_clock
from hashinsight.kit.ids import new_id, new_token
from tests.virtual_clock import VirtualClock

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def test_a_virtual_clock_moves_forward_only() -> None:
    clock = VirtualClock(NOON)
    clock.move_to(NOON + timedelta(hours=1))
    assert clock() == NOON + timedelta(hours=1)
    with pytest.raises(ValueError, match="backwards"):
        clock.move_to(NOON)


def test_a_clock_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        VirtualClock(datetime(2026, 3, 1))  # noqa: DTZ001


def test_the_system_clock_is_in_utc() -> None:
    assert system_clock().tzinfo is UTC


def test_ids_made_later_sort_later_and_do_not_repeat() -> None:
    ids = [new_id() for _ in range(1000)]
    assert ids == sorted(ids)
    assert len(set(ids)) == 1000


def test_tokens_have_a_prefix_and_are_unique() -> None:
    assert new_token("api").startswith("hi_api_")
    assert len({new_token("api") for _ in range(100)}) == 100

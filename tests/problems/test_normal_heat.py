"""What is hot and normal: machines at the upper end of what their maker calls normal raise nothing."""

from typing import Any

import numpy as np
import pytest

from tests.problems.fleet import Fleet, same

N = 100


@pytest.mark.parametrize(("true_c", "is_normal"), [(96.5, True), (99.0, False)])
def test_a_site_of_s21_at_the_upper_end_of_normal_is_quiet_for_a_day(true_c: float, is_normal: bool) -> None:  # noqa: FBT001 - a fact of the case
    """Three boards, each told to half a degree with noise: the hottest of them is what is judged."""
    fleet, rng = Fleet(n=N), np.random.default_rng(3)
    fleet.columns |= {"model": same("Antminer S21", N), "expected_ths": np.full(N, 200.0)}
    warned: set[int] = set()

    def hot(readings: dict[str, Any]) -> None:
        readings["hashrate_ths"] *= 200 / 104
        boards = np.rint((true_c + 0.35 * rng.standard_normal((3, N))) * 2) / 2
        readings |= {"temp_max_c": boards.max(axis=0), "temp_c": boards.mean(axis=0)}

    for _ in range(288 if is_normal else 6):
        fleet.cycle(hot)
        warned |= {machine for machine, code in fleet.everything_open() if code == "overheat_warn"}
    assert len(warned) == (0 if is_normal else N)

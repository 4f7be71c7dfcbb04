"""What boards tell beside the machine's own total: from the sample's words to the registry's rows."""

import json
from typing import Any

import numpy as np
import pytest

from tests.problems.fleet import Fleet
from tests.problems.stored_site import StoredFleet, StoredSite


def board(ths: object) -> dict[str, Any]:
    return {"hashrate_ths": ths, "temp_max_c": 60.0}


async def look(site: StoredSite, fleet: StoredFleet, boards: dict[int, list[Any]]) -> None:
    """A cycle in which these machines list their boards, as a sample of theirs would."""
    fleet.fleet.now += fleet.fleet.config.cycle_sec
    site.show(fleet.fleet.frame(fleet.fleet.readings()))
    site.rows("update telemetry_live set hashrate_ths = hashrate_5min_ths where site_id = %s returning 1", site.site_id)
    for machine, readings in boards.items():
        site.rows(
            "update telemetry_live set boards = %s where miner_no = %s returning 1",
            json.dumps(readings), site.numbers[machine],
        )  # fmt: skip
    await site.cycle(fleet.now)


async def test_a_total_contradicted_by_its_boards_is_a_problem_and_an_odd_board_list_is_not(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    fine, few = [board(34.6), board(34.8), board(34.6)], [board(20.0), board(20.0), board(20.0)]
    odd: list[Any] = [board("34.6"), "x", {"hashrate_ths": {"deep": 1}}]
    short: list[Any] = [board(34.6), board(None), board(34.6)]
    for _ in range(3):
        await look(site, fleet, {0: fine, 1: few, 2: odd, 3: short})
    assert fleet.open() == {("m-001", "data_implausible")}
    checks = site.rows(
        "select miner_id, boards_contradict, uptime_stuck, frozen, temp_fault, left_out from feature_store_5min"
        " where ts = (select max(ts) from feature_chunks) and miner_id <= 'm-001' order by 1"
    )
    whole = (1 << 10) - 1
    assert [(*rows[:5], rows[5] & ~whole) for rows in checks] == [
        ("m-000", False, False, False, False, 0),
        ("m-001", True, False, False, False, 0),
    ]
    shares = dict(
        site.rows(
            "select miner_id, board_share_min from feature_store_5min f where ts = (select max(ts) from feature_chunks)"
        )
    )
    assert shares["m-000"] == pytest.approx(3 * 34.6 / 104, rel=0.01)
    assert shares["m-001"] == pytest.approx(1.0)
    assert all(shares[f"m-{number:03}"] is None for number in range(2, 12))


async def test_boards_of_minutes_do_not_contradict_a_total_of_seconds(site: StoredSite) -> None:
    """Three machines whose newest total is a fifth off: by chance, on the way up, and one that tells two truths."""
    fleet = StoredFleet(site)
    whole, low = [board(104 / 3)] * 3, [board(80 / 3)] * 3
    fleet.fleet.now += fleet.fleet.config.cycle_sec
    site.show(fleet.fleet.frame(fleet.fleet.readings()))
    for machine, (newest, mean, readings) in enumerate(
        [(84.0, 104.0, whole), (104.0, 84.0, whole), (104.0, 104.0, low)]
    ):
        site.rows(
            "update telemetry_live set hashrate_ths = %s, hashrate_5min_ths = %s, boards = %s where miner_no = %s"
            " returning 1",
            newest, mean, json.dumps(readings), site.numbers[machine],
        )  # fmt: skip
    await site.cycle(fleet.now)
    newest_of = "ts = (select max(ts) from feature_chunks) and miner_id < 'm-003' order by miner_id"
    assert site.rows(f"select boards_contradict from feature_store_5min where {newest_of}") == [
        (False,),
        (False,),
        (True,),
    ]


def test_machines_with_different_numbers_of_boards_are_each_judged_by_their_own() -> None:
    fleet = Fleet(n=4)
    thirds = np.full((4, 4), np.nan)
    thirds[:3, 0] = thirds[:3, 1] = 104 / 3
    thirds[:3, 2] = (60.0, 40.0, 4.0)
    thirds[:2, 3] = 52.0  # of three boards two are told

    def tell(readings: dict[str, Any]) -> None:
        readings["board_ths"] = thirds
        readings["hashrate_ths"][:] = 104.0
        readings["boards_total"] = np.array([3.0, 3.0, 3.0, 3.0])

    share = fleet.cycle(tell).observed.features.board_share_min
    assert share[:3].tolist() == pytest.approx([1.0, 1.0, 3 * 4 / 104])
    assert np.isnan(share[3])

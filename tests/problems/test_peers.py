"""Peers: the sort gives what NumPy gives group by group, groups back off until they are large enough."""

import threading

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hashinsight.problems import group_stats, peers
from hashinsight.problems.frame import Frame, TextColumn, make_frame
from hashinsight.problems.peer_stats import PeerCache

values_and_groups = st.lists(
    st.tuples(st.floats(-1e6, 1e6, width=32), st.integers(0, 4), st.booleans()), min_size=1, max_size=80
)


@settings(max_examples=150, deadline=None)
@given(rows=values_and_groups, share=st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0]))
def test_quantiles_of_all_groups_at_once_are_those_of_each_alone(
    rows: list[tuple[float, int, bool]], share: float
) -> None:
    values, group, use = (np.array(column) for column in zip(*rows, strict=True))
    outcome = group_stats.quantile(group_stats.sort(values.astype(np.float64), group, use, 5), share)
    for number in range(5):
        mine = values[use & (group == number)].astype(np.float32)
        if len(mine):
            np.testing.assert_allclose(
                outcome[number], np.quantile(mine.astype(np.float64), share), rtol=1e-6, atol=1e-6
            )
        else:
            assert np.isnan(outcome[number])


def test_a_percentile_is_the_part_of_the_group_at_or_below() -> None:
    values, group = np.array([1.0, 2.0, 3.0, 4.0, 10.0, np.nan]), np.array([0, 0, 0, 0, 1, 0])
    ordered = group_stats.sort(values, group, ~np.isnan(values), 2)
    np.testing.assert_array_equal(group_stats.percentile(ordered, values, group), [0.25, 0.5, 0.75, 1.0, 1.0, np.nan])


def fleet(counts: dict[tuple[str, str], int]) -> tuple[Frame, np.ndarray]:
    models = tuple(dict.fromkeys(model for model, _ in counts))
    firmwares = tuple(dict.fromkeys(firmware for _, firmware in counts))
    n = sum(counts.values())
    model = np.repeat([models.index(each) for each, _ in counts], list(counts.values()))
    firmware = np.repeat([firmwares.index(each) for _, each in counts], list(counts.values()))
    frame = make_frame(
        range(n),
        {
            "site": TextColumn(("a",), np.zeros(n, np.int64)),
            "model": TextColumn(models, model),
            "firmware": TextColumn(firmwares, firmware),
        },
    )
    return frame, model


def standings(
    frame: Frame, model: np.ndarray, values: np.ndarray, healthy: np.ndarray | None = None
) -> peers.PeerPositions:
    levels = peers.levels_of(frame.site.no, model, frame.firmware.no, np.zeros(frame.n, np.int8))
    use = np.ones(frame.n, dtype=np.bool_) if healthy is None else healthy
    known = peers.group_statistics(values, levels, use, min_members=30)
    return peers.peer_positions(values, levels, known, min_members=30, plain=np.ones(frame.n, dtype=np.bool_))


def test_a_group_backs_off_until_thirty_healthy_peers_are_found() -> None:
    frame, model = fleet({("big", "x"): 30, ("big", "y"): 10, ("lone", "x"): 5})
    outcome = standings(frame, model, np.linspace(1, 2, 45))
    assert [peers.LEVELS[each] for each in outcome.level[[0, 35, 44]]] == [
        "site:model:firmware:mode",
        "site:model:mode",
        "site",
    ]
    assert outcome.count[[0, 35, 44]].tolist() == [30, 40, 45]


def test_with_too_few_machines_anywhere_no_peers_are_compared() -> None:
    frame, model = fleet({("big", "x"): 29})
    outcome = standings(frame, model, np.ones(29))
    assert (outcome.level == peers.NO_LEVEL).all()
    assert np.isnan(outcome.z).all()


def test_sick_machines_are_no_reference_and_still_have_a_place() -> None:
    frame, model = fleet({("big", "x"): 50})
    values = np.ones(50)
    values[:20] = 0.3
    healthy = values > 0.5
    outcome = standings(frame, model, values, healthy)
    assert outcome.median[0] == 1.0
    assert outcome.z[0] < -3
    assert outcome.count[0] == 30


def test_scale_has_a_floor_and_is_drawn_to_the_parents() -> None:
    frame, model = fleet({("big", "x"): 30, ("big", "y"): 300})
    rng = np.random.default_rng(1)
    values = np.concatenate([np.ones(30), 1 + 0.1 * rng.standard_normal(300)])
    outcome = standings(frame, model, values)
    assert 0.02 < outcome.scale[0] < 0.1
    assert peers.MIN_SCALE == 0.001
    alone, model = fleet({("big", "x"): 40})
    assert standings(alone, model, np.ones(40)).scale[0] == peers.MIN_SCALE


def test_the_cache_answers_until_it_expires_and_then_recomputes() -> None:
    cache: PeerCache[int] = PeerCache()
    calls: list[int] = []

    def compute() -> int:
        calls.append(1)
        return len(calls)

    assert cache.get("north", now=1000.0, compute=compute) == 1
    assert cache.get("north", now=1299.9, compute=compute) == 1
    assert (cache.hits, cache.misses) == (1, 1)
    assert cache.get("north", now=1300.0, compute=compute) == 2
    assert cache.get("south", now=1300.0, compute=compute) == 3
    assert cache.get("north", now=1300.0, compute=compute, fits=lambda value: value > 2) == 4


def test_threads_that_miss_together_compute_once() -> None:
    cache: PeerCache[int] = PeerCache()
    begun, calls = threading.Barrier(8), []

    def compute() -> int:
        calls.append(1)
        return 7

    def ask() -> None:
        begun.wait()
        assert cache.get("north", now=5.0, compute=compute) == 7

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1
    assert (cache.hits, cache.misses) == (7, 1)

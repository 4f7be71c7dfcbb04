"""`bench cycle`: what the statistics of one cycle cost for 100,000 machines, and how that grows from 10,000.

Pure and in memory: reading and writing the database is measured apart. The limit beside it is one plain pass over the
same arrays, each read and written once.
"""

import asyncio
import time
from statistics import median

import numpy as np

from hashinsight.bench.report import Result
from hashinsight.problems.config import Config
from hashinsight.problems.frame import Frame, Texts, make_frame
from hashinsight.problems.pipeline import step
from hashinsight.problems.state import State, columns, empty_state

SMALL, LARGE, CYCLES = 10_000, 100_000, 12
_MODELS = ("Antminer S19j Pro", "Antminer S21", "Whatsminer M50S", "Antminer S19 XP", "Antminer T21", "Avalon A1366")
_RATED = np.array([104.0, 200.0, 126.0, 140.0, 190.0, 130.0])


async def measure() -> Result:
    return await asyncio.to_thread(_measure)


def _measure() -> Result:
    small, large = _timed(SMALL), _timed(LARGE)
    limit = _bare(LARGE)
    figure = median(large["wall"][2:])
    growth = median(large["cpu"][2:]) / median(small["cpu"][2:])
    return Result(
        name="cycle",
        figure=round(figure, 3),
        unit=f"s for the statistics of one cycle of {LARGE:,} machines",
        limit=round(limit, 3),
        ratio=round(limit / figure, 3),
        detail={
            "wall_sec_small": round(median(small["wall"][2:]), 4),
            "cpu_sec_small": round(median(small["cpu"][2:]), 4),
            "cpu_sec": round(median(large["cpu"][2:]), 3),
            "wall_sec_slowest": round(max(large["wall"]), 3),
            "times_more_for_ten_times_the_machines": round(growth, 2),
        },
    )


def _timed(machines: int) -> dict[str, list[float]]:
    """Two per cent of the machines have something, so that the life of events has work, too."""
    rng = np.random.default_rng(1)
    model = rng.integers(0, len(_MODELS), machines)
    state, config, spent = empty_state(), Config(), {"wall": [0.0] * 0, "cpu": [0.0] * 0}
    for number in range(CYCLES):
        now = 1_780_000_000.0 + 300 * number
        frame = _frame(rng, model, number, now)
        began, used = time.perf_counter(), time.process_time()
        state, _ = step(state, frame, now, config)
        spent["wall"].append(time.perf_counter() - began)
        spent["cpu"].append(time.process_time() - used)
    return spent


def _frame(
    rng: np.random.Generator, model: np.ndarray[tuple[int], np.dtype[np.int64]], number: int, now: float
) -> Frame:
    n = len(model)
    rated = _RATED[model]
    ill = np.arange(n) % 50 == 0
    noise = rng.standard_normal((4, n))
    counted = np.full(n, 60.0 * number)
    return make_frame(
        np.arange(n),
        {
            "site": Texts(("a",), np.zeros(n, dtype=np.int64)),
            "collector": Texts(("a",), np.zeros(n, dtype=np.int64)),
            "model": Texts(_MODELS, model),
            "firmware": Texts(("stock 1", "LuxOS 2024"), model % 2),
            "ts": np.full(n, now - 20),
            "heard_at": np.full(n, now - 5),
            "hashrate_ths": rated * (1 + 0.013 * noise[0]) * np.where(ill & (number > CYCLES // 2), 0.6, 1.0),
            "expected_ths": rated,
            "temp_c": 56 + 0.4 * noise[1],
            "temp_max_c": 60 + 0.4 * noise[1],
            "fan_min_rpm": 4500 + 25 * noise[2],
            "power_w": 3000 * (1 + 0.004 * noise[3]),
            "accepted": counted,
            "rejected": np.floor(counted * 0.003),
            "hw_errors": np.floor(counted * 0.002),
            "uptime_sec": np.full(n, 500_000.0 + 300 * number),
            "boards_healthy": np.full(n, 3.0),
            "boards_total": np.full(n, 3.0),
        },
    )


def _bare(machines: int) -> float:
    """Every column of the state read and written once: less than this no update of it can cost."""
    state: State = empty_state(np.arange(machines))
    took = []
    for _ in range(5):
        began = time.perf_counter()
        for values in columns(state).values():
            np.add(values, 1, out=np.empty_like(values), casting="unsafe")
        took.append(time.perf_counter() - began)
    return median(took)

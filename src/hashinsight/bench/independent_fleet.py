"""An independent fleet for scoring: mixed modes per model, small groups, unknown models, little reported data.

It shares no code with the simulator or the detector. Machines report no uptime, and scoring drops their mode; expected
hashrate is the nameplate's in every mode. Some groups have five or six machines, some are water-cooled, some models are
in no catalogue. A few healthy machines change mode. The seed draws noise, distance of modes and their shares.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

Floats = NDArray[np.float64]
STEP_SEC = 300
ECO, NORMAL, PERF = 0, 1, 2
MODES = ("eco", "normal", "perf")
_WARM_UP_STEPS = 288  # faults and mode changes begin after the first day
_ROWS_LOST = 0.01
_BURNS_C = 60.0  # beyond the critical limit of every model
_TARGETS = 1.0e-6  # share difficulty: accepted shares a second and TH/s
HARD = ("hashboard_lost", "psu_protection", "network_lost", "fan_stopped", "overheated")
SOFT = ("declining", "heat_creeping", "power_rising", "pool_rejects", "errors_rising")


@dataclass(frozen=True)
class Kind:
    """Machines of one model and firmware. `in_water`: no fans, temperature follows the coolant."""

    model: str
    firmware: str
    rated_ths: float
    rated_w: float
    share: float  # of the fleet; negative: a number of machines
    base_c: float = 62.0
    in_water: bool = False


KINDS = (
    Kind("Antminer S19j Pro", "stock 2024.3", 104, 3050, 0.34),
    Kind("Antminer S21", "stock 2025.1", 200, 3500, 0.28, base_c=74.0),
    Kind("Whatsminer M50S", "20240312", 126, 3280, 0.20),
    Kind("Antminer T21", "stock 2025.1", 190, 3610, 0.08, base_c=72.0),
    Kind("Thornfield TF-9 160T", "1.4.2", 160, 3300, 0.07),
    Kind("Antminer S19 XP Hyd", "stock 2024.9", 255, 5304, 0.03, base_c=48.0, in_water=True),
    Kind("Avalon A1366", "23110801", 130, 3250, -6),
    Kind("Antminer S19j Pro", "stock 2023.1", 104, 3050, -5),
    Kind("Whatsminer M60S", "20240601", 186, 3440, -5),
    Kind("Thornfield TF-7 90T", "1.1.0", 90, 2900, -6),
)


@dataclass(frozen=True)
class Fleet:
    """Drawn from the seed: arrays by machine, and the faults as rows of the scores' truth."""

    kind: NDArray[np.int64]
    mode: NDArray[np.int64]
    later_mode: NDArray[np.int64]  # after `changes_at`
    changes_at: NDArray[np.int64]  # a step; beyond the last: never
    noise: float
    traits: dict[str, Floats]
    episodes: pl.DataFrame

    @property
    def machine_ids(self) -> list[str]:
        return [f"u{no:05d}" for no in range(len(self.kind))]


def draw(seed: int, *, machines: int, days: float, begin: datetime, faults: float = 0.06) -> Fleet:
    """`faults`: share of machines with a fault; at most one fault per machine."""
    rng = np.random.default_rng([seed, 77])
    steps = int(days * 86_400 / STEP_SEC)
    kind = _kinds(rng, machines)
    n = len(kind)
    shares = rng.dirichlet((15, 75, 10))
    mode = rng.choice(3, size=n, p=shares)
    changes = rng.random(n) < rng.uniform(0.01, 0.03)
    changes_at = np.where(changes, rng.integers(_WARM_UP_STEPS, steps, n), steps + 1)
    fault = (rng.random(n) < faults) & ~changes
    spread = rng.uniform(0.7, 1.5)
    # by mode and kind, relative to the nameplate
    hash_share = np.stack(
        [rng.uniform(0.68, 0.84, len(KINDS)), np.ones(len(KINDS)), rng.uniform(1.08, 1.18, len(KINDS))]
    )
    # a slower mode is usually more efficient
    watt_share = hash_share * np.stack(
        [rng.uniform(0.86, 1.02, len(KINDS)), np.ones(len(KINDS)), rng.uniform(1.0, 1.10, len(KINDS))]
    )
    traits = {
        "hash_share": hash_share, "watt_share": watt_share,
        "unit_ths": rng.normal(1.0, 0.012 * spread, n), "unit_w": rng.normal(1.0, 0.02 * spread, n),
        "unit_c": rng.normal(0.0, 2.0 * spread, n), "unit_fan": rng.normal(1.0, 0.03 * spread, n),
        "weather": rng.uniform(3.0, 9.0, 1), "rejects": rng.gamma(4.0, 0.0007, n), "errors": rng.gamma(2.0, 0.4, n),
    }  # fmt: skip
    return Fleet(
        kind=kind, mode=mode, later_mode=(mode + rng.integers(1, 3, n)) % 3, changes_at=changes_at,
        noise=float(rng.uniform(0.006, 0.016)), traits=traits,
        episodes=_episodes(rng, np.flatnonzero(fault), kind, steps, begin),
    )  # fmt: skip


def frames(fleet: Fleet, seed: int, *, days: float, begin: datetime) -> Iterator[pl.DataFrame]:
    """One frame per step, with the columns of `hashinsight replay`."""
    rng = np.random.default_rng([seed, 78])
    n, steps = len(fleet.kind), int(days * 86_400 / STEP_SEC)
    kinds = {name: np.array([getattr(kind, name) for kind in KINDS])[fleet.kind] for name in
             ("rated_ths", "rated_w", "base_c", "in_water")}  # fmt: skip
    models, firmwares = ([getattr(KINDS[no], name) for no in fleet.kind] for name in ("model", "firmware"))
    fault = _by_machine(fleet, n)
    counters = np.zeros((3, n))
    air, wander = 24.0, np.zeros(n)
    for step in range(steps):
        hour = step * STEP_SEC / 3600
        air += 0.02 * (24.0 - air) + rng.normal(0, 0.12)
        outside = air + fleet.traits["weather"][0] * np.sin(2 * np.pi * (hour - 9) / 24)
        wander = 0.995 * wander + rng.normal(0, 0.0004, n)
        mode = np.where(step >= fleet.changes_at, fleet.later_mode, fleet.mode)
        depth = np.where((step >= fault["start"]) & (step < fault["end"]), fault["depth"], 0.0)
        grown = depth * np.clip((step - fault["start"]) / np.maximum(fault["ramp"], 1), 0, 1)
        at = begin + timedelta(seconds=STEP_SEC * (step + 1))
        yield _rows(
            fleet, rng, kinds=kinds, models=models, firmwares=firmwares, counters=counters, mode=mode,
            fault=fault["kind"], depth=depth, grown=grown, wander=wander, outside=outside, at=at,
        )  # fmt: skip


def _rows(
    fleet: Fleet, rng: np.random.Generator, *, kinds: dict[str, Any], models: list[str], firmwares: list[str],
    counters: Floats, mode: NDArray[np.int64], fault: NDArray[np.int64], depth: Floats, grown: Floats,
    wander: Floats, outside: float, at: datetime,
) -> pl.DataFrame:  # fmt: skip
    n, traits = len(fleet.kind), fleet.traits
    has_fault = depth > 0

    def has(name: str) -> NDArray[np.bool_]:
        affected: NDArray[np.bool_] = has_fault & (fault == (*HARD, *SOFT).index(name))
        return affected

    work = traits["hash_share"][mode, fleet.kind] * traits["unit_ths"] * (1 + wander)
    watts = kinds["rated_w"] * traits["watt_share"][mode, fleet.kind] * traits["unit_w"]
    dead_board, stopped, dark = has("hashboard_lost"), has("psu_protection"), has("network_lost")
    work = np.where(dead_board, work * 2 / 3, np.where(stopped, 0.0, work)) * (
        1 - np.where(has("declining"), grown, 0.0)
    )
    watts = np.where(dead_board, watts * 0.68, np.where(stopped, 60.0, watts))
    watts = watts * (1 + np.where(has("power_rising"), grown, 0.0))
    ths = np.maximum(kinds["rated_ths"] * work * (1 + rng.normal(0, fleet.noise, n)), 0.0)
    watts = np.round(watts * (1 + rng.normal(0, 0.004, n)))
    load = watts / kinds["rated_w"]
    hot = (
        kinds["base_c"]
        + 12.0 * (load - 1)
        + traits["unit_c"]
        + np.where(kinds["in_water"], 0.15, 0.45) * (outside - 24)
    )
    hot = hot + np.where(has("heat_creeping"), grown, 0.0) + np.where(has("overheated"), _BURNS_C, 0.0)
    hot = np.where(stopped, outside + 4, hot) + rng.normal(0, 0.4, n)
    fan = np.clip(4200 + 70 * (hot - kinds["base_c"]), 2400, 6600) * traits["unit_fan"] + rng.normal(0, 30, n)
    fan = np.where(stopped, 1800.0, fan)
    fan = np.where(has("fan_stopped"), 0.0, np.round(fan))
    rejected_share = traits["rejects"] + np.where(has("pool_rejects"), depth, 0.0)
    shares = rng.poisson(ths * STEP_SEC * _TARGETS * 2e3)
    bad = rng.binomial(shares, np.minimum(rejected_share, 1.0))
    errors = rng.poisson((traits["errors"] + np.where(has("errors_rising"), depth, 0.0)) * STEP_SEC / 3600 * (ths > 0))
    counters += np.stack([shares - bad, bad, errors])
    present = rng.random(n) > _ROWS_LOST
    rows = pl.DataFrame({
        "ts": pl.Series([at] * n, dtype=pl.Datetime("ms", "UTC")), "site": ["elsewhere"] * n,
        "miner_id": fleet.machine_ids, "model": models, "firmware": firmwares, "hashrate_ths": np.round(ths, 2),
        "expected_ths": kinds["rated_ths"], "temp_avg": np.round(hot - 4, 1), "temp_max": np.round(hot, 1),
        "power_w": watts, "fan_rpm": np.where(kinds["in_water"], np.nan, fan),
        "mode": np.array(MODES)[mode],
        "boards_healthy": np.where(dead_board, 2.0, 3.0), "boards_total": np.full(n, 3.0),
        "online": np.where(dark, 0.0, 1.0),
        **dict(zip(("accepted", "rejected", "hw_errors"), counters.copy(), strict=True)),
    })  # fmt: skip
    measured = [
        "hashrate_ths",
        "temp_avg",
        "temp_max",
        "power_w",
        "fan_rpm",
        "boards_healthy",
        "accepted",
        "rejected",
        "hw_errors",
    ]
    silent = pl.Series(dark)
    rows = rows.with_columns(pl.when(~silent).then(pl.col(name)).alias(name) for name in measured)
    return rows.with_columns(pl.col("fan_rpm").fill_nan(None)).filter(pl.Series(present))


def _kinds(rng: np.random.Generator, machines: int) -> NDArray[np.int64]:
    few = [no for no, kind in enumerate(KINDS) if kind.share < 0 for _ in range(round(-kind.share))]
    large = [no for no, kind in enumerate(KINDS) if kind.share > 0]
    shares = np.array([KINDS[no].share for no in large]) * rng.uniform(0.6, 1.4, len(large))
    many = rng.choice(large, size=machines - len(few), p=shares / shares.sum())
    return rng.permutation(np.concatenate([few, many]).astype(np.int64))


def _episodes(rng: np.random.Generator, rows: NDArray[np.int64], kind: NDArray[np.int64], steps: int,
              begin: datetime) -> pl.DataFrame:  # fmt: skip
    names = (*HARD, *SOFT)
    chosen = rng.integers(0, len(names), len(rows))
    in_water = np.array([KINDS[no].in_water for no in kind[rows]])
    chosen = np.where(in_water & (chosen == names.index("fan_stopped")), names.index("overheated"), chosen)
    start = rng.integers(_WARM_UP_STEPS, max(steps - 60, _WARM_UP_STEPS + 1), len(rows))
    is_soft = chosen >= len(HARD)
    slow = np.isin(chosen, [names.index(name) for name in ("declining", "heat_creeping")])
    start = np.where(slow, np.minimum(start, max(_WARM_UP_STEPS, steps - 3 * 288)), start)
    length = np.where(
        slow, steps, np.where(is_soft, rng.integers(72, 400, len(rows)), rng.integers(12, 200, len(rows)))
    )
    end = np.minimum(start + length, steps)
    depth = np.ones(len(rows))
    for name, low, high in (("declining", 0.08, 0.14), ("heat_creeping", 8.0, 12.0), ("power_rising", 0.09, 0.15),
                            ("pool_rejects", 0.06, 0.30), ("errors_rising", 40.0, 150.0)):  # fmt: skip
        here = chosen == names.index(name)
        depth[here] = rng.uniform(low, high, int(here.sum()))
    ramp = np.where(slow, rng.integers(288, 3 * 288, len(rows)), 1)
    moments = [[begin + timedelta(seconds=STEP_SEC * (int(step) + 1)) for step in column] for column in (start, end)]
    time = pl.Datetime("ms", "UTC")
    return pl.DataFrame({
        "no": np.arange(len(rows)), "kind": [names[no] for no in chosen], "miner_id": [f"u{no:05d}" for no in rows],
        "scope": ["machine"] * len(rows), "start": pl.Series(moments[0], dtype=time),
        "end": pl.Series(moments[1], dtype=time), "since": pl.Series(moments[0], dtype=time),
        "shows": pl.Series(moments[0], dtype=time), "row": rows, "start_step": start, "end_step": end,
        "depth": depth, "ramp": ramp,
    })  # fmt: skip


def _by_machine(fleet: Fleet, n: int) -> dict[str, Any]:
    """Each machine's episode as arrays; without one the start is never reached."""
    rows = fleet.episodes["row"].to_numpy()
    episode: dict[str, Any] = {
        "start": np.full(n, 1 << 40), "end": np.full(n, 1 << 41), "kind": np.full(n, -1), "depth": np.zeros(n),
        "ramp": np.ones(n),
    }  # fmt: skip
    for name, column in (("start", "start_step"), ("end", "end_step"), ("depth", "depth"), ("ramp", "ramp")):
        episode[name][rows] = fleet.episodes[column].to_numpy()
    episode["kind"][rows] = [(*HARD, *SOFT).index(name) for name in fleet.episodes["kind"]]
    return episode

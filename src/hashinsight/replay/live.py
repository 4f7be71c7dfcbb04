"""The newest state of every machine during a replay, in place of the live layer of a running installation."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hashinsight.problems.codes import ExpectedState
from hashinsight.problems.frame import Frame, TextColumn, make_frame
from hashinsight.replay.files import BOARDS

_MEAN_WINDOW_SEC = 300.0
_MAX_THS = 1e5  # only what must be MH/s is converted: the rest of a file is judged as it was recorded
_MEGA = 1e6
_NUMBER_COLUMNS = {
    "hashrate_ths": "hashrate_ths", "expected_ths": "expected_ths", "temp_avg": "temp_c", "temp_max": "temp_max_c",
    "power_w": "power_w", "fan_rpm": "fan_min_rpm", "fan_avg_rpm": "fan_rpm", "boards_healthy": "boards_healthy",
    "boards_total": "boards_total", "hw_errors": "hw_errors", "accepted": "accepted", "rejected": "rejected",
    "reject_rate": "reject_rate", "uptime_seconds": "uptime_sec", "suppressed": "suppressed",
}  # fmt: skip
_TEXT_COLUMNS = {
    "site": "site", "zone": "zone", "collector": "collector", "model": "model", "firmware": "firmware", "mode": "mode",
    "pool_url": "pool", "worker": "worker",
}  # fmt: skip
_NOT_IN_FRAME = ("zone",)  # reported with a problem; no rule uses it
_EXPECTED_CODES = {state.name.lower(): int(state) for state in ExpectedState}


class TextNumbers:
    """Texts by number, in the order of first appearance."""

    def __init__(self) -> None:
        self.of: dict[str, int] = {}

    def numbers(self, column: pl.Series) -> NDArray[np.int64]:
        for word in column.drop_nulls().unique(maintain_order=True).to_list():
            self.of.setdefault(word, len(self.of))
        if not self.of:
            return np.full(len(column), -1, dtype=np.int64)
        return column.replace_strict(self.of, default=-1, return_dtype=pl.Int64).to_numpy()


class NewestState:
    """`take` adds rows, `frame` gives the newest state; a machine gets its number with its first row."""

    def __init__(self) -> None:
        self.machines = TextNumbers()
        self._words = {name: TextNumbers() for name in _TEXT_COLUMNS.values()}
        self._now: dict[str, NDArray[Any]] = {}
        self._heard: dict[int, float] = {}
        self._n = 0

    def arrays_of(self, rows: pl.DataFrame) -> dict[str, NDArray[Any]]:
        """A chunk of the file as arrays; texts by number."""
        arrays: dict[str, NDArray[Any]] = {
            "no": self.machines.numbers(rows["miner_id"]),
            "ts": rows["ts"].dt.epoch("ms").to_numpy() / 1000,
        }
        arrays["at"] = rows["arrived_at"].dt.epoch("ms").to_numpy() / 1000 if "arrived_at" in rows else arrays["ts"]
        for name, column in _TEXT_COLUMNS.items():
            if name in rows.columns:
                arrays[column] = self._words[column].numbers(rows[name])
        if "collector" not in arrays and "site" in arrays:
            self._words["collector"], arrays["collector"] = self._words["site"], arrays["site"]
        for name, column in (_NUMBER_COLUMNS | dict(zip(BOARDS, BOARDS, strict=True))).items():
            if name in rows.columns:
                arrays[column] = rows[name].to_numpy()
        arrays |= _converted(rows)
        if "power_w" in arrays and "hashrate_ths" in arrays:  # 0 is unknown
            arrays["powered_ths"] = np.where(arrays["power_w"] > 0, arrays["hashrate_ths"], np.nan)
        return arrays

    def take(self, chunk: dict[str, NDArray[Any]], rows: slice) -> None:
        """Add the rows of one cycle. A row older than the newest one of its machine changes nothing."""
        part = {name: values[rows] for name, values in chunk.items()}
        self._grow(part.keys())
        self._update_heard(part)
        order = np.lexsort((part["ts"], part["no"]))
        no, ts = part["no"][order], part["ts"][order]
        last = np.append(no[1:] != no[:-1], True) if len(no) else np.zeros(0, dtype=np.bool_)
        newest, machine = order[last], no[last]
        newer = ~(ts[last] <= self._now["ts"][machine])
        for name, values in part.items():
            if name not in ("no", "at"):
                self._now[name][machine[newer]] = values[newest[newer]]
        if "hashrate_ths" in part and len(no) > len(newest):
            self._average(part, order, machine, newer)

    @property
    def collectors(self) -> list[str]:
        return list(self._words["collector"].of)

    @property
    def heard_at(self) -> NDArray[np.float64]:
        """Time of each collector's last sample; one more entry at the end for machines without a collector."""
        last_seen = np.full(len(self._words["collector"].of) + 1, np.nan)
        for collector, at in self._heard.items():
            last_seen[collector] = at
        return last_seen

    def place_of(self, subject: int, name: str) -> str | None:
        """The site or zone of a machine; a collector's site is that of its machines."""
        words, values = self._words[name], self._now.get(name)
        if values is None:
            return None
        if subject < 0:
            machines = np.flatnonzero(self._now["collector"] == -1 - subject)
            if name != "site" or not machines.size:
                return None
            subject = int(machines[0])
        number = int(values[subject])
        return None if number < 0 else list(words.of)[number]

    def frame(self) -> Frame:
        known: dict[str, Any] = {name: values for name, values in self._now.items() if name not in _NOT_IN_FRAME}
        for name, words in self._words.items():
            if name in known:
                known[name] = TextColumn(tuple(words.of), known[name])
        if "collector" in known:
            known["heard_at"] = self.heard_at[self._now["collector"]]
        boards = [known.pop(name) for name in BOARDS if name in known]
        if boards:
            known["board_ths"] = np.stack(boards)
        return make_frame(np.arange(self._n), known)

    def _grow(self, names: Iterable[str]) -> None:
        n = len(self.machines.of)
        for name in {*names, *self._now} - {"no", "at"}:
            values = self._now.get(name)
            if values is None or len(values) < n:
                texts = name in self._words
                grown = np.full(n, -1 if texts else np.nan, dtype=np.int64 if texts else np.float64)
                if name in ("expected", "suppressed"):
                    grown[:] = 0
                if values is not None:
                    grown[: len(values)] = values
                self._now[name] = grown
        self._n = n

    def _update_heard(self, part: dict[str, NDArray[Any]]) -> None:
        if "collector" not in part or not len(part["at"]):
            return
        for collector in np.unique(part["collector"]).tolist():  # a handful, however many machines
            latest = float(part["at"][part["collector"] == collector].max())
            self._heard[collector] = max(latest, self._heard.get(collector, -np.inf))

    def _average(
        self,
        part: dict[str, NDArray[Any]],
        order: NDArray[np.int64],
        machine: NDArray[np.int64],
        newer: NDArray[np.bool_],
    ) -> None:
        """Mean hashrate of the last five minutes (offline samples have none), and mean power of the same samples."""
        no, ts, ths = part["no"][order], part["ts"][order], part["hashrate_ths"][order]
        newest_ts = np.zeros(self._n)
        newest_ts[machine] = self._now["ts"][machine]
        used = (ts > newest_ts[no] - _MEAN_WINDOW_SEC) & ~np.isnan(ths)
        count = np.bincount(no[used], minlength=self._n)
        total = np.bincount(no[used], weights=ths[used], minlength=self._n)
        rows = machine[newer & (count[machine] > 1) & ~np.isnan(self._now["hashrate_ths"][machine])]
        self._now["hashrate_ths"][rows] = total[rows] / count[rows]
        if "power_w" in part:
            used &= ~np.isnan(part["powered_ths"][order])
            count = np.bincount(no[used], minlength=self._n)
            rows = rows[count[rows] > 0]
            for name in ("power_w", "powered_ths"):
                total = np.bincount(no[used], weights=part[name][order][used], minlength=self._n)
                self._now[name][rows] = total[rows] / count[rows]


def _converted(rows: pl.DataFrame) -> dict[str, NDArray[Any]]:
    """Columns that need a conversion, not only another name."""
    converted: dict[str, NDArray[Any]] = {"status": np.ones(rows.height)}
    if "online" in rows.columns:
        converted["status"] = np.where(rows["online"].to_numpy() == 0, 0.0, 1.0)
    if "expected_state" in rows.columns:
        codes = rows["expected_state"].replace_strict(_EXPECTED_CODES, default=0, return_dtype=pl.Int64)
        converted["expected"] = codes.to_numpy()
    if "expected_until" in rows.columns:
        until = (rows["expected_until"].dt.epoch("ms") / 1000).to_numpy()
        converted["expected_until"] = np.where(np.isnan(until), np.inf, until)
    if "hashrate_ths" in rows.columns:
        hashrate_ths = rows["hashrate_ths"].to_numpy()
        converted["hashrate_ths"] = np.where(hashrate_ths > _MAX_THS, hashrate_ths / _MEGA, hashrate_ths)
    return converted

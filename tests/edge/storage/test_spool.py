"""The spool: nothing is lost or sent as new, and drops are reported."""

import json
import random
import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from hashinsight.edge.settings import SpoolBounds
from hashinsight.edge.status import read_status
from hashinsight.edge.storage.spool import SampleBatch, Spool
from tests.edge.factories import numbers_in, sample

NOW = 1_800_000_000.0


def opened(folder: Path, **bounds: float) -> Spool:
    return Spool(folder / "spool.db", SpoolBounds(**bounds), now=NOW)  # type: ignore[arg-type]


class SpoolLife(RuleBasedStateMachine):
    """Any order of put, take, confirm, release, split and crash, compared with a plain set."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="hi-spool-"))
        self.spool = opened(self.folder)
        self.now = NOW
        self.waiting: set[int] = set()
        self.numbered: dict[int, int] = {}  # sample to the sequence number it was sent under
        self.next = 0
        self.out: list[SampleBatch] = []

    @rule(count=st.integers(1, 30), later=st.floats(0, 100))
    def put(self, count: int, later: float) -> None:
        self.now += later
        made = range(self.next, self.next + count)
        self.next += count
        assert self.spool.put([sample(number) for number in made], now=self.now) == 0
        self.waiting |= set(made)

    @rule(limit=st.integers(1, 40), live=st.booleans(), window=st.floats(0, 200))
    def take(self, limit: int, live: bool, window: float) -> None:  # noqa: FBT001 - drawn by name
        edge = self.now - window
        batch = (
            self.spool.take_live(since=edge, limit=limit) if live else self.spool.take_backlog(before=edge, limit=limit)
        )
        if batch is None:
            return
        taken = numbers_in(batch)
        flying = {number for other in self.out for number in numbers_in(other)}
        assert set(taken) <= self.waiting - flying, "only what waits, and nothing that is on its way already"
        for line, number in zip(batch.lines, taken, strict=True):
            seq = json.loads(line)["source_seq"]
            assert batch.first <= seq <= batch.last
            assert self.numbered.setdefault(number, seq) == seq, "sent again, it has the same number"
        if not live:
            assert taken == sorted(taken), "the backlog goes in order"
        self.out.append(batch)

    @rule(which=st.integers(0, 10), what=st.sampled_from(["confirm", "release", "split"]))
    def answer(self, which: int, what: str) -> None:
        if not self.out:
            return
        batch = self.out.pop(which % len(self.out))
        if what == "confirm":
            self.spool.confirm(batch)
            self.waiting -= set(numbers_in(batch))
        elif what == "release":
            self.spool.release(batch)
        elif self.spool.split(batch, "BAD", now=self.now):
            self.waiting -= set(numbers_in(batch))

    @rule()
    def crash(self) -> None:
        """As a kill: nothing is closed, and what was in flight is forgotten."""
        left = self.folder
        self.folder = Path(tempfile.mkdtemp(prefix="hi-spool-"))
        for file in left.iterdir():
            shutil.copy(file, self.folder)
        self.spool.close()
        shutil.rmtree(left)
        self.spool, self.out = opened(self.folder), []

    @invariant()
    def it_says_how_much_waits(self) -> None:
        assert self.spool.depth().samples == len(self.waiting)

    def teardown(self) -> None:
        for batch in self.out:
            self.spool.release(batch)
        left = []
        while rest := self.spool.take_live(since=0, limit=1000):
            left += numbers_in(rest)
            self.spool.confirm(rest)
        assert sorted(left) == sorted(self.waiting), "everything that waits comes out, each once"
        assert len(set(self.numbered.values())) == len(self.numbered), "no number was given twice"
        assert self.spool.depth().size == 0
        self.spool.close()
        shutil.rmtree(self.folder)


TestSpoolLife = SpoolLife.TestCase
TestSpoolLife.settings = hypothesis_settings(max_examples=40, stateful_step_count=30, deadline=None)


def test_live_samples_go_newest_first_and_the_backlog_in_order(tmp_path: Path) -> None:
    spool = opened(tmp_path)
    for minute in range(6):
        spool.put([sample(minute)], now=NOW + 60 * minute)
    live = [spool.take_live(since=NOW + 180, limit=1) for _ in range(4)]
    behind = [spool.take_backlog(before=NOW + 180, limit=1) for _ in range(4)]
    assert [numbers_in(batch) for batch in live if batch] == [[5], [4], [3]]
    assert [numbers_in(batch) for batch in behind if batch] == [[0], [1], [2]]
    spool.close()


def test_over_its_size_the_oldest_are_dropped_and_recorded_as_a_gap(tmp_path: Path) -> None:
    spool = opened(tmp_path, max_mb=1)
    noise = [{"miner_id": f"A-{n}", "raw_data": random.Random(n).randbytes(400).hex()} for n in range(40)]
    for minute in range(120):
        spool.put(noise, now=NOW + minute)
    depth = spool.depth()
    assert depth.size <= 1_000_000
    assert depth.samples > 0
    (gap,) = spool.take_gaps()
    assert gap.samples == 120 * 40 - depth.samples
    assert (gap.reason, gap.from_at) == ("spool_full", NOW)
    assert depth.oldest_at is not None
    assert gap.to_at == depth.oldest_at - 1
    event = gap.event()
    assert event["kind"] == "telemetry_gap"
    assert event["details"]["samples"] == gap.samples
    spool.close()


def test_samples_over_the_age_limit_are_dropped_and_a_reported_gap_does_not_grow(tmp_path: Path) -> None:
    spool = opened(tmp_path, max_hours=1)
    spool.put([sample(1), sample(2)], now=NOW)
    spool.put([sample(3)], now=NOW + 3601)
    first = spool.take_gaps()
    assert [(gap.reason, gap.samples) for gap in first] == [("too_old", 2)]
    spool.put([sample(4)], now=NOW + 7300)  # the first gap is being reported: this is another
    spool.mark_reported(first, now=NOW + 7300)
    assert [(gap.reason, gap.samples) for gap in spool.take_gaps()] == [("too_old", 1)]
    spool.close()
    assert [gap["samples"] for gap in read_status(tmp_path)["spool"]["gaps"]] == [2, 1]


def test_while_a_gap_waits_for_the_cloud_only_one_more_is_opened(tmp_path: Path) -> None:
    spool = opened(tmp_path, max_hours=1)
    for minute in range(200):  # during an outage every report fails
        spool.put([sample(minute)], now=NOW + 60 * minute)
        first = spool.take_gaps()
    assert [gap.samples for gap in first] == [1]
    spool.mark_reported(first, now=NOW)
    assert [gap.samples for gap in spool.take_gaps()] == [200 - 62]
    spool.close()


def test_a_batch_delivered_while_the_disk_fails_is_sent_again_and_not_lost(tmp_path: Path) -> None:
    spool = opened(tmp_path)
    spool.put([sample(1)], now=NOW)
    for land in (spool.confirm, lambda batch: spool.split(batch, "REFUSED", now=NOW)):
        batch = spool.take_live(since=0, limit=10)
        assert batch, "it is there, under the same number"
        spool._db.execute("pragma query_only = on")
        with pytest.raises(sqlite3.OperationalError):
            land(batch)
        spool._db.execute("pragma query_only = off")
    batch = spool.take_live(since=0, limit=10)
    assert batch
    spool.confirm(batch)
    assert spool.depth().samples == 0
    spool.close()


def test_a_batch_in_flight_is_not_dropped_to_make_room(tmp_path: Path) -> None:
    spool = opened(tmp_path, max_hours=1)
    spool.put([sample(1)], now=NOW)
    batch = spool.take_live(since=0, limit=10)
    assert batch
    spool.put([sample(2)], now=NOW + 7200)
    assert spool.take_gaps() == []
    spool.confirm(batch)
    assert spool.depth().samples == 1
    spool.close()


def test_a_refused_batch_is_halved_until_the_bad_sample_is_found(tmp_path: Path) -> None:
    spool = opened(tmp_path)
    spool.put([sample(number) for number in range(100)], now=NOW)
    delivered: list[int] = []
    aside = 0
    while batch := spool.take_live(since=0, limit=100):
        if 37 in numbers_in(batch):
            aside += spool.split(batch, "BAD_JSON", now=NOW)
        else:
            delivered += numbers_in(batch)
            spool.confirm(batch)
    assert aside == 1
    assert sorted(delivered) == [number for number in range(100) if number != 37]
    assert read_status(tmp_path)["spool"]["set_aside"] == 1
    spool.close()


def test_a_sample_that_cannot_be_encoded_costs_no_other(tmp_path: Path) -> None:
    spool = opened(tmp_path)
    odd = {"miner_id": "A-2", "power_w": float("nan"), "raw_data": {"b": b"\xff"}}
    assert spool.put([sample(1), {"miner_id": "A-9", "x": object()}, odd], now=NOW) == 1
    batch = spool.take_live(since=0, limit=10)
    assert batch
    assert [json.loads(line)["miner_id"] for line in batch.lines] == ["A-1", "A-2"]
    assert json.loads(batch.lines[1])["power_w"] is None
    spool.close()


def test_a_failed_transaction_leaves_the_depth_as_it_was(tmp_path: Path) -> None:
    spool = opened(tmp_path)
    spool.put([sample(1)], now=NOW)
    spool._db.execute("pragma query_only = on")  # as a disk that fails
    with pytest.raises(sqlite3.OperationalError):
        spool.put([sample(2)], now=NOW)
    spool._db.execute("pragma query_only = off")
    assert spool.depth().samples == 1
    spool.put([sample(3)], now=NOW)
    assert spool.depth().samples == 2
    spool.close()


def test_a_damaged_file_is_renamed_and_reported_and_no_sequence_number_is_reused(tmp_path: Path) -> None:
    spool = opened(tmp_path)
    spool.put([sample(1)], now=NOW)
    spool.close()
    (tmp_path / "spool.db").write_bytes(b"this was a spool, once" * 500)
    spool = opened(tmp_path)
    assert spool.damaged is not None
    assert spool.damaged.exists()
    assert [gap.reason for gap in spool.take_gaps()] == ["spool_damaged"]
    spool.put([sample(2)], now=NOW)
    batch = spool.take_live(since=0, limit=10)
    assert batch
    assert batch.first > 1_000_000
    spool.close()

"""Whatever a sample holds, reading it raises nothing but the documented errors, and its neighbours survive."""

import json
import random
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hashinsight.kit.errors import HashInsightError
from hashinsight.telemetry.fields import DROPPED, FIELDS, IGNORED
from hashinsight.telemetry.ingest.decoder import DecodedBatch, decode
from hashinsight.telemetry.ingest.normaliser import normalise
from hashinsight.telemetry.ingest.rows import NUMBERS, Stamp, to_rows
from hashinsight.telemetry.ingest.samples import Samples
from hashinsight.telemetry.ingest.times import read_time, read_times
from tests.telemetry.decoded_samples import NOON, TS, decode_batch, stored_values

NAMES = sorted(
    {alias.name for field in FIELDS for alias in field.aliases} | {"ts", "timestamp", "miner_id", "source_seq"}
)
ODD = [*sorted(DROPPED | IGNORED), "unknown", "ïd", ""]

numbers = st.one_of(
    st.integers(),
    st.floats(),
    st.integers(min_value=-(10**400), max_value=10**400),
    st.sampled_from([0, 255, -1, 1e300]),
)
texts = st.text(max_size=30) | st.text(alphabet=st.characters(categories=("Cc", "Cs", "Zs", "Nd")), max_size=30)
likely = st.sampled_from(
    [TS, "2026-03-01T12:00:00", 1772366400, "online", "offline", "m2", [60, 61], [], "", None, True]
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts, likely),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES + ODD) | texts, inner, max_size=4)
    ),
    max_leaves=12,
)
samples = st.dictionaries(st.sampled_from(NAMES + ODD), values, max_size=8)
GOOD = [{"miner_id": f"good-{n}", "ts": TS, "hashrate_ths": 100.0, "fan_speeds": [5000, 5100]} for n in (0, 1)]


def rows_of(read: Samples) -> bytes:
    """All the way to the bytes of a COPY."""
    chosen = np.array([row for row in range(len(read)) if row not in read.rejected], np.int64)
    nos = np.arange(1, len(read) + 1)
    return b"".join(to_rows(read, nos, chosen, Stamp(UUID(int=1), 1, NOON, 0, 1)).all())


def survivors(read: Samples) -> list[str]:
    return [
        miner_id
        for row, miner_id in enumerate(read.miner_ids)
        if row not in read.rejected and miner_id.startswith("good-")
    ]


@settings(max_examples=300, deadline=None)
@given(samples, st.booleans())
def test_any_sample_leaves_its_good_neighbours_unchanged(odd: dict[str, Any], zero_is_unknown: bool) -> None:  # noqa: FBT001
    data = json.dumps([GOOD[0], odd, GOOD[1]]).encode()
    read = normalise(decode_batch(data), zero_is_unknown=zero_is_unknown)
    assert survivors(read) == ["good-0", "good-1"]
    for row, miner_id in enumerate(read.miner_ids):
        if miner_id.startswith("good-"):
            assert stored_values(read, row)["hashrate_ths"] == 100
            assert stored_values(read, row)["fan_speeds"] == [5000, 5100]
    assert len(rows_of(read)) > 0
    for row in range(len(read)):
        if row not in read.rejected:
            check_storable(stored_values(read, row))


def check_storable(row: dict[str, Any]) -> None:
    for name, value in row.items():
        if isinstance(value, str):
            assert "\0" not in value
            value.encode()
            if name in ("boards", "extra"):
                assert "\\u0000" not in value.replace("\\\\", "")
                json.loads(value)
        elif name in NUMBERS:
            assert np.isfinite(value)


@settings(max_examples=300, deadline=None)
@given(st.lists(samples | st.just(GOOD[0]), max_size=4), st.randoms(use_true_random=False))
def test_the_typed_and_the_lenient_decoder_read_the_same(batch: list[dict[str, Any]], chance: random.Random) -> None:
    data = json.dumps(batch).encode()
    slow = decode_batch(data)
    names = list(slow.names or ("miner_id", "ts", "hashrate_ths", "fan_speeds"))
    chance.shuffle(names)  # a collector may change the order of what it sends
    fast = decode_batch(data, tuple(names))
    assert fast.indexes == slow.indexes
    assert fast.faults == slow.faults
    quick, other = (normalise(way, zero_is_unknown=True) for way in (fast, slow))
    assert quick.rejected == other.rejected
    assert quick.miner_ids == other.miner_ids
    assert quick.ts.tolist() == other.ts.tolist()
    assert quick.status.tolist() == other.status.tolist()
    assert quick.flags.tolist() == other.flags.tolist()
    for row in range(len(quick)):
        assert stored_values(quick, row) == stored_values(other, row)


@settings(max_examples=300, deadline=None)
@given(
    st.binary(max_size=200) | values.map(lambda value: json.dumps(value).encode()),
    st.sampled_from([None, ("miner_id", "ts")]),
)
def test_any_body_is_read_or_refused_with_a_documented_error(body: bytes, names: tuple[str, ...] | None) -> None:
    refusal: HashInsightError | None = None
    try:
        batch = decode(body, names, max_samples=10)
    except HashInsightError as error:
        refusal = error
    if refusal is not None:
        assert refusal.status in (413, 422)
        assert refusal.error_code in ("BAD_JSON", "NO_RECORDS", "TOO_MANY_SAMPLES", "PAYLOAD_UNREADABLE")
    elif isinstance(batch, DecodedBatch):
        normalise(batch, zero_is_unknown=True)


usual = st.datetimes().map(lambda at: at.isoformat()[:26])


@settings(max_examples=300, deadline=None)
@given(
    st.lists(usual | usual.map(lambda text: text + "Z") | st.sampled_from([TS, "2026-03-01T12:00:00.5+01"]), max_size=5)
)
@example(["0000-01-01T00:00:00"])
def test_times_parsed_in_bulk_equal_times_parsed_one_by_one(texts: list[str]) -> None:
    assert read_times(texts).tolist() == [read_time(text) for text in texts]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.datetimes(), min_size=1, max_size=4),
    st.sampled_from([19, 20, 21, 23, 26]),
    st.sampled_from(["", "Z"]),
    st.none() | st.tuples(st.integers(0, 25), st.sampled_from("0919-T:. Z+٣x")),
)
def test_bulk_parsing_of_times_of_one_length_handles_a_bad_one(
    moments: list[datetime], width: int, end: str, spoilt: tuple[int, str] | None
) -> None:
    texts = [at.isoformat(timespec="microseconds")[:width] + end for at in moments]
    if spoilt is not None and spoilt[0] < width:
        site, char = spoilt
        texts[-1] = texts[-1][:site] + char + texts[-1][site + 1 :]
    assert read_times(texts).tolist() == [read_time(text) for text in texts]

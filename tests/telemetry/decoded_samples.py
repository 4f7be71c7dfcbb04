"""Samples through the pure part of ingest: bytes in, columns out."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from hashinsight.telemetry.ingest.decoder import DecodedBatch, Dialect, decode
from hashinsight.telemetry.ingest.normaliser import normalise
from hashinsight.telemetry.ingest.samples import Samples

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TS = "2026-03-01T12:00:00Z"


def decode_batch(data: bytes, names: Dialect | None = None) -> DecodedBatch:
    batch = decode(data, names, max_samples=1000)
    assert isinstance(batch, DecodedBatch)
    return batch


def decode_sample(fields: Mapping[str, Any], *, zero_is_unknown: bool = False) -> Samples:
    data = json.dumps([{"miner_id": "m1", "ts": TS, **fields}]).encode()
    return normalise(decode_batch(data), zero_is_unknown=zero_is_unknown)


def stored_values(samples: Samples, row: int = 0) -> dict[str, Any]:
    """What a row would be stored as, the columns without a value left out."""
    stored: dict[str, Any] = {
        name: values[row] for name, values in samples.numbers.items() if not np.isnan(values[row])
    }
    stored |= {name: texts[row] for name, texts in samples.texts.items() if texts[row] is not None}
    for name, lists in samples.lists.items():
        if lists.lengths[row]:
            stored[name] = [
                None if np.isnan(number) else number for number in lists.values[row][: lists.lengths[row]].tolist()
            ]
    return stored

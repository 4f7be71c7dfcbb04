"""Texts of samples: the machine id and text fields. Pure.

A text that is too long rejects its sample. Control characters, half characters, addresses and credentials are removed,
and the sample is kept: its readings are still good.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hashinsight.inventory.fields import MINER_ID_CHARS, MINER_ID_PATTERN, RESERVED_IDS
from hashinsight.telemetry.fields import FIELDS, Field, Kind
from hashinsight.telemetry.ingest.samples import Samples

Columns = Mapping[str, Sequence[Any]]

_TEXT_FIELDS = tuple(field for field in FIELDS if field.kind is Kind.TEXT)
_SCRUBBED = ("error_message", "error_type", "pool_status")
_ID = re.compile(MINER_ID_PATTERN)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_CREDENTIALS = re.compile(r"^([a-z0-9+.-]*+://)?.*@", re.IGNORECASE | re.DOTALL)
_URL_EXTRAS = frozenset("@?#")
_MAX_INT = 10**18


def first_alias(columns: Columns, field: Field) -> Sequence[Any] | None:
    """The values of a field under the first alias that a sample carries."""
    aliased = [columns[alias.name] for alias in field.aliases if alias.name in columns]
    if len(aliased) < 2:  # noqa: PLR2004 - one name or none
        return aliased[0] if aliased else None
    return [next((value for value in values if value is not None), None) for values in zip(*aliased, strict=True)]


def set_miner_ids(samples: Samples, values: Sequence[Any] | None) -> None:
    if values is None:
        values = [None] * len(samples)
    if set(map(type, values)) == {str}:
        joined = "".join(values)
        lengths = set(map(len, values))
        if joined.isprintable() and " " not in joined and min(lengths) > 0 and max(lengths) <= MINER_ID_CHARS:
            samples.miner_ids = list(values)
            return
    for row, value in enumerate(values):
        text = _miner_id(value)
        if 0 < len(text) <= MINER_ID_CHARS and text.isprintable():
            samples.miner_ids[row] = text
        else:
            samples.rejected.setdefault(row, ("BAD_MINER_ID", f"miner_id must be 1 to {MINER_ID_CHARS} characters"))


def may_be_registered(miner_id: str) -> bool:
    """Whether the inventory accepts this id for a new machine."""
    return _ID.fullmatch(miner_id) is not None and miner_id.lower() not in RESERVED_IDS


def set_texts(samples: Samples, columns: Columns) -> None:
    for field in _TEXT_FIELDS:
        values = first_alias(columns, field) or ()
        distinct = set(values)  # most machines send the same text
        if not any(distinct):
            continue
        texts = [value or None for value in values] if None in distinct or "" in distinct else list(values)
        if max(map(len, filter(None, distinct))) > field.most:
            _reject_long(samples, field, texts)
        if not "".join(filter(None, distinct)).isprintable():
            texts = [text and _storable(text) for text in texts]
        samples.texts[field.column] = texts
    for column in _SCRUBBED:
        if column in samples.texts:
            scrubbed = {text: samples.scrubber.text(text) for text in set(samples.texts[column]) if text is not None}
            samples.texts[column] = [text and scrubbed[text] for text in samples.texts[column]]
    urls = samples.texts.get("pool_url")
    if urls is not None and not _URL_EXTRAS.isdisjoint("".join(set(filter(None, urls)))):
        samples.texts["pool_url"] = [url and without_credentials(url) for url in urls]


def without_credentials(url: str) -> str:
    """A pool address without user, password, query and fragment."""
    return re.split("[?#]", _CREDENTIALS.sub(r"\1", url), maxsplit=1)[0]


def _miner_id(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    is_number = isinstance(value, int) and not isinstance(value, bool) and abs(value) < _MAX_INT
    return str(value) if is_number else ""


def _reject_long(samples: Samples, field: Field, texts: list[str | None]) -> None:
    max_chars = int(field.most)
    for row, text in enumerate(texts):
        if text is not None and len(text) > max_chars:
            samples.rejected.setdefault(row, ("TEXT_TOO_LONG", f"{field.column}: at most {max_chars} characters"))
            texts[row] = None


def _storable(text: str) -> str | None:
    """Half characters become question marks, control characters become spaces."""
    return _CONTROLS.sub(" ", text.encode(errors="replace").decode()).strip() or None

"""Texts of samples: the machine's own id, and what it says in words. Pure.

A text that is too long costs its sample. Control characters, half characters, addresses and credentials are taken out,
and the sample is kept: its readings are as good as any.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hashinsight.inventory.fields import MINER_ID_CHARS, MINER_ID_PATTERN, RESERVED_IDS
from hashinsight.telemetry.fields import FIELDS, Field, Kind
from hashinsight.telemetry.ingest.samples import Samples

Given = Mapping[str, Sequence[Any]]

_TEXTS = tuple(one for one in FIELDS if one.kind is Kind.TEXT)
_SCRUBBED = ("error_message", "error_type", "pool_status")
_ID = re.compile(MINER_ID_PATTERN)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_CREDENTIALS = re.compile(r"^([a-z0-9+.-]*+://)?.*@", re.IGNORECASE | re.DOTALL)
_ASKED_WITH = frozenset("@?#")
_MOST_INT = 10**18


def first_of(given: Given, one: Field) -> Sequence[Any] | None:
    """The values of a field under whichever name a sample carries it."""
    named = [given[alias.name] for alias in one.aliases if alias.name in given]
    if len(named) < 2:  # noqa: PLR2004 - one name or none
        return named[0] if named else None
    return [next((value for value in values if value is not None), None) for values in zip(*named, strict=True)]


def take_miners(samples: Samples, values: Sequence[Any] | None) -> None:
    if values is None:
        values = [None] * len(samples)
    if set(map(type, values)) == {str}:
        joined = "".join(values)
        lengths = set(map(len, values))
        if joined.isprintable() and " " not in joined and min(lengths) > 0 and max(lengths) <= MINER_ID_CHARS:
            samples.miner_ids = list(values)
            return
    for row, value in enumerate(values):
        text = _id_of(value)
        if 0 < len(text) <= MINER_ID_CHARS and text.isprintable():
            samples.miner_ids[row] = text
        else:
            samples.bad.setdefault(row, ("BAD_MINER_ID", f"miner_id is a text of 1 to {MINER_ID_CHARS} characters"))


def may_be_registered(miner_id: str) -> bool:
    """Whether the inventory would take it: asked for machines that it does not know yet."""
    return _ID.fullmatch(miner_id) is not None and miner_id.lower() not in RESERVED_IDS


def take_texts(samples: Samples, given: Given) -> None:
    for one in _TEXTS:
        values = first_of(given, one) or ()
        said = set(values)  # most machines say the same
        if not any(said):
            continue
        texts = [value or None for value in values] if None in said or "" in said else list(values)
        if max(map(len, filter(None, said))) > one.most:
            _refuse_long(samples, one, texts)
        if not "".join(filter(None, said)).isprintable():
            texts = [text and _storable(text) for text in texts]
        samples.texts[one.column] = texts
    for column in _SCRUBBED:
        if column in samples.texts:
            told = {text: samples.scrubber.text(text) for text in set(samples.texts[column]) if text is not None}
            samples.texts[column] = [text and told[text] for text in samples.texts[column]]
    urls = samples.texts.get("pool_url")
    if urls is not None and not _ASKED_WITH.isdisjoint("".join(set(filter(None, urls)))):
        samples.texts["pool_url"] = [url and without_credentials(url) for url in urls]


def without_credentials(url: str) -> str:
    """A pool's address: no user, no password, nothing that is asked with it."""
    return re.split("[?#]", _CREDENTIALS.sub(r"\1", url), maxsplit=1)[0]


def _id_of(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    is_number = isinstance(value, int) and not isinstance(value, bool) and abs(value) < _MOST_INT
    return str(value) if is_number else ""


def _refuse_long(samples: Samples, one: Field, texts: list[str | None]) -> None:
    most = int(one.most)
    for row, text in enumerate(texts):
        if text is not None and len(text) > most:
            samples.bad.setdefault(row, ("TEXT_TOO_LONG", f"{one.column}: at most {most} characters"))
            texts[row] = None


def _storable(text: str) -> str | None:
    """Half characters become question marks, control characters a space."""
    return _CONTROLS.sub(" ", text.encode(errors="replace").decode()).strip() or None

"""What make, model and firmware mean for the readings of a machine. Pure; cached per spelling."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hashinsight.facts.models import find_model
from hashinsight.facts.temperatures import sensor_kind

MAX_BOARDS = 16  # of one machine
_SPELLINGS = 1024  # of a fleet
_WITHOUT_FANS = ("hyd", "imm")
_NAMEPLATE_REPORTED = ("vnish", "braiins")
# on these the library gives means, and this table has every corner
_CORNER_TABLES = (("antminer stock", "stats"), ("marathon", "stats"), ("luxos", "temps"))

model_of = lru_cache(maxsize=_SPELLINGS)(find_model)
sensor_kind_of = lru_cache(maxsize=_SPELLINGS)(sensor_kind)


@dataclass(frozen=True, slots=True)
class Make:
    is_auradine: bool
    is_avalon: bool
    is_braiins: bool
    is_luxos: bool
    is_whatsminer: bool
    has_fans: bool  # not in water or oil
    reports_nameplate: bool  # as the machine's expected hashrate; its boards report what they are tuned to
    corners_in: tuple[str, ...]  # tables with every corner, where the library gives means


def make_of(info: Mapping[str, Any]) -> Make:
    """From the library's `device_info`."""
    return _make(str(info.get("make") or ""), str(info.get("model") or ""), str(info.get("firmware") or ""))


@lru_cache(maxsize=_SPELLINGS)
def _make(*names: str) -> Make:
    words = " ".join(names).lower()
    return Make(
        is_auradine="auradine" in words,
        is_avalon="avalon" in words,
        is_braiins="braiins" in words,
        is_luxos="lux" in words,
        is_whatsminer="whatsminer" in words,
        has_fans=not any(word in words for word in _WITHOUT_FANS),
        reports_nameplate=any(word in words for word in _NAMEPLATE_REPORTED),
        corners_in=tuple(table for word, table in _CORNER_TABLES if word in words),
    )

"""What a machine's make, model and firmware mean for its readings. Pure, and looked up once for each spelling."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hashinsight.facts.models import find_model
from hashinsight.facts.temperatures import sensor_kind

_SPELLINGS = 1024  # of a fleet: each is judged once, not with every reading
_WITHOUT_FANS = ("hyd", "imm")
_STICKER_TOLD = ("vnish", "braiins")
# of these the library gives means, and a table each corner
_MEANS_WITHOUT = (("antminer stock", "stats"), ("marathon", "stats"), ("luxos", "temps"))

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
    tells_sticker: bool  # for what the whole machine should do; its boards say what they should do now
    corners_in: tuple[str, ...]  # tables that say each corner, where the library gives their mean


def make_of(info: Mapping[str, Any]) -> Make:
    """By `device_info` as the library has it."""
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
        tells_sticker=any(word in words for word in _STICKER_TOLD),
        corners_in=tuple(table for word, table in _MEANS_WITHOUT if word in words),
    )

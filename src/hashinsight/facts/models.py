"""Machine models by any spelling: rated figures, series, and the rating that a text states.

Many models were sold with several ratings under one name. The catalogue has the common one; what a machine reports or
an operator enters goes before it.
"""

import re
import unicodedata
from dataclasses import dataclass, replace

from hashinsight.facts.catalogue import ANTMINERS, AVALONS, OTHER_MAKES, WHATSMINERS


@dataclass(frozen=True)
class MinerModel:
    """One model. `chips_per_board` is a range if one name is built with different numbers; None: unknown."""

    make: str
    name: str
    rated_ths: float
    power_w: float
    efficiency_j_th: float
    boards: int
    chips_per_board: tuple[int, int] | None
    fans: int
    cooling: str = "air"
    notes: str = ""
    ths_tolerance: float = 0.0
    power_tolerance: float = 0.0
    has_pic: bool = True  # without one, a single dead board stops the whole machine
    max_fan_rpm: int | None = None
    derates_above_ambient_c: float | None = None
    stops_above_ambient_c: float | None = None


def _parse_row(make: str, row: str) -> MinerModel:
    name, ths, watts, j_th, boards, chips, fans, cooling, notes = (cell.strip() for cell in row.split("|"))
    low, _, high = chips.partition("-")
    chips_per_board = None if chips == "?" else (int(low), int(high or low))
    figures = float(ths), float(watts), float(j_th)
    return MinerModel(make, name, *figures, int(boards), chips_per_board, int(fans), cooling, notes)


def _parse_tables(tables: dict[str, str]) -> list[MinerModel]:
    return [_parse_row(make, row) for make, table in tables.items() for row in table.strip().splitlines()]


_DETAILS: dict[str, dict[str, object]] = {
    "Antminer S19 Pro": {"ths_tolerance": 0.03, "power_tolerance": 0.05, "max_fan_rpm": 6150},
    "Antminer S19 XP": {"has_pic": False},
    "Antminer S21": {"derates_above_ambient_c": 40, "stops_above_ambient_c": 47},
}
MODELS: tuple[MinerModel, ...] = tuple(
    replace(model, **_DETAILS.get(model.name, {}))  # type: ignore[arg-type] # by the fields' own names
    for model in _parse_tables({"Bitmain": ANTMINERS, "MicroBT": WHATSMINERS, "Canaan": AVALONS, **OTHER_MAKES})
)


_MAX_CHARS = 200
# "(104T)", "104 TH/s", "_104t": the rating it is sold with, not part of its name
_RATING = re.compile(r"(?<![a-z0-9.])(\d{2,4}(?:\.\d{1,2})?)\s*+th?(?:/?s)?(?![a-z0-9+])")
# "A1346-107", "S19 110", "Gamma 601": a rating without its unit, or a version
_BARE_RATING = re.compile(r"(?<=[a-z0-9+.])[\s_\-/(\[]++(\d{2,4}(?:\.\d{1,2})?)[\s)\]]*+$")
# how far a rating without unit may be from the model's; otherwise it is another number
_RATING_SHARES = (0.6, 1.6)
_WORDS = re.compile(
    r"bitmain|microbt|canaan|bitdeer|auradine|antminer|whatsminer|sealminer|teraflux|bitaxe|avalonminer|avalon|miner"
)
# suffixes after the name: "S9 (vnish 3.9.0)", "S9 V1.3.50", "S9 Hiveon"
_SUFFIX = re.compile(r"(?<!\s)\s*+(?:\([^()]*+\)?+|(?<=\s)v\.?\d[\d.]*+|(?<=\s)hiveon)\s*+$")
_SEPARATORS = re.compile(r"[\s_\-./()\[\],:'\"]+")
# different spellings of a word: ("S19 Pro Hydro", "Hyd."), ("S21 Imm.", "Immersion")
_SAME = (("plus", "+"), ("hydro", "hyd"), ("immersion", "imm"))
# Whatsminers append their hardware version to the name: "M30S++VE40", "M50S_VH50", "M60VK6A"
_HARDWARE_VERSION = re.compile(r"^(m\d\d[a-z]{0,2}?\+*+)v[a-z0-9]{2,4}$")
# names used by one manufacturer or library only
_ALIASES = {"s19j88nopic": "s19jnopic", "bhb68601": "s21", "bhb68606": "s21", "homeq": "q"}
# the generation decides the chip and so the limits, also for models without figures in the catalogue
_SERIES = (
    (re.compile(r"^[st](9|11|15|17|19|21|23)(?!\d)"), "Antminer S{}"),
    (re.compile(r"^m([2-7])\d(?!\d)"), "Whatsminer M{}0"),
    (re.compile(r"^a?(1[0-6])(?:\d\d)?(?!\d)"), "Avalon {}"),
    (re.compile(r"^a?([789])\d\d(?:\d{4})?(?!\d)"), "Avalon {}"),  # "9211801": model, year and month
    (re.compile(r"^(q|nano3s?|mini3)$"), "Avalon 15"),
    (re.compile(r"^(max|ultra|supra|gamma|nerdq?axe\w*|nerdminer)(?!\w)"), "Bitaxe"),
)

# a machine of which only the make is known: all its series have the same limits
_SERIES_BY_MAKE = {"whatsminer": "Whatsminer M30"}


def _flat(text: str) -> str:
    return unicodedata.normalize("NFKC", text[:_MAX_CHARS]).lower()


def _key(text: str) -> str:
    bare = _SEPARATORS.sub("", _WORDS.sub("", _RATING.sub("", _flat(text))))
    for word, short in _SAME:
        bare = bare.replace(word, short)
    versioned = _HARDWARE_VERSION.match(bare)
    named = versioned.group(1) if versioned else bare
    return _ALIASES.get(named, named)


def _keys(text: str) -> tuple[str, ...]:
    """As written first, because a number at the end may belong to the model ("AvalonMiner 1366"); then without it.

    Then the same without suffixes that some firmware appends.
    """
    keys = []
    bare = _SUFFIX.sub("", _flat(text))
    for spelling in dict.fromkeys((_flat(text), bare)):
        rated = _BARE_RATING.search(spelling)
        keys += [_key(spelling), _key(spelling[: rated.start()])] if rated else [_key(spelling)]
    return tuple(keys)


_BY_KEY = {_key(model.name): model for model in MODELS} | {
    _key(model.name).removeprefix("a"): model for model in MODELS if model.make == "Canaan"
}


def find_model(text: str) -> MinerModel | None:
    """The model of this text, or None. A variant ("S19j Pro++", "M30SE") is another machine, so it is None."""
    for key in _keys(text or ""):
        model = _BY_KEY.get(key) or _BY_KEY.get(key.removesuffix("nopic"))  # same machine, other controller
        if model is not None:
            return model
    return None


def find_series(text: str) -> str | None:
    """The series of a model by any spelling: "S19j Pro" and "T19" belong to the Antminer S19."""
    if _flat(text).strip() in _SERIES_BY_MAKE:
        return _SERIES_BY_MAKE[_flat(text).strip()]
    for key in _keys(text):
        for pattern, name in _SERIES:
            match = pattern.match(key)
            if match:
                return name.format(match.group(1))
    return None


def find_stated_ths(text: str) -> float | None:
    """The rating that the text states: "S19j Pro (100T)" is sold with 100 TH/s, whatever the catalogue says."""
    stated = _RATING.search(_flat(text))
    if stated:
        return float(stated.group(1))
    bare = _BARE_RATING.search(_flat(text))
    model = find_model(text) if bare and not _BY_KEY.get(_key(text)) else None
    if bare is None or model is None:
        return None
    ths = float(bare.group(1))
    least, most = _RATING_SHARES
    return ths if least * model.rated_ths <= ths <= most * model.rated_ths else None

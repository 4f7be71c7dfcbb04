"""The model catalogue: rated figures of the machines that we know, from public sheets; `~` in a note: approximate.

Many models were sold in several ratings under one name. The figure here is the common one; what a machine reports, or
what an operator enters, goes before it.
"""

import re
import unicodedata
from dataclasses import dataclass, replace

from hashinsight.facts.catalogue import ANTMINERS, AVALONS, OTHER_MAKES, WHATSMINERS


@dataclass(frozen=True)
class MinerModel:
    """One model. `chips_per_board` is a range where a maker fits different numbers under one name, None: not known."""

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

    @property
    def is_approximate(self) -> bool:
        return "~" in self.notes


def _model(make: str, row: str) -> MinerModel:
    name, ths, watts, j_th, boards, chips, fans, cooling, notes = (cell.strip() for cell in row.split("|"))
    least, _, most = chips.partition("-")
    fitted = None if chips == "?" else (int(least), int(most or least))
    figures = float(ths), float(watts), float(j_th)
    return MinerModel(make, name, *figures, int(boards), fitted, int(fans), cooling, notes)


def _read(tables: dict[str, str]) -> list[MinerModel]:
    return [_model(make, row) for make, table in tables.items() for row in table.strip().splitlines()]


_MORE: dict[str, dict[str, object]] = {
    "Antminer S19 Pro": {"ths_tolerance": 0.03, "power_tolerance": 0.05, "max_fan_rpm": 6150},
    "Antminer S19 XP": {"has_pic": False},
    "Antminer S21": {"derates_above_ambient_c": 40, "stops_above_ambient_c": 47},
}
MODELS: tuple[MinerModel, ...] = tuple(
    replace(model, **_MORE.get(model.name, {}))  # type: ignore[arg-type] # by the fields' own names
    for model in _read({"Bitmain": ANTMINERS, "MicroBT": WHATSMINERS, "Canaan": AVALONS, **OTHER_MAKES})
)


_MAX_CHARS = 200
# "(104T)", "104 TH/s", "_104t": what the machine is sold as, not part of its name
_RATING = re.compile(r"(?<![a-z0-9.])(\d{2,4}(?:\.\d{1,2})?)\s*+th?(?:/?s)?(?![a-z0-9+])")
# "A1346-107", "S19 110", "Gamma 601": a rating without its unit, or a version
_BARE_RATING = re.compile(r"(?<=[a-z0-9+.])[\s_\-/(\[]++(\d{2,4}(?:\.\d{1,2})?)[\s)\]]*+$")
# by how much a rating without its unit may differ from the model's: else it is another number
_RATING_SHARES = (0.6, 1.6)
_WORDS = re.compile(
    r"bitmain|microbt|canaan|bitdeer|auradine|antminer|whatsminer|sealminer|teraflux|bitaxe|avalonminer|avalon|miner"
)
# what stands behind the name: "S9 (vnish 3.9.0)", "S9 V1.3.50", "S9 Hiveon"
_BEHIND = re.compile(r"(?<!\s)\s*+(?:\([^()]*+\)?+|(?<=\s)v\.?\d[\d.]*+|(?<=\s)hiveon)\s*+$")
_SEPARATORS = re.compile(r"[\s_\-./()\[\],:'\"]+")
# the same word in other letters: ("S19 Pro Hydro", "Hyd."), ("S21 Imm.", "Immersion")
_SAME = (("plus", "+"), ("hydro", "hyd"), ("immersion", "imm"))
# Whatsminers say their hardware version behind the name: "M30S++VE40", "M50S_VH50", "M60VK6A"
_HARDWARE_VERSION = re.compile(r"^(m\d\d[a-z]{0,2}?\+*+)v[a-z0-9]{2,4}$")
# what only one maker or library calls it
_ALIASES = {"s19j88nopic": "s19jnopic", "bhb68601": "s21", "bhb68606": "s21", "homeq": "q"}
# the generation decides the silicon, and so the limits; also of a model that the catalogue has no figures for
_SERIES = (
    (re.compile(r"^[st](9|11|15|17|19|21|23)(?!\d)"), "Antminer S{}"),
    (re.compile(r"^m([2-7])\d(?!\d)"), "Whatsminer M{}0"),
    (re.compile(r"^a?(1[0-6])(?:\d\d)?(?!\d)"), "Avalon {}"),
    (re.compile(r"^a?([789])\d\d(?:\d{4})?(?!\d)"), "Avalon {}"),  # "9211801": model, year and month
    (re.compile(r"^(q|nano3s?|mini3)$"), "Avalon 15"),
    (re.compile(r"^(max|ultra|supra|gamma|nerdq?axe\w*|nerdminer)(?!\w)"), "Bitaxe"),
)

# a machine that only its make is known of: all series of it have the same limits
_ALL_ALIKE = {"whatsminer": "Whatsminer M30"}


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
    """As it is written first, for the number at its end may be the model's ("AvalonMiner 1366"); then without that.

    Then the same without what some firmware puts behind the name.
    """
    keys = []
    bare = _BEHIND.sub("", _flat(text))
    for spelling in dict.fromkeys((_flat(text), bare)):
        rated = _BARE_RATING.search(spelling)
        keys += [_key(spelling), _key(spelling[: rated.start()])] if rated else [_key(spelling)]
    return tuple(keys)


_BY_KEY = {_key(model.name): model for model in MODELS} | {
    _key(model.name).removeprefix("a"): model for model in MODELS if model.make == "Canaan"
}


def find_model(text: str) -> MinerModel | None:
    """The model that is meant, or None. A relative ("S19j Pro++", "M30SE") is another machine, so it is None."""
    for key in _keys(text or ""):
        model = _BY_KEY.get(key) or _BY_KEY.get(key.removesuffix("nopic"))  # the same machine with another controller
        if model is not None:
            return model
    return None


def find_series(text: str) -> str | None:
    """The series of a model, by any of its spellings: "S19j Pro" and "T19" are of the Antminer S19's."""
    if _flat(text).strip() in _ALL_ALIKE:
        return _ALL_ALIKE[_flat(text).strip()]
    for key in _keys(text):
        for pattern, name in _SERIES:
            match = pattern.match(key)
            if match:
                return name.format(match.group(1))
    return None


def find_stated_ths(text: str) -> float | None:
    """The rating that the text itself states: "S19j Pro (100T)" is sold as 100 TH/s, whatever the catalogue says."""
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

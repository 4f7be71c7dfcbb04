"""Which model does this text mean? Makers, firmwares and asset lists all spell it in their own way."""

import re
import unicodedata

from hashinsight.facts.models import MODELS, MinerModel

_MAX_CHARS = 200
# "(104T)", "104 TH/s", "_104t": what the machine is sold as, not part of its name
_RATING = re.compile(r"(?<![a-z0-9.])(\d{2,4}(?:\.\d{1,2})?)\s*th?(?:/?s)?(?![a-z0-9+])")
_WORDS = re.compile(r"bitmain|microbt|canaan|antminer|whatsminer|avalonminer|avalon|miner")
_SEPARATORS = re.compile(r"[\s_\-./()\[\],:'\"]+")
# Whatsminers say their hardware version behind the name: "M30S++VE40", "M50S_VH50"
_HARDWARE_VERSION = re.compile(r"^(m\d\ds\+*)v[a-z]?\d{1,3}$")


def _key(text: str) -> str:
    flat = unicodedata.normalize("NFKC", text).lower()
    bare = _SEPARATORS.sub("", _WORDS.sub("", _RATING.sub("", flat))).replace("plus", "+")
    versioned = _HARDWARE_VERSION.match(bare)
    return versioned.group(1) if versioned else bare


_BY_KEY = {_key(model.name): model for model in MODELS} | {
    _key(model.name).removeprefix("a"): model for model in MODELS if model.make == "Canaan"
}


def find_model(text: str) -> MinerModel | None:
    """The model that is meant, or None. A relative ("S19j Pro+", "S19 XP Hyd.") is another machine, so it is None."""
    return _BY_KEY.get(_key(text[:_MAX_CHARS])) if text else None


def stated_ths(text: str) -> float | None:
    """The rating that the text itself states: "S19j Pro (100T)" is sold as 100 TH/s, whatever the catalogue says."""
    found = _RATING.search(unicodedata.normalize("NFKC", text[:_MAX_CHARS]).lower())
    return float(found.group(1)) if found else None

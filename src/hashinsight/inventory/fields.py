"""Fields of machines and sites: which texts are valid, in requests, in files and in what collectors report. Pure."""

import re
from typing import Annotated
from unicodedata import category, decimal, normalize

from pydantic import AfterValidator, Field, StringConstraints

from hashinsight.inventory.expected_hashrate import MAX_THS
from hashinsight.inventory.filters import Id, SiteRef

MINER_ID_CHARS = 64
MAX_CHARS = {
    "miner_id": MINER_ID_CHARS,
    "model": 100,
    "serial": 64,
    "firmware": 100,
    "zone": 64,
    "rack": 64,
    "position": 64,
    "owner": 100,
}
# Words that are paths of the API.
RESERVED_IDS = frozenset({"import", "export", "maintenance", ".", ".."})

# No control, invisible or direction characters, nothing beyond the basic plane, and no first character that a
# spreadsheet takes for a formula. In the dialect of Rust's regex, which pydantic and polars share.
TEXT_PATTERN = (
    r"^[^\x00-\x20=+@\-\x7f-\xa0\u2000-\u200f\u2028-\u202f\u2060-\u206f\ufeff\U00010000-\U0010FFFF]"
    r"[^\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U00010000-\U0010FFFF]*$"
)
# An id is also part of a path.
MINER_ID_PATTERN = TEXT_PATTERN.replace("[^", r"[^/\\")
# A site's code keeps its case and matches in any case.
SITE_CODE_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$"

# A MAC in any spelling: separators are dropped first. For single texts and for columns.
MAC_BETWEEN = r"[:\-.\s]"
MAC_DIGITS = r"^[0-9a-f]{12}$"
MAC_PAIRS = r"^(..)(..)(..)(..)(..)(..)$"
NO_MACS = ("0" * 12, "f" * 12)

_INVISIBLE_KINDS = ("Mn", "Me", "Cf", "Cc")
_FILLERS = "\N{HANGUL CHOSEONG FILLER}\N{HANGUL JUNGSEONG FILLER}"


def normalize_mac(text: str) -> str | None:
    """The MAC as `aa:bb:cc:dd:ee:ff`; None when it is not a valid address."""
    digits = re.sub(MAC_BETWEEN, "", text).lower()
    if not re.fullmatch(MAC_DIGITS, digits) or digits in NO_MACS:
        return None
    return ":".join(re.findall("..", digits))


def fold_miner_id(miner_id: str) -> str:
    """An id as a person reads it: ids that differ only in case, dashes or invisible characters are equal."""
    if miner_id.isascii():
        return " ".join(miner_id.lower().split())
    text = normalize("NFKC", normalize("NFKC", miner_id).casefold())
    return " ".join("".join(map(_plain_character, text)).split())


def _plain_character(character: str) -> str:
    kind = category(character)
    if kind == "Nd":
        return str(decimal(character))
    if kind == "Pd" or character == "\N{MINUS SIGN}":
        return "-"
    return "" if kind in _INVISIBLE_KINDS or character in _FILLERS else character


def _not_a_number(code: str) -> str:
    if code.isdecimal():
        raise ValueError("a code cannot be digits only: digits are ids")
    return code


def _not_reserved(miner_id: str) -> str:
    if miner_id.lower() in RESERVED_IDS:
        raise ValueError("this id is reserved")
    return miner_id


def _valid_mac(mac: str) -> str:
    normalized = normalize_mac(mac)
    if normalized is None:
        raise ValueError("not a MAC address of 12 hexadecimal digits")
    return normalized


def _text(name: str) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_CHARS[name], pattern=TEXT_PATTERN)


SiteIdOrCode = SiteRef | Id
SiteCode = Annotated[
    str, StringConstraints(strip_whitespace=True, pattern=SITE_CODE_PATTERN), AfterValidator(_not_a_number)
]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120, pattern=TEXT_PATTERN)]
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500, pattern=r"^[^\x00]*$")]
MinerId = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_CHARS["miner_id"], pattern=MINER_ID_PATTERN),
    AfterValidator(_not_reserved),
]
ModelName = Annotated[str, _text("model")]
Serial = Annotated[str, _text("serial")]
Firmware = Annotated[str, _text("firmware")]
ZoneCode = Annotated[str, _text("zone")]
RackCode = Annotated[str, _text("rack")]
Position = Annotated[str, _text("position")]
Owner = Annotated[str, _text("owner")]
Mac = Annotated[str, StringConstraints(max_length=40), AfterValidator(_valid_mac)]
Ths = Annotated[float, Field(gt=0, lt=MAX_THS)]
MinerIds = Annotated[list[MinerId], Field(max_length=10_000, fail_fast=True)]  # reports the first invalid id only

"""Fields that several bodies share."""

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from hashinsight.inventory.expectation import MAX_THS
from hashinsight.inventory.filters import Id, SiteRef
from hashinsight.inventory.texts import CODE, ID, MAX_CHARS, RESERVED_IDS, TEXT, plain_mac


def _not_a_number(code: str) -> str:
    if code.isdecimal():
        raise ValueError("a code is not made of digits alone: those are ids")
    return code


def _not_reserved(miner_id: str) -> str:
    if miner_id.lower() in RESERVED_IDS:
        raise ValueError("this word is reserved")
    return miner_id


def _one_form(mac: str) -> str:
    plain = plain_mac(mac)
    if plain is None:
        raise ValueError("no address of 12 hexadecimal digits")
    return plain


def _text(name: str) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_CHARS[name], pattern=TEXT)


Site = SiteRef | Id
SiteCode = Annotated[str, StringConstraints(strip_whitespace=True, pattern=CODE), AfterValidator(_not_a_number)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120, pattern=TEXT)]
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500, pattern=r"^[^\x00]*$")]
MinerId = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_CHARS["miner_id"], pattern=ID),
    AfterValidator(_not_reserved),
]
Model = Annotated[str, _text("model")]
Serial = Annotated[str, _text("serial")]
Firmware = Annotated[str, _text("firmware")]
Zone = Annotated[str, _text("zone")]
Rack = Annotated[str, _text("rack")]
Position = Annotated[str, _text("position")]
Owner = Annotated[str, _text("owner")]
Mac = Annotated[str, StringConstraints(max_length=40), AfterValidator(_one_form)]
Ths = Annotated[float, Field(gt=0, lt=MAX_THS)]
MinerIds = Annotated[list[MinerId], Field(max_length=10_000, fail_fast=True)]  # a wrong one is told, not all of them

"""Which machines a control request means: by id, number or address, by place, and then at most so many."""

from collections.abc import Mapping, Sequence
from typing import Any

from hashinsight.sim.control.errors import BadRequest
from hashinsight.sim.running import Live

PLACES = ("site", "zone", "rack", "switch", "pdu")


def choose(live: Live, given: Mapping[str, Any], *, all_when_none: bool) -> list[int]:
    """Everything that is said must fit. `count` takes the first that do."""
    named = given.get("machine")
    places = {place: given[place] for place in PLACES if given.get(place) is not None}
    if named is None and not places and given.get("count") is None and not all_when_none:
        raise BadRequest("say which machines: machine, site, zone, rack, switch, pdu or count", code="INVALID")
    chosen = list(range(len(live.machines))) if named is None else _named(live, named)
    for place, wanted in places.items():
        names = getattr(live.world.fleet, place)
        chosen = [no for no in chosen if _is(names[no], str(wanted))]
    if not chosen:
        raise BadRequest(f"no machine fits {_told(named, places)}", code="NOT_FOUND")
    if given.get("count") is None:
        return chosen
    if whole(given, "count") < 1:
        raise BadRequest("count is at least 1", code="INVALID")
    return chosen[: whole(given, "count")]


def whole(given: Mapping[str, Any], name: str) -> int:
    value = given.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadRequest(f"{name} is a whole number", code="INVALID")
    return value


def is_number(value: object, *, most: float) -> bool:
    """Above 0 and up to `most`. JSON as Python reads it also has NaN, infinity and numbers of any length."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= most


def _named(live: Live, named: object) -> list[int]:
    wanted = [str(one) for one in named] if isinstance(named, Sequence) and not isinstance(named, str) else [str(named)]
    known: dict[str, int] = {}
    for no, machine in enumerate(live.machines):
        known |= {str(no): no, machine.who.machine_id: no, machine.who.address: no}
    missing = [one for one in wanted if one not in known]
    if missing:
        raise BadRequest(f"there is no machine {missing[0][:60]}", code="NOT_FOUND")
    return list(dict.fromkeys(known[one] for one in wanted))  # named twice is meant once


def _is(name: str, wanted: str) -> bool:
    """The whole name, or its own part of it: `rack-01` is that rack of every zone."""
    return name == wanted or name.rsplit("/", 1)[-1] == wanted


def _told(named: object, places: Mapping[str, Any]) -> str:
    said = ([f"machine {named}"] if named is not None else []) + [f"{place} {name}" for place, name in places.items()]
    return ", ".join(said)[:200]

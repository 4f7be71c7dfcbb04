"""Scenario files: read one strictly, or take one from the library."""

import tomllib
from collections.abc import Collection
from importlib import resources
from pathlib import Path

from hashinsight.sim import events, places
from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.plan import Scenario, ScenarioError
from hashinsight.sim.tables import MOST_DAYS, Table, nearest

PUBLIC_KINDS = tuple(family.kind for family in PUBLIC)
_DAY = 86_400.0


def read_scenario(path: Path, *, kinds: Collection[str] = PUBLIC_KINDS) -> Scenario:
    """The scenario of a file; every mistake is a ScenarioError with one sentence that names key and place."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ScenarioError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{path} is not UTF-8 text") from error
    return parse_scenario(text, path.stem, kinds=kinds)


def parse_scenario(text: str, name: str, *, kinds: Collection[str] = PUBLIC_KINDS) -> Scenario:
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(f"{name} is not TOML: {error}") from error
    top = Table(values, "")
    days = top.number("days", 14.0, low=0.01, high=MOST_DAYS)
    pools = places.read_pools(top)
    sites = places.read_sites(top, pools)
    scenario = Scenario(
        name=top.text("name", name),
        about=top.text("about", name),
        sites=sites,
        days=days,
        seed=top.whole("seed", 1, low=0, high=2**63 - 1),
        rates=events.read_rates(top.table("faults"), kinds) if top.has("faults") else Scenario.rates,
        faults=events.read_faults(top, sites, kinds, days * _DAY),
        causes=events.read_causes(top, sites, {name: pool.url for name, pool in pools.items()}, days * _DAY),
        defects=events.read_defects(top.table("defects")),
    )
    top.finish()
    return scenario


def library() -> dict[str, str]:
    """Every scenario that comes with the program, with its line of description."""
    folder = resources.files(__package__) / "scenarios"
    names = sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))
    return {name: from_library(name).about for name in names}


def from_library(name: str) -> Scenario:
    folder = resources.files(__package__) / "scenarios"
    file = folder / f"{name}.toml"
    if not name.replace("_", "").isalnum() or not file.is_file():
        known = [one.name.removesuffix(".toml") for one in folder.iterdir() if one.name.endswith(".toml")]
        raise ScenarioError(f"the library has no scenario {name!r}{nearest(name, known)}")
    return parse_scenario(file.read_text(encoding="utf-8"), name)


__all__ = ["PUBLIC_KINDS", "Scenario", "ScenarioError", "from_library", "library", "parse_scenario", "read_scenario"]

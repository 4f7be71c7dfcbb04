"""One machine on loopback under a real edge, and orders to it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hashinsight.edge.commands.executor import Outcome
from hashinsight.edge.local_site import LocalSite
from hashinsight.edge.settings import Credential
from hashinsight.wire.commands import TYPES, Command
from tests.edge.makes.unit import Unit
from tests.edge.on_site import on_site, settings, until


def command(verb: str, **params: Any) -> Command:
    now = datetime.now(UTC)
    later = now + timedelta(minutes=5)
    return Command("d1", "1", "m", TYPES[verb], now, later, 300, later, params)


@asynccontextmanager
async def site_of(folder: Path, *units: Unit, credentials: tuple[Credential, ...] = ()) -> AsyncIterator[LocalSite]:
    """Every unit is known and read once; protection is off."""
    ranges = [unit.address for unit in units]
    chosen = settings(folder, ranges, identity="address", interval_sec=3600, credentials=credentials)
    async with on_site(chosen) as (side, _):
        side.executor._seen_sec = 6.0
        await until(lambda: side.counts().online == len(units), "the machines")
        yield side


async def give(side: LocalSite, unit: Unit, verb: str, **params: Any) -> Outcome:
    machine = side.find(unit.address)
    assert machine is not None
    return await side.execute(machine, command(verb, **params))

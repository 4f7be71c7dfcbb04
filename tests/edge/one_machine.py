"""Single machines on loopback under a real collector, and actions on them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hashinsight.edge.commands.outcomes import Outcome
from hashinsight.edge.local_site import LocalSite
from hashinsight.edge.settings import Credential
from hashinsight.wire.commands import TYPES, Command
from tests.edge.makes.unit import Unit
from tests.edge.simulated_site import running_site, site_settings, until


def command(verb: str, **params: Any) -> Command:
    now = datetime.now(UTC)
    later = now + timedelta(minutes=5)
    return Command("d1", "1", "m", TYPES[verb], now, later, 300, later, params)


@asynccontextmanager
async def site_with(folder: Path, *units: Unit, credentials: tuple[Credential, ...] = ()) -> AsyncIterator[LocalSite]:
    """Every unit is known and was read once; protection is off."""
    ranges = [unit.address for unit in units]
    settings = site_settings(folder, ranges, identity="address", interval_sec=3600, credentials=credentials)
    async with running_site(settings) as (local_site, _):
        local_site.executor._confirm_sec = 6.0
        await until(lambda: local_site.counts().online == len(units), "the machines")
        yield local_site


async def run_verb(local_site: LocalSite, unit: Unit, verb: str, **params: Any) -> Outcome:
    machine = local_site.find(unit.address)
    assert machine is not None
    return await local_site.execute(machine, command(verb, **params))

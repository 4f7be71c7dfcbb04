"""Creates the demo's sites, machines and collectors through the regular services."""

import io
from collections.abc import Mapping
from datetime import datetime

import polars as pl
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM
from hashinsight.collectors.queries.registry import list_by_name
from hashinsight.collectors.service import registry, tokens
from hashinsight.identity.caller import system_caller
from hashinsight.identity.queries import accounts, sessions
from hashinsight.inventory.queries.places import list_all_sites
from hashinsight.inventory.queries.tables import Site
from hashinsight.inventory.schemas.places import NewSite
from hashinsight.inventory.service.asset_lists import import_miners
from hashinsight.inventory.service.places import create_site
from hashinsight.sim.fleet import Fleet

PREFIX = "demo-"
_COLLECTOR = "demo collector"


async def is_demo_only(session: AsyncSession) -> bool:
    """Whether the installation has no sites but the demo's: the demo never joins a real fleet."""
    return all(site.code.startswith(PREFIX) for site in await list_all_sites(session))


async def set_up_demo(session: AsyncSession, fleet: Fleet, *, now: datetime) -> dict[str, str]:
    """Returns a token for each site's collector, new at every start: none is stored."""
    tenant = (await accounts.list_tenants(session))[0]
    await sessions.enter_tenant(session, tenant.id)
    caller = system_caller(tenant.id)
    sites = {site.code: site for site in await list_all_sites(session)}
    collector_tokens: dict[str, str] = {}
    for name, lines in asset_lists(fleet).items():
        code = PREFIX + name
        site = sites.get(code) or await create_site(session, caller, NewSite(code=code, name=f"Demo {name}"), now=now)
        await import_miners(session, caller, code, lines, now=now)
        collector_tokens[name] = await _token(session, site, now=now)
    return collector_tokens


def asset_lists(fleet: Fleet) -> Mapping[str, bytes]:
    """The asset list of each site as CSV, as an operator would import it."""
    frame = pl.DataFrame(
        {
            "site": [fleet.site[n] for n in range(fleet.n)],
            "miner_id": list(fleet.machine_id),
            "model": [fleet.models[no].name for no in fleet.model.tolist()],
            "serial": list(fleet.serial),
            "mac": list(fleet.mac),
            "zone": [fleet.zone[n] for n in range(fleet.n)],
            "rack": [fleet.rack[n] for n in range(fleet.n)],
        }
    )
    lists: dict[str, bytes] = {}
    for (name,), part in frame.partition_by("site", as_dict=True).items():
        out = io.BytesIO()
        part.drop("site").write_csv(out)
        lists[str(name)] = out.getvalue()
    return lists


async def _token(session: AsyncSession, site: Site, *, now: datetime) -> str:
    collectors = await list_by_name(session, _COLLECTOR)
    collector = next((collector for collector in collectors if collector.site_id == site.id), None)
    if collector is None:
        new = registry.NewCollector(_COLLECTOR, notes="simulated demo site")
        _, secret = await registry.create(session, SYSTEM, site, new, registry.Credential.TOKEN, now=now)
    else:
        await tokens.revoke(session, SYSTEM, collector, now=now)
        secret = await tokens.issue_token(session, SYSTEM, collector, now=now)
    if secret is None:
        raise RuntimeError("no token was issued for the demo's collector")
    return secret.value

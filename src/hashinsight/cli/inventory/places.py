"""`hashinsight site …` and `hashinsight zone …`."""

from typing import Annotated, Any

import typer

from hashinsight.cli.inventory.acting import (
    PAGE,
    Acting,
    AnySiteOption,
    CodeOption,
    JsonOption,
    NameOption,
    SiteOption,
    TenantOption,
    run_act,
    say,
)

site_app = typer.Typer(help="Sites: create, list.", no_args_is_help=True)
zone_app = typer.Typer(help="Zones of a site: create, list.", no_args_is_help=True)


@site_app.command("create")
def create_site(
    code: CodeOption,
    name: NameOption,
    *,
    tenant: TenantOption = None,
    timezone: Annotated[str, typer.Option("--timezone")] = "UTC",
    json: JsonOption = False,
) -> None:
    """Make a site. Its code is unique in the installation, keeps its case and matches without it."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.schemas.places import NewSite, SiteOut
        from hashinsight.inventory.service.places import create_site as create

        new = NewSite(code=code, name=name, timezone=timezone)
        made = await create(acting.session, acting.caller, new, now=acting.now)
        return SiteOut.model_validate(made).model_dump(mode="json")

    say(run_act(act, tenant), as_json=json)


@site_app.command("list")
def list_sites(*, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """List the sites of a tenant."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.queries.places import list_sites as find
        from hashinsight.inventory.schemas.places import SiteOut

        found = await find(acting.session, acting.caller.seen, limit=PAGE)
        return {"sites": [SiteOut.model_validate(site).model_dump(mode="json") for site in found.rows]}

    say(run_act(act, tenant), as_json=json)


@zone_app.command("create")
def create_zone(
    site: SiteOption,
    code: CodeOption,
    *,
    name: Annotated[str | None, typer.Option("--name")] = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Make a zone in a site."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.schemas.places import NewZone, ZoneOut
        from hashinsight.inventory.service.places import create_zone as create

        new = NewZone(site_id=site, code=code, name=name)
        made = await create(acting.session, acting.caller, new, now=acting.now)
        return ZoneOut.model_validate(made).model_dump(mode="json")

    say(run_act(act, tenant, site), as_json=json)


@zone_app.command("list")
def list_zones(*, site: AnySiteOption = None, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """List the zones of a site, or of all sites of a tenant."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.queries import places
        from hashinsight.inventory.schemas.places import ZoneOut

        scope = acting.caller.seen
        site_id = None if site is None else (await places.get_site(acting.session, scope, site)).id
        found = await places.list_zones(acting.session, scope, site_id, limit=PAGE)
        return {"zones": [ZoneOut.model_validate(zone).model_dump(mode="json") for zone in found.rows]}

    say(run_act(act, tenant, site), as_json=json)

"""`hashinsight site`, `zone`, `rack` and `node`: where machines stand, and what feeds them."""

from typing import Annotated, Any

import typer

from hashinsight.cli.context import (
    AnySiteOption,
    CliContext,
    JsonOption,
    SiteOption,
    TenantOption,
    run,
)
from hashinsight.cli.names import with_site_codes
from hashinsight.cli.output import print_fields, print_list

site_app = typer.Typer(help="Sites: create, list.", no_args_is_help=True)
zone_app = typer.Typer(help="Zones of a site: create, list.", no_args_is_help=True)
rack_app = typer.Typer(help="Racks of a site: create, list.", no_args_is_help=True)
node_app = typer.Typer(help="Nodes of the power and network trees: create, list.", no_args_is_help=True)

CodeOption = Annotated[str, typer.Option("--code", help="Short code; unique, does not change.")]
_PAGE = 1000


@site_app.command("create")
def create_site(
    code: CodeOption,
    name: Annotated[str, typer.Option("--name", help="Display name.")],
    *,
    tenant: TenantOption = None,
    timezone: Annotated[str, typer.Option("--timezone", help="IANA name, such as America/Chicago.")] = "UTC",
    json: JsonOption = False,
) -> None:
    """Create a site. Its code is unique in the installation, ignoring case."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.schemas.places import NewSite, SiteOut
        from hashinsight.inventory.service.places import create_site as create

        new = NewSite(code=code, name=name, timezone=timezone)
        created = await create(context.session, context.caller, new, now=context.now)
        return SiteOut.model_validate(created).model_dump()

    print_fields(run(work, tenant=tenant), as_json=json)


@site_app.command("list")
def list_sites(*, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """List the sites of a tenant."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.queries.places import list_sites as find
        from hashinsight.inventory.schemas.places import SiteOut

        page = await find(context.session, context.caller.seen, limit=_PAGE)
        return {"sites": [SiteOut.model_validate(site).model_dump() for site in page.rows]}

    columns = {"id": "id", "site": "code", "name": "name", "timezone": "timezone"}
    print_list(run(work, tenant=tenant), "sites", columns, as_json=json)


@zone_app.command("create")
def create_zone(
    site: SiteOption,
    code: CodeOption,
    *,
    name: Annotated[str | None, typer.Option("--name", help="Display name.")] = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Create a zone at a site."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.schemas.places import NewZone, ZoneOut
        from hashinsight.inventory.service.places import create_zone as create

        new = NewZone(site_id=site, code=code, name=name)
        created = await create(context.session, context.caller, new, now=context.now)
        return ZoneOut.model_validate(created).model_dump()

    print_fields(run(work, tenant=tenant, site=site), as_json=json)


@zone_app.command("list")
def list_zones(*, site: AnySiteOption = None, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """List the zones of a site, or of all sites of a tenant."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.queries import places
        from hashinsight.inventory.schemas.places import ZoneOut

        scope = context.caller.seen
        page = await places.list_zones(context.session, scope, context.site_id, limit=_PAGE)
        rows = [ZoneOut.model_validate(zone).model_dump() for zone in page.rows]
        return {"zones": await with_site_codes(context.session, rows)}

    columns = {"id": "id", "site": "site_code", "code": "code", "name": "name"}
    print_list(run(work, tenant=tenant, site=site), "zones", columns, as_json=json)


@rack_app.command("create")
def create_rack(
    site: SiteOption,
    code: CodeOption,
    *,
    zone: Annotated[str | None, typer.Option("--zone", help="Zone code; default: directly at the site.")] = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Create a rack in a zone, or directly at the site."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.schemas.places import NewRack, RackOut
        from hashinsight.inventory.service.places import create_rack as create

        new = NewRack(site_id=site, zone=zone, code=code)
        created = await create(context.session, context.caller, new, now=context.now)
        return RackOut.model_validate(created).model_dump()

    print_fields(run(work, tenant=tenant, site=site), as_json=json)


@rack_app.command("list")
def list_racks(*, site: AnySiteOption = None, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """List the racks of a site, or of all sites of a tenant."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.queries import places
        from hashinsight.inventory.schemas.places import RackOut

        scope = context.caller.seen
        page = await places.list_racks(context.session, scope, context.site_id, limit=_PAGE)
        rows = [RackOut.model_validate(rack).model_dump() for rack in page.rows]
        return {"racks": await with_site_codes(context.session, rows)}

    columns = {"id": "id", "site": "site_code", "zone id": "zone_id", "code": "code"}
    print_list(run(work, tenant=tenant, site=site), "racks", columns, as_json=json)


@node_app.command("create")
def create_node(
    site: SiteOption,
    code: CodeOption,
    kind: Annotated[str, typer.Option("--kind", help="transformer, breaker, pdu, router or switch.")],
    *,
    parent: Annotated[int | None, typer.Option("--parent", help="Id of the node above.")] = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Create a node of the power or network tree, below a parent or at the top."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.schemas.places import NewNode, NodeOut
        from hashinsight.inventory.service.places import create_node as create

        new = NewNode.model_validate({"site_id": site, "kind": kind, "code": code, "parent_id": parent})
        created = await create(context.session, context.caller, new, now=context.now)
        return NodeOut.model_validate(created).model_dump()

    print_fields(run(work, tenant=tenant, site=site), as_json=json)


@node_app.command("list")
def list_nodes(*, site: AnySiteOption = None, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """List the nodes of a site, or of all sites of a tenant."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.queries import places
        from hashinsight.inventory.schemas.places import NodeOut

        scope = context.caller.seen
        page = await places.list_nodes(context.session, scope, context.site_id, limit=_PAGE)
        rows = [NodeOut.model_validate(node).model_dump() for node in page.rows]
        return {"nodes": await with_site_codes(context.session, rows)}

    columns = {"id": "id", "site": "site_code", "kind": "kind", "code": "code", "parent id": "parent_id"}
    print_list(run(work, tenant=tenant, site=site), "nodes", columns, as_json=json)

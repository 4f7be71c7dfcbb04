"""`hashinsight rack …` and `hashinsight node …`."""

from typing import Annotated, Any

import typer

from hashinsight.cli.inventory.acting import (
    PAGE,
    Acting,
    AnySiteOption,
    CodeOption,
    JsonOption,
    SiteOption,
    TenantOption,
    run_act,
    say,
)

rack_app = typer.Typer(help="Racks of a site: create, list.", no_args_is_help=True)
node_app = typer.Typer(help="Points of the power and network trees: create, list.", no_args_is_help=True)


@rack_app.command("create")
def create_rack(
    site: SiteOption,
    code: CodeOption,
    *,
    zone: Annotated[str | None, typer.Option("--zone", help="The zone's code; else the site itself.")] = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Make a rack in a zone, or in the site itself."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.schemas.places import NewRack, RackOut
        from hashinsight.inventory.service.places import create_rack as create

        new = NewRack(site_id=site, zone=zone, code=code)
        made = await create(acting.session, acting.caller, new, now=acting.now)
        return RackOut.model_validate(made).model_dump(mode="json")

    say(run_act(act, tenant, site), as_json=json)


@rack_app.command("list")
def list_racks(*, site: AnySiteOption = None, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """List the racks of a site, or of all sites of a tenant."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.queries import places
        from hashinsight.inventory.schemas.places import RackOut

        scope = acting.caller.seen
        site_id = None if site is None else (await places.get_site(acting.session, scope, site)).id
        found = await places.list_racks(acting.session, scope, site_id, limit=PAGE)
        return {"racks": [RackOut.model_validate(rack).model_dump(mode="json") for rack in found.rows]}

    say(run_act(act, tenant, site), as_json=json)


@node_app.command("create")
def create_node(
    site: SiteOption,
    code: CodeOption,
    kind: Annotated[str, typer.Option("--kind", help="transformer, breaker, pdu, router or switch.")],
    *,
    parent: Annotated[int | None, typer.Option("--parent", help="The id of the node above.")] = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Make a point of the power or network tree, below a parent or as a root."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.schemas.places import NewNode, NodeOut
        from hashinsight.inventory.service.places import create_node as create

        new = NewNode.model_validate({"site_id": site, "kind": kind, "code": code, "parent_id": parent})
        made = await create(acting.session, acting.caller, new, now=acting.now)
        return NodeOut.model_validate(made).model_dump(mode="json")

    say(run_act(act, tenant, site), as_json=json)


@node_app.command("list")
def list_nodes(*, site: AnySiteOption = None, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """List the nodes of a site, or of all sites of a tenant."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.queries import places
        from hashinsight.inventory.schemas.places import NodeOut

        scope = acting.caller.seen
        site_id = None if site is None else (await places.get_site(acting.session, scope, site)).id
        found = await places.list_nodes(acting.session, scope, site_id, limit=PAGE)
        return {"nodes": [NodeOut.model_validate(node).model_dump(mode="json") for node in found.rows]}

    say(run_act(act, tenant, site), as_json=json)

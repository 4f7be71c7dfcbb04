"""`hashinsight group …`."""

from typing import Annotated, Any

import typer

from hashinsight.cli.inventory.acting import (
    PAGE,
    Acting,
    AnySiteOption,
    JsonOption,
    NameOption,
    TenantOption,
    run_act,
    say,
)

group_app = typer.Typer(help="Groups of miners: create, list.", no_args_is_help=True)


@group_app.command("create")
def create_group(
    name: NameOption,
    *,
    filter_json: Annotated[str | None, typer.Option("--filter", help='As JSON: {"model": "S21"}')] = None,
    miner: Annotated[list[str] | None, typer.Option("--miner", help="A machine on the list; may be repeated.")] = None,
    site: AnySiteOption = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Make a group of listed machines, or of those that a filter finds."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.filters import MinerFilter
        from hashinsight.inventory.queries.groups import count_members
        from hashinsight.inventory.schemas.groups import GroupShown, NewGroup
        from hashinsight.inventory.service.groups import create_group as create

        chosen = None if filter_json is None else MinerFilter.model_validate_json(filter_json)
        new = NewGroup(name=name, filter=chosen, site_id=site, miner_ids=miner)
        made = await create(acting.session, acting.rights, new, now=acting.now)
        await acting.session.refresh(made)
        counted = await count_members(acting.session, acting.rights.see, [made.id])
        return GroupShown.of(made, counted.get(made.id, 0)).model_dump(mode="json")

    say(run_act(act, tenant, site), as_json=json)


@group_app.command("list")
def list_groups(*, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """List the groups of a tenant."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.queries import groups
        from hashinsight.inventory.schemas.groups import GroupShown

        scope = acting.rights.see
        found = (await groups.list_groups(acting.session, scope, limit=PAGE)).rows
        counted = await groups.count_members(acting.session, scope, [group.id for group in found])
        return {"groups": [GroupShown.of(one, counted.get(one.id, 0)).model_dump(mode="json") for one in found]}

    say(run_act(act, tenant), as_json=json)

"""`hashinsight group …`: groups of machines, listed or by filter."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.context import (
    AnySiteOption,
    CliContext,
    JsonOption,
    TenantOption,
    run,
)
from hashinsight.cli.output import print_fields, print_list

if TYPE_CHECKING:
    from hashinsight.inventory.filters import MinerFilter
    from hashinsight.inventory.queries.tables import Group

group_app = typer.Typer(help="Groups of miners: create, list, show, change, refresh, delete.", no_args_is_help=True)

FilterOption = Annotated[str | None, typer.Option("--filter", help='Filter as JSON: {"model": "S21"}')]
MinersOption = Annotated[list[str] | None, typer.Option("--miner", help="Machine id; repeat for more.")]
_PAGE = 1000
GroupArgument = Annotated[int, typer.Argument(metavar="GROUP_ID", min=1, max=2**31 - 1)]


@group_app.command("create")
def create_group(
    name: Annotated[str, typer.Option("--name", help="Display name.")],
    *,
    filter_json: FilterOption = None,
    miner: MinersOption = None,
    site: AnySiteOption = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Create a group from a list of machines or from a filter."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.schemas.groups import NewGroup
        from hashinsight.inventory.service.groups import create_group as create

        new = NewGroup(name=name, filter=parse_filter(filter_json), site_id=site, miner_ids=miner)
        return await _shown(context, await create(context.session, context.caller, new, now=context.now))

    print_fields(run(work, tenant=tenant, site=site), as_json=json)


@group_app.command("list")
def list_groups(*, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """List the groups of a tenant."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.queries import groups
        from hashinsight.inventory.schemas.groups import GroupOut

        scope = context.caller.seen
        page = await groups.list_groups(context.session, scope, limit=_PAGE)
        counts = await groups.count_members(context.session, scope, [group.id for group in page.rows])
        rows = [GroupOut.of(group, counts.get(group.id, 0), is_whole=True) for group in page.rows]
        return {"groups": [row.model_dump() for row in rows]}

    columns = {"id": "id", "name": "name", "kind": "kind", "machines": "members", "filter": "filter"}
    print_list(run(work, tenant=tenant), "groups", columns, as_json=json)


@group_app.command("show")
def show_group(group_id: GroupArgument, *, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """Show one group. `miner list --group` lists its machines."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.queries.groups import get_group

        return await _shown(context, await get_group(context.session, context.caller.seen, group_id))

    print_fields(run(work, tenant=tenant), as_json=json)


@group_app.command("change")
def change_group(
    group_id: GroupArgument,
    *,
    name: Annotated[str | None, typer.Option("--name", help="New name.")] = None,
    filter_json: FilterOption = None,
    add: Annotated[list[str] | None, typer.Option("--add", help="Machine id; repeat for more.")] = None,
    remove: Annotated[list[str] | None, typer.Option("--remove", help="Machine id; repeat for more.")] = None,
    site: AnySiteOption = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Rename a group, change its filter, or add and remove machines."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.schemas.groups import GroupChange
        from hashinsight.inventory.service.groups import change_group as write

        change = GroupChange(name=name, filter=parse_filter(filter_json), site_id=site, add=add, remove=remove)
        return await _shown(context, await write(context.session, context.caller, group_id, change, now=context.now))

    print_fields(run(work, tenant=tenant, site=site), as_json=json)


@group_app.command("refresh")
def refresh_group(group_id: GroupArgument, *, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """Update the members of a filter group to what its filter matches now.

    Groups refresh automatically, except those with grants over them: these wait for this command.
    """

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.service.groups import refresh_group as refresh

        return await _shown(context, await refresh(context.session, context.caller, group_id, now=context.now))

    print_fields(run(work, tenant=tenant), as_json=json)


@group_app.command("delete")
def delete_group(group_id: GroupArgument, *, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """Delete a group; its machines stay. Not possible while a grant refers to it."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.service.groups import delete_group as delete

        await delete(context.session, context.caller, group_id, now=context.now)
        return {"id": group_id, "deleted": True}

    print_fields(run(work, tenant=tenant), as_json=json)


async def _shown(context: CliContext, group: "Group") -> dict[str, Any]:
    from hashinsight.inventory.queries.groups import count_members
    from hashinsight.inventory.schemas.groups import GroupOut

    await context.session.refresh(group)
    counts = await count_members(context.session, context.caller.seen, [group.id])
    return GroupOut.of(group, counts.get(group.id, 0), is_whole=True).model_dump()


def parse_filter(filter_json: str | None) -> "MinerFilter | None":
    from hashinsight.inventory.filters import MinerFilter

    return None if filter_json is None else MinerFilter.model_validate_json(filter_json)

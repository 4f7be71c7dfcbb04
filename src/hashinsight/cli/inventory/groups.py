"""`hashinsight group …`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.inventory.acting import (
    PAGE,
    Acting,
    AnySiteOption,
    FilterOption,
    JsonOption,
    MinersOption,
    NameOption,
    TenantOption,
    run_act,
    say,
)

if TYPE_CHECKING:
    from hashinsight.inventory.queries.tables import Group

group_app = typer.Typer(help="Groups of miners: create, list, show, change, refresh, delete.", no_args_is_help=True)

GroupArgument = Annotated[int, typer.Argument(metavar="GROUP_ID", min=1, max=2**31 - 1)]


@group_app.command("create")
def create_group(
    name: NameOption,
    *,
    filter_json: FilterOption = None,
    miner: MinersOption = None,
    site: AnySiteOption = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Make a group of listed machines, or of those that a filter finds."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.filters import MinerFilter
        from hashinsight.inventory.schemas.groups import NewGroup
        from hashinsight.inventory.service.groups import create_group as create

        chosen = None if filter_json is None else MinerFilter.model_validate_json(filter_json)
        new = NewGroup(name=name, filter=chosen, site_id=site, miner_ids=miner)
        return await _shown(acting, await create(acting.session, acting.caller, new, now=acting.now))

    say(run_act(act, tenant, site), as_json=json)


@group_app.command("list")
def list_groups(*, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """List the groups of a tenant."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.queries import groups
        from hashinsight.inventory.schemas.groups import GroupOut

        scope = acting.caller.seen
        found = (await groups.list_groups(acting.session, scope, limit=PAGE)).rows
        counted = await groups.count_members(acting.session, scope, [group.id for group in found])
        rows = [GroupOut.of(one, counted.get(one.id, 0), is_whole=True) for one in found]
        return {"groups": [row.model_dump(mode="json") for row in rows]}

    say(run_act(act, tenant), as_json=json)


@group_app.command("show")
def show_group(group_id: GroupArgument, *, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """Show one group; `miner list --group` lists its machines."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.queries.groups import get_group

        return await _shown(acting, await get_group(acting.session, acting.caller.seen, group_id))

    say(run_act(act, tenant), as_json=json)


@group_app.command("change")
def change_group(
    group_id: GroupArgument,
    *,
    name: Annotated[str | None, typer.Option("--name")] = None,
    filter_json: FilterOption = None,
    add: Annotated[list[str] | None, typer.Option("--add", help="A machine's id; may be repeated.")] = None,
    remove: Annotated[list[str] | None, typer.Option("--remove", help="A machine's id; may be repeated.")] = None,
    site: AnySiteOption = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Change a group's name, its filter, or the machines on its list."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.filters import MinerFilter
        from hashinsight.inventory.schemas.groups import GroupChange
        from hashinsight.inventory.service.groups import change_group as write

        chosen = None if filter_json is None else MinerFilter.model_validate_json(filter_json)
        change = GroupChange(name=name, filter=chosen, site_id=site, add=add, remove=remove)
        return await _shown(acting, await write(acting.session, acting.caller, group_id, change, now=acting.now))

    say(run_act(act, tenant, site), as_json=json)


@group_app.command("refresh")
def refresh_group(group_id: GroupArgument, *, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """Make the members of a filter group what its filter finds now.

    Other groups follow by themselves; one that somebody's rights rest on waits for this.
    """

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.service.groups import refresh_group as refresh

        return await _shown(acting, await refresh(acting.session, acting.caller, group_id, now=acting.now))

    say(run_act(act, tenant), as_json=json)


@group_app.command("delete")
def delete_group(group_id: GroupArgument, *, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """Delete a group; refused while somebody's rights rest on it. Its machines stay."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.service.groups import delete_group as delete

        await delete(acting.session, acting.caller, group_id, now=acting.now)
        return {"id": group_id, "deleted": True}

    say(run_act(act, tenant), as_json=json)


async def _shown(acting: Acting, group: "Group") -> dict[str, Any]:
    from hashinsight.inventory.queries.groups import count_members
    from hashinsight.inventory.schemas.groups import GroupOut

    await acting.session.refresh(group)
    counted = await count_members(acting.session, acting.caller.seen, [group.id])
    return GroupOut.of(group, counted.get(group.id, 0), is_whole=True).model_dump(mode="json")

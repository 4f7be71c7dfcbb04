"""`hashinsight maintenance …`: machines under maintenance raise no offline problems."""

from typing import Annotated, Any

import typer

from hashinsight.cli.context import (
    AnySiteOption,
    CliContext,
    JsonOption,
    LimitOption,
    ReasonOption,
    TenantOption,
    run,
)
from hashinsight.cli.inventory.groups import FilterOption, MinersOption, parse_filter
from hashinsight.cli.output import print_fields, print_list

maintenance_app = typer.Typer(help="Maintenance of machines: start, end, list.", no_args_is_help=True)


@maintenance_app.command("start")
def start_maintenance(
    reason: ReasonOption,
    *,
    miner: MinersOption = None,
    filter_json: FilterOption = None,
    site: AnySiteOption = None,
    begin: Annotated[
        str | None, typer.Option("--from", help="Start, such as 2026-03-01T12:00:00Z; default: now.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", help="End, such as 2026-03-01T18:00:00Z; default: until ended.")
    ] = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Put machines under maintenance: until it ends, being down is expected and raises no problem."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.schemas.miners import SetMaintenance
        from hashinsight.inventory.service.expected_states import set_maintenance

        selection = _selection(reason, miner, filter_json, site)
        body = SetMaintenance.model_validate(selection | {"from_at": begin, "until_at": until})
        return {"machines": len(await set_maintenance(context.session, context.caller, body, now=context.now))}

    print_fields(run(work, tenant=tenant, site=site), as_json=json)


@maintenance_app.command("end")
def end_maintenance(
    reason: ReasonOption,
    *,
    miner: MinersOption = None,
    filter_json: FilterOption = None,
    site: AnySiteOption = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """End maintenance of machines now and cancel what is planned for them."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.schemas.miners import EndMaintenance
        from hashinsight.inventory.service.expected_states import end_maintenance as end

        body = EndMaintenance.model_validate(_selection(reason, miner, filter_json, site))
        return {"machines": len(await end(context.session, context.caller, body, now=context.now))}

    print_fields(run(work, tenant=tenant, site=site), as_json=json)


@maintenance_app.command("list")
def list_maintenance(
    *, site: AnySiteOption = None, limit: LimitOption = 100, tenant: TenantOption = None, json: JsonOption = False
) -> None:
    """List current and planned maintenance, including suppressions, oldest first."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.queries import maintenance

        rows = await maintenance.list_maintenance(
            context.session, context.caller.seen, site_id=context.site_id, now=context.now, limit=limit + 1
        )
        return {"maintenance": [dict(row) for row in rows[:limit]], "more": len(rows) > limit}

    columns = {
        "site": "site",
        "kind": "kind",
        "miner": "miner_id",
        "zone": "zone",
        "group": "group",
        "from (UTC)": "from_at",
        "until (UTC)": "until_at",
        "cause": "cause",
    }
    print_list(run(work, tenant=tenant, site=site), "maintenance", columns, as_json=json)


def _selection(reason: str, miner: list[str] | None, filter_json: str | None, site: str | None) -> dict[str, Any]:
    return {"reason": reason, "miner_ids": miner or None, "filter": parse_filter(filter_json), "site_id": site}

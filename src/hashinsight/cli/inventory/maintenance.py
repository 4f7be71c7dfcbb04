"""`hashinsight maintenance …`."""

from typing import Annotated, Any

import typer

from hashinsight.cli.inventory.acting import (
    Acting,
    AnySiteOption,
    FilterOption,
    JsonOption,
    LimitOption,
    MinersOption,
    ReasonOption,
    TenantOption,
    run_act,
    say,
)

maintenance_app = typer.Typer(help="Machines that are worked on: start, end, list.", no_args_is_help=True)


@maintenance_app.command("start")
def start_maintenance(
    reason: ReasonOption,
    *,
    miner: MinersOption = None,
    filter_json: FilterOption = None,
    site: AnySiteOption = None,
    begin: Annotated[str | None, typer.Option("--from", help="As 2026-03-01T12:00:00Z; else now.")] = None,
    until: Annotated[
        str | None, typer.Option("--until", help="As 2026-03-01T18:00:00Z; else until it is ended.")
    ] = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Say that machines are worked on: meanwhile they are not offline, but expected to stand still."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.schemas.miners import SetMaintenance
        from hashinsight.inventory.service.expected_states import set_maintenance

        chosen = _chosen(reason, miner, filter_json, site)
        asked = SetMaintenance.model_validate(chosen | {"from_at": begin, "until_at": until})
        return {"machines": len(await set_maintenance(acting.session, acting.caller, asked, now=acting.now))}

    say(run_act(act, tenant, site), as_json=json)


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
    """End the maintenance of machines now, and take back what was planned."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.schemas.miners import EndMaintenance
        from hashinsight.inventory.service.expected_states import end_maintenance as end

        asked = EndMaintenance.model_validate(_chosen(reason, miner, filter_json, site))
        return {"machines": len(await end(acting.session, acting.caller, asked, now=acting.now))}

    say(run_act(act, tenant, site), as_json=json)


@maintenance_app.command("list")
def list_maintenance(
    *, site: AnySiteOption = None, limit: LimitOption = 100, tenant: TenantOption = None, json: JsonOption = False
) -> None:
    """List the maintenance that runs or is planned, also by suppressions, the oldest first."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.queries import maintenance, places

        scope = acting.caller.seen
        site_id = None if site is None else (await places.get_site(acting.session, scope, site)).id
        rows = await maintenance.list_maintenance(
            acting.session, scope, site_id=site_id, now=acting.now, limit=limit + 1
        )
        shown = [{name: _plain(value) for name, value in row.items()} for row in rows[:limit]]
        return {"maintenance": shown, "more": len(rows) > limit}

    say(run_act(act, tenant, site), as_json=json)


def _chosen(reason: str, miner: list[str] | None, filter_json: str | None, site: str | None) -> dict[str, Any]:
    from hashinsight.inventory.filters import MinerFilter

    chosen = None if filter_json is None else MinerFilter.model_validate_json(filter_json)
    return {"reason": reason, "miner_ids": miner or None, "filter": chosen, "site_id": site}


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value if value is None else str(value)

"""`hashinsight miner …`: list, create, show, change and retire machines."""

from typing import Annotated, Any

import typer

from hashinsight.cli.context import (
    AnySiteOption,
    CliContext,
    JsonOption,
    LimitOption,
    ReasonOption,
    SiteOption,
    TenantOption,
    run,
)
from hashinsight.cli.inventory.asset_lists import export_miners, import_miners
from hashinsight.cli.output import print_fields, print_list
from hashinsight.kit.errors import OperatorError

miner_app = typer.Typer(
    help="Miners: import and export lists; create, show, change, retire; history.", no_args_is_help=True
)


_FIELDS = (
    "serial, mac, model, firmware, cooling, zone, rack, position, owner, expected_ths, power_node_id, network_node_id"
)

MinerArgument = Annotated[str, typer.Argument(metavar="MINER_ID")]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="FIELD=VALUE", help=f"{_FIELDS}; repeat for more.")
]
_COLUMNS = {
    "miner": "miner_id",
    "site": "site",
    "model": "model",
    "zone": "zone",
    "rack": "rack",
    "position": "position",
    "owner": "owner",
    "rated TH/s": "expected_ths",
    "state": "state",
}


miner_app.command("import")(import_miners)
miner_app.command("export")(export_miners)


@miner_app.command("list")
def list_miners(
    *,
    site: AnySiteOption = None,
    model: Annotated[str | None, typer.Option("--model", help="Only this model.")] = None,
    group: Annotated[int | None, typer.Option("--group", help="Only this group, by id.")] = None,
    text: Annotated[str | None, typer.Option("--text", help="Prefix of an id, serial or MAC.")] = None,
    limit: LimitOption = 100,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """List machines in service, by id."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.filters import MinerFilter
        from hashinsight.inventory.queries.miners import list_miners as find
        from hashinsight.inventory.schemas.miners import MinerOut

        filters = MinerFilter(site_id=site, model=model, group_id=group, text=text)
        page = await find(context.session, context.caller.seen, filters, limit=limit)
        miners = [MinerOut.of(row).model_dump() for row in page.rows]
        return {"miners": miners, "more": page.next_cursor is not None}

    print_list(run(work, tenant=tenant, site=site), "miners", _COLUMNS, as_json=json)


@miner_app.command("create")
def create_miner(
    miner_id: MinerArgument,
    site: SiteOption,
    *,
    given: SetOption = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Create one machine. Its zone and rack must exist; an import creates them."""
    fields = _pairs(given)

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.schemas.miners import MinerOut, NewMiner
        from hashinsight.inventory.service.miners import create_miner as create

        new = NewMiner.model_validate(fields | {"site_id": site, "miner_id": miner_id})
        created = await create(context.session, context.caller, new, now=context.now)
        return MinerOut.of(created).model_dump()

    print_fields(run(work, tenant=tenant, site=site), as_json=json)


@miner_app.command("show")
def show_miner(
    miner_id: MinerArgument, *, site: AnySiteOption = None, tenant: TenantOption = None, json: JsonOption = False
) -> None:
    """Show one machine, and whether it is expected to be down."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.queries.expected_now import find_expected
        from hashinsight.inventory.queries.miners import get_miner
        from hashinsight.inventory.schemas.miners import MinerDetail

        located = await get_miner(context.session, context.caller.seen, miner_id, site)
        expected = await find_expected(context.session, located.miner.miner_no, as_of=context.now)
        shown = MinerDetail.of(located, expected).model_dump()
        return shown if json else {**shown["miner"], "expected": shown["expected"]}

    print_fields(run(work, tenant=tenant, site=site), as_json=json)


@miner_app.command("change")
def change_miner(
    miner_id: MinerArgument,
    *,
    given: SetOption = None,
    clear: Annotated[list[str] | None, typer.Option("--clear", metavar="FIELD", help="Clear this field.")] = None,
    site: AnySiteOption = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Change one machine: `--set miner_id=` renames, `--set site_id=` moves, `--set state=in_service` reinstates it.

    Its history stays with it.
    """
    fields: dict[str, str | None] = {**_pairs(given), **dict.fromkeys(clear or [])}

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.schemas.miners import MinerOut, MinerUpdate
        from hashinsight.inventory.service.miners import change_miner as write

        change = MinerUpdate.model_validate(fields)
        changed = await write(context.session, context.caller, miner_id, change, site=site, now=context.now)
        return MinerOut.of(changed).model_dump()

    print_fields(run(work, tenant=tenant, site=site), as_json=json)


@miner_app.command("retire")
def retire_miner(
    miner_id: MinerArgument,
    reason: ReasonOption,
    *,
    site: AnySiteOption = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Take a machine out of service. Its record stays; its id and serial cannot be reused."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.schemas.miners import MinerOut, RetireBody
        from hashinsight.inventory.service.miners import retire_miner as retire

        why = RetireBody(reason=reason).reason
        retired = await retire(context.session, context.caller, miner_id, site=site, reason=why, now=context.now)
        return MinerOut.of(retired).model_dump()

    print_fields(run(work, tenant=tenant, site=site), as_json=json)


@miner_app.command("history")
def list_history(
    miner_id: MinerArgument,
    *,
    site: AnySiteOption = None,
    limit: LimitOption = 100,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """List the changes of a machine, newest first."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.inventory.queries import miners
        from hashinsight.inventory.schemas.miners import MinerChangeOut

        scope = context.caller.seen
        number = (await miners.get_miner(context.session, scope, miner_id, site)).miner.miner_no
        page = await miners.list_changes(context.session, scope, number, limit=limit)
        changes = [MinerChangeOut.model_validate(row).model_dump() for row in page.rows]
        return {"miner_no": number, "changes": changes, "more": page.next_cursor is not None}

    columns = {"time (UTC)": "at", "field": "field", "old": "old", "new": "new", "cause": "cause"}
    print_list(run(work, tenant=tenant, site=site), "changes", columns, as_json=json)


def _pairs(given: list[str] | None) -> dict[str, str]:
    pairs = [text.partition("=") for text in given or []]
    for name, equals, _ in pairs:
        if not equals:
            raise OperatorError(f"{name} has no value: write --set {name}=VALUE.")
    return {name.strip(): value for name, _, value in pairs}

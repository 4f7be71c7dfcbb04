"""`hashinsight miner create | show | change | retire | history`: one machine at a time."""

from typing import Annotated, Any

import typer

from hashinsight.cli.inventory.acting import (
    Acting,
    AnySiteOption,
    JsonOption,
    LimitOption,
    ReasonOption,
    SiteOption,
    TenantOption,
    run_act,
    say,
)
from hashinsight.cli.inventory.miners import miner_app
from hashinsight.kit.errors import OperatorError

__all__ = ["miner_app"]

_FIELDS = (
    "serial, mac, model, firmware, cooling, zone, rack, position, owner, expected_ths, power_node_id, network_node_id"
)

MinerArgument = Annotated[str, typer.Argument(metavar="MINER_ID")]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="FIELD=VALUE", help=f"{_FIELDS}; may be repeated.")
]


@miner_app.command("create")
def create_miner(
    miner_id: MinerArgument,
    site: SiteOption,
    *,
    given: SetOption = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Make one machine. Its zone and rack must exist; an import makes them."""
    fields = _pairs(given)

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.schemas.miners import MinerOut, NewMiner
        from hashinsight.inventory.service.miners import create_miner as create

        new = NewMiner.model_validate(fields | {"site_id": site, "miner_id": miner_id})
        made = await create(acting.session, acting.caller, new, now=acting.now)
        return MinerOut.of(made).model_dump(mode="json")

    say(run_act(act, tenant, site), as_json=json)


@miner_app.command("show")
def show_miner(
    miner_id: MinerArgument, *, site: AnySiteOption = None, tenant: TenantOption = None, json: JsonOption = False
) -> None:
    """Show one machine, and what it is expected to be now."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.queries.expected_now import find_expected
        from hashinsight.inventory.queries.miners import get_miner
        from hashinsight.inventory.schemas.miners import MinerDetail

        found = await get_miner(acting.session, acting.caller.seen, miner_id, site)
        expected = await find_expected(acting.session, found.miner.miner_no, as_of=acting.now)
        shown = MinerDetail.of(found, expected).model_dump(mode="json")
        return shown if json else {**shown["miner"], "expected": shown["expected"]}

    say(run_act(act, tenant, site), as_json=json)


@miner_app.command("change")
def change_miner(
    miner_id: MinerArgument,
    *,
    given: SetOption = None,
    clear: Annotated[list[str] | None, typer.Option("--clear", metavar="FIELD", help="Empty this field.")] = None,
    site: AnySiteOption = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Change one machine: `--set miner_id=` renames it, `--set site_id=` moves it, `--set state=in_service` revives it.

    It keeps its number and its history.
    """
    fields: dict[str, str | None] = {**_pairs(given), **dict.fromkeys(clear or [])}

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.schemas.miners import MinerOut, MinerUpdate
        from hashinsight.inventory.service.miners import change_miner as write

        change = MinerUpdate.model_validate(fields)
        changed = await write(acting.session, acting.caller, miner_id, change, site=site, now=acting.now)
        return MinerOut.of(changed).model_dump(mode="json")

    say(run_act(act, tenant, site), as_json=json)


@miner_app.command("retire")
def retire_miner(
    miner_id: MinerArgument,
    reason: ReasonOption,
    *,
    site: AnySiteOption = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Take a machine out of service. Its record stays, its id and serial stay taken."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.schemas.miners import MinerOut, RetireBody
        from hashinsight.inventory.service.miners import retire_miner as retire

        why = RetireBody(reason=reason).reason
        retired = await retire(acting.session, acting.caller, miner_id, site=site, reason=why, now=acting.now)
        return MinerOut.of(retired).model_dump(mode="json")

    say(run_act(act, tenant, site), as_json=json)


@miner_app.command("history")
def list_history(
    miner_id: MinerArgument,
    *,
    site: AnySiteOption = None,
    limit: LimitOption = 100,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Show what a machine was before, newest first."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.queries import miners
        from hashinsight.inventory.schemas.miners import MinerChangeOut

        scope = acting.caller.seen
        number = (await miners.get_miner(acting.session, scope, miner_id, site)).miner.miner_no
        found = await miners.list_changes(acting.session, scope, number, limit=limit)
        changes = [MinerChangeOut.model_validate(row).model_dump(mode="json") for row in found.rows]
        return {"miner_no": number, "changes": changes, "more": found.next_cursor is not None}

    say(run_act(act, tenant, site), as_json=json)


def _pairs(given: list[str] | None) -> dict[str, str]:
    pairs = [one.partition("=") for one in given or []]
    for name, equals, _ in pairs:
        if not equals:
            raise OperatorError(f"{name} has no value: write --set {name}=VALUE.")
    return {name.strip(): value for name, _, value in pairs}

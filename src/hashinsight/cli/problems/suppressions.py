"""`hashinsight problem suppress | unsuppress`."""

from typing import Annotated, Any

import typer

from hashinsight.cli.context import Context, JsonOption, ReasonOption, SiteOption, TenantOption, run
from hashinsight.cli.output import print_result, show_time

_MINER = Annotated[str | None, typer.Option("--miner", help="Only this machine.")]
_ZONE = Annotated[str | None, typer.Option("--zone", help="Only this zone, by code.")]


def suppress(
    site: SiteOption,
    reason: ReasonOption,
    *,
    miner: _MINER = None,
    zone: _ZONE = None,
    until: Annotated[
        str | None, typer.Option("--until", help="End, such as 2026-03-01T18:00:00Z; default: until lifted.")
    ] = None,
    maintenance: Annotated[bool, typer.Option("--maintenance", help="Also mark as under maintenance.")] = False,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Suppress new problems on a machine, in a zone or, without either, at the whole site."""

    async def work(context: Context) -> dict[str, Any]:
        from pydantic import AwareDatetime, TypeAdapter

        from hashinsight.problems.service.suppressions import SuppressionRequest, get_target
        from hashinsight.problems.service.suppressions import suppress as suppress_target

        until_at = TypeAdapter(AwareDatetime | None).validate_python(until)
        session, caller = context.session, context.caller
        kind = "miner" if miner else "zone" if zone else "site"
        target = await get_target(session, caller, kind, context.site_id, miner_id=miner, zone=zone)
        request = SuppressionRequest(reason, until_at, maintenance=maintenance)
        (row,) = await suppress_target(session, caller, target, request, now=context.now)
        return row

    row = run(work, tenant=tenant, site=site)
    until_text = f"until {show_time(row['until_at'])} UTC" if row["until_at"] else "until lifted"
    print_result(row, f"{row['miner_id'] or row['zone'] or row['site']}: suppressed {until_text}", as_json=json)


def unsuppress(
    site: SiteOption,
    miner: Annotated[str, typer.Option("--miner", help="This machine.")],
    *,
    reason: Annotated[str | None, typer.Option("--reason", help="Why; stored in the audit log.")] = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Lift the suppressions of a machine. Those of its zone, groups and site stay."""

    async def work(context: Context) -> dict[str, Any]:
        from hashinsight.problems.service.suppressions import unsuppress_miner

        lifted, remaining = await unsuppress_miner(
            context.session, context.caller, miner, context.site_id, reason=reason, now=context.now
        )
        return {"miner_id": miner, "lifted": lifted, "still_by": sorted({row["kind"] for row in remaining})}

    answer = run(work, tenant=tenant, site=site)
    still = f"; still suppressed by its {', '.join(answer['still_by'])}" if answer["still_by"] else ""
    print_result(answer, f"{miner}: {answer['lifted']} lifted{still}", as_json=json)

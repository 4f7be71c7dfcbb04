"""`hashinsight problem suppress | unsuppress`."""

from typing import Annotated, Any

import typer

from hashinsight.cli.acting import say, shell_user
from hashinsight.cli.commands.acting import Acting, JsonOption, ReasonOption, TenantOption, run, short

_SITE = Annotated[str, typer.Option("--site", help="The site's code or integer id.")]
_MINER = Annotated[str | None, typer.Option("--miner", help="This machine.")]
_ZONE = Annotated[str | None, typer.Option("--zone", help="Everything in this zone.")]


def suppress(
    site: _SITE,
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

    async def work(acting: Acting) -> dict[str, Any]:
        from pydantic import AwareDatetime, TypeAdapter

        from hashinsight.problems.caller import system_caller
        from hashinsight.problems.service.suppressions import SuppressionRequest, get_target
        from hashinsight.problems.service.suppressions import suppress as suppress_all

        ends = TypeAdapter(AwareDatetime | None).validate_python(until)
        asker = system_caller(acting.asker.tenant_id, shell_user())
        kind = "miner" if miner else "zone" if zone else "site"
        target = await get_target(acting.session, asker, kind, acting.site_id, miner_id=miner, zone=zone)
        wish = SuppressionRequest(reason, ends, maintenance=maintenance)
        (made,) = await suppress_all(acting.session, asker, target, wish, now=acting.now)
        return made

    made = run(work, tenant=tenant, site=site)
    named = made["miner_id"] or made["zone"] or made["site"]
    say(made, f"{named}: suppressed until {short(made['until_at']) or 'lifted'}", as_json=json)


def unsuppress(
    site: _SITE,
    miner: Annotated[str, typer.Option("--miner", help="This machine.")],
    *,
    reason: Annotated[str | None, typer.Option("--reason", help="Why, for the record.")] = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Lift the suppressions of a machine."""

    async def work(acting: Acting) -> dict[str, Any]:
        from hashinsight.problems.caller import system_caller
        from hashinsight.problems.service.suppressions import unsuppress_miner

        asker = system_caller(acting.asker.tenant_id, shell_user())
        lifted, left = await unsuppress_miner(
            acting.session, asker, miner, acting.site_id, reason=reason, now=acting.now
        )
        return {"miner_id": miner, "lifted": lifted, "still_by": sorted({one["kind"] for one in left})}

    told = run(work, tenant=tenant, site=site)
    still = f"; still suppressed by its {', '.join(told['still_by'])}" if told["still_by"] else ""
    say(told, f"{miner}: {told['lifted']} lifted{still}", as_json=json)

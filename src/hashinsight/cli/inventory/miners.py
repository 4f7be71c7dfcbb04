"""`hashinsight miner …`."""

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, TextColumn

from hashinsight.cli.inventory.acting import (
    Acting,
    AnySiteOption,
    JsonOption,
    LimitOption,
    SiteOption,
    TenantOption,
    run_act,
    say,
)
from hashinsight.kit.errors import OperatorError

miner_app = typer.Typer(
    help="Miners: import, export, list; create, show, change, retire, history.", no_args_is_help=True
)


@miner_app.command("import")
def import_miners(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, readable=True, metavar="FILE.csv")],
    site: SiteOption,
    *,
    all_or_nothing: Annotated[bool, typer.Option("--all-or-nothing", help="A refused line refuses the list.")] = False,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Load an asset list: the header miner_id,model,serial,mac,zone,rack,position,owner,expected_ths, in any order."""
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"importing {file.name}", total=None)

        async def act(acting: Acting) -> dict[str, Any]:
            from hashinsight.inventory.service.asset_lists import import_miners as load

            report = await load(
                acting.session,
                acting.caller,
                site,
                file.read_bytes(),
                all_or_nothing=all_or_nothing,
                now=acting.now,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )
            return report.model_dump(mode="json")

        report = run_act(act, tenant, site)
    say(report, as_json=json)


@miner_app.command("export")
def export_miners(
    site: SiteOption,
    *,
    out: Annotated[Path | None, typer.Option("--out", help="Write here instead of standard output.")] = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Write the machines of a site as the list that an import takes."""
    if json and out is None:
        raise OperatorError("with --json, say by --out where the list goes.")

    with (
        Progress(TextColumn("{task.description}: {task.completed} machines"), console=Console(stderr=True)) as bar,
        out.open("w", encoding="utf-8", newline="") if out else nullcontext(sys.stdout) as file,
    ):
        task = bar.add_task(f"exporting {site}", total=None)

        async def act(acting: Acting) -> dict[str, Any]:
            from hashinsight.inventory.service.asset_lists import HEADER, begin_export, export_part

            scope = acting.caller.seen
            found = await begin_export(acting.session, scope, site, now=acting.now)
            part, after, machines = HEADER, "", 0
            while part:
                file.write(part)
                part, after = await export_part(acting.session, scope, found.id, after)
                machines += part.count("\r\n")
                bar.update(task, completed=machines)
            return {"site": found.code, "file": str(out) if out else None, "machines": machines}

        answer = run_act(act, tenant, site)
    if out is not None:
        say(answer, as_json=json)


@miner_app.command("list")
def list_miners(
    *,
    site: AnySiteOption = None,
    model: Annotated[str | None, typer.Option("--model")] = None,
    group: Annotated[int | None, typer.Option("--group", help="The id of a group.")] = None,
    text: Annotated[str | None, typer.Option("--text", help="How an id, serial or MAC begins.")] = None,
    limit: LimitOption = 100,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """List machines in service, by id."""

    async def act(acting: Acting) -> dict[str, Any]:
        from hashinsight.inventory.filters import MinerFilter
        from hashinsight.inventory.queries.miners import list_miners as find
        from hashinsight.inventory.schemas.miners import MinerOut

        chosen = MinerFilter(site_id=site, model=model, group_id=group, text=text)
        found = await find(acting.session, acting.caller.seen, chosen, limit=limit)
        miners = [MinerOut.of(one).model_dump(mode="json") for one in found.rows]
        return {"miners": miners, "more": found.next_cursor is not None}

    say(run_act(act, tenant, site), as_json=json)

"""`hashinsight miner import | export`: asset lists as CSV."""

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, TextColumn

from hashinsight.cli.context import CliContext, JsonOption, SiteOption, TenantOption, run
from hashinsight.cli.output import print_fields
from hashinsight.kit.errors import OperatorError


def import_miners(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, readable=True, metavar="FILE.csv")],
    site: SiteOption,
    *,
    all_or_nothing: Annotated[
        bool, typer.Option("--all-or-nothing", help="Reject the whole list if any line is rejected.")
    ] = False,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Import an asset list. Columns, in any order: miner_id,model,serial,mac,zone,rack,position,owner,expected_ths."""
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"importing {file.name}", total=None)

        async def work(context: CliContext) -> dict[str, Any]:
            from hashinsight.inventory.service.asset_lists import import_miners as load

            report = await load(
                context.session,
                context.caller,
                site,
                file.read_bytes(),
                all_or_nothing=all_or_nothing,
                now=context.now,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )
            return report.model_dump()

        report = run(work, tenant=tenant, site=site)
    print_fields(report, as_json=json)


def export_miners(
    site: SiteOption,
    *,
    out: Annotated[Path | None, typer.Option("--out", help="Write to this file instead of standard output.")] = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Export the machines of a site in the format that `miner import` reads."""
    if json and out is None:
        raise OperatorError("--json needs --out: name the file for the list.")

    with (
        Progress(TextColumn("{task.description}: {task.completed} machines"), console=Console(stderr=True)) as bar,
        out.open("w", encoding="utf-8", newline="") if out else nullcontext(sys.stdout) as file,
    ):
        task = bar.add_task(f"exporting {site}", total=None)

        async def work(context: CliContext) -> dict[str, Any]:
            from hashinsight.inventory.service.asset_lists import HEADER, begin_export, export_part

            scope = context.caller.seen
            site_row = await begin_export(context.session, scope, site, now=context.now)
            part, after, machines = HEADER, "", 0
            while part:
                file.write(part)
                part, after = await export_part(context.session, scope, site_row.id, after)
                machines += part.count("\r\n")
                bar.update(task, completed=machines)
            return {"site": site_row.code, "file": str(out) if out else None, "machines": machines}

        answer = run(work, tenant=tenant, site=site)
    if out is not None:
        print_fields(answer, as_json=json)

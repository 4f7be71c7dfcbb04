"""`hashinsight command check`: checks from the records that the guarantees of commands held."""

from datetime import datetime
from typing import Annotated, Any

import typer

from hashinsight.cli.context import JsonOption, TenantOption, find_tenant_id, run_with_database
from hashinsight.cli.output import print_result, show_count

_SHOWN = 50


def check_history(
    *,
    tenant: TenantOption = None,
    since: Annotated[datetime | None, typer.Option(help="Only commands open at or after this time (UTC).")] = None,
    until: Annotated[datetime | None, typer.Option(help="Only commands created before this time (UTC).")] = None,
    json: JsonOption = False,
) -> None:
    """Check the history of all commands against the guarantees; exit code 1 if one was broken.

    Reads commands, attempts, history, approvals and the audit log, changes nothing, and can run at any time.
    """

    async def work(database: Any, _settings: Any) -> Any:
        from datetime import UTC

        from hashinsight.commands.service.checker import check_history
        from hashinsight.kit.db.context import job_context

        async with database.transaction(job_context()) as session:
            tenant_id = await find_tenant_id(session, tenant)
        span = {name: at and at.replace(tzinfo=UTC) for name, at in (("since", since), ("until", until))}
        return await check_history(database, tenant_id, **span)

    examined = run_with_database(work)
    print_result(examined.shown(), _words(examined), as_json=json)
    raise typer.Exit(0 if examined.ok else 1)


def _words(examined: Any) -> str:
    lines = [f"note: {note}" for note in examined.notes]
    lines += [
        f"{finding.name}: {finding.message} (command {finding.command_id}) {finding.evidence or ''}".rstrip()
        for finding in examined.findings[:_SHOWN]
    ]
    if examined.found > _SHOWN:
        lines.append(f"… and {examined.found - _SHOWN} more")
    examined_counts = (
        f"{show_count(examined.commands, 'command')}, {show_count(examined.machines, 'machine')}, "
        f"{show_count(examined.moves, 'transition')}, {examined.open} open"
    )
    result = "all guarantees held" if examined.ok else show_count(examined.found, "finding")
    return "\n".join([*lines, f"{examined_counts}: {result}"])

"""`hashinsight audit`: verify, export and seal the audit log, and recover after a restore."""

import sys
from contextlib import nullcontext
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import typer

from hashinsight.cli.context import (
    JsonOption,
    TenantOption,
    find_tenant_id,
    open_vault,
    run_transaction,
    run_with_database,
    shell_user,
)
from hashinsight.cli.output import print_result
from hashinsight.kit.errors import OperatorError

audit_app = typer.Typer(help="Audit log: verify, export, seal.", no_args_is_help=True)

AnchorFile = Annotated[
    Path | None,
    typer.Option("--anchor", help="Anchor file: seals stored outside this database.", exists=True, dir_okay=False),
]
OutFile = Annotated[Path | None, typer.Option("--out", help="Write to this file instead of standard output.")]


@audit_app.command("verify")
def verify_log(*, anchor: AnchorFile = None, json: JsonOption = False) -> None:
    """Check that no entry was changed, removed or inserted; with an anchor, also that the log was not cut or rewritten.

    Without --anchor, the file named by HASHINSIGHT_AUDIT_ANCHOR is used if it exists on this host.
    """

    async def work(database: Any, settings: Any) -> Any:
        from hashinsight.audit.service.verification import verify
        from hashinsight.kit.clock import system_clock

        file = anchor or _own_anchor(settings)
        with file.open("rb") if file else BytesIO() as lines:
            return await verify(database, open_vault(settings), lines, now=system_clock())

    report = run_with_database(work)
    print_result(report.fields(), _report_text(report), as_json=json)
    raise typer.Exit(0 if report.ok else 1)


def _report_text(report: Any) -> str:
    tail = f"{report.unsealed:,} not sealed yet (up to one minute of entries is normal)"
    lines = [f"{report.entries:,} entries in {report.seals:,} seals; {tail}"]
    if report.anchors:
        lines.append(f"compared with {report.anchors:,} seals of the anchor")
    lines += [f"note: {note}" for note in report.notes]
    for finding in report.findings:
        entry = f" (entry {finding.entry_id})" if finding.entry_id else ""
        lines.append(f"{finding.kind}: {finding.message}{entry}")
    if report.found > len(report.findings):
        lines.append(f"… and {report.found - len(report.findings)} more")
    result = "no changes found" if report.anchors else "all seals are valid"
    lines.append(f"verified: {result}" if report.ok else f"NOT verified; findings: {report.found}")
    return "\n".join(lines)


@audit_app.command("seal")
def seal_now(*, json: JsonOption = False) -> None:
    """Seal all unsealed entries now, without waiting for the worker."""

    async def work(session: Any, settings: Any) -> dict[str, Any]:
        from hashinsight.audit.service.sealing import seal
        from hashinsight.kit.clock import system_clock

        return {"sealed": await seal(session, open_vault(settings), now=system_clock())}

    done = run_transaction(work)
    print_result(done, f"{done['sealed']} entries sealed", as_json=json)


@audit_app.command("seals")
def export_seals(
    *, after: Annotated[int, typer.Option(help="Only seals after this number.")] = 0, out: OutFile = None
) -> None:
    """Export the seals as JSON lines: an anchor, to be stored where nobody with database access can write."""

    async def work(session: Any, _settings: Any) -> int:
        import json

        from hashinsight.audit.service.delivery import list_anchor_lines

        count, last = 0, after
        with _open_output(out) as file:
            while seals := await list_anchor_lines(session, after=last, limit=1000):
                file.writelines(json.dumps(seal) + "\n" for seal in seals)
                count, last = count + len(seals), seals[-1]["no"]
        return count

    count = run_transaction(work)
    if out is not None:
        typer.echo(f"{count} seals written to {out}")


@audit_app.command("export")
def export_entries(
    *,
    tenant: TenantOption = None,
    since: Annotated[datetime | None, typer.Option(help="At or after this time (UTC).")] = None,
    until: Annotated[datetime | None, typer.Option(help="Before this time (UTC).")] = None,
    out: OutFile = None,
) -> None:
    """Export a tenant's entries as JSON lines, oldest first. The export is itself logged."""

    async def work(session: Any, _settings: Any) -> int:
        from datetime import UTC

        from hashinsight.audit.actions import Action
        from hashinsight.audit.queries.entries import AuditFilter, list_lines
        from hashinsight.audit.service.entries import record
        from hashinsight.kit.clock import system_clock

        tenant_id = await find_tenant_id(session, tenant)
        filters = AuditFilter(since=since and since.replace(tzinfo=UTC), until=until and until.replace(tzinfo=UTC))
        await record(
            session,
            shell_user(),
            Action.AUDIT_EXPORTED,
            "audit_log",
            tenant_id=tenant_id,
            after=filters.given(),
            now=system_clock(),
        )
        after, count = None, 0
        with _open_output(out) as file:
            while rows := await list_lines(session, tenant_id, filters, after=after, limit=5000):
                file.writelines(f"{row.line}\n" for row in rows)
                count, after = count + len(rows), (rows[-1].at, rows[-1].id)
        return count

    count = run_transaction(work)
    if out is not None:
        typer.echo(f"{count} entries written to {out}")


@audit_app.command("reseal")
def reseal_log(
    reason: Annotated[str, typer.Option(help="Which backup was restored, when and by whom.")],
    *,
    anchor: AnchorFile = None,
    json: JsonOption = False,
) -> None:
    """After restoring a backup: seal the log as it is and start a new era. This is logged.

    A restore to another server is detected without this. With --anchor, the log records which seals were lost.
    """

    async def work(session: Any, settings: Any) -> dict[str, Any]:
        from hashinsight.audit.service.delivery import find_lost_seals
        from hashinsight.audit.service.sealing import reseal
        from hashinsight.kit.clock import system_clock

        lost = await find_lost_seals(session, anchor.read_bytes().splitlines()) if anchor else None
        vault, now = open_vault(settings), system_clock()
        era = await reseal(session, vault, shell_user(), reason, lost=lost, now=now)
        return {"era": era, "lost_from": lost and lost.no}

    done = run_transaction(work)
    lost = f"; seals from {done['lost_from']} on are lost" if done["lost_from"] else ""
    print_result(done, f"started era {done['era']}{lost}", as_json=json)


@audit_app.command("rotate-key")
def rotate_key(*, json: JsonOption = False) -> None:
    """Sign with a new key from now on. Seals signed with the old key stay valid."""

    async def work(session: Any, settings: Any) -> dict[str, Any]:
        from hashinsight.audit.chain import key_id_of
        from hashinsight.audit.service.sealing import create_signing_key
        from hashinsight.kit.clock import system_clock

        key = await create_signing_key(session, open_vault(settings), shell_user(), now=system_clock())
        return {"key_id": key_id_of(key.public_key().public_bytes_raw())}

    done = run_transaction(work)
    print_result(done, f"key {done['key_id']} signs from now on", as_json=json)


def _own_anchor(settings: Any) -> Path | None:
    path = settings.audit_anchor.get_secret_value() if settings.audit_anchor else ""
    return Path(path) if path.startswith("/") and Path(path).is_file() else None


def _open_output(out: Path | None) -> Any:
    try:
        return nullcontext(sys.stdout) if out is None else out.open("w", encoding="utf-8")
    except OSError as error:
        raise OperatorError(f"{out} cannot be written: {error.strerror}.") from None

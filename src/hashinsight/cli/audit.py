"""`hashinsight audit`: verify, export, and what an operator does after a restore."""

import sys
from contextlib import nullcontext
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import typer

from hashinsight.cli.acting import act, act_over, say, shell_user, tenant_id_of
from hashinsight.cli.identity import Json, TenantRef
from hashinsight.kit.errors import OperatorError

audit_app = typer.Typer(help="The record of who did what: verified, exported, sealed.", no_args_is_help=True)

AnchorFile = Annotated[
    Path | None, typer.Option("--anchor", help="A file of seals that was kept elsewhere.", exists=True, dir_okay=False)
]
OutFile = Annotated[Path | None, typer.Option("--out", help="Write to this file in place of standard output.")]


@audit_app.command("verify")
def verify_log(*, anchor: AnchorFile = None, json: Json = False) -> None:
    """Prove that nothing was changed, removed or inserted; with an anchor, also that nothing was cut or rewritten.

    Without --anchor, the file that HASHINSIGHT_AUDIT_ANCHOR names is compared with, if there is one here.
    """

    async def work(database: Any, settings: Any) -> Any:
        from hashinsight.audit.service.verification import verify
        from hashinsight.kit.clock import system_clock

        file = anchor or _own_anchor(settings)
        with file.open("rb") if file else BytesIO() as lines:
            return await verify(database, _vault(settings), lines, now=system_clock())

    report = act_over(work)
    say(report.fields(), _words(report), as_json=json)
    raise typer.Exit(0 if report.ok else 1)


def _words(report: Any) -> str:
    tail = f"{report.unsealed} entries are not sealed yet (at most a minute of them is normal)"
    lines = [f"{report.entries} entries in {report.seals} seals; {tail}"]
    if report.anchors:
        lines.append(f"compared with {report.anchors} seals of the anchor")
    lines += [f"note: {note}" for note in report.notes]
    for finding in report.findings:
        entry = f" (entry {finding.entry_id})" if finding.entry_id else ""
        lines.append(f"{finding.kind}: {finding.message}{entry}")
    if report.found > len(report.findings):
        lines.append(f"… and {report.found - len(report.findings)} more")
    held = "nothing was touched" if report.anchors else "whatever is sealed holds"
    lines.append(f"verified: {held}" if report.ok else f"NOT verified; findings: {report.found}")
    return "\n".join(lines)


@audit_app.command("seal")
def seal_now(*, json: Json = False) -> None:
    """Seal what is not sealed yet, without waiting for the worker."""

    async def work(session: Any, settings: Any) -> dict[str, Any]:
        from hashinsight.audit.service.sealing import seal
        from hashinsight.kit.clock import system_clock

        return {"sealed": await seal(session, _vault(settings), now=system_clock())}

    done = act(work)
    say(done, f"{done['sealed']} entries sealed", as_json=json)


@audit_app.command("seals")
def export_seals(
    *, after: Annotated[int, typer.Option(help="Only those behind this number.")] = 0, out: OutFile = None
) -> None:
    """The seals as JSON lines: an anchor to be kept where nobody who can write to the database can write."""

    async def work(session: Any, _settings: Any) -> int:
        import json

        from hashinsight.audit.service.delivery import list_anchor_lines

        count, last = 0, after
        with _opened(out) as file:
            while found := await list_anchor_lines(session, after=last, limit=1000):
                file.writelines(json.dumps(one) + "\n" for one in found)
                count, last = count + len(found), found[-1]["no"]
        return count

    count = act(work)
    if out is not None:
        typer.echo(f"{count} seals written to {out}")


@audit_app.command("export")
def export_entries(
    *,
    tenant: TenantRef = None,
    since: Annotated[datetime | None, typer.Option(help="From this time on (UTC).")] = None,
    until: Annotated[datetime | None, typer.Option(help="Before this time (UTC).")] = None,
    out: OutFile = None,
) -> None:
    """A tenant's entries as JSON lines, oldest first. The export is itself recorded."""

    async def work(session: Any, _settings: Any) -> int:
        from datetime import UTC

        from hashinsight.audit.actions import Action
        from hashinsight.audit.queries.entries import AuditFilter, list_lines
        from hashinsight.audit.service.entries import record
        from hashinsight.kit.clock import system_clock

        tenant_id = await tenant_id_of(session, tenant)
        wanted = AuditFilter(since=since and since.replace(tzinfo=UTC), until=until and until.replace(tzinfo=UTC))
        said = {"tenant_id": tenant_id, "after": wanted.given(), "now": system_clock()}
        await record(session, shell_user(), Action.AUDIT_EXPORTED, "audit_log", **said)
        after, count = None, 0
        with _opened(out) as file:
            while part := await list_lines(session, tenant_id, wanted, after=after, limit=5000):
                file.writelines(f"{row.line}\n" for row in part)
                count, after = count + len(part), (part[-1].at, part[-1].id)
        return count

    count = act(work)
    if out is not None:
        typer.echo(f"{count} entries written to {out}")


@audit_app.command("reseal")
def reseal_log(
    reason: Annotated[str, typer.Option(help="Why: which backup was restored, when, by whom.")],
    *,
    anchor: AnchorFile = None,
    json: Json = False,
) -> None:
    """After a backup was restored: seal the log as it stands and begin a new era. That is itself an entry.

    A restore to another server is noticed without this. With --anchor the record says from which seal on it was lost.
    """

    async def work(session: Any, settings: Any) -> dict[str, Any]:
        from hashinsight.audit.service.delivery import find_lost_seals
        from hashinsight.audit.service.sealing import reseal
        from hashinsight.kit.clock import system_clock

        lost = await find_lost_seals(session, anchor.read_bytes().splitlines()) if anchor else None
        vault, now = _vault(settings), system_clock()
        era = await reseal(session, vault, shell_user(), reason, lost=lost, now=now)
        return {"era": era, "lost_from": lost and lost.no}

    done = act(work)
    lost = f"; seals from {done['lost_from']} on were lost" if done["lost_from"] else ""
    say(done, f"era {done['era']} has begun{lost}", as_json=json)


@audit_app.command("rotate-key")
def rotate_key(*, json: Json = False) -> None:
    """Sign from now on with a new key. Seals of the old one stay valid."""

    async def work(session: Any, settings: Any) -> dict[str, Any]:
        from hashinsight.audit.chain import key_id_of
        from hashinsight.audit.service.sealing import create_signing_key
        from hashinsight.kit.clock import system_clock

        key = await create_signing_key(session, _vault(settings), shell_user(), now=system_clock())
        return {"key_id": key_id_of(key.public_key().public_bytes_raw())}

    done = act(work)
    say(done, f"key {done['key_id']} signs from now on", as_json=json)


def _vault(settings: Any) -> Any:
    from hashinsight.kit.crypto import Vault
    from hashinsight.kit.secret_key import load_secret_key

    return Vault(load_secret_key(settings))


def _own_anchor(settings: Any) -> Path | None:
    named = settings.audit_anchor.get_secret_value() if settings.audit_anchor else ""
    return Path(named) if named.startswith("/") and Path(named).is_file() else None


def _opened(out: Path | None) -> Any:
    try:
        return nullcontext(sys.stdout) if out is None else out.open("w", encoding="utf-8")
    except OSError as error:
        raise OperatorError(f"{out} cannot be written: {error.strerror}.") from None

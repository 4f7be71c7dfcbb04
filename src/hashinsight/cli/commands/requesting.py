"""`hashinsight command request`."""

import json as json_module
import sys
from getpass import getpass
from typing import Annotated, Any

import typer

from hashinsight.cli.commands.acting import (
    MOST_LINES,
    Acting,
    AnySiteOption,
    JsonOption,
    ReasonOption,
    TenantOption,
    encoded,
    print_lines,
    print_rows,
    run,
)
from hashinsight.cli.output import show_hashrate
from hashinsight.kit.errors import OperatorError

TypeArgument = Annotated[str, typer.Argument(metavar="COMMAND_TYPE", help="`command catalogue` lists them.")]


def request(
    command_type: TypeArgument,
    reason: ReasonOption,
    *,
    site: AnySiteOption = None,
    miner: Annotated[list[str] | None, typer.Option("--miner", help="Machine id; repeat for more.")] = None,
    group: Annotated[int | None, typer.Option("--group", help="Id of a group.", min=1)] = None,
    filter_json: Annotated[
        str | None, typer.Option("--filter", help='Filter as JSON: {"zone": "B2", "online": true}')
    ] = None,
    param: Annotated[
        list[str] | None, typer.Option("--param", help="Parameter, such as speed=80; repeat for more.")
    ] = None,
    secret: Annotated[
        list[str] | None,
        typer.Option("--secret", help="Name of a secret parameter; prompted for, or read from standard input."),
    ] = None,
    priority: Annotated[str, typer.Option(help="safety, compliance, efficiency or convenience.")] = "efficiency",
    ttl_sec: Annotated[int, typer.Option(help="Time to live in seconds.")] = 900,
    emergency: Annotated[bool, typer.Option("--emergency", help="Skip approval.")] = False,
    dedupe_key: Annotated[
        str | None, typer.Option(help="At most one command per machine with this key within the TTL.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the impact without creating commands.")] = False,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Request a command for one or more machines."""
    given = {
        "command_type": command_type,
        "params": {**_params(param or []), **{name: _secret(name) for name in secret or ()}},
        "site_id": site,
        "miner_ids": miner,
        "group_id": group,
        "filter": None if filter_json is None else _json(filter_json, "--filter"),
        "reason": reason,
        "priority": priority,
        "ttl_sec": ttl_sec,
        "emergency": emergency,
        "dedupe_key": dedupe_key,
        "dry_run": dry_run,
    }

    async def work(acting: Acting) -> dict[str, Any]:
        from hashinsight.commands import service
        from hashinsight.commands.answer_schemas import show_dry_run, show_result
        from hashinsight.commands.schemas import NewCommands

        asked = NewCommands.model_validate(given).asked(None)
        session, vault, asker = acting.session, acting.vault, acting.asker
        if dry_run:
            return show_dry_run(await service.dry_run(session, vault, asker, asked, now=acting.now))
        return show_result(await service.request(session, vault, asker, asked, now=acting.now))

    answer = run(work, tenant=tenant, site=site)
    if json:
        typer.echo(encoded(answer))
    elif dry_run:
        _print_run(answer)
    else:
        _print_answer(answer)


def _print_answer(answer: dict[str, Any]) -> None:
    counts = answer["counts"]
    said = ", ".join(f"{n} {word}" for word, n in counts.items() if n)
    print_lines(f"batch {answer['batch_id']}: {said}")
    waiting = any(one["approval_state"] == "required" for one in answer["commands"])
    if waiting:
        print_lines(f"waiting for approval: {'; '.join(answer['approval_reasons'])}")
    if answer["commands"]:
        print_rows(answer["commands"][:MOST_LINES], "commands")
    _print_refused(answer["refused"], counts["refused"])


def _print_run(run: dict[str, Any]) -> None:
    share = f"{run['share_of_site']:.1%} of the site"
    print_lines(f"{run['machines']} machines, {run['kw']:,.1f} kW, {show_hashrate(run['ths'])}, {share}")
    if run["unknown_power"]:
        print_lines(f"power unknown for {run['unknown_power']} more machines")
    if run["counts"]["supersedes"]:
        print_lines(f"supersedes {run['counts']['supersedes']} queued or running commands")
    radius = run["blast_radius"]
    if radius is not None:
        print_lines(f"down by commands at the site: {radius['down_now']} now, cap {radius['cap']}")
        if radius["would_wait"]:
            print_lines(f"{radius['would_wait']} would wait (BLAST_RADIUS) until others are back online")
        if radius["exceeds_cap"]:
            print_lines("exceeds the cap; sent anyway as emergency, and logged")
    reasons = "; ".join(run["approval_reasons"])
    print_lines(f"needs approval: {reasons}" if run["needs_approval"] else "no approval needed")
    _print_refused(run["excluded"], run["counts"]["excluded"])


def _print_refused(refused: list[dict[str, Any]], count: int) -> None:
    if not refused:
        return
    shown = [{name: one[name] for name in ("miner_id", "error_code", "reason")} for one in refused[:MOST_LINES]]
    print_lines("", "left out:")
    print_rows(shown, "machines")
    if count > len(shown):
        print_lines(f"… and {count - len(shown)} more: --json lists them")


def _params(given: list[str]) -> dict[str, Any]:
    """`speed=80` is a number, `mode=eco` a word: what reads as JSON is taken as such."""
    found: dict[str, Any] = {}
    for one in given:
        name, is_there, value = one.partition("=")
        if not is_there:
            raise OperatorError(f"--param {one} has no value: write it as name=value.")
        try:
            found[name] = json_module.loads(value)
        except ValueError:
            found[name] = value
    return found


def _secret(name: str) -> str:
    """Never an argument: those are seen by everybody on the machine."""
    return getpass(f"{name}: ") if sys.stdin.isatty() else sys.stdin.readline(1000).rstrip("\n")


def _json(text: str, option: str) -> Any:
    try:
        return json_module.loads(text)
    except ValueError:
        raise OperatorError(f'{option} is not JSON: write it as {{"zone": "B2"}}.') from None

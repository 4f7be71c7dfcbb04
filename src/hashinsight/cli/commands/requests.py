"""`hashinsight command request`."""

import json as json_module
import sys
from getpass import getpass
from typing import Annotated, Any

import typer

from hashinsight.cli.commands.batches import print_refused, show_counts
from hashinsight.cli.context import AnySiteOption, CliContext, JsonOption, ReasonOption, TenantOption, run
from hashinsight.cli.output import MAX_LINES, print_lines, print_rows, show_count, show_hashrate, to_json
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

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.commands import service
        from hashinsight.commands.schemas.batches import show_dry_run, show_result
        from hashinsight.commands.schemas.requests import NewCommands

        command_request = NewCommands.model_validate(given).command_request(None)
        session, vault, caller = context.session, context.vault, context.caller
        if dry_run:
            return show_dry_run(await service.dry_run(session, vault, caller, command_request, now=context.now))
        return show_result(await service.request(session, vault, caller, command_request, now=context.now))

    answer = run(work, tenant=tenant, site=site)
    if json:
        typer.echo(to_json(answer))
    elif dry_run:
        _print_impact(answer)
    else:
        _print_result(answer)


def _print_result(answer: dict[str, Any]) -> None:
    print_lines(f"batch {answer['batch_id']}: {show_counts(answer['counts'])}")
    if any(command["approval_state"] == "required" for command in answer["commands"]):
        print_lines(f"waiting for approval: {'; '.join(answer['approval_reasons'])}")
    if answer["commands"]:
        rows = answer["commands"][:MAX_LINES]
        names = {"id": "command_id", "miner": "miner_id", "state": "state", "approval": "approval_state"}
        print_rows([{name: row[field] for name, field in names.items()} for row in rows], "commands")
    print_refused(answer["refused"], answer["counts"]["refused"])


def _print_impact(impact: dict[str, Any]) -> None:
    machines = f"{show_count(impact['machines'], 'machine')} ({impact['share_of_site']:.1%} of the site)"
    print_lines(f"{machines}, {impact['kw']:,.1f} kW, {show_hashrate(impact['ths'])}")
    if impact["unknown_power"]:
        print_lines(f"power unknown for {show_count(impact['unknown_power'], 'machine')}")
    if impact["counts"]["supersedes"]:
        print_lines(f"supersedes {show_count(impact['counts']['supersedes'], 'queued or running command')}")
    radius = impact["blast_radius"]
    if radius is not None:
        print_lines(f"machines of this site down by command: {radius['down_now']} now, cap {radius['cap']}")
        if radius["would_wait"]:
            print_lines(f"{radius['would_wait']} would wait (BLAST_RADIUS) until others are back online")
        if radius["exceeds_cap"]:
            print_lines("exceeds the cap; sent anyway as emergency, and logged")
    reasons = "; ".join(impact["approval_reasons"])
    print_lines(f"needs approval: {reasons}" if impact["needs_approval"] else "no approval needed")
    print_refused(impact["excluded"], impact["counts"]["excluded"])


def _params(pairs: list[str]) -> dict[str, Any]:
    """`speed=80` is a number, `mode=eco` a word: what is valid JSON is read as JSON."""
    params: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise OperatorError(f"--param {pair} has no value: write it as name=value.")
        try:
            params[name] = json_module.loads(value)
        except ValueError:
            params[name] = value
    return params


def _secret(name: str) -> str:
    """Never an argument: every user of the host can see those."""
    return getpass(f"{name}: ") if sys.stdin.isatty() else sys.stdin.readline(1000).rstrip("\n")


def _json(text: str, option: str) -> Any:
    try:
        return json_module.loads(text)
    except ValueError:
        raise OperatorError(f'{option} is not JSON: write it as {{"zone": "B2"}}.') from None

"""`hashinsight sim status | machines | inject | …`: commands for a running simulator."""

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from hashinsight.cli.context import JsonOption
from hashinsight.cli.output import print_result
from hashinsight.cli.sim.context import NetOption, call, print_mapping

MachineOption = Annotated[list[str] | None, typer.Option("--machine", help="Id, number or address; repeat for more.")]
SiteOption = Annotated[str | None, typer.Option("--site", help="Only this site.")]
ZoneOption = Annotated[str | None, typer.Option("--zone", help="Only this zone.")]
RackOption = Annotated[str | None, typer.Option("--rack", help="Only this rack.")]
SwitchOption = Annotated[str | None, typer.Option("--switch", help="Only this switch.")]
PduOption = Annotated[str | None, typer.Option("--pdu", help="Only this PDU.")]
CountOption = Annotated[int | None, typer.Option("--count", min=1, help="Only the first N matches.")]
_EPISODES = (
    "number: fault on machines, start to end in UTC"
    " (warns: first signs, the fault itself starts later; open: active; over: ended)"
)


def status(*, net: NetOption = None, json: JsonOption = False) -> None:
    """Show the state of the simulated fleet."""
    now = call(net, "status")
    text = (
        f"{now['net']}: {now['machines']} machines ({now['first']} to {now['last']}), {now['reachable']} reachable, "
        f"{now['hashing']} hashing, {now['hashrate_phs']} PH/s; {now['open_episodes']} open episodes; "
        f"simulated time {_time(now['at'])} UTC at speed {now['speed']:g}; control {now['control']}"
    )
    if now["behind_sec"]:
        text += f"; too slow for this speed: {now['behind_sec']:.0f} s behind"
    print_result(now, text, as_json=json)


def machines(
    *,
    machine: MachineOption = None,
    site: SiteOption = None,
    zone: ZoneOption = None,
    rack: RackOption = None,
    switch: SwitchOption = None,
    pdu: PduOption = None,
    count: CountOption = None,
    net: NetOption = None,
    json: JsonOption = False,
) -> None:
    """List machines with address, model, location and state."""
    fleet = call(
        net,
        "machines",
        count=count,
        machine=machine or None,
        site=site,
        zone=zone,
        rack=rack,
        switch=switch,
        pdu=pdu,
    )
    rows = [
        {
            "machine": row["machine_id"],
            "site": row.get("site"),
            "address": row["address"],
            "model": row["model"],
            "switch": row["switch"],
            "state": row["state"],
            "hashrate": f"{row['hashrate_ths']:,.1f} TH/s",
            "power": f"{row['power_w']:,} W",
        }
        for row in fleet
    ]
    print_mapping(fleet, rows, "machines", as_json=json)


def kinds(*, net: NetOption = None, json: JsonOption = False) -> None:
    """List the faults that can be injected and their symptoms."""
    known = call(net, "kinds")
    rows = [{"fault": kind, "symptoms": about} for kind, about in known.items()]
    print_mapping(known, rows, "faults", as_json=json)


def inject(
    kind: Annotated[str, typer.Argument(help="Fault to inject; `sim kinds` lists them.")],
    *,
    machine: MachineOption = None,
    site: SiteOption = None,
    zone: ZoneOption = None,
    rack: RackOption = None,
    switch: SwitchOption = None,
    pdu: PduOption = None,
    count: CountOption = None,
    severity: Annotated[float, typer.Option(help="Above 0, up to 1.")] = 1.0,
    lasts: Annotated[
        float | None,
        typer.Option("--for", metavar="SECONDS", help="Duration in simulated time; default: until `sim end`."),
    ] = None,
    net: NetOption = None,
    json: JsonOption = False,
) -> None:
    """Inject a fault now and print the numbers of its episodes."""
    where = {"machine": machine or None, "site": site, "zone": zone, "rack": rack, "switch": switch, "pdu": pdu}
    episodes = call(net, "inject", kind=kind, severity=severity, for_sec=lasts, count=count, **where)
    print_result(episodes, "\n".join(map(_episode_text, episodes)), as_json=json)


def end(
    episode: Annotated[int, typer.Argument(help="Number of the episode.")],
    *,
    net: NetOption = None,
    json: JsonOption = False,
) -> None:
    """End an episode now: the fault is repaired."""
    ended = call(net, "end", episode=episode)
    print_result(ended, f"ended episode {episode}", as_json=json)


def episodes(
    *,
    only_open: Annotated[bool, typer.Option("--open", help="Only active faults.")] = False,
    net: NetOption = None,
    json: JsonOption = False,
) -> None:
    """List all injected faults and common causes so far (ground truth), to compare with what was detected.

    States: `warns`: first signs, the fault itself starts later. `open`: active now. `over`: ended.
    """
    rows = call(net, "episodes", open=only_open)
    print_result(rows, "\n".join([_EPISODES, *map(_episode_text, rows)]) if rows else "no episodes", as_json=json)


def act(
    what: Annotated[
        str, typer.Argument(help="pause, resume, reboot, restart, power-limit, mode, pool, light-on or light-off.")
    ],
    *,
    machine: MachineOption = None,
    site: SiteOption = None,
    zone: ZoneOption = None,
    rack: RackOption = None,
    switch: SwitchOption = None,
    pdu: PduOption = None,
    count: CountOption = None,
    watts: Annotated[float | None, typer.Option(help="For power-limit.")] = None,
    mode: Annotated[str | None, typer.Option(help="For mode: eco, normal or perf.")] = None,
    url: Annotated[str | None, typer.Option(help="For pool.")] = None,
    user: Annotated[str | None, typer.Option(help="For pool.")] = None,
    net: NetOption = None,
    json: JsonOption = False,
) -> None:
    """Control machines directly, as a client on their sockets could."""
    where = {"machine": machine or None, "site": site, "zone": zone, "rack": rack, "switch": switch, "pdu": pdu}
    done = call(net, "act", act=what, watts=watts, mode=mode, url=url, user=user, count=count, **where)
    rows = [{"machine": row["machine_id"], "result": row.get("refused", "done")} for row in done]
    print_mapping(done, rows, "machines", as_json=json)


def orders(*, machine: MachineOption = None, net: NetOption = None, json: JsonOption = False) -> None:
    """List the commands that machines received on their sockets, oldest first, with their arguments."""
    orders = call(net, "orders", machine=machine or None)
    rows = [
        {
            "time (UTC)": _time(row["at"]),
            "machine": row["machine_id"],
            "command": f"{row['act']}{_argument(row)}",
            "rejected": row["refused"] or None,
        }
        for row in orders
    ]
    print_mapping(orders, rows, "orders", as_json=json)


def stop(*, net: NetOption = None, json: JsonOption = False) -> None:
    """Stop a simulator."""
    print_result(call(net, "stop"), "stopping", as_json=json)


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _argument(order: dict[str, Any]) -> str:
    """`mode eco`, `power-limit 2500 W`, `pool URL as USER`; nothing for a command without arguments."""
    match order["given"]:
        case {"mode": mode}:
            return f" {mode}"
        case {"watts": watts}:
            return f" {watts:g} W"
        case {"pools": pools}:
            return " " + ", ".join(f"{pool['url']} as {pool['user']}" for pool in pools)
    return ""


def _episode_text(episode: dict[str, Any]) -> str:
    end = "until ended" if episode["end"] is None else f"to {_time(episode['end'])}"
    span = f"{_time(episode['start'])} {end} ({episode['state']})"
    return f"{episode['no']}: {episode['kind']} on {episode['scope']}, {span}"

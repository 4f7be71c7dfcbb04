"""Commands that talk to a simulator that runs."""

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from hashinsight.cli.acting import say
from hashinsight.cli.sim.acting import JsonOption, NetOption, ask

MachineOption = Annotated[list[str] | None, typer.Option("--machine", help="Id, number or address; may be repeated.")]
SiteOption = Annotated[str | None, typer.Option("--site")]
ZoneOption = Annotated[str | None, typer.Option("--zone")]
RackOption = Annotated[str | None, typer.Option("--rack")]
SwitchOption = Annotated[str | None, typer.Option("--switch")]
PduOption = Annotated[str | None, typer.Option("--pdu")]
CountOption = Annotated[int | None, typer.Option("--count", min=1, help="Only the first so many that fit.")]
_EPISODES = (
    "number: what on which, from when to when"
    " (warns: its first signs show, the fault comes at its start; open: it lasts; over: it has ended)"
)


def status(*, net: NetOption = None, json: JsonOption = False) -> None:
    """Say how the fleet does."""
    now = ask(net, "status")
    words = (
        f"{now['net']}: {now['machines']} machines ({now['first']} to {now['last']}), {now['reachable']} reachable, "
        f"{now['hashing']} hashing, {now['hashrate_phs']} PH/s; {now['open_episodes']} open episodes; "
        f"world time {_time(now['at'])} at speed {now['speed']:g}; control {now['control']}"
    )
    if now["behind_sec"]:
        words += f"; too slow for this speed: {now['behind_sec']:.0f} s of its time behind so far"
    say(now, words, as_json=json)


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
    """List machines with address, model, place and state."""
    found = ask(
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
        f"{one['address']:<15} {one['machine_id']:<16} {one['model']:<18} {one['switch']:<14} {one['state']:<11} "
        f"{one['hashrate_ths']:>7.1f} TH/s {one['power_w']:>5} W"
        for one in found
    ]
    say(found, "\n".join(rows), as_json=json)


def kinds(*, net: NetOption = None, json: JsonOption = False) -> None:
    """List what can be injected, and how it shows."""
    known = ask(net, "kinds")
    say(known, "\n".join(f"{kind}: {about}" for kind, about in known.items()), as_json=json)


def inject(
    kind: Annotated[str, typer.Argument(help="Which fault: `sim kinds` lists them.")],
    *,
    machine: MachineOption = None,
    site: SiteOption = None,
    zone: ZoneOption = None,
    rack: RackOption = None,
    switch: SwitchOption = None,
    pdu: PduOption = None,
    count: CountOption = None,
    severity: Annotated[float, typer.Option(help="From above 0 to 1.")] = 1.0,
    lasts: Annotated[
        float | None, typer.Option("--for", metavar="SECONDS", help="Of the world's time; else until `end`.")
    ] = None,
    net: NetOption = None,
    json: JsonOption = False,
) -> None:
    """Make a fault happen now, and say the numbers of its episodes."""
    where = {"machine": machine or None, "site": site, "zone": zone, "rack": rack, "switch": switch, "pdu": pdu}
    made = ask(net, "inject", kind=kind, severity=severity, for_sec=lasts, count=count, **where)
    say(made, "\n".join(_told(one) for one in made), as_json=json)


def end(
    episode: Annotated[int, typer.Argument(help="The episode's number.")],
    *,
    net: NetOption = None,
    json: JsonOption = False,
) -> None:
    """End an episode now: the fault is mended."""
    ended = ask(net, "end", episode=episode)
    say(ended, f"episode {episode} has ended", as_json=json)


def episodes(
    *,
    only_open: Annotated[bool, typer.Option("--open", help="Only those that last now, not those that warn.")] = False,
    net: NetOption = None,
    json: JsonOption = False,
) -> None:
    """Say the truth: every fault and common cause so far.

    Each has a state. `warns`: its first signs can be seen, the fault itself comes at its start. `open`: it lasts now.
    `over`: it has ended.
    """
    found = ask(net, "episodes", open=only_open)
    say(found, "\n".join([_EPISODES, *map(_told, found)]) if found else "none", as_json=json)


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
    """Do to machines what their sockets could be told."""
    where = {"machine": machine or None, "site": site, "zone": zone, "rack": rack, "switch": switch, "pdu": pdu}
    done = ask(net, "act", act=what, watts=watts, mode=mode, url=url, user=user, count=count, **where)
    rows = [f"{one['machine_id']}: {one.get('refused', 'done')}" for one in done]
    say(done, "\n".join(rows), as_json=json)


def orders(*, machine: MachineOption = None, net: NetOption = None, json: JsonOption = False) -> None:
    """Say what machines were told over their sockets, in order: the act, and to what (mode, watts, pools)."""
    told = ask(net, "orders", machine=machine or None)
    rows = [f"{_time(one['at'])} {one['machine_id']}: {one['act']}{_given(one)}{_refusal(one)}" for one in told]
    say(told, "\n".join(rows) or "none", as_json=json)


def stop(*, net: NetOption = None, json: JsonOption = False) -> None:
    """End a simulator."""
    say(ask(net, "stop"), "stopping", as_json=json)


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _given(order: dict[str, Any]) -> str:
    """`mode eco`, `power-limit 2500 W`, `pool URL as USER`; nothing where the act says it all."""
    match order["given"]:
        case {"mode": mode}:
            return f" {mode}"
        case {"watts": watts}:
            return f" {watts:g} W"
        case {"pools": pools}:
            return " " + ", ".join(f"{one['url']} as {one['user']}" for one in pools)
    return ""


def _refusal(order: dict[str, Any]) -> str:
    return f", refused: {order['refused']}" if order["refused"] else ""


def _told(episode: dict[str, Any]) -> str:
    over = "until it is ended" if episode["end"] is None else f"to {_time(episode['end'])}"
    lasts = f"{_time(episode['start'])} {over} ({episode['state']})"
    return f"{episode['no']}: {episode['kind']} on {episode['scope']}, {lasts}"

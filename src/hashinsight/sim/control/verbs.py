"""Verbs of the control API, one function each."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from hashinsight.sim.causes import CAUSES
from hashinsight.sim.control.parameters import (
    BadRequest,
    command_parameters,
    command_word,
    is_number,
    parse_command,
    select_machines,
    whole_number,
)
from hashinsight.sim.driver import LiveFleet
from hashinsight.sim.episodes import Episode
from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.sockets.nets import CONTROL_PORT, address_of, control_address
from hashinsight.sim.world import World

ControlRequest = Mapping[str, Any]
LONGEST_SEC = 10 * 365 * 86_400.0
KINDS = {family.kind: family.signature for family in PUBLIC} | {cause.kind: cause.signature for cause in CAUSES}


async def status(live: LiveFleet, _: ControlRequest) -> dict[str, Any]:
    readings = [live.reading(no) for no in range(len(live.machines))]
    return {
        "net": f"127.{live.net}",
        "control": f"{control_address(live.net)}:{CONTROL_PORT}",
        "first": address_of(live.net, 0),
        "last": address_of(live.net, len(live.machines) - 1),
        "machines": len(live.machines),
        "reachable": sum(reading.reachable for reading in readings),
        "hashing": sum(reading.hashing for reading in readings),
        "hashrate_phs": round(sum(reading.hashrate_ths for reading in readings if reading.hashing) / 1000, 3),
        "at": live.world.at,
        "speed": live.speed,
        "behind_sec": round(live.behind_sec, 1),
        "open_episodes": sum(is_open(episode, live.world.at) for episode in live.world.episodes()),
    }


async def machines(live: LiveFleet, request: ControlRequest) -> list[dict[str, Any]]:
    chosen = select_machines(live, request, all_when_none=True)
    return [_machine(live, no) for no in chosen]


def _machine(live: LiveFleet, no: int) -> dict[str, Any]:
    identity, reading, fleet = live.machines[no].identity, live.reading(no), live.world.fleet
    state = "hashing" if reading.hashing else "stopped"
    return {
        "no": no,
        "machine_id": identity.machine_id,
        "address": identity.address,
        "model": identity.model.name,
        "firmware": identity.firmware,
        "site": fleet.site[no],
        "zone": fleet.zone[no],
        "rack": fleet.rack[no],
        "switch": fleet.switch[no],
        "pdu": fleet.pdu[no],
        "state": state if reading.reachable else "unreachable",
        "hashrate_ths": round(reading.hashrate_ths, 2),
        "power_w": round(reading.power_w),
    }


async def kinds(live: LiveFleet, request: ControlRequest) -> dict[str, str]:  # noqa: ARG001 - every verb has one form
    return dict(KINDS)


def is_open(episode: Episode, at: float) -> bool:
    return episode.start <= at and (episode.end is None or episode.end > at)


def _episode(episode: Episode, at: float) -> dict[str, Any]:
    row = asdict(episode)
    row["members"] = len(episode.members)
    state = "warns" if episode.start > at else "open" if is_open(episode, at) else "over"
    return row | {"open": state == "open", "state": state}


async def episodes(live: LiveFleet, request: ControlRequest) -> list[dict[str, Any]]:
    only_open = request.get("open") is True
    at = live.world.at
    return [_episode(episode, at) for episode in live.world.episodes() if not only_open or is_open(episode, at)]


async def inject(live: LiveFleet, request: ControlRequest) -> list[dict[str, Any]]:
    kind = request.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise BadRequest(f"unknown fault {kind}: `sim kinds` lists them", code="NOT_FOUND")
    severity, lasts = request.get("severity", 1.0), request.get("for_sec")
    if not is_number(severity, most=1):
        raise BadRequest("severity must be above 0 and at most 1", code="INVALID")
    if lasts is not None and not is_number(lasts, most=LONGEST_SEC):
        raise BadRequest("for_sec must be a number of seconds above 0, at most ten years", code="INVALID")
    chosen = select_machines(live, request, all_when_none=False)

    def start_episodes(world: World) -> list[Episode]:
        until = None if lasts is None else world.at + float(lasts)
        return world.inject(kind, np.array(chosen, dtype=np.int64), severity=float(severity), until=until)

    episodes_started = await live.change(start_episodes)
    return [_episode(episode, live.world.at) for episode in episodes_started]


async def end(live: LiveFleet, request: ControlRequest) -> dict[str, Any]:
    no = whole_number(request, "episode")
    if not await live.change(lambda world: world.end(no)):
        raise BadRequest(f"there is no open episode {no}", code="NOT_FOUND")
    return {"episode": no, "ended": True}


async def act(live: LiveFleet, request: ControlRequest) -> list[dict[str, Any]]:
    command = parse_command(request)
    chosen = select_machines(live, request, all_when_none=False)
    refused = await live.change(lambda world: world.execute_many(np.array(chosen, dtype=np.int64), command))
    rows = []
    for no in chosen:
        reason = {"refused": refused[no].reason} if no in refused else {}
        rows.append({"machine_id": live.machines[no].identity.machine_id, "done": not reason, **reason})
    return rows


async def orders(live: LiveFleet, request: ControlRequest) -> list[dict[str, Any]]:
    """Commands that machines received over their sockets, in order: what a collector did, and how often."""
    chosen = set(select_machines(live, request, all_when_none=True))
    return [
        {
            "machine_id": live.machines[entry.no].identity.machine_id,
            "at": entry.at,
            "act": command_word(entry.command),
            "given": command_parameters(entry.command),
            "refused": entry.refused,
        }
        for entry in live.received
        if entry.no in chosen
    ]


async def stop(live: LiveFleet, _: ControlRequest) -> dict[str, Any]:
    asyncio.get_running_loop().call_later(0.05, live.stopping.set)  # the answer goes out first
    return {"stopping": True}


VERBS: dict[str, Callable[[LiveFleet, ControlRequest], Awaitable[Any]]] = {
    "status": status,
    "machines": machines,
    "kinds": kinds,
    "episodes": episodes,
    "inject": inject,
    "end": end,
    "act": act,
    "orders": orders,
    "stop": stop,
}

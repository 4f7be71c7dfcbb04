"""What can be asked of a simulator that runs, one function a verb."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from hashinsight.sim.causes import CAUSES
from hashinsight.sim.control.choice import choose, is_number, whole
from hashinsight.sim.control.errors import BadRequest
from hashinsight.sim.control.orders import act_of, given_of, word_of
from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.labels import Episode
from hashinsight.sim.running import Live
from hashinsight.sim.sockets.nets import CONTROL_PORT, address_of, control_address
from hashinsight.sim.world import World

Given = Mapping[str, Any]
LONGEST_SEC = 10 * 365 * 86_400.0
KINDS = {family.kind: family.signature for family in PUBLIC} | {cause.kind: cause.signature for cause in CAUSES}


async def status(live: Live, _: Given) -> dict[str, Any]:
    screens = [live.screen(no) for no in range(len(live.machines))]
    return {
        "net": f"127.{live.net}",
        "control": f"{control_address(live.net)}:{CONTROL_PORT}",
        "first": address_of(live.net, 0),
        "last": address_of(live.net, len(live.machines) - 1),
        "machines": len(live.machines),
        "reachable": sum(screen.reachable for screen in screens),
        "hashing": sum(screen.hashing for screen in screens),
        "hashrate_phs": round(sum(screen.hashrate_ths for screen in screens if screen.hashing) / 1000, 3),
        "at": live.world.at,
        "speed": live.speed,
        "behind_sec": round(live.behind_sec, 1),
        "open_episodes": sum(is_open(episode, live.world.at) for episode in live.world.episodes()),
    }


async def machines(live: Live, given: Given) -> list[dict[str, Any]]:
    chosen = choose(live, given, all_when_none=True)
    return [_machine(live, no) for no in chosen]


def _machine(live: Live, no: int) -> dict[str, Any]:
    who, screen, fleet = live.machines[no].who, live.screen(no), live.world.fleet
    state = "hashing" if screen.hashing else "stopped"
    return {
        "no": no,
        "machine_id": who.machine_id,
        "address": who.address,
        "model": who.model.name,
        "firmware": who.firmware,
        "site": fleet.site[no],
        "zone": fleet.zone[no],
        "rack": fleet.rack[no],
        "switch": fleet.switch[no],
        "pdu": fleet.pdu[no],
        "state": state if screen.reachable else "unreachable",
        "hashrate_ths": round(screen.hashrate_ths, 2),
        "power_w": round(screen.power_w),
    }


async def kinds(live: Live, given: Given) -> dict[str, str]:  # noqa: ARG001 - every verb has one form
    return dict(KINDS)


def is_open(episode: Episode, at: float) -> bool:
    return episode.start <= at and (episode.end is None or episode.end > at)


def _episode(episode: Episode, at: float) -> dict[str, Any]:
    told = asdict(episode)
    told["members"] = len(episode.members)
    state = "warns" if episode.start > at else "open" if is_open(episode, at) else "over"
    return told | {"open": state == "open", "state": state}


async def episodes(live: Live, given: Given) -> list[dict[str, Any]]:
    only_open = given.get("open") is True
    at = live.world.at
    return [_episode(one, at) for one in live.world.episodes() if not only_open or is_open(one, at)]


async def inject(live: Live, given: Given) -> list[dict[str, Any]]:
    kind = given.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise BadRequest(f"there is no fault {kind}: `sim kinds` lists them", code="NOT_FOUND")
    severity, lasts = given.get("severity", 1.0), given.get("for_sec")
    if not is_number(severity, most=1):
        raise BadRequest("severity goes from above 0 to 1", code="INVALID")
    if lasts is not None and not is_number(lasts, most=LONGEST_SEC):
        raise BadRequest("for_sec is a number of seconds above 0, at most ten years", code="INVALID")
    chosen = choose(live, given, all_when_none=False)

    def strike(world: World) -> list[Episode]:
        until = None if lasts is None else world.at + float(lasts)
        return world.inject(kind, np.array(chosen, dtype=np.int64), severity=float(severity), until=until)

    made = await live.change(strike)
    return [_episode(one, live.world.at) for one in made]


async def end(live: Live, given: Given) -> dict[str, Any]:
    no = whole(given, "episode")
    if not await live.change(lambda world: world.end(no)):
        raise BadRequest(f"there is no open episode {no}", code="NOT_FOUND")
    return {"episode": no, "ended": True}


async def act(live: Live, given: Given) -> list[dict[str, Any]]:
    wanted = act_of(given)
    chosen = choose(live, given, all_when_none=False)
    refused = await live.change(lambda world: world.act_many(np.array(chosen, dtype=np.int64), wanted))
    told = []
    for no in chosen:
        reason = {"refused": refused[no].reason} if no in refused else {}
        told.append({"machine_id": live.machines[no].who.machine_id, "done": not reason, **reason})
    return told


async def orders(live: Live, given: Given) -> list[dict[str, Any]]:
    """What machines were told over their sockets, in order: proof of what a collector did, and how often."""
    chosen = set(choose(live, given, all_when_none=True))
    return [
        {
            "machine_id": live.machines[one.no].who.machine_id,
            "at": one.at,
            "act": word_of(one.act),
            "given": given_of(one.act),
            "refused": one.refused,
        }
        for one in live.orders
        if one.no in chosen
    ]


async def stop(live: Live, _: Given) -> dict[str, Any]:
    asyncio.get_running_loop().call_later(0.05, live.stopping.set)  # the answer goes out first
    return {"stopping": True}


VERBS: dict[str, Callable[[Live, Given], Awaitable[Any]]] = {
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

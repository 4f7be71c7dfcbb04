"""Network, power and collector: what takes many machines out of sight or out of power at once."""

import numpy as np

from hashinsight.sim.causes.kind import CauseKind, Event
from hashinsight.sim.effects import Effects
from hashinsight.sim.looks import Look
from hashinsight.sim.state import State

HOUR = 3600.0


def cut_network(event: Event, effects: Effects, _state: State, _now: float) -> None:
    effects.linked[event.machines] = False
    # the shard that collects here hangs on the same switch
    effects.silent[event.machines] = True


def silence_collector(event: Event, effects: Effects, _state: State, _now: float) -> None:
    effects.silent[event.machines] = True
    if event.plan.spooled and np.isfinite(event.end):
        effects.spooled_from[event.machines] = event.start
        effects.spooled_until[event.machines] = event.end


def cut_power(event: Event, effects: Effects, _state: State, _now: float) -> None:
    effects.powered[event.machines] = False


def cut_site(event: Event, effects: Effects, _state: State, _now: float) -> None:
    effects.powered[event.machines] = False
    effects.silent[event.machines] = True


def shows_silence(before: Look, after: Look) -> bool:
    return bool(before.heard.all() and not after.heard.any())


def shows_no_power(before: Look, after: Look) -> bool:
    return bool(before.online.all() and not after.online.any() and after.power_w.max() == 0)


def shows_dark_site(before: Look, after: Look) -> bool:
    return shows_silence(before, after) and shows_no_power(before, after)


KINDS = (
    CauseKind(
        kind="switch_outage",
        family="network",
        signature="rows missing for all machines of a switch at once; they stop hashing minutes later",
        within_sec=900.0,
        does=cut_network,
        shows=shows_silence,
        reach="switch",
        usual_sec=HOUR,
    ),
    CauseKind(
        kind="collector_silent",
        family="collector",
        signature="rows missing for a whole site while its machines run on; its backlog comes later",
        within_sec=900.0,
        does=silence_collector,
        shows=shows_silence,
        reach="site",
        usual_sec=2 * HOUR,
    ),
    CauseKind(
        kind="pdu_outage",
        family="power",
        signature="all machines of a PDU offline at once; uptime from zero when they come back",
        within_sec=900.0,
        does=cut_power,
        shows=shows_no_power,
        reach="pdu",
        usual_sec=HOUR,
    ),
    CauseKind(
        kind="site_outage",
        family="power",
        signature="no row of a whole site; uptime from zero when it comes back",
        within_sec=900.0,
        does=cut_site,
        shows=shows_dark_site,
        reach="site",
        usual_sec=2 * HOUR,
    ),
)

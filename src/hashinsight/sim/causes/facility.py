"""Too much heat for many at once: weather, or an aisle whose cooling failed."""

import numpy as np

from hashinsight.sim.causes.kind import CauseEvent, CauseKind
from hashinsight.sim.effects import Effects
from hashinsight.sim.state import State
from hashinsight.sim.weather import DAY_SEC

_HEAT_WAVE_C = 9.0
_AISLE_C = 11.0


def heat_wave(event: CauseEvent, effects: Effects, _state: State, now: float) -> None:
    effects.inlet_add_c[event.machines] += _HEAT_WAVE_C * event.plan.severity * event.swelling(now, 0.5 * DAY_SEC)


def hot_aisle(event: CauseEvent, effects: Effects, _state: State, now: float) -> None:
    # machines in the middle of the aisle get more of their own air back
    part = 0.7 + 0.3 * event.luck
    effects.inlet_add_c[event.machines] += _AISLE_C * event.plan.severity * event.swelling(now, 1200.0) * part


HEAT_KINDS = (
    CauseKind(
        kind="heat_wave",
        family="heat",
        signature="whole site hotter for days, fans at 100 %, hashrate down 5 to 10 % in the afternoon",
        within_sec=1.5 * DAY_SEC,
        does=heat_wave,
        reach="site",
        usual_sec=3 * DAY_SEC,
    ),
    CauseKind(
        kind="hot_aisle",
        family="heat",
        signature="zone gets hotter within 20 min, fans at 100 %, throttling, some machines stop",
        within_sec=3600.0,
        does=hot_aisle,
        reach="zone",
        usual_sec=6 * 3600.0,
    ),
)


HOUR = 3600.0


def cut_network(event: CauseEvent, effects: Effects, _state: State, _now: float) -> None:
    effects.linked[event.machines] = False
    # the shard that collects here hangs on the same switch
    effects.silent[event.machines] = True


def silence_collector(event: CauseEvent, effects: Effects, _state: State, _now: float) -> None:
    effects.silent[event.machines] = True
    if event.plan.spooled and np.isfinite(event.end):
        effects.spooled_from[event.machines] = event.start
        effects.spooled_until[event.machines] = event.end


def cut_power(event: CauseEvent, effects: Effects, _state: State, _now: float) -> None:
    effects.powered[event.machines] = False


def cut_site(event: CauseEvent, effects: Effects, _state: State, _now: float) -> None:
    effects.powered[event.machines] = False
    effects.silent[event.machines] = True


OUTAGE_KINDS = (
    CauseKind(
        kind="switch_outage",
        family="network",
        signature="no rows from any machine of a switch; they stop hashing minutes later",
        within_sec=900.0,
        does=cut_network,
        reach="switch",
        usual_sec=HOUR,
    ),
    CauseKind(
        kind="collector_silent",
        family="collector",
        signature="no rows from a whole site while its machines keep running; backlog arrives later",
        within_sec=900.0,
        does=silence_collector,
        reach="site",
        usual_sec=2 * HOUR,
    ),
    CauseKind(
        kind="pdu_outage",
        family="power",
        signature="all machines of a PDU offline at once; uptime from zero when they come back",
        within_sec=900.0,
        does=cut_power,
        reach="pdu",
        usual_sec=HOUR,
    ),
    CauseKind(
        kind="site_outage",
        family="power",
        signature="no rows from a whole site; uptime from zero when it comes back",
        within_sec=900.0,
        does=cut_site,
        reach="site",
        usual_sec=2 * HOUR,
    ),
)

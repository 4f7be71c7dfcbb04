"""The words of the registry as small numbers: what can be wrong, how badly, and where an event stands."""

from datetime import datetime, timedelta
from enum import IntEnum, StrEnum

CYCLE_SEC = 300.0  # every site is scanned this often


class Issue(IntEnum):
    """Issue codes. The number is a row of the verdict's matrix, so the order may only be added to."""

    OVERHEAT_CRIT = 0
    OFFLINE = 1
    HASHRATE_ZERO = 2
    BOARDS_DEAD = 3
    FAN_ZERO = 4
    OVERHEAT_WARN = 5
    HASHRATE_DEGRADATION = 6
    EFFICIENCY_DEGRADATION = 7
    TEMP_ANOMALY = 8
    TREND_ANOMALY = 9
    REJECT_RATE_HIGH = 10
    HW_ERROR_RATE_HIGH = 11
    WRONG_POOL = 12
    SENSOR_FAULT = 13
    DATA_IMPLAUSIBLE = 14
    FLEET_OUTLIER = 15
    BOARDS_DEGRADING = 16
    COLLECTOR_DOWN = 17  # of a collector, never of a machine
    BOARD_LOST = 18

    @property
    def code(self) -> str:
        return self.name.lower()


ISSUES = len(Issue)
# of what is open on one machine, causes stand before what follows from them
CAUSES_FIRST = (
    Issue.FAN_ZERO,
    Issue.OVERHEAT_CRIT,
    Issue.OVERHEAT_WARN,
    Issue.WRONG_POOL,
    Issue.BOARDS_DEAD,
    Issue.BOARD_LOST,
    Issue.BOARDS_DEGRADING,
    Issue.HW_ERROR_RATE_HIGH,
    Issue.REJECT_RATE_HIGH,
    Issue.HASHRATE_ZERO,
)


class Severity(IntEnum):
    """Smaller is worse."""

    P0 = 0
    P1 = 1
    P2 = 2
    P3 = 3


class EventStatus(IntEnum):
    PENDING = 0  # counts detections, shown to nobody
    OPEN = 1
    ACK = 2
    IN_PROGRESS = 3
    RESOLVED = 4


class CycleAction(StrEnum):
    """What a cycle did with one problem."""

    CREATED = "created"
    UPDATED = "updated"
    ESCALATED = "escalated"
    DEBOUNCING = "debouncing"
    SUPPRESSED = "suppressed"
    RECURRED = "recurred"
    RESOLVED = "resolved"
    COUNTING = "counting"
    NO_EVENT = "no_event"


ACTIONS = tuple(CycleAction)
ACTION_NO = {action: number for number, action in enumerate(ACTIONS)}


class RuleVerdict(IntEnum):
    """What one rule says of one machine in one cycle. Unknown neither opens nor resolves nor counts."""

    UNKNOWN = 0
    FINE = 1
    HIT = 2


class DataState(IntEnum):
    UNKNOWN = 0  # the collector is silent, or there never was a sample
    STALE = 1
    OFFLINE = 2
    FRESH = 3


class ExpectedState(IntEnum):
    """What a machine is expected to be just now; words of `inventory`'s intervals."""

    NOTHING = 0
    CURTAILED = 1
    STOPPED = 2
    REBOOTING = 3
    MAINTENANCE = 4


class ExpectationSource(IntEnum):
    """Where the expected hashrate comes from: the asset list, the machine or the catalogue, or it is inferred."""

    NONE = 0
    GIVEN = 1
    KIND = 2
    OWN_PAST = 3


class Mode(IntEnum):
    UNKNOWN = 0
    ECO = 1
    NORMAL = 2
    PERF = 3


MIN_CONFIDENCE = 0.6  # below it a mode is told as unknown


class Metric(IntEnum):
    """What has a baseline of its own. The first ones have a reference among their kind, the very first an anchor."""

    HASHRATE_RATIO = 0
    EFFICIENCY = 1
    TEMP_MAX = 2
    TEMP_LOAD = 3
    TEMP_SPREAD = 4
    BOARDS_RATIO = 5
    REJECT_RATE = 6
    HW_ERROR_RATE = 7


METRICS = len(Metric)
ANCHORED_METRICS = 4
REFERENCED_METRICS = 5


class ThawReason(IntEnum):
    """Why a frozen baseline was let go."""

    NONE = 0
    TIMEOUT = 1
    ACKNOWLEDGED = 2
    REPAIRED = 3


class Age(StrEnum):
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    OLDER = "older"

    def span(self, now: datetime) -> tuple[datetime | None, datetime | None]:
        """After the first moment, until the second; the four lie beside each other without a gap."""
        return _begins(self, now), _begins(_BEFORE[self], now) if self in _BEFORE else None


_LASTS = {Age.HOUR: timedelta(hours=1), Age.DAY: timedelta(days=1), Age.WEEK: timedelta(days=7)}
_BEFORE = {Age.DAY: Age.HOUR, Age.WEEK: Age.DAY, Age.OLDER: Age.WEEK}


def _begins(age: Age, now: datetime) -> datetime | None:
    return now - _LASTS[age] if age in _LASTS else None

"""The codes of the registry as small numbers: issues, severities, statuses, modes, metrics."""

from datetime import datetime, timedelta
from enum import IntEnum, StrEnum

CYCLE_SEC = 300.0  # every site is scanned this often


class Issue(IntEnum):
    """Issue codes. The number is stored, and a row of the verdict matrix: only append."""

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
# of one machine's open problems, causes come before their consequences
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
    PENDING = 0  # counts hits, not shown
    OPEN = 1
    ACK = 2
    IN_PROGRESS = 3
    RESOLVED = 4


SHOWN = (EventStatus.OPEN, EventStatus.ACK, EventStatus.IN_PROGRESS)  # open for people: confirmed and not resolved
SHOWN_STATUSES = tuple(status.name.lower() for status in SHOWN)  # as stored


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
    """One rule on one machine in one cycle. Unknown neither opens nor resolves nor counts."""

    UNKNOWN = 0
    FINE = 1
    HIT = 2


class DataState(IntEnum):
    UNKNOWN = 0  # the collector is silent, or there never was a sample
    STALE = 1
    OFFLINE = 2
    FRESH = 3


class ExpectedState(IntEnum):
    """What a machine is expected to be at the moment, as in `inventory`'s intervals."""

    NOTHING = 0
    CURTAILED = 1
    STOPPED = 2
    REBOOTING = 3
    MAINTENANCE = 4


class ExpectationSource(IntEnum):
    """Where the expected hashrate is from: given (asset list, machine, catalogue) or inferred."""

    NONE = 0
    GIVEN = 1
    KIND = 2
    OWN_PAST = 3


class Mode(IntEnum):
    UNKNOWN = 0
    ECO = 1
    NORMAL = 2
    PERF = 3


MIN_CONFIDENCE = 0.6  # below it a mode is shown as unknown


class Metric(IntEnum):
    """Metrics with a baseline. The first five have a reference among their kind, the first four an anchor."""

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
    """Why a frozen baseline learns again."""

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
        """Started after the first moment and until the second; the four leave no gap."""
        return _begins(self, now), _begins(_BEFORE[self], now) if self in _BEFORE else None


_LASTS = {Age.HOUR: timedelta(hours=1), Age.DAY: timedelta(days=1), Age.WEEK: timedelta(days=7)}
_BEFORE = {Age.DAY: Age.HOUR, Age.WEEK: Age.DAY, Age.OLDER: Age.WEEK}


def _begins(age: Age, now: datetime) -> datetime | None:
    return now - _LASTS[age] if age in _LASTS else None

"""States, permissions and events of collectors, and the default configuration. Pure."""

from datetime import timedelta
from enum import StrEnum
from typing import Any

from hashinsight.wire.freshness import DEFAULT_INTERVAL_SEC


class Status(StrEnum):
    """pending → active ⇄ offline; any of them → disabled → active."""

    PENDING = "pending"  # waits for approval
    ACTIVE = "active"
    OFFLINE = "offline"  # no call for too long
    DISABLED = "disabled"


SERVED = (Status.ACTIVE, Status.OFFLINE)  # states in which calls are served


class CollectorPermission(StrEnum):
    READ = "read"  # send telemetry
    CONTROL = "control"  # get commands
    CONFIG = "config"  # get configurations


class ConfigStatus(StrEnum):
    """draft → active → deprecated"""

    DRAFT = "draft"
    ACTIVE = "active"
    DEPRECATED = "deprecated"


class EventStatus(StrEnum):
    """open → acknowledged → resolved, or open → resolved"""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"


class Severity(StrEnum):
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"


class HeartbeatStatus(StrEnum):
    ONLINE = "online"
    DEGRADED = "degraded"
    ERROR = "error"


class Source(StrEnum):
    CLOUD = "cloud"
    COLLECTOR = "collector"


REGISTERED = "registered"
RECONNECTED = "reconnected"
OFFLINE = "offline"
CONFIG_CHANGED = "config_changed"
REGISTRATION_LIMIT = "registration_limit"
ZONE_MISMATCH = "zone_mismatch"
MACHINES_CLAIMED = "machines_claimed"

SEVERITIES = {
    REGISTERED: Severity.INFO,
    RECONNECTED: Severity.INFO,
    CONFIG_CHANGED: Severity.INFO,
    OFFLINE: Severity.WARNING,
    REGISTRATION_LIMIT: Severity.WARNING,
    ZONE_MISMATCH: Severity.WARNING,
    MACHINES_CLAIMED: Severity.INFO,
    "high_temperature": Severity.WARNING,
    "miner_offline": Severity.ERROR,
    "hashrate_drop": Severity.ERROR,
    "command_failed": Severity.ERROR,
    "miner_error": Severity.ERROR,
    "local_protection": Severity.CRITICAL,
}


def severity_of(kind: str) -> Severity:
    """Unknown kinds, which collectors in the field send too, are information."""
    return SEVERITIES.get(kind, Severity.INFO)


TOKEN_LIFE_DAYS, MAX_TOKEN_LIFE_DAYS = 365, 1825
TOKEN_LIFE = timedelta(days=TOKEN_LIFE_DAYS)
CODE_LIFE_HOURS, MAX_CODE_LIFE_HOURS = 24, 30 * 24
CODE_LIFE = timedelta(hours=CODE_LIFE_HOURS)
# how long the old token or key stays valid after a rotation: payloads encrypted with the old key may still be spooled
TOKEN_OVERLAP_SEC, PAYLOAD_KEY_OVERLAP_SEC, MAX_OVERLAP_SEC = 3600, 86_400, 7 * 86_400
REGISTRATION_OPEN = timedelta(hours=24)  # after the first call of a new collector, or its approval
MAX_REGISTRATION_OPEN = timedelta(days=7)  # if opened by a person
HEARTBEATS_KEPT = timedelta(days=7)
HEARTBEATS_AHEAD = timedelta(days=3)
HEARTBEAT_STEP = timedelta(days=1)

DEFAULT_VERSION = "v1.0.0"
DEFAULT_CONFIG: dict[str, Any] = {
    "collection_interval": DEFAULT_INTERVAL_SEC,
    "heartbeat_interval": 30,
    "api_timeout": 5,
    "retry": {"attempts": 3, "delays_sec": [5, 15, 30]},
    "buffer": {"hours": 24},
    "features": {"auto_discovery": False, "remote_control": True, "auto_reboot": False},
}

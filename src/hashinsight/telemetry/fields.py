"""The field map: names, units and limits of a sample's fields, and the column of each. Pure.

A new alias is one line here; the decoder is made from this table.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any

GHS = 1e-3  # TH/s per GH/s


class Kind(Enum):
    NUMBER = "number"
    COUNT = "count"
    TEXT = "text"
    NUMBERS = "numbers"
    ANY = "any"


@dataclass(frozen=True)
class Alias:
    name: str
    factor: float = 1.0


@dataclass(frozen=True)
class Field:
    """One column of a sample. The first alias that a sample carries wins."""

    column: str
    kind: Kind
    aliases: tuple[Alias, ...]
    most: float = 1e9  # upper limit of a reading; for texts the number of characters
    least: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(alias.name for alias in self.aliases)


def _field(column: str, kind: Kind, *aliases: str | tuple[str, float], most: float = 1e9, least: float = 0.0) -> Field:
    made = tuple(Alias(alias) if isinstance(alias, str) else Alias(*alias) for alias in aliases)
    return Field(column, kind, made or (Alias(column),), most, least)


FIELDS: tuple[Field, ...] = (
    _field(
        "hashrate_ths",
        Kind.NUMBER,
        *("hashrate_ths", "hashrate_th", "hashrate", ("hashrate_ghs", GHS)),
        most=1e10,
    ),
    _field("hashrate_1m", Kind.NUMBER, most=1e10),
    _field("hashrate_5m", Kind.NUMBER, most=1e10),
    _field("hashrate_15m", Kind.NUMBER, most=1e10),
    _field("hashrate_5s_ths", Kind.NUMBER, "hashrate_5s", ("hashrate_5s_ghs", GHS), most=1e10),
    _field("expected_ths", Kind.NUMBER, "expected_ths", ("hashrate_expected_ghs", GHS), most=1e5),
    _field("temp_c", Kind.NUMBER, "temp_avg", "temperature_avg", "temperature_c", "temperature", most=1000, least=-100),
    _field("temp_max_c", Kind.NUMBER, "temp_max", "temperature_max", most=1000, least=-100),
    _field("temp_min_c", Kind.NUMBER, "temp_min", "temperature_min", most=1000, least=-100),
    _field("temp_chip_max_c", Kind.NUMBER, "temp_chip_max", most=1000, least=-100),
    _field("temp_board_max_c", Kind.NUMBER, "temp_board_max", most=1000, least=-100),
    _field("temp_sensor", Kind.TEXT, most=20),
    _field("temp_limit_c", Kind.NUMBER, most=1000, least=-100),
    _field("temp_warn_c", Kind.NUMBER, most=1000, least=-100),
    _field("temp_limits", Kind.ANY),
    _field("chip_temps_c", Kind.NUMBERS, "temperature_chips", most=1000, least=-100),
    _field("board1_c", Kind.NUMBER, "temperature_board1", most=1000, least=-100),
    _field("board2_c", Kind.NUMBER, "temperature_board2", most=1000, least=-100),
    _field("board3_c", Kind.NUMBER, "temperature_board3", most=1000, least=-100),
    _field("fan_speeds", Kind.NUMBERS, "fan_speeds", "fan_rpm", most=1e5, least=-1),
    _field("fan_rpm", Kind.NUMBER, "fan_speed_avg", most=1e5, least=-1),
    _field("fan1", Kind.NUMBER, "fan1_speed", most=1e5, least=-1),
    _field("fan2", Kind.NUMBER, "fan2_speed", most=1e5, least=-1),
    _field("fan3", Kind.NUMBER, "fan3_speed", most=1e5, least=-1),
    _field("fan4", Kind.NUMBER, "fan4_speed", most=1e5, least=-1),
    _field("power_w", Kind.NUMBER, "power_w", "power_consumption", "power_consumption_w", most=1e6),
    _field("voltage_v", Kind.NUMBER, most=1e4),
    _field("current_a", Kind.NUMBER, most=1e5),
    _field("frequency_mhz", Kind.NUMBER, "frequency_avg", "frequency_mhz", most=1e5),
    _field("accepted", Kind.COUNT, "accepted_shares", "accepted", most=1e18),
    _field("rejected", Kind.COUNT, "rejected_shares", "rejected", most=1e18),
    _field("hw_errors", Kind.COUNT, "hw_errors", "hardware_errors", most=1e18),
    _field("reject_rate", Kind.NUMBER, most=100),
    _field("reject_percent", Kind.NUMBER, "reject_rate_percent", "reject_rate_pct", "reject_percent", most=100),
    _field("uptime_sec", Kind.COUNT, "uptime_seconds", "uptime", most=1e10),
    _field("boards", Kind.ANY),
    _field("boards_healthy", Kind.COUNT, most=1000),
    _field("boards_total", Kind.COUNT, most=1000),
    _field("pool_latency_ms", Kind.NUMBER, most=1e7),
    _field("model", Kind.TEXT, "model", "miner_type", most=200),
    _field("firmware", Kind.TEXT, "firmware", "firmware_version", most=200),
    _field("pool_url", Kind.TEXT, most=500),
    _field("worker", Kind.TEXT, "worker_name", "pool_worker", most=200),
    _field("pool_status", Kind.TEXT, most=100),
    _field("mode", Kind.TEXT, most=50),
    _field("state", Kind.TEXT, "state", "status", most=50),
    _field("online", Kind.ANY),
    _field("error_type", Kind.TEXT, most=200),
    _field("error_message", Kind.TEXT, most=2000),
    _field("mac", Kind.TEXT, "mac_address", most=100),
    _field("serial", Kind.TEXT, "serial_number", most=200),
    _field("raw_data", Kind.ANY),
)

# every sample has these
MINER, TIMES, SEQUENCE = "miner_id", ("ts", "timestamp"), "source_seq"

# addresses and credentials of miners stay at the site: dropped before storing or logging
DROPPED = frozenset(
    {
        "ip",
        "ip_address",
        "host",
        "hostname",
        "miner_ip",
        "address",
        "api_port",
        "port",
        "url",
        "user",
        "username",
        "password",
        "passwd",
        "pool_user",
        "pool_password",
        "token",
        "miner_key",
        "credentials",
        "auth",
    }
)
# fields without information about the machine
IGNORED = frozenset({"site_id", "zone_id", "device_id", "efficiency", "schema"})

TYPES: dict[Kind, Any] = {
    Kind.NUMBER: float | None,
    Kind.COUNT: float | None,  # some makes write counters as 12.0
    Kind.TEXT: str | None,
    Kind.NUMBERS: list[float | None] | float | None,
    Kind.ANY: Any,
}

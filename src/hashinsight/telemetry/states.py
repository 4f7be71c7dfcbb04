"""Status, flags and upload mode of samples, and the words of a live machine in answers. Pure."""

from enum import IntEnum, IntFlag
from typing import Literal

Condition = Literal["P0", "P1", "P2", "P3", "down", "stopped", "unknown", "fine"]
Health = Literal["P0", "P1", "P2", "P3", "down", "stopped", "unknown", "ok"]
Mode = Literal["unknown", "eco", "normal", "perf"]
RatingSource = Literal["operator", "reported", "catalogue", "baseline", "inferred"]
ExpectedSource = Literal["operator", "reported", "catalogue", "baseline", "inferred", "mode", "expected_state"]


class SampleStatus(IntEnum):
    OFFLINE = 0
    ONLINE = 1
    ERROR = 2


class SampleFlags(IntFlag):
    """Stored with a sample: which values were impossible, repaired or doubtful, and which sensor was read."""

    TEMPERATURE_SENTINEL = 1  # 0 °C or 255 °C: a broken sensor
    FAN_SENTINEL = 2  # below 0 rpm
    UNITS_MENDED = 4  # a hashrate (total, board or expected) was thousands or millions too high, and was divided
    IMPLAUSIBLE = 8  # a hashrate that no machine reaches: unknown
    POWER_UNKNOWN = 16  # 0 W from a machine that hashes
    CHIP_SENSOR = 32  # the hottest reading is a chip; without this or the next flag, the firmware tells
    BOARD_SENSOR = 64
    HASHRATE_DOUBTFUL = 128  # derived from the boards only, or contradicted by power or boards
    TEMPERATURE_DOUBTFUL = 256  # only a mean or the water is known, or nothing at all while the machine hashes


class UploadMode(IntEnum):
    RAW = 0
    LATEST = 1


_OFFLINE = frozenset({"offline", "unreachable", "dead", "disconnected", "down", "no_response"})
_ERROR = frozenset({"error", "fault", "failed", "failure", "alarm"})


def sample_status(state: str | None, online: object) -> SampleStatus:
    """An unknown word still means that the machine responded: online."""
    word = (state or "").strip().lower()
    if word in _OFFLINE or online in (False, 0, "false", "0", "no", "offline"):
        return SampleStatus.OFFLINE
    return SampleStatus.ERROR if word in _ERROR else SampleStatus.ONLINE

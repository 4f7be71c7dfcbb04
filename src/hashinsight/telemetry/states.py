"""What a sample says of its machine, and what we make of readings that are none. Pure."""

from enum import IntEnum, IntFlag


class SampleStatus(IntEnum):
    OFFLINE = 0
    ONLINE = 1
    ERROR = 2


class SampleFlags(IntFlag):
    """Kept with a sample: what was not a reading, so that nobody takes it for one, and what was measured where."""

    TEMPERATURE_SENTINEL = 1  # 0 °C or 255 °C: a broken sensor
    FAN_SENTINEL = 2  # below 0 rpm
    UNITS_MENDED = (
        4  # a hashrate that was thousands or millions too high, divided: the total, a board's or the expected
    )
    IMPLAUSIBLE = 8  # a hashrate that no machine has: unknown
    POWER_UNKNOWN = 16  # 0 W of a machine that hashes
    CHIP_SENSOR = 32  # the hottest was read at a chip; without this or the next, the firmware says where
    BOARD_SENSOR = 64
    HASHRATE_DOUBTFUL = 128  # the edge has it from the boards alone, or watts or boards contradict it
    TEMPERATURE_DOUBTFUL = 256  # only a mean or the water is known, or nothing at all of a machine that hashes


class UploadMode(IntEnum):
    RAW = 0
    LATEST = 1


_OFFLINE = frozenset({"offline", "unreachable", "dead", "disconnected", "down", "no_response"})
_ERROR = frozenset({"error", "fault", "failed", "failure", "alarm"})


def sample_status(state: str | None, online: object) -> SampleStatus:
    """A word that we do not know is somebody answering: online, the word is kept."""
    word = (state or "").strip().lower()
    if word in _OFFLINE or online in (False, 0, "false", "0", "no", "offline"):
        return SampleStatus.OFFLINE
    return SampleStatus.ERROR if word in _ERROR else SampleStatus.ONLINE

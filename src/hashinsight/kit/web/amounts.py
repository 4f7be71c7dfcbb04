"""How much a body may hold, route by route, counted while it comes in: nothing is parsed that holds more.

A parser works for each value, and for an object or its names ten times as long as for a number. It keeps the
interpreter for the whole document, also in a thread: only a bound keeps others from waiting. These keep it below 20 ms,
and a batch of acks, which only collectors send, at about 100 ms.
"""

from dataclasses import dataclass

from hashinsight.kit.errors import PayloadTooLarge

# a name ends with a quote, maybe blanks, and a colon: those inside a time or a MAC have none of them before
_NAME_ENDS = (b'":', b" :", b"\t:", b"\n:", b"\r:")


@dataclass(frozen=True)
class Amount:
    values: int
    fields: int  # names, and objects and lists themselves
    size: int | None = None  # in bytes, where less than the settings say is enough
    is_large: bool = False  # of many machines: as many bytes as the settings say for those


_SIGN_IN = Amount(100, 100, 16 * 1024)  # of strangers: nobody has to be known for these
_PEOPLE = Amount(5_000, 1_000)
_MACHINES = Amount(25_000, 1_000)  # two lists of 10,000
_COLLECTORS = Amount(25_000, 5_000)

# 100,000 machines and the evidence; what lies below the same path is small
_OF_PATH = {"/api/admin/v1/commands": Amount(105_000, 5_000, 8 * 1024 * 1024, is_large=True)}
_BELOW: tuple[tuple[str, Amount | None], ...] = (
    # telemetry may be zipped, and an asset list is no JSON: whoever reads these counts
    ("/api/edge/v1/telemetry/", None),
    ("/api/collector/upload", None),
    ("/api/admin/v1/miners/import", None),
    # 500 acks with two snapshots each, of 400 chips, or 126 that are objects; read in a thread, one call of a collector
    ("/api/edge/v1/commands/ack/batch", Amount(500_000, 400_000, is_large=True)),
    ("/api/edge/v1/events", Amount(50_000, 20_000)),
    ("/api/edge/v1/register", _SIGN_IN),
    ("/api/edge/", _COLLECTORS),
    ("/api/collector/", _COLLECTORS),
    ("/api/v1/auth/", _SIGN_IN),
    ("/api/admin/v1/groups", _MACHINES),
    ("/api/admin/v1/miners/maintenance", _MACHINES),
    ("/api/admin/v1/settings", Amount(25_000, 15_000)),
    ("/api/admin/v1/audit/verify", Amount(25_000, 25_000)),
    ("/api/admin/v1/collector", _COLLECTORS),
)


def amount_of(path: str) -> Amount | None:
    """None where whoever reads the body counts by itself."""
    if path in _OF_PATH:
        return _OF_PATH[path]
    return next((amount for start, amount in _BELOW if path.startswith(start)), _PEOPLE)


class Counted:
    """What came of one body so far. What stands in its texts is counted as well, so it is never too little."""

    def __init__(self, most: Amount) -> None:
        self._most = most
        self._values = self._fields = 0
        self._last = b""

    def add(self, chunk: bytes) -> None:
        self._values += chunk.count(b",")
        self._fields += chunk.count(b"{") + chunk.count(b"[")
        joined = self._last + chunk if chunk[:1] == b":" else chunk
        self._fields += sum(map(joined.count, _NAME_ENDS))
        self._last = chunk[-1:]
        if self._values > self._most.values or self._fields > self._most.fields:
            raise PayloadTooLarge(
                f"the body has more than {self._most.values} values, or {self._most.fields} fields, objects and lists",
                code="TOO_MANY_VALUES",
                details={"limit_values": self._most.values, "limit_fields": self._most.fields},
            )

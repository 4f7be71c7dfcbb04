"""How much a body may hold, route by route, counted while it comes in: nothing is parsed that holds more.

A parser works for each value, and for an object or its names ten times as long as for a number. It keeps the
interpreter for the whole document, also in a thread: only a bound keeps others from waiting. These keep it below 20 ms,
and a batch of acks, which only collectors send, at about 100 ms.
"""

from collections import Counter
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hashinsight.kit.crypto import token_hash
from hashinsight.kit.embedded.disk import DiskGuard
from hashinsight.kit.errors import PayloadTooLarge, RateLimited, Unavailable
from hashinsight.kit.networks import network_of
from hashinsight.kit.web.rate_limits import Rates

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


TELEMETRY_PATHS = ("/api/edge/v1/telemetry/", "/api/collector/upload")
MOST_AT_ONCE, MOST_OF_ALL = 4, 16  # of the largest uploads: in the memory of one process, of one address and of all
_UNLIMITED = frozenset({"/healthz", "/readyz"})


class BodyLimit:
    """Refuses a body that is too large: by its announced length at once, otherwise at the byte that is too many.

    So it does one with more values than its route takes, before anybody parses it (see `amounts`). And more at a time
    than this process has room for, of one address and of all: bodies are read before anybody knows who sends them.
    """

    def __init__(self, app: ASGIApp, limit_kb: int, batch_limit_kb: int) -> None:
        self._app = app
        self._limit = limit_kb * 1024
        self._batch_limit = batch_limit_kb * 1024
        self._room = max(self._limit, self._batch_limit)
        self._held: Counter[str] = Counter()
        self._held_in_all = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        amount = amount_of(scope["path"])
        limit = self._limit_of(amount)
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdecimal() and int(announced) > limit:
            raise _too_large(limit)
        seen, caller, held = 0, _caller(scope), None if amount is None else Counted(amount)

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            if size := len(message.get("body", b"")):
                self._hold(caller, size)
                seen += size
                if seen > limit:
                    raise _too_large(limit)
                if held is not None:
                    held.add(message["body"])
            return message

        try:
            await self._app(scope, counted, send)
        finally:
            if seen:
                self._let_go(caller, seen)

    def _limit_of(self, amount: Amount | None) -> int:
        if amount is None:
            return self._batch_limit
        limit = self._batch_limit if amount.is_large else self._limit
        return limit if amount.size is None else min(limit, amount.size)

    def _hold(self, caller: str, size: int) -> None:
        of_caller, of_all = self._held[caller] + size, self._held_in_all + size
        if of_caller > MOST_AT_ONCE * self._room or of_all > MOST_OF_ALL * self._room:
            raise Unavailable(
                "too much is being uploaded at the same time: send it again later",
                code="TOO_MANY_UPLOADS",
                retry_after_sec=10,
            )
        self._held[caller], self._held_in_all = of_caller, of_all

    def _let_go(self, caller: str, size: int) -> None:
        self._held_in_all -= size
        self._held[caller] -= size
        if not self._held[caller]:
            del self._held[caller]


class RateLimit:
    """By address, and by the token that a call carries: one that ran wild costs its own calls, wherever it calls from.

    Nobody has looked at the token yet. A guessed one gains nothing, because the address is counted all the same.
    """

    def __init__(self, app: ASGIApp, rates: Rates, per_minute: int, per_token: int, cookie: str) -> None:
        self._app = app
        self._rates = rates
        self._per_minute = per_minute
        self._per_token = per_token
        self._cookie = cookie  # that holds the console's token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in _UNLIMITED:
            if not await self._rates.spend(f"address:{_caller(scope)}", self._per_minute):
                raise RateLimited("too many requests from this address: slow down", retry_after_sec=60)
            for token in _tokens_of(HTTPConnection(scope), self._cookie):
                if not await self._rates.spend(f"token:{token_hash(token).hex()[:32]}", self._per_token):
                    raise RateLimited("too many requests with this token: slow down", retry_after_sec=10)
        await self._app(scope, receive, send)


def _caller(scope: Scope) -> str:
    return network_of((scope.get("client") or ("unknown",))[0])


def _tokens_of(call: HTTPConnection, cookie: str) -> set[str]:
    """All that it carries: which of them counts is for the route to say, and one beside it must not hide it."""
    headers = call.headers
    given = headers.get("authorization", "")
    found = {headers.get("x-collector-key", "").strip(), headers.get("x-api-key", "").strip()}
    if given.lower().startswith("bearer "):
        found.add(given[7:].strip())
    if "cookie" in headers:
        found.add(call.cookies.get(cookie, ""))
    return found - {""}


class ShedWhenDiskIsLow:
    """Refuses telemetry, and only telemetry, while the disk is nearly full: collectors keep it and send it again."""

    def __init__(self, app: ASGIApp, guard: DiskGuard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(TELEMETRY_PATHS) and not self._guard.has_room():
            raise Unavailable(
                "the disk is nearly full: keep the batch and send it later",
                code="DISK_LOW",
                retry_after_sec=60,
            )
        await self._app(scope, receive, send)


def _too_large(limit: int) -> PayloadTooLarge:
    return PayloadTooLarge(f"the body is larger than {limit} bytes", details={"limit_bytes": limit})

"""Limits on request bodies, by route, counted while a body arrives: larger ones are never parsed.

Parsing cost grows with the number of values, and ten times as fast with objects and their names. It holds the GIL for
the whole document, also in a thread. These limits keep it below 20 ms, and at about 100 ms for a batch of acks, which
only collectors send.
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

# a field name ends with a quote, optional blanks and a colon; colons in a time or MAC do not follow these
_NAME_ENDS = (b'":', b" :", b"\t:", b"\n:", b"\r:")


@dataclass(frozen=True)
class Allowance:
    values: int
    fields: int  # field names, objects and lists
    size: int | None = None  # bytes, if below the setting
    is_large: bool = False  # bulk request: `batch_limit_kb` applies


_SIGN_IN = Allowance(100, 100, 16 * 1024)  # no authentication needed
_PEOPLE = Allowance(5_000, 1_000)
_MACHINES = Allowance(25_000, 1_000)  # two lists of 10,000
_COLLECTORS = Allowance(25_000, 5_000)

# 100,000 machines and the evidence; routes below the same path are small
_OF_PATH = {"/api/admin/v1/commands": Allowance(105_000, 5_000, 8 * 1024 * 1024, is_large=True)}
_BELOW: tuple[tuple[str, Allowance | None], ...] = (
    # telemetry may be compressed, an asset list is not JSON: the routes count themselves
    ("/api/edge/v1/telemetry/", None),
    ("/api/collector/upload", None),
    ("/api/admin/v1/miners/import", None),
    # 500 acks with two snapshots each, of 400 chips or 126 objects; read in a thread, one call per collector
    ("/api/edge/v1/commands/ack/batch", Allowance(500_000, 400_000, is_large=True)),
    ("/api/edge/v1/events", Allowance(50_000, 20_000)),
    ("/api/edge/v1/register", _SIGN_IN),
    ("/api/edge/", _COLLECTORS),
    ("/api/collector/", _COLLECTORS),
    ("/api/v1/auth/", _SIGN_IN),
    ("/api/admin/v1/groups", _MACHINES),
    ("/api/admin/v1/miners/maintenance", _MACHINES),
    ("/api/admin/v1/settings", Allowance(25_000, 15_000)),
    ("/api/admin/v1/audit/verify", Allowance(25_000, 25_000)),
    ("/api/admin/v1/collector", _COLLECTORS),
)


def allowance_for(path: str) -> Allowance | None:
    """None if the route counts the body itself."""
    if path in _OF_PATH:
        return _OF_PATH[path]
    return next((allowance for start, allowance in _BELOW if path.startswith(start)), _PEOPLE)


class BodyCounter:
    """Counts one body so far. Characters inside texts are counted too, so the count is never too low."""

    def __init__(self, most: Allowance) -> None:
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
                f"the request body has more than {self._most.values} values or {self._most.fields} fields and lists",
                code="TOO_MANY_VALUES",
                details={"limit_values": self._most.values, "limit_fields": self._most.fields},
            )


TELEMETRY_PATHS = ("/api/edge/v1/telemetry/", "/api/collector/upload")
MAX_PER_ADDRESS, MAX_TOTAL = 4, 16  # largest uploads in the memory of one process: of one address and in total
_UNLIMITED = frozenset({"/healthz", "/readyz"})


class BodyLimit:
    """Refuses a body that is too large: by its content-length, else at the first byte too many.

    Also one with more values than its route allows, before it is parsed (see `Allowance`), and more bytes at a time
    than this process has room for, per address and in total: bodies are read before the caller is authenticated.
    """

    def __init__(self, app: ASGIApp, limit_kb: int, batch_limit_kb: int) -> None:
        self._app = app
        self._limit = limit_kb * 1024
        self._batch_limit = batch_limit_kb * 1024
        self._room = max(self._limit, self._batch_limit)
        self._held: Counter[str] = Counter()
        self._held_total = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        allowance = allowance_for(scope["path"])
        limit = self._limit_of(allowance)
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdecimal() and int(announced) > limit:
            raise _too_large(limit)
        seen, caller, held = 0, _caller(scope), None if allowance is None else BodyCounter(allowance)

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

    def _limit_of(self, allowance: Allowance | None) -> int:
        if allowance is None:
            return self._batch_limit
        limit = self._batch_limit if allowance.is_large else self._limit
        return limit if allowance.size is None else min(limit, allowance.size)

    def _hold(self, caller: str, size: int) -> None:
        of_caller, of_all = self._held[caller] + size, self._held_total + size
        if of_caller > MAX_PER_ADDRESS * self._room or of_all > MAX_TOTAL * self._room:
            raise Unavailable(
                "too many uploads at the same time: try again later",
                code="TOO_MANY_UPLOADS",
                retry_after_sec=10,
            )
        self._held[caller], self._held_total = of_caller, of_all

    def _let_go(self, caller: str, size: int) -> None:
        self._held_total -= size
        self._held[caller] -= size
        if not self._held[caller]:
            del self._held[caller]


class RateLimit:
    """By address, and by the token of a call: a runaway client spends its own budget, wherever it calls from.

    The token is not verified yet. Guessing one gains nothing: the address is counted as well.
    """

    def __init__(self, app: ASGIApp, rates: Rates, per_minute: int, per_token: int, cookie: str) -> None:
        self._app = app
        self._rates = rates
        self._per_minute = per_minute
        self._per_token = per_token
        self._cookie = cookie  # with the console's token

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
    """All tokens of the call: the route decides which one counts, and another must not hide it."""
    headers = call.headers
    authorization = headers.get("authorization", "")
    tokens = {headers.get("x-collector-key", "").strip(), headers.get("x-api-key", "").strip()}
    if authorization.lower().startswith("bearer "):
        tokens.add(authorization[7:].strip())
    if "cookie" in headers:
        tokens.add(call.cookies.get(cookie, ""))
    return tokens - {""}


class ShedWhenDiskIsLow:
    """Refuses only telemetry while the disk is nearly full: collectors keep it and send it again."""

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
    return PayloadTooLarge(f"the request body is larger than {limit} bytes", details={"limit_bytes": limit})

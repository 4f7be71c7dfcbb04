"""Limits that a request meets before any of our code reads it: its size, its sender's rate, the room on the disk."""

from collections import Counter

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hashinsight.kit.crypto import token_hash
from hashinsight.kit.embedded.disk import DiskGuard
from hashinsight.kit.errors import PayloadTooLarge, RateLimited, Unavailable
from hashinsight.kit.networks import network_of
from hashinsight.kit.web.amounts import Amount, Counted, amount_of
from hashinsight.kit.web.rates import Rates

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

"""The stream of changes: it holds no session, reads in the caller's scope, and polls as a fallback.

Redis only says when to look. Without it a stream polls every few seconds; with it, it still polls now and then, because
a message can be lost and a replica can lag.
"""

from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from hashinsight.identity.scope import Scope
from hashinsight.kit.changes import ChangeFeed, ChangeSubscription
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import HashInsightError
from hashinsight.problems.queries import timeline

KINDS = ("problems", "telemetry")
MAX_CHANGES = 500  # in one poll; more than that become a `resync`
MAX_STREAMS = 500  # of one process
MAX_STREAMS_PER_TENANT = MAX_STREAMS // 2  # so that no tenant locks out the others
MAX_STREAMS_PER_USER = 20  # with all their keys; a console tab holds one
_BEAT_SECONDS = 15.0
_LOOK_SECONDS = 5.0  # while Redis is away
_TELEMETRY_SECONDS = 60.0  # the same: how often live values are rolled up
_RETRY_MS = 3000
# Ids are created before their transaction commits: one committed since the last poll may be older.
_OVERLAP = timedelta(seconds=60)
_MOST_REMEMBERED = 5000
_NONE = UUID(int=0)


@dataclass
class StreamPosition:
    """How far a stream is: the newest entry it knows, the newest it sent, and those it sent lately."""

    newest: UUID
    floor: UUID = _NONE
    shown: UUID | None = None
    sent: OrderedDict[UUID, None] = field(default_factory=OrderedDict)
    heals_at: float | None = None  # when lists are to be read again

    def begin(self) -> UUID:
        return max(self.floor, _earlier(self.newest))

    def not_sent(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [row for row in rows if row["id"] not in self.sent]

    def take(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            self.sent[row["id"]] = None
            self.newest = max(self.newest, row["id"])
            self.shown = max(self.shown or _NONE, row["id"])
        while len(self.sent) > _MOST_REMEMBERED:
            self.sent.popitem(last=False)

    def skip_to(self, newest: UUID, *, now: float) -> None:
        """Entries committed late are not sent any more: after a while lists are read again."""
        self.newest = self.floor = max(self.newest, newest)
        self.heals_at = now + _OVERLAP.total_seconds()

    def heals(self, now: float) -> bool:
        is_time = self.heals_at is not None and now >= self.heals_at
        self.heals_at = None if is_time else self.heals_at
        return is_time


def _earlier(entry_id: UUID) -> UUID:
    """The first id of some time earlier. The first 48 bits of an id are milliseconds since 1970."""
    return UUID(int=max((entry_id.int >> 80) - int(_OVERLAP.total_seconds() * 1000), 0) << 80)


@dataclass(frozen=True)
class StreamWatch:
    """What one stream watches. `scope` authenticates again: a session that has ended ends the stream."""

    database: Database
    announcer: ChangeFeed
    scope: Callable[[], Awaitable[Scope]]
    clock: Callable[[], float]  # monotonic seconds
    site_id: int | None
    kinds: frozenset[str]
    last_event_id: UUID | None
    seconds: float
    holder: str = ""  # the user, or a key without one


async def watch(watching: StreamWatch, scope: Scope) -> AsyncIterator[str]:
    """Lines of a text/event-stream."""
    ends, telemetry_at = watching.clock() + watching.seconds, watching.clock()
    with watching.announcer.waiting(scope.tenant_id, watching.holder) as bell:
        if not has_room(
            watching.announcer, scope.tenant_id, watching.holder, more=0
        ):  # others connected at the same time
            yield _line("bye", {"reason": "TOO_MANY_STREAMS"})
            return
        place, sites = await _begin(watching, scope)
        hello = {"sites": sites, "kinds": sorted(watching.kinds)}
        yield f"retry: {_RETRY_MS}\n" + _line("hello", hello)
        rung: set[tuple[int, str]] = set()
        while True:
            try:
                lines, sites = await _look(watching, await watching.scope(), place)
            except HashInsightError as error:
                yield _line("bye", {"reason": error.error_code})
                return
            except (SQLAlchemyError, OSError):  # the database is away for a moment: the next poll catches up
                lines = []
            if not watching.announcer.is_subscribed and watching.clock() - telemetry_at >= _TELEMETRY_SECONDS:
                rung |= {(site_id, "telemetry") for site_id in sites}
                telemetry_at = watching.clock()
            lines += _telemetry(watching, rung, sites)
            yield "".join(lines) or ": beat\n\n"
            left = ends - watching.clock()
            if left <= 0 or watching.announcer.is_closed:
                yield _line("bye", {"reason": "STOPPING" if watching.announcer.is_closed else "TIME_IS_UP"})
                return
            rung = await _wait(watching, bell, left)


def has_room(announcer: ChangeFeed, tenant_id: UUID, holder: str, *, more: int = 1) -> bool:
    """Whether this many more streams may open."""
    of_tenant, of_person = announcer.waiters_of(tenant_id, holder)
    return (
        announcer.waiters + more <= MAX_STREAMS
        and of_tenant + more <= MAX_STREAMS_PER_TENANT
        and of_person + more <= MAX_STREAMS_PER_USER
    )


async def _wait(watching: StreamWatch, bell: ChangeSubscription, left: float) -> set[tuple[int, str]]:
    return await bell.wait(min(left, _BEAT_SECONDS if watching.announcer.is_subscribed else _LOOK_SECONDS))


async def _begin(watching: StreamWatch, scope: Scope) -> tuple[StreamPosition, list[int]]:
    """After the last event that the caller has; or now, counting recent entries as sent.

    An event id later than all entries is not one of this server, or is from before its clock was set back: the caller
    is told to read its lists again.
    """
    async with watching.database.reading(scope.context(read_only=True)) as session:
        sites = _wanted(watching, await timeline.list_sites(session, scope))
        newest = await timeline.find_newest(session, sites) or _NONE
        if watching.last_event_id is not None and watching.last_event_id <= newest:
            return StreamPosition(watching.last_event_id), sites
        place = StreamPosition(newest)
        rows = await timeline.list_since(session, scope, sites, place.begin(), limit=MAX_CHANGES)
    if len(rows) > MAX_CHANGES:
        place.skip_to(place.newest, now=watching.clock())
    else:
        place.take(rows)
    if watching.last_event_id is not None:
        place.shown, place.heals_at = place.newest, watching.clock()
    return place, sites


async def _look(watching: StreamWatch, scope: Scope, place: StreamPosition) -> tuple[list[str], list[int]]:
    """What is new, and the sites in scope.

    The session may end, or its scope change, while rows are read: then they are not sent, but read again in the scope
    of that time. The position moves only with what is sent.
    """
    rows: list[dict[str, Any]] = []
    newest = None
    async with watching.database.reading(scope.context(read_only=True)) as session:
        sites = _wanted(watching, await timeline.list_sites(session, scope))
        if "problems" in watching.kinds:
            rows = await timeline.list_since(session, scope, sites, place.begin(), limit=MAX_CHANGES)
        if len(rows) > MAX_CHANGES:
            newest = await timeline.find_newest_seen(session, scope, sites, place.begin()) or rows[-1]["id"]
    fresh = place.not_sent(rows)
    if fresh and not (current := await watching.scope()).covers_same(scope):
        return await _look(watching, current, place)
    if newest is not None:
        place.skip_to(newest, now=watching.clock())
        place.shown = place.newest
        return [_resync(sites, place)], sites
    place.take(fresh)
    by_site: dict[int, list[dict[str, Any]]] = {}
    for row in fresh:
        by_site.setdefault(row["site_id"], []).append({**row})
    lines = [_resync(sites, place)] if place.heals(watching.clock()) else []
    lines += [
        _line("problems", {"site_id": site_id, "changes": changes}, place.shown) for site_id, changes in by_site.items()
    ]
    return lines, sites


def _resync(sites: list[int], place: StreamPosition) -> str:
    return _line("resync", {"sites": sites, "kind": "problems"}, place.shown)


def _telemetry(watching: StreamWatch, rung: set[tuple[int, str]], sites: list[int]) -> list[str]:
    if "telemetry" not in watching.kinds:
        return []
    return [
        _line("telemetry", {"site_id": site_id})
        for site_id, kind in sorted(rung)
        if kind == "telemetry" and site_id in sites
    ]


def _wanted(watching: StreamWatch, sites: list[int]) -> list[int]:
    return [site_id for site_id in sites if watching.site_id in (None, site_id)]


def _line(event: str, data: dict[str, Any], newest: UUID | None = None) -> str:
    number = "" if newest is None else f"id: {newest}\n"
    return f"{number}event: {event}\ndata: {msgspec.json.encode(data).decode()}\n\n"

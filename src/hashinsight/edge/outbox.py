"""Events on their way to the cloud: on disk before anything else happens, told once, in order, and bounded."""

import sqlite3
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from hashinsight.edge.database import transaction
from hashinsight.wire.bounds import bounded
from hashinsight.wire.times import write_time

SCHEMA = """
create table if not exists events (no integer primary key autoincrement, event_id text not null, body blob not null);
"""
MOST_EVENTS, MOST_CRITICAL = 10_000, 50_000
_LINE, _PARAGRAPH = 200, 4000


def event_of(
    kind: str,
    severity: str,
    title: str,
    message: str = "",
    *,
    miner_id: str | None = None,
    command_id: str | None = None,
    details: Mapping[str, Any] | None = None,
    now: float,
) -> dict[str, Any]:
    """As the registry takes it, cut to its bounds here: an event that is refused is one that nobody hears."""
    said = {
        "event_id": uuid.uuid4().hex,
        "kind": kind,
        "severity": severity,
        "title": title[:_LINE],
        "message": message[:_PARAGRAPH],
        "miner_id": miner_id and miner_id[:_LINE],
        "command_id": command_id and command_id[:_LINE],
        "details": bounded(dict(details)) if details else None,
        "occurred_at": write_time(datetime.fromtimestamp(now, UTC)),
    }
    return {name: value for name, value in said.items() if value is not None}


class Outbox:
    """Lives in the journal's file, with its promise: what protection did to a machine outlives a power cut."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def put(self, event: Mapping[str, Any]) -> None:
        self._db.execute(
            "insert into events (event_id, body) values (?, ?)", (event["event_id"], msgspec.json.encode(event))
        )

    def take(self, most: int) -> list[tuple[int, dict[str, Any]]]:
        found = self._db.execute("select no, body from events order by no limit ?", (most,))
        return [(no, msgspec.json.decode(body)) for no, body in found]

    def drop(self, numbers: Sequence[int]) -> None:
        """Told, or refused for good."""
        with transaction(self._db):
            self._db.executemany("delete from events where no = ?", [(no,) for no in numbers])

    def count(self) -> int:
        (count,) = self._db.execute("select count(*) from events").fetchone()
        return int(count)

    def tidy(self) -> None:
        """A storm of events while the cloud is away: the oldest go, those that stopped a machine as the last resort."""
        excess = self.count() - MOST_EVENTS
        if excess > 0:
            oldest = (
                "select no from events where json_extract(cast(body as text), '$.severity') != 'critical'"
                " order by no limit ?"
            )
            self._db.execute(f"delete from events where no in ({oldest})", (excess,))  # noqa: S608 - ours
        oldest = "select no from events order by no desc limit -1 offset ?"
        self._db.execute(f"delete from events where no in ({oldest})", (MOST_CRITICAL,))  # noqa: S608 - ours

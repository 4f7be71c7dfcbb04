"""Who waits for a lock in the database: the sign that one act stands behind another, whatever the machine is doing."""

import asyncio
import time
from typing import Any

import psycopg

from tests.installation import HANG_TIMEOUT_SEC

_WAITING = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"


async def wait_until_blocked(url: str, *acts: asyncio.Task[Any], waiting: int = 1) -> None:
    """Until so many wait for a lock in this database; an act that ends before has not waited for anybody."""
    end = time.monotonic() + HANG_TIMEOUT_SEC
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        while (await (await connection.execute(_WAITING)).fetchone() or (0,))[0] < waiting:
            assert not any(act.done() for act in acts), "it did not wait"
            assert time.monotonic() < end, f"nobody waited for a lock in {HANG_TIMEOUT_SEC:.0f} s"
            await asyncio.sleep(0.02)

"""API processes killed in the middle of uploads: what was answered 200 is there once, the rest can be sent again."""

import asyncio
import gzip
import json
import os
import random
import ssl
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.settings import Settings
from tests.installation import HANG_TIMEOUT_SEC, environment, free_port
from tests.people import People
from tests.telemetry.site_with_collector import SiteWithCollector

KILLS = int(os.environ.get("HI_KILLS", "20"))  # many more in `make chaos`
PROCESSES = 2
CLIENTS = 4
MACHINES = 50
PER_BATCH = 200
MOST_BATCHES = 270  # five minutes each, within what is kept

TLS = ssl.create_default_context()  # not used, but 20 ms of reading certificates for each client without it

Key = tuple[str, str]


@dataclass
class Client:
    """A collector of a site of its own that sends a batch for each five minutes of a day, and remembers the answers."""

    place: SiteWithCollector
    number: int
    headers: dict[str, str]
    answered: list[list[dict[str, Any]]] = field(default_factory=list)
    unanswered: list[list[dict[str, Any]]] = field(default_factory=list)
    sent: int = 0

    def next_batch(self) -> list[dict[str, Any]]:
        """Every other client sends the end of its last batch again: those go by way of the staging table."""
        begins = self.place.now.timestamp() // 300 * 300 - self.sent * 300
        first = -20 if self.sent and self.number % 2 else 0
        self.sent += 1
        return [
            {
                "miner_id": f"c{self.number}-m{n % MACHINES}",
                "ts": datetime.fromtimestamp(begins + (300 if n < 0 else 0) + n % PER_BATCH, UTC).isoformat(),
                "hashrate_ths": 100,
            }
            for n in range(first, PER_BATCH)
        ]


async def upload(url: str, client: Client, batch: list[dict[str, Any]]) -> httpx.Response | None:
    body = gzip.compress(json.dumps(batch).encode(), 1)
    try:
        async with httpx.AsyncClient(timeout=HANG_TIMEOUT_SEC, verify=TLS) as http:
            return await http.post(f"{url}/api/edge/v1/telemetry/batch", content=body, headers=client.headers)
    except httpx.HTTPError:
        return None


async def send_until(url: str, client: Client, stop: asyncio.Event, answered: asyncio.Event) -> None:
    while not stop.is_set() and client.sent < MOST_BATCHES:
        await asyncio.sleep(random.uniform(0, 0.1))
        batch = client.next_batch()
        answer = await upload(url, client, batch)
        if answer is not None and answer.status_code == 200:
            assert answer.json()["rejected"] == 0, answer.text
            client.answered.append(batch)
            answered.set()
        else:
            client.unanswered.append(batch)
    answered.set()  # this client has nothing left to send: wake the waiter


def keys(batches: list[list[dict[str, Any]]]) -> set[Key]:
    return {(sample["miner_id"], sample["ts"]) for batch in batches for sample in batch}


@pytest.fixture
def place(api: httpx.AsyncClient, people: People, superuser_url: str) -> SiteWithCollector:
    return SiteWithCollector(api, people, superuser_url)


def stored(url: str) -> list[Key]:
    with psycopg.connect(url, options="-c timezone=UTC") as db:
        query = "select miner_id, ts from telemetry_raw join miners using (miner_no)"
        return [(miner_id, ts.isoformat()) for miner_id, ts in db.execute(query)]


async def test_killed_at_random_instants_nothing_is_lost_doubled_or_half_stored(
    place: SiteWithCollector, address: DatabaseAddress, settings: Settings, superuser_url: str, tmp_path: Path
) -> None:
    port = free_port()
    assert settings.redis_url is not None
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.chaos.ingest_process", str(PROCESSES)],
        env=environment(
            database_url=address.url,
            redis_url=settings.redis_url.get_secret_value(),
            data_dir=tmp_path,
            port=port,
            disk_reserve_mb=1,
            rate_per_minute=1_000_000,
            token_rate_per_minute=1_000_000,
            log_level="ERROR",
            log_format="json",
        ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    clients = []
    for number in range(CLIENTS):
        await place.open(f"site-{number}")
        clients.append(Client(place, number, place.collector))
    url = f"http://127.0.0.1:{port}"
    try:
        assert await asyncio.to_thread(process.stdout.readline) == "ready\n"
        stop, answered = asyncio.Event(), asyncio.Event()
        sending = [asyncio.create_task(send_until(url, client, stop, answered)) for client in clients]
        kills = await kill_for_a_while(process, answered, sending)
        stop.set()
        await asyncio.gather(*sending)
        judge_before_resending(clients, stored(superuser_url), kills)
        for client in clients:
            for batch in client.unanswered:
                await send_again(url, client, batch)
    finally:
        process.stdin.close()
        process.wait(HANG_TIMEOUT_SEC)
        process.stdout.close()
    judge(clients, superuser_url)


async def kill_for_a_while(
    process: subprocess.Popen[str], answered: asyncio.Event, sending: list[asyncio.Task[None]]
) -> int:
    """The next kill comes at any instant after something was answered: a busy machine starts processes slowly."""
    chance = random.Random()
    assert process.stdin is not None
    kills = 0
    while kills < KILLS and not all(task.done() for task in sending):
        answered.clear()
        await asyncio.sleep(chance.uniform(0.1, 0.6))
        await asyncio.wait_for(answered.wait(), HANG_TIMEOUT_SEC)
        process.stdin.write("kill\n")
        process.stdin.flush()
        kills += 1
    return kills


async def send_again(url: str, client: Client, batch: list[dict[str, Any]]) -> None:
    answer = await upload(url, client, batch)
    assert answer is not None
    assert answer.status_code == 200, answer.text
    result = answer.json()
    assert result["accepted"] + result["duplicates"] == len(batch), result


def judge_before_resending(clients: list[Client], rows: list[Key], kills: int) -> None:
    there = set(rows)
    assert len(rows) == len(there), "each sample is there once"
    answered = keys([batch for client in clients for batch in client.answered])
    assert answered <= there, "what was answered 200 is there"
    lost = [batch for client in clients for batch in client.unanswered]
    for batch in lost:
        own = keys([batch]) - answered
        shared = keys([other for other in lost if other is not batch])
        assert len((own - shared) & there) in (0, len(own - shared)), "a batch is there whole or not at all"
    assert kills >= KILLS // 2, f"only {kills}"
    assert len(lost) >= kills // 8, "kills must hit uploads, or this test shows nothing"
    assert len(answered) > 1000


def judge(clients: list[Client], url: str) -> None:
    wanted = keys([batch for client in clients for batch in [*client.answered, *client.unanswered]])
    rows = stored(url)
    assert len(rows) == len(wanted)
    assert set(rows) == wanted
    with psycopg.connect(url) as db:
        unmarked = db.execute(
            "select site_id, layer, bucket from"
            " (select distinct site_id, date_bin('5 minutes', ts, 'epoch') bucket from telemetry_raw) sampled,"
            " generate_series(0, 1) layer where not exists (select from telemetry_touched t"
            " where t.site_id = sampled.site_id and t.layer = layer and t.bucket_ts = bucket)"
        ).fetchall()
        assert unmarked == [], "every bucket with a new sample waits to be rolled up"
        registered = db.execute(
            "select sum((after->>'machines')::int) from audit_log where action = 'miners_registered'"
        ).fetchone()
        machines = db.execute("select count(*) from miners").fetchone()
    assert registered == machines == (CLIENTS * MACHINES,)

"""A lost database, a full disk, a dropped hour, no Redis: nothing is half stored, and it goes on by itself."""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

import httpx
import psycopg
import pytest
from psycopg import sql
from pydantic import SecretStr

from hashinsight.app import create_app
from hashinsight.kit.settings import Settings
from tests.installation import free_port, wait_for
from tests.people import People
from tests.telemetry.site_with_collector import SiteWithCollector


def samples(site: SiteWithCollector, count: int = 3, seconds: float = 0) -> list[dict[str, Any]]:
    return [{"miner_id": f"m{n}", "ts": site.at(seconds), "hashrate_ths": 100} for n in range(count)]


def stored(site: SiteWithCollector) -> tuple[int, int]:
    (row,) = site.rows("select (select count(*) from telemetry_raw), (select count(*) from telemetry_touched)")
    return row[0], row[1]


@contextmanager
def failing(url: str, body: str) -> Iterator[None]:
    """Every row that goes into the raw table meets this."""
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(f"create function fail() returns trigger language plpgsql as $$ begin {body} end $$".encode())
        db.execute("create trigger fail before insert on telemetry_raw for each row execute function fail()")
        yield
        db.execute("drop trigger fail on telemetry_raw")


@pytest.mark.parametrize(
    ("code", "error_code"),
    [
        ("53100", "STORAGE_FULL"),
        ("53200", "STORAGE_FULL"),
        ("53300", "DATABASE_BUSY"),
        ("53400", "DATABASE_UNAVAILABLE"),
        ("57P01", "DATABASE_UNAVAILABLE"),
        ("58030", "DATABASE_UNAVAILABLE"),
        ("40P01", "DATABASE_BUSY"),
        ("57014", "TIMED_OUT"),
    ],
)
async def test_a_database_error_is_a_503_and_nothing_is_stored(
    site: SiteWithCollector, superuser_url: str, code: str, error_code: str
) -> None:
    assert (await site.post(samples(site))).status_code == 200
    trouble = f"if new.miner_no > 1 then raise exception 'in trouble' using errcode = '{code}'; end if; return new;"
    with failing(superuser_url, trouble):
        for again in (False, True):  # straight, and by way of the staging table
            if again:
                site.api.app.state.store.raw.repeaters.update(  # type: ignore[attr-defined] # the fixture's
                    row[0] for row in site.rows("select id from collectors")
                )
            answer = await site.post(samples(site, seconds=-60))
            assert (answer.status_code, answer.json()["error_code"]) == (503, error_code), answer.text
            assert int(answer.headers["retry-after"]) > 0
            assert answer.json()["success"] is False
            assert stored(site)[0] == 3
    assert (await site.post(samples(site, seconds=-60))).json()["accepted"] == 3
    assert stored(site)[0] == 6


async def test_a_batch_is_not_stored_if_its_buckets_cannot_be_marked(
    site: SiteWithCollector, superuser_url: str
) -> None:
    """The rows are in, the last statement before the commit fails: it was sent together with the commit."""
    assert (await site.post(samples(site))).status_code == 200
    before = stored(site)
    with psycopg.connect(superuser_url, autocommit=True) as db:
        db.execute("alter table telemetry_touched add constraint refused check (bucket_ts is null) not valid")
        answer = await site.post(samples(site, seconds=-60))
        assert answer.status_code == 500, answer.text
        assert answer.json()["success"] is False
        assert stored(site) == before
        db.execute("alter table telemetry_touched drop constraint refused")
    assert (await site.post(samples(site, seconds=-60))).json()["accepted"] == 3


async def test_a_connection_lost_during_a_batch_stores_nothing_twice(
    site: SiteWithCollector, superuser_url: str
) -> None:
    assert (await site.post(samples(site))).status_code == 200
    with failing(superuser_url, "perform pg_sleep(20); return new;"):
        sending = asyncio.create_task(site.post(samples(site, seconds=-60)))
        busy = "select pid from pg_stat_activity where query ilike 'copy%' and wait_event = 'PgSleep'"
        await asyncio.to_thread(wait_for, lambda: bool(site.rows(busy)), "the batch to be in the middle of it")
        site.rows(f"select pg_terminate_backend({site.rows(busy)[0][0]})")
        answer = await sending
    assert (answer.status_code, answer.json()["error_code"]) == (503, "DATABASE_UNAVAILABLE"), answer.text
    assert answer.headers["retry-after"]
    assert stored(site)[0] == 3
    assert (await site.post(samples(site, seconds=-60))).json()["accepted"] == 3


async def test_shards_that_send_the_same_samples_at_once_never_deadlock(
    site: SiteWithCollector,
) -> None:
    assert (await site.post(samples(site, 1000))).status_code == 200
    known: set[Any] = site.api.app.state.store.raw.repeaters  # type: ignore[attr-defined] # the fixture's
    for n in range(1, 9):
        batch = samples(site, 1000, seconds=-n)
        known.clear()  # both straight
        first, other = await asyncio.gather(site.post(batch), site.post(batch[::-1]))
        assert (first.status_code, other.status_code) == (200, 200), first.text + other.text
        assert first.json()["accepted"] + other.json()["accepted"] == 1000
    assert stored(site)[0] == 9000


async def test_a_cancelled_request_leaves_no_half_batch_and_no_broken_connection(
    site: SiteWithCollector,
) -> None:
    """As on shutdown. Whoever gets the connection next must get his own answers, not what was left in the pipe."""
    assert (await site.post(samples(site, 200))).status_code == 200
    chance = random.Random(7)
    answered = set()
    for n in range(1, 120):
        sending = asyncio.create_task(site.post(samples(site, 200, seconds=-n)))
        await asyncio.sleep(chance.uniform(0, 0.03))
        sending.cancel()
        with suppress(asyncio.CancelledError):
            answered.add((await sending).status_code)
        stranger = await site.post(samples(site), headers={"X-Collector-Key": "hi_collector_of_nobody"})
        assert stranger.status_code == 401
    assert answered <= {200}
    assert set(site.rows("select count(*) from telemetry_raw group by ts")) == {(200,)}
    assert (await site.post(samples(site, 200))).json()["duplicates"] == 200


async def test_ingest_recovers_when_the_database_comes_back(
    site: SiteWithCollector, admin: psycopg.Connection, database_name: str
) -> None:
    assert (await site.post(samples(site))).status_code == 200
    name = sql.Identifier(database_name)
    admin.execute(sql.SQL("alter database {} allow_connections false").format(name))
    try:
        admin.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", [database_name])
        for _ in range(3):
            answer = await site.post(samples(site, seconds=-60))
            assert (answer.status_code, answer.json()["error_code"]) == (503, "DATABASE_UNAVAILABLE"), answer.text
            assert answer.headers["retry-after"]
    finally:
        admin.execute(sql.SQL("alter database {} allow_connections true").format(name))
    answer = await site.post(samples(site, seconds=-60))
    assert answer.json()["accepted"] == 3, answer.text
    assert stored(site)[0] == 6


@pytest.mark.parametrize("repeats", [False, True])
async def test_a_dropped_partition_is_created_again(
    site: SiteWithCollector, superuser_url: str, *, repeats: bool
) -> None:
    assert (await site.post(samples(site))).status_code == 200
    if repeats:
        assert (await site.post(samples(site))).json()["duplicates"] == 3
    hour = f"telemetry_raw_{site.now.astimezone(UTC):%Y%m%dt%H}00"
    with psycopg.connect(superuser_url, autocommit=True) as db:
        db.execute(f"drop table {hour}".encode())
    answer = await site.post(samples(site))
    assert (answer.status_code, answer.json().get("accepted")) == (200, 3), answer.text
    assert stored(site)[0] == 3


async def test_a_batch_over_many_hours_is_stored_completely(site: SiteWithCollector) -> None:
    spread = [{"miner_id": "m1", "ts": site.at(-3500 * n)} for n in range(24)]
    assert (await site.post(spread)).json()["accepted"] == 24
    assert (await site.post(spread)).json()["duplicates"] == 24
    count, buckets = stored(site)
    assert (count, buckets) == (24, 48)


@pytest.fixture
async def alone(settings: Settings, people: People, superuser_url: str) -> AsyncIterator[SiteWithCollector]:
    """A place whose Redis is not there."""
    lost = settings.model_copy(update={"redis_url": SecretStr(f"redis://127.0.0.1:{free_port()}/0")})
    app = create_app(lost)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as api,
    ):
        api.app = app  # type: ignore[attr-defined]
        site = SiteWithCollector(api, people, superuser_url)
        await site.open()
        yield site


async def test_ingest_works_without_redis(alone: SiteWithCollector) -> None:
    for n in range(3):
        answer = await alone.post(samples(alone, seconds=-n))
        assert (answer.status_code, answer.json()["accepted"]) == (200, 3), answer.text
    assert stored(alone)[0] == 9
    assert alone.now < datetime.now(UTC)

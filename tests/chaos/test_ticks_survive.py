"""Ticks under fire: Redis stopped, flushed and restarted, two schedulers, two workers, one of each killed.

By the run table and by the marks that the work left, every due period was done exactly once.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from redis import Redis

from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.embedded.account import service_account
from hashinsight.kit.embedded.binaries import locate
from tests.installation import HANG_TIMEOUT_SEC, environment, free_port, wait_for


class Cache:
    """A Redis that can be taken away and given back, on a port of its own."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._server = locate(service_account("hashinsight"), folder).valkey_server
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--loglevel", "warning"]
        self._process = subprocess.Popen([str(self._server), *options], stdout=subprocess.DEVNULL)
        wait_for(self._answers, "the Redis to answer")

    def stop(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait(HANG_TIMEOUT_SEC)

    def flush(self) -> None:
        with Redis.from_url(self.url) as redis:
            redis.flushall()

    def _answers(self) -> bool:
        try:
            with Redis.from_url(self.url) as redis:
                return bool(redis.ping())
        except OSError:
            return False
        except Exception as error:
            if type(error).__module__.startswith("redis"):
                return False
            raise


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    cache = Cache(tmp_path)
    cache.start()
    yield cache
    cache.stop()


class Processes:
    def __init__(self, address: DatabaseAddress, cache: Cache, folder: Path) -> None:
        self._environment = environment(
            database_url=address.url, redis_url=cache.url, data_dir=folder, log_level="ERROR", log_format="json"
        )
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self, role: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, "-m", "tests.chaos.tick_process", role], env=self._environment)
        self.running.append(process)
        return process

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait(HANG_TIMEOUT_SEC)
        self.running.remove(process)

    def stop(self, process: subprocess.Popen[bytes]) -> None:
        process.terminate()
        assert process.wait(HANG_TIMEOUT_SEC) == 0
        self.running.remove(process)


def test_every_due_period_is_done_exactly_once_whatever_happens_to_redis_and_to_the_processes(
    address: DatabaseAddress, superuser_url: str, cache: Cache, tmp_path: Path
) -> None:
    processes = Processes(address, cache, tmp_path)
    with psycopg.connect(superuser_url, autocommit=True) as db:
        db.execute("create table marks (tick text, site_id int, period timestamptz, pid int)")
        db.execute("grant insert on marks to hi_job")

        def marks() -> int:
            row = db.execute("select count(*) from marks").fetchone()
            assert row is not None
            return int(row[0])

        def progress(what: str, count: int = 12) -> None:
            """Wait until the work has gone on by this many marks: by itself, after whatever was just done to it."""
            seen = marks()
            wait_for(lambda: marks() >= seen + count, f"ticks to go on after {what}")

        try:
            schedulers = [processes.start("scheduler") for _ in range(2)]
            workers = [processes.start("worker") for _ in range(2)]
            progress("the start")
            cache.stop()
            progress("Redis was killed")
            cache.start()
            progress("Redis came back")
            cache.flush()
            progress("Redis was flushed")
            wait_for(lambda: working(db) == 2, "both workers to be in the middle of a run")
            processes.kill(workers[0])
            progress("a worker was killed")
            processes.kill(schedulers[0])
            progress("a scheduler was killed")
            processes.kill(schedulers[1])  # nobody plans for a while: what was missed must be made good
            time.sleep(3)
            schedulers.append(processes.start("scheduler"))
            processes.kill(workers[1])  # nobody works for a while either
            time.sleep(2)
            workers.append(processes.start("worker"))
            progress("all of them were killed and one of each started again", 30)
            processes.stop(schedulers[-1])
            wait_for(lambda: due(db) == 0, "everything that is due to be done")
            processes.stop(workers[-1])
        finally:
            for process in processes.running:
                process.kill()
                process.wait(HANG_TIMEOUT_SEC)

        judge(db)


def judge(db: psycopg.Connection) -> None:
    """The run table and the marks tell the same story."""
    states: dict[str, int] = dict(db.execute("select state, count(*)::int from tick_runs group by state").fetchall())
    assert set(states) <= {"done", "skipped"}, states
    assert states["done"] > 60
    wrong = db.execute("""
        select r.tick, r.site_id, r.period, r.state, count(m.period)
        from tick_runs r left join marks m using (tick, site_id, period)
        group by r.tick, r.site_id, r.period, r.state
        having count(m.period) <> (r.state = 'done')::int
    """).fetchall()
    assert wrong == [], "done exactly once, skipped not at all"
    strangers = db.execute(
        "select * from marks m where not exists (select 1 from tick_runs r where"
        " (r.tick, r.site_id, r.period) = (m.tick, m.site_id, m.period))"
    ).fetchall()
    assert strangers == []
    gaps = db.execute("""
        select site_id, period, before from (
            select site_id, period, lag(period) over (partition by site_id order by period) as before
            from tick_runs where tick = 'each') as t
        where period - before <> interval '1 second'
    """).fetchall()
    assert gaps == [], "an 'every' tick has a run for every second, also for those when nobody planned"
    skipped = db.execute("select count(*) from tick_runs where tick = 'each' and state = 'skipped'").fetchone()
    assert skipped == (0,)


def working(db: psycopg.Connection) -> int:
    row = db.execute(
        "select count(*) from pg_stat_activity where datname = current_database()"
        " and state = 'active' and query like 'select pg_sleep%'"
    ).fetchone()
    assert row is not None
    return int(row[0])


def due(db: psycopg.Connection) -> int:
    row = db.execute("select count(*) from tick_runs where state = 'due'").fetchone()
    assert row is not None
    return int(row[0])

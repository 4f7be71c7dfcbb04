"""An installation that people look at: server, embedded database, simulated machines and the edges that read them."""

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import psycopg

from hashinsight.kit.db.address import address_of_socket
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.db.partitions import ensure
from hashinsight.problems.service.cycle import run_cycle
from hashinsight.telemetry.service import rollups
from tests.installation import HANG_TIMEOUT_SEC, PLAIN, Installation, wait_for

MACHINES = 60
PASSWORD = "a long enough phrase"
BIG, BIG_MACHINES = "tx-big", 20_000

# a day behind the machines, as their rollups would hold it: one in nine does less for some hours
_DAY = """
insert into telemetry_5min (miner_no, bucket_ts, tenant_id, site_id, samples, online_samples, hashrate_n, temp_n,
    power_n, fan_n, hashrate_sum, temp_sum, power_sum, fan_sum, hashrate_min, hashrate_max, temp_max, power_max,
    created_at)
select m.miner_no, at, m.tenant_id, m.site_id, 5, 5, 5, 5, 5, 0, 5 * hash, 5 * heat, 5 * 3200.0, 0, hash, hash, heat,
    3200, at
from miners m join telemetry_live l using (miner_no) cross join generate_series(:from, :to, interval '5 minutes') at
cross join lateral (select coalesce(l.hashrate_ths, 100.0) * case when m.miner_no % 9 = 0 and
        extract(hour from at)::int % 8 < 3 then 0.61 else 1 + 0.02 * sin(m.miner_no + extract(epoch from at) / 4000) end
        as hash,
    case when l.temp_max_c > 75 and at > :to - interval '3 hours' then l.temp_max_c
        else 62.0 + 6 * sin(extract(epoch from at) / 14000) + m.miner_no % 5 end as heat) made
where m.miner_no = any(:machines) on conflict do nothing
"""
_BIG = f"""
with t as (select id from tenants limit 1),
s as (insert into sites (tenant_id, code, name, timezone, created_at)
    select id, '{BIG}', 'Big Spring', 'America/Chicago', :now from t returning id, tenant_id),
z as (insert into zones (tenant_id, site_id, code, name)
    select tenant_id, id, 'hall-' || n, 'Hall ' || n from s cross join generate_series(1, 8) n
    returning id, site_id, code),
r as (insert into racks (tenant_id, site_id, zone_id, code)
    select s.tenant_id, s.id, z.id, 'R' || lpad(n::text, 2, '0') from s, z, generate_series(1, 53) n
    returning id, zone_id, site_id),
numbered as (select r.*, row_number() over (order by zone_id, id) as no from r)
insert into miners (tenant_id, site_id, miner_id, model, zone_id, rack_id, position, expected_ths, expected_source,
    created_at, updated_at)
select s.tenant_id, s.id, 'b-' || lpad(n::text, 5, '0'), 'Antminer S19j Pro', numbered.zone_id, numbered.id,
    (n % 48)::text, 104, 'catalogue', :now, :now
from s, generate_series(0, {BIG_MACHINES - 1}) n join numbered on numbered.no = n / 48 + 1
"""
_BIG_LIVE = """
insert into telemetry_live (miner_no, tenant_id, site_id, ts, last_seen_at, online, status, flags, hashrate_5min_ths,
    hashrate_ths, temp_c, temp_max_c, power_w, uptime_sec, updated_at)
select miner_no, tenant_id, site_id, :heard, :heard, true, 1, 0, hash, hash, 60, heat, 3100, 500000, :heard
from miners cross join lateral (select case when miner_no % 37 = 0 then 0.0 else 103.0 end as hash,
    case when miner_no % 11 = 0 then 70 + miner_no % 31 else 62 + miner_no % 5 end as heat) made
where site_id = :site
"""
# the large site has nobody who reads it: the installation's own cycles would find it dark, and are done already
_JUDGED = """insert into tick_runs (tick, site_id, period, state, finished_at)
select 'problem_cycle', :site, period, 'done', :now
from generate_series(cast(:to as timestamptz), cast(:now as timestamptz) + interval '3 h', interval '5 min') period"""


class House:
    def __init__(self, up: Installation, shots: Path) -> None:
        self.up, self.url, self.shots = up, up.url, shots
        found = re.search(r"sign in as (\S+) with the password (\S+)", up.output)
        assert found is not None, up.output
        self.owner = found[1], found[2]
        self._tokens: dict[str, str] = {}

    def furnish(self) -> None:
        """Everything heard, rolled up, and a day behind it; a site of 20,000 beside the simulated ones."""
        wait_for(
            lambda: self.rows("select count(distinct miner_no) from telemetry_raw") == [(MACHINES,)], "all machines"
        )
        with ThreadPoolExecutor(1) as aside:  # the browser's driver has this thread's loop
            aside.submit(lambda: asyncio.run(self._furnish())).result()

    async def _furnish(self) -> None:
        now = datetime.now(UTC)
        database = Database(address_of_socket(self.up.folder.sockets, "hashinsight"))
        async with database.transaction(job_context()) as session:
            await rollups.roll_up_live(session, now=now)
            await ensure(session, "telemetry_5min", now - timedelta(days=1), now, timedelta(days=1))
        await database.dispose()
        with psycopg.connect(self.up.superuser_url) as connection:
            whole = now.replace(minute=now.minute // 5 * 5, second=0, microsecond=0)
            values: dict[str, Any] = {
                "now": now,
                "from": whole - timedelta(days=1),
                "to": whole - timedelta(minutes=10),
            }
            connection.execute(_named(_BIG), values)
            (values["site"],) = connection.execute("select id from sites where code = %s", [BIG]).fetchone() or (0,)
            connection.execute(_named(_JUDGED), values)
            connection.execute(_named(_BIG_LIVE), values | {"heard": now - timedelta(seconds=60)})
        await self._judge(values["site"], now)
        with psycopg.connect(self.up.superuser_url) as connection:
            wrong = "select miner_no from problem_events where miner_no is not null order by event_no limit 100"
            chosen = f"select miner_no from miners where miner_id not like 'b-%' union ({wrong})"
            values["machines"] = [one for (one,) in connection.execute(chosen.encode())]
            connection.execute(_named(_DAY), values)
            connection.execute(_named("update telemetry_live set ts = :now where site_id = :site"), values)

    async def _judge(self, site_id: int, now: datetime) -> None:
        """Cycles of the registry over fresh values, so that what is wrong at the large site is open.

        They run ahead of the clock: the installation's own cycle, which may run meanwhile, is never later than these.
        """
        database = Database(address_of_socket(self.up.folder.sockets, "hashinsight"))
        others = [one for (one,) in self.rows(f"select id from sites where code <> '{BIG}'")]
        for other in others:
            async with database.transaction(job_context()) as session:
                await run_cycle(database, session, other, period=now, now=now)
        for at in (now + timedelta(minutes=1), now + timedelta(minutes=6), now + timedelta(minutes=11)):
            heard = {"heard": at - timedelta(seconds=20), "site": site_id}
            with psycopg.connect(self.up.superuser_url) as connection:
                connection.execute(_named("update telemetry_live set ts = :heard where site_id = :site"), heard)
            async with database.transaction(job_context()) as session:
                assert await run_cycle(database, session, site_id, period=at, now=at) is not None
        await database.dispose()

    @property
    def first(self) -> str:
        return str(self.rows("select min(miner_id) from miners where miner_id like 'north-%'")[0][0])

    @property
    def hot(self) -> str:
        return str(
            self.rows("select id from problem_events where issue_code = 'overheat_crit' order by event_no")[0][0]
        )

    def keep_figures(self, **seen: Any) -> None:
        """Beside the pictures: what was measured on this machine, however busy it was."""
        file = self.shots / "figures.json"
        known = json.loads(file.read_text()) if file.exists() else {}
        file.write_text(json.dumps(known | seen, indent=1))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.up.superuser_url) as connection:
            return connection.execute(query.encode()).fetchall()

    def write(self, *statements: str) -> None:
        with psycopg.connect(self.up.superuser_url) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def add(self, email: str, role: str, **reach: list[int]) -> tuple[str, str]:
        body = {"email": email, "password": PASSWORD, "role": role, "name": email.partition("@")[0]}
        scope: dict[str, Any] = reach or {"whole_tenant": True}
        made = self.ask(self.owner, "POST", "/api/admin/v1/users", json=body | scope)
        assert made.status_code == 201, made.text
        return email, PASSWORD

    def ask(self, who: tuple[str, str], method: str, path: str, **more: Any) -> httpx.Response:
        """Through the API, as this person, who signs in again when a slow run outlasts the session or its proof."""
        answer = self._send(who, method, path, **more)
        if answer.status_code == 401 or (answer.status_code == 403 and "STEP_UP_REQUIRED" in answer.text):
            del self._tokens[who[0]]
            answer = self._send(who, method, path, **more)
        return answer

    def _send(self, who: tuple[str, str], method: str, path: str, **more: Any) -> httpx.Response:
        if who[0] not in self._tokens:
            body = {"email": who[0], "password": who[1]}
            answer = httpx.post(f"{self.url}/api/v1/auth/login", json=body, timeout=HANG_TIMEOUT_SEC, verify=PLAIN)
            self._tokens[who[0]] = answer.json()["access_token"]
        headers = {"Authorization": f"Bearer {self._tokens[who[0]]}"}
        return httpx.request(method, self.url + path, headers=headers, timeout=HANG_TIMEOUT_SEC, verify=PLAIN, **more)

    def commands(self, who: tuple[str, str], **query: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.ask(who, "GET", "/api/admin/v1/commands", params=query).json()["commands"]
        return found


def _named(query: str) -> bytes:
    """SQLAlchemy's way of naming values, as the driver takes them."""
    return re.sub(r"(?<!:):(\w+)", r"%(\1)s", query.replace("%", "%%")).encode()

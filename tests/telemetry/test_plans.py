"""The plans of the hot reads on analysed tables of more than a million rows, with row-level security on.

Not times, which depend on the machine: which partitions and indexes are used, how many rows and blocks are touched.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
import pytest_asyncio
from sqlalchemy import text

from hashinsight.audit.actions import SYSTEM
from hashinsight.identity.scope import WHOLE_TENANT, Reach, Scope, make_scope
from hashinsight.inventory.queries.tables import Miner
from hashinsight.kit.db.address import DatabaseAddress, address_of_socket
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.embedded.folder import DataFolder
from hashinsight.telemetry.layers import Resolution
from hashinsight.telemetry.queries import history, rollups
from hashinsight.telemetry.queries.live import live_query
from tests.clones import Clones
from tests.telemetry.query_plans import explain

pytestmark = pytest.mark.asyncio(loop_scope="module")

# sixteen sites of 1,250 machines, half of them another tenant's
MACHINES, SITE_MACHINES = 20_000, 1_250
HOUR = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOW = HOUR + timedelta(minutes=59)
MEAN_FROM = NOW - timedelta(minutes=10)
A, B = UUID(int=0xA), UUID(int=0xB)
SITE = 3
_FILL = f"""
insert into tenants (id, name, created_at) values ('{A}', 'a', '{HOUR}'), ('{B}', 'b', '{HOUR}');
insert into sites (id, tenant_id, code, name, created_at) overriding system value
    select n, case when n > 8 then '{B}'::uuid else '{A}'::uuid end, 'site-' || n, 'x', '{HOUR}'
    from generate_series(1, 16) n;
insert into miners (miner_no, tenant_id, site_id, miner_id, created_at, updated_at) overriding system value
    select n, s.tenant_id, s.id, 'm' || n, '{HOUR}', '{HOUR}'
    from generate_series(1, {MACHINES}) n join sites s on s.id = 1 + n / {SITE_MACHINES + 1};
insert into telemetry_live (miner_no, tenant_id, site_id, ts, last_seen_at, online, status, flags, hashrate_5min_ths,
    hashrate_ths, updated_at)
    select miner_no, tenant_id, site_id, '{NOW}', '{NOW}', true, 1, 0, 100, 100, '{NOW}' from miners;
select telemetry_open_hour(timestamptz '{HOUR}' - n * interval '1 hour') from generate_series(0, 3) n;
insert into telemetry_raw (miner_no, ts, tenant_id, site_id, received_at, upload_mode, status, flags, hashrate_ths,
    power_w, temp_c, accepted, rejected)
    select m.miner_no, t, m.tenant_id, m.site_id, t, 0, 1, 0, 100, 3000, 60, 1000, 1
    from generate_series(timestamptz '{HOUR}', '{NOW}', interval '1 minute') t, miners m order by t, m.miner_no;
select partition_ensure('telemetry_5min', d, d + interval '1 day')
    from generate_series(date_trunc('day', timestamptz '{HOUR}', 'UTC') - interval '89 days', '{HOUR}',
        interval '1 day') d;
insert into telemetry_5min (miner_no, bucket_ts, tenant_id, site_id, samples, online_samples, hashrate_n, temp_n,
    power_n, fan_n, hashrate_sum, temp_sum, power_sum, fan_sum, created_at)
    select m.miner_no, t, m.tenant_id, m.site_id, 5, 5, 5, 5, 5, 0, 500, 300, 15000, 0, t
    from generate_series(timestamptz '{HOUR}' - interval '4 hours', '{NOW}', interval '5 minutes') t, miners m
    order by t, m.miner_no;
insert into telemetry_5min (miner_no, bucket_ts, tenant_id, site_id, samples, online_samples, hashrate_n, temp_n,
    power_n, fan_n, hashrate_sum, temp_sum, power_sum, fan_sum, created_at)
    select m.miner_no, t, m.tenant_id, m.site_id, 5, 5, 5, 5, 5, 0, 500, 300, 15000, 0, t
    from generate_series(timestamptz '{HOUR}' - interval '80 days', timestamptz '{HOUR}' - interval '2 days',
        interval '1 day') t, miners m where m.miner_no % 10 = 1 order by t, m.miner_no;
"""


@pytest.fixture(scope="module")
def big(clones: Clones, folder: DataFolder) -> Iterator[DatabaseAddress]:
    name = clones.make("plans")
    with psycopg.connect(address_of_socket(folder.sockets, name, "postgres").libpq, autocommit=True) as connection:
        connection.execute("set synchronous_commit = off; set timezone = 'UTC'; set session_replication_role = replica")
        connection.execute(_FILL.encode())
        connection.execute("vacuum (analyze) telemetry_raw, telemetry_5min, telemetry_live, miners, sites")
        counts = [
            connection.execute(f"select count(*) from {table}".encode()).fetchone()
            for table in ("telemetry_raw", "telemetry_5min")
        ]
        assert counts[0] == (MACHINES * 60,)
        assert counts[1] is not None
        assert counts[1][0] > 1_000_000
    yield address_of_socket(folder.sockets, name)
    clones.leave(name)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def database(big: DatabaseAddress) -> Any:
    made = Database(big)
    yield made
    await made.dispose()


def scope_of(*sites: int) -> Scope:
    reach = Reach(sites=sites) if sites else WHOLE_TENANT
    return make_scope(A, SYSTEM, [reach], touched=sites)


async def test_a_live_page_reads_only_a_page(database: Database) -> None:
    for scope in (scope_of(), scope_of(SITE)):
        query = (
            live_query(scope, as_of=NOW, mean_from=MEAN_FROM, site_id=SITE)
            .where(Miner.miner_id > "m30")
            .order_by(Miner.miner_id)
            .limit(101)
        )
        plan = await explain(database, scope.context(), query)
        assert plan.kinds("telemetry_live") == {"Index Scan"}
        assert plan.rows_read("telemetry_live") <= 101
        assert plan.rows_read("miners") <= 110
        assert plan.blocks < 1500


async def test_the_frame_of_a_site_reads_only_that_site(database: Database) -> None:
    scope = scope_of(SITE)
    plan = await explain(database, scope.context(), live_query(scope, as_of=NOW, mean_from=MEAN_FROM, site_id=SITE))
    assert "Seq Scan" not in plan.kinds("telemetry_live")
    assert plan.rows_read("telemetry_live") <= SITE_MACHINES + 1
    assert plan.rows_read("miners") <= SITE_MACHINES + 1


async def test_the_frame_of_a_tenant_reads_each_table_once(database: Database) -> None:
    plan = await explain(database, scope_of().context(), live_query(scope_of(), as_of=NOW, mean_from=MEAN_FROM))
    assert len(plan.scans("telemetry_live")) == len(plan.scans("miners")) == 1
    assert all(node["Actual Loops"] == 1 for node in plan.scans("telemetry_live"))
    assert not [node for node in plan.nodes if node["Node Type"] == "Nested Loop" and node["Actual Rows"] > 1000]


def _span(miner_nos: list[int], start: datetime, end: datetime) -> dict[str, Any]:
    return history.Span(SITE, miner_nos, start, end).values() | {"most": 50_001}


async def test_a_page_of_a_sites_day_reads_one_partition_by_its_machines(database: Database) -> None:
    machines = list(range(2 * SITE_MACHINES + 10, 2 * SITE_MACHINES + 110))
    day = HOUR.replace(hour=0)
    query = str(history.series_query(Resolution.FIVE_MINUTES))
    for scope in (scope_of(), scope_of(SITE)):
        values = _span(machines, day, day + timedelta(days=1))
        plan = await explain(database, scope.context(), query, values)
        assert plan.partitions("telemetry_5min") == {"telemetry_5min_20260301t0000"}
        assert "Seq Scan" not in plan.kinds("telemetry_5min")
        assert plan.rows_read("telemetry_5min") <= 100 * 60


async def test_ninety_days_of_one_machine_read_only_that_machine(database: Database) -> None:
    machine = 2 * SITE_MACHINES + 11
    query = str(history.series_query(Resolution.FIVE_MINUTES))
    plan = await explain(database, scope_of(SITE).context(), query, _span([machine], NOW - timedelta(days=90), NOW))
    assert plan.partitions("telemetry_5min")
    assert plan.kinds("telemetry_5min") <= {"Index Scan", "Bitmap Heap Scan"}
    assert plan.rows_read("telemetry_5min") <= 200
    assert plan.blocks < 3000


async def test_an_hour_of_one_machines_samples_is_sixty_rows_of_one_partition(database: Database) -> None:
    machine = 2 * SITE_MACHINES + 11
    query = str(history.series_query(Resolution.RAW))
    plan = await explain(database, scope_of(SITE).context(), query, _span([machine], HOUR, HOUR + timedelta(hours=1)))
    assert plan.partitions("telemetry_raw") == {"telemetry_raw_20260301t1200"}
    assert plan.kinds("telemetry_raw") == {"Index Scan"}
    assert plan.rows_read("telemetry_raw") == 60
    assert plan.blocks < 500


async def test_the_view_of_raw_samples_finds_one_machines_and_the_sample_before_each(database: Database) -> None:
    query = (
        "select miner_id, ts, reject_rate from telemetry_raw_24h where site_id = 3 and miner_id = 'm2511'"
        f" and ts >= '{HOUR.isoformat(sep='T')}' and ts < '{NOW.isoformat(sep='T')}'"
    ).replace(":", r"\:")
    plan = await explain(database, scope_of(SITE).context(), query)
    assert "Seq Scan" not in plan.kinds("telemetry_raw") | plan.kinds("miners")
    assert plan.rows_read("telemetry_raw") <= 59 * 61  # each sample's hour before it
    assert plan.partitions("telemetry_raw") <= {"telemetry_raw_20260301t1200", "telemetry_raw_20260301t1100"}


async def test_the_rollup_of_a_bucket_reads_little_more_than_that_bucket(database: Database) -> None:
    begins = HOUR + timedelta(minutes=20)
    values = {"begins": begins, "ends": begins + timedelta(minutes=5), "sites": list(range(1, 17)), "now": NOW}
    plan = await explain(database, job_context(), rollups._FROM_RAW, values)
    assert plan.partitions("telemetry_raw") == {"telemetry_raw_20260301t1200"}
    assert "Seq Scan" not in plan.kinds("telemetry_raw")
    assert plan.rows_read("telemetry_raw") <= 2.5 * 5 * MACHINES


async def test_every_hours_index_by_time_is_summarised_as_it_fills(database: Database) -> None:
    """Without that, the rollup above reads the whole hour until a vacuum comes by."""
    query = text(
        "select count(*) filter (where 'autosummarize=on' = any(reloptions)), count(*) from pg_class c"
        " join pg_am a on a.oid = c.relam where a.amname = 'brin' and c.relkind = 'i'"
    )
    async with database.transaction(job_context()) as session:
        summarised, hours = (await session.execute(query)).one()
    assert summarised == hours >= 4


async def test_a_plan_without_indexes_fails_these_checks(database: Database) -> None:
    query = str(history.series_query(Resolution.RAW))
    values = _span([2 * SITE_MACHINES + 11], HOUR, HOUR + timedelta(hours=1))
    plan = await explain(database, scope_of(SITE).context(), query, values, without_indexes=True)
    assert "Seq Scan" in plan.kinds("telemetry_raw")
    assert plan.rows_read("telemetry_raw") > 1_000_000

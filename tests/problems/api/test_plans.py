"""Which way lists and counts go to their rows, on an analysed table with row-level security on: not times, but ways.

A page that leaves its index reads rows of two kilobytes; with 100,000 of them open that is a fifth of a second.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg
import pytest
import pytest_asyncio

from hashinsight.audit.actions import SYSTEM
from hashinsight.bench.problem_tables import statements
from hashinsight.identity.scope import WHOLE_TENANT, Scope, make_scope
from hashinsight.kit.db.address import DatabaseAddress, address_of_socket
from hashinsight.kit.db.database import Database
from hashinsight.kit.embedded.folder import DataFolder
from hashinsight.problems.queries.listing import Sort, Wanted, count_query, ids_query
from hashinsight.problems.queries.summary import counts_query, loss_query, risks_query
from hashinsight.problems.queries.suppressions import _AT_SITE
from tests.clones import Clones
from tests.telemetry.plan import Plan, explain

pytestmark = pytest.mark.asyncio(loop_scope="module")

MACHINES = 6_000
A = UUID(int=0xA)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SITE = f"""
insert into tenants (id, name, created_at) values ('{A}', 'a', '{NOW}');
insert into sites (id, tenant_id, code, name, created_at) overriding system value
    values (1, '{A}', 'one', 'One', '{NOW}');
"""
FILTERS: dict[str, Wanted] = {
    "none": Wanted(site_id=1),
    "severity": Wanted(site_id=1, severity=("P2",)),
    "issue": Wanted(site_id=1, issue_code=("offline",)),
    "status": Wanted(site_id=1, status=("ack",)),
    "resolved": Wanted(site_id=1, status=("resolved",)),
    "resolved of a model": Wanted(site_id=1, status=("resolved",), model=("Antminer S21",)),
    "model": Wanted(site_id=1, model=("Antminer S21",)),
    "firmware": Wanted(site_id=1, firmware=("firmware 2026.3",)),
    "zone": Wanted(site_id=1, zone=("z7",)),
    "nobody": Wanted(site_id=1, firmware=("nobody",)),
    "text that all begin with": Wanted(site_id=1, text="m"),
    "symptoms": Wanted(site_id=1, with_symptoms=False),
    "every site": Wanted(),
}


@pytest.fixture(scope="module")
def full(clones: Clones, folder: DataFolder) -> Iterator[DatabaseAddress]:
    name = clones.make("problems")
    with psycopg.connect(address_of_socket(folder.sockets, name, "postgres").libpq, autocommit=True) as connection:
        # committed for good: of rows whose commit is not yet on disk, vacuum does not say that everybody sees them
        connection.execute("set synchronous_commit = on; set timezone = 'UTC'")
        connection.execute(SITE.encode())
        connection.execute(statements(machines=MACHINES, resolved=MACHINES, now=NOW.isoformat()).encode())
        connection.execute(
            "vacuum (analyze) problem_events, problem_pulse, problem_timeline, miners, zones, suppressions"
        )
    yield address_of_socket(folder.sockets, name)
    clones.leave(name)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def database(full: DatabaseAddress) -> Any:
    made = Database(full)
    yield made
    await made.dispose()


@pytest.fixture
def scope() -> Scope:
    return make_scope(A, SYSTEM, [WHOLE_TENANT])


def heap_rows(plan: Plan) -> float:
    """Rows of problems that were read whole: what an index alone answers is not among them."""
    whole = [node for node in plan.scans("problem_events") if node["Node Type"] != "Index Only Scan"]
    return float(sum(node["Actual Rows"] * node["Actual Loops"] for node in whole))


@pytest.mark.parametrize("name", list(FILTERS))
async def test_a_page_and_its_total_are_read_off_an_index_alone(database: Database, scope: Scope, name: str) -> None:
    wanted, context = FILTERS[name], scope.context(read_only=True)
    page = await explain(database, context, ids_query(scope, wanted).limit(50))
    assert heap_rows(page) == 0
    assert heap_rows(await explain(database, context, count_query(scope, wanted))) == 0


async def test_looking_for_a_name_reads_what_begins_so_and_nothing_else(database: Database, scope: Scope) -> None:
    wanted, context = Wanted(site_id=1, text="m999"), scope.context(read_only=True)
    named = sum(str(number).startswith("999") for number in range(1, MACHINES + 1))
    for query in (ids_query(scope, wanted).limit(50), count_query(scope, wanted)):
        plan = await explain(database, context, query)
        assert {node["Index Name"] for node in plan.scans("problem_events")} == {"ix_problem_events_name"}
        assert plan.rows_read("problem_events") == named > 0


async def test_every_order_and_the_last_page_are_read_off_an_index_alone(database: Database, scope: Scope) -> None:
    context = scope.context(read_only=True)
    for sort in Sort:
        query = ids_query(scope, Wanted(site_id=1, sort=sort)).limit(50)
        assert heap_rows(await explain(database, context, query)) <= 2 * 50, sort  # another index may hold the order
    deep = ids_query(scope, Wanted(site_id=1)).limit(50).offset(MACHINES - 50)
    plan = await explain(database, context, deep)
    assert heap_rows(plan) == 0
    assert {node["Index Name"] for node in plan.scans("problem_events")} == {"ix_problem_events_shown"}


async def test_the_first_page_reads_no_more_than_it_shows(database: Database, scope: Scope) -> None:
    plan = await explain(database, scope.context(read_only=True), ids_query(scope, Wanted(site_id=1)).limit(50))
    assert plan.rows_read("problem_events") == 50


async def test_a_summary_is_counted_in_the_small_index_and_risks_are_found_by_a_few_rows(
    database: Database, scope: Scope
) -> None:
    context = scope.context(read_only=True)
    counted = await explain(database, context, counts_query(scope, 1))
    assert {node["Index Name"] for node in counted.scans("problem_events")} == {"ix_problem_events_status"}
    lost = await explain(database, context, loss_query(scope, 1))
    assert {node["Index Name"] for node in lost.scans("problem_events")} == {"ix_problem_events_loss"}
    assert (await explain(database, context, risks_query(scope, 1))).rows_read("problem_events") <= 4 * 10


async def test_without_suppressions_nobody_looks_at_machines(database: Database, scope: Scope) -> None:
    values = {"site_id": 1, "as_of": NOW}
    plan = await explain(database, scope.context(read_only=True), str(_AT_SITE.text), values)
    assert plan.rows_read("miners") == 0

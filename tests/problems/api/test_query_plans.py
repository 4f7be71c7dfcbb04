"""Which way lists and counts go to their rows, on an analysed table with row-level security on: not times, but ways.

A page that leaves its index reads rows of two kilobytes; with 100,000 of them open that is a fifth of a second.
"""

import inspect
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg
import pytest
import pytest_asyncio

from hashinsight.audit.actions import SYSTEM
from hashinsight.bench.problem_tables import SOMEBODY, statements
from hashinsight.identity.scope import WHOLE_TENANT, Scope, make_scope
from hashinsight.kit.db.address import DatabaseAddress, address_of_socket
from hashinsight.kit.db.database import Database
from hashinsight.kit.embedded.folder import DataFolder
from hashinsight.problems.codes import Age
from hashinsight.problems.queries import details
from hashinsight.problems.queries.counts import (
    FACETS,
    counts_query,
    facets_query,
    judged_query,
    loss_query,
    risks_query,
)
from hashinsight.problems.queries.lists import ProblemFilter, ProblemSort, count_problems, count_query, ids_query
from hashinsight.problems.queries.suppressions import _AT_SITE
from hashinsight.problems.routes.params import problem_filter
from tests.clones import Clones
from tests.telemetry.query_plans import QueryPlan, explain

pytestmark = pytest.mark.asyncio(loop_scope="module")

MACHINES = 6_000
A = UUID(int=0xA)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SITE = f"""
insert into tenants (id, name, created_at) values ('{A}', 'a', '{NOW}');
insert into sites (id, tenant_id, code, name, created_at) overriding system value
    values (1, '{A}', 'one', 'One', '{NOW}');
"""
# as they are asked for: each filter by itself, where it matters in several ways, and some of them together
ASKED: dict[str, dict[str, Any]] = {
    "none": {},
    "severity": {"severity": ["P2"]},
    "severities": {"severity": ["P0,P2"]},
    "issue_code": {"issue_code": ["offline"]},
    "status": {"status": ["ack"]},
    "status over": {"status": ["resolved"]},
    "status both": {"status": ["open,resolved"]},
    "status seen": {"status": ["open,ack,in_progress,resolved"]},
    "status every": {"status": ["pending,open,ack,in_progress,resolved"]},
    "site": {"site": ["one"]},
    "sites": {"site": ["one", "two", "nowhere"]},
    "zone": {"zone": ["z7"]},
    "model": {"model": ["Antminer S21"]},
    "firmware": {"firmware": ["firmware 2026.3"]},
    "firmware of nobody": {"firmware": ["nobody"]},
    "age most": {"age": [Age.DAY]},
    "age none": {"age": [Age.OLDER]},
    "age several": {"age": [Age.DAY, Age.OLDER]},
    "text": {"text": "m"},
    "assigned_to": {"assigned_to": SOMEBODY},
    "assigned_to nobody": {"assigned_to": "nobody"},
    "symptoms": {"symptoms": "exclude"},
    "sort": {"sort": ProblemSort.SEVERITY},
    "order": {"order": "reversed"},
    "over, of a model": {"status": ["resolved"], "model": ["Antminer S21"]},
    "both, of a model": {"status": ["open,resolved"], "model": ["Antminer S21"]},
    "both, somebody's": {"status": ["open,resolved"], "assigned_to": SOMEBODY},
    "both, by name": {"status": ["open,resolved"], "text": "m"},
    "both, turned round": {"status": ["open,resolved"], "order": "reversed"},
}
EVERYWHERE = "of every site"


def wanted_of(case: dict[str, Any], *, site_id: int | None = 1) -> ProblemFilter:
    return replace(problem_filter(now=NOW, **case), site_id=site_id)


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


def heap_rows(plan: QueryPlan) -> float:
    """Rows of problems that were read whole: what an index alone answers is not among them."""
    whole = [node for node in plan.scans("problem_events") if node["Node Type"] != "Index Only Scan"]
    return float(sum(node["Actual Rows"] * node["Actual Loops"] for node in whole))


async def test_every_filter_that_a_list_offers_has_its_plan_looked_at() -> None:
    offered = set(inspect.signature(problem_filter).parameters) - {"now"}
    assert offered == {name for case in ASKED.values() for name in case}


@pytest.mark.parametrize("site_id", [1, None], ids=["of a site", EVERYWHERE])
@pytest.mark.parametrize("name", list(ASKED))
async def test_a_page_its_total_and_its_facets_are_read_off_indexes(
    database: Database, scope: Scope, name: str, site_id: int | None
) -> None:
    wanted, context = wanted_of(ASKED[name], site_id=site_id), scope.context(read_only=True)
    page = await explain(database, context, ids_query(scope, wanted, limit=50))
    total = await explain(database, context, count_query(scope, wanted))
    facets = await explain(database, context, facets_query(scope, wanted, tuple(FACETS), now=NOW))
    assert heap_rows(total) == 0
    # to the few of a code or a zone another index may lead, and they are read whole: never more than are met
    async with database.reading(context) as session:
        met = await count_problems(session, scope, wanted)
    few = met if met <= MACHINES // 20 else 0
    assert heap_rows(page) <= few
    assert heap_rows(facets) <= few


@pytest.mark.parametrize(
    "name", ["none", "status over", "status seen", "site", "assigned_to", "both, somebody's", "order"]
)
@pytest.mark.parametrize("site_id", [1, None], ids=["of a site", EVERYWHERE])
async def test_an_ordered_index_is_read_only_as_far_as_the_page(
    database: Database, scope: Scope, name: str, site_id: int | None
) -> None:
    wanted = wanted_of(ASKED[name], site_id=site_id)
    plan = await explain(database, scope.context(read_only=True), ids_query(scope, wanted, limit=50))
    parts = len(wanted.by_index())
    assert plan.rows_read("problem_events") <= (50 + 1) * parts


async def test_every_filter_is_met_by_some_or_asks_for_none(database: Database, scope: Scope) -> None:
    """A plan of what nobody meets says little: only those that are called so are empty."""
    async with database.reading(scope.context(read_only=True)) as session:
        for name, case in ASKED.items():
            rows = await count_problems(session, scope, wanted_of(case))
            assert (rows == 0) == name.endswith(("nobody", "none") if name != "none" else ()), name


async def test_assigned_problems_are_counted_by_the_assignees_index(database: Database, scope: Scope) -> None:
    for status, shown in (([], MACHINES), (["resolved"], MACHINES), (["open,ack,in_progress,resolved"], 2 * MACHINES)):
        wanted = wanted_of({"assigned_to": SOMEBODY, "status": status}, site_id=None)
        plan = await explain(database, scope.context(read_only=True), count_query(scope, wanted))
        assert plan.rows_read("problem_events") == shown // 50


async def test_those_that_began_lately_are_looked_at_and_no_others(database: Database, scope: Scope) -> None:
    wanted, context = wanted_of({"age": [Age.HOUR]}), scope.context(read_only=True)
    lately = 3600 // 7
    assert heap_rows(await explain(database, context, ids_query(scope, wanted, limit=50))) <= lately + 1
    assert heap_rows(await explain(database, context, count_query(scope, wanted))) <= lately + 1


@pytest.mark.parametrize("status", [[], ["resolved"], ["open,ack,in_progress,resolved"]], ids=["shown", "over", "both"])
@pytest.mark.parametrize("site_id", [1, None], ids=["of a site", EVERYWHERE])
async def test_problems_of_a_time_range_are_counted_by_that_range(
    database: Database, scope: Scope, status: list[str], site_id: int | None
) -> None:
    for age in (Age.HOUR, Age.DAY):
        wanted, context = wanted_of({"age": [age], "status": status}, site_id=site_id), scope.context(read_only=True)
        async with database.reading(context) as session:
            met = await count_problems(session, scope, wanted)
        plan = await explain(database, context, count_query(scope, wanted))
        assert plan.rows_read("problem_events") == met
        assert heap_rows(plan) == 0


async def test_how_people_ended_the_same_is_read_newest_first_as_far_as_it_is_looked_at(
    database: Database, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(details, "_SIMILAR_READ", 20)
    values = {"id": UUID(int=1), "site_id": 1, "issue_code": "fleet_outlier", "model": "Antminer S21"}
    plan = await explain(database, scope.context(read_only=True), details.similar_query(scope, values))
    assert {node["Index Name"] for node in plan.scans("problem_events")} == {"ix_problem_events_ended"}
    assert plan.rows_read("problem_events") == 20
    of_none = details.similar_query(scope, {**values, "model": None})
    assert (await explain(database, scope.context(read_only=True), of_none)).rows_read("problem_events") == 0


@pytest.mark.parametrize(
    ("status", "indexes"),
    [
        ([], {"ix_problem_events_name"}),
        (["resolved"], {"ix_problem_events_name_over"}),
        (["open,ack,in_progress,resolved"], {"ix_problem_events_name", "ix_problem_events_name_over"}),
    ],
    ids=["shown", "over", "both"],
)
async def test_a_search_reads_only_names_with_that_prefix(
    database: Database, scope: Scope, status: list[str], indexes: set[str]
) -> None:
    wanted, context = wanted_of({"text": "m999", "status": status}), scope.context(read_only=True)
    named = sum(str(number).startswith("999") for number in range(1, MACHINES + 1))
    for query in (ids_query(scope, wanted, limit=50), count_query(scope, wanted)):
        plan = await explain(database, context, query)
        assert {node["Index Name"] for node in plan.scans("problem_events")} == indexes
        assert plan.rows_read("problem_events") == named * len(indexes) > 0


async def test_every_order_and_the_last_page_are_read_off_an_index_alone(database: Database, scope: Scope) -> None:
    context = scope.context(read_only=True)
    for sort in ProblemSort:
        query = ids_query(scope, ProblemFilter(site_id=1, sort=sort), limit=50)
        assert heap_rows(await explain(database, context, query)) <= 2 * 50, sort  # another index may hold the order
    deep = ids_query(scope, ProblemFilter(site_id=1), limit=50, offset=MACHINES - 50)
    plan = await explain(database, context, deep)
    assert heap_rows(plan) == 0
    assert {node["Index Name"] for node in plan.scans("problem_events")} == {"ix_problem_events_shown"}


async def test_the_first_page_reads_only_the_rows_it_shows(database: Database, scope: Scope) -> None:
    plan = await explain(database, scope.context(read_only=True), ids_query(scope, ProblemFilter(site_id=1), limit=50))
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
    every = await explain(database, context, judged_query(scope, 1))
    assert every.rows_read("problem_events") > 0
    assert heap_rows(every) == 0


async def test_without_suppressions_machines_are_not_read(database: Database, scope: Scope) -> None:
    values = {"site_id": 1, "as_of": NOW}
    plan = await explain(database, scope.context(read_only=True), str(_AT_SITE.text), values)
    assert plan.rows_read("miners") == 0

"""`bench api`: problem lists over HTTP with 100,000 open problems; the limit is psql with the same statements."""

import asyncio
import http.client
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import text
from sqlalchemy.dialects import postgresql

from hashinsight.audit.actions import SYSTEM
from hashinsight.bench.api_server import create_site, run_command, running_api
from hashinsight.bench.problem_tables import MACHINES, SOMEBODY, fill
from hashinsight.bench.report import Result, percentile
from hashinsight.bench.scratch import Scratch, scratch
from hashinsight.identity.scope import WHOLE_TENANT, Scope, make_scope
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.problems.codes import Age
from hashinsight.problems.queries.counts import counts_query, loss_query, risks_query
from hashinsight.problems.queries.lists import ProblemFilter, ProblemSort, count_query, ids_query

CALLS = 200
_NOW = system_clock()
_BARE_CALLS = 100
_PER_PAGE = 50
_PAGES = MACHINES // _PER_PAGE
_PLAIN = postgresql.dialect(paramstyle="named")  # type: ignore[no-untyped-call] # the library leaves it untyped
_PSQL_TIME = re.compile(r"^Time: ([\d.]+) ms", re.MULTILINE)
# a fifth of the open problems updated by the last cycle, and not yet vacuumed
_TOUCHED = "update problem_events set last_seen_ts = last_seen_ts + interval '1 second' where event_no % 5 = 0"


@dataclass(frozen=True)
class Case:
    """A request and the statements behind it. `bound` is the group whose limit applies."""

    name: str
    path: str
    statements: Callable[[Scope, int], list[Any]]
    bound: str = "first"
    filters: ProblemFilter | None = None


def _page(
    name: str,
    query: str,
    filters: ProblemFilter,
    *,
    page: int = 1,
    per_page: int = 50,
    bound: str = "first",
    every: bool = False,
) -> Case:
    """A list of the site, or with `every` of all visible sites."""
    where = "problems" if every else "sites/one/problems"
    path = f"/api/v1/{where}?{query}&page={page}&per_page={per_page}"

    def statements(scope: Scope, site_id: int) -> list[Any]:
        filtered = replace(filters, site_id=None if every else site_id)
        return [ids_query(scope, filtered, limit=per_page, offset=(page - 1) * per_page), count_query(scope, filtered)]

    return Case(name, path, statements, bound, filters)


def _summary(scope: Scope, site_id: int) -> list[Any]:
    return [counts_query(scope, site_id), loss_query(scope, site_id), risks_query(scope, site_id)]


FIRST = (
    _page("first", "", ProblemFilter()),
    _page("fifth", "", ProblemFilter(), page=5),
    _page("long", "", ProblemFilter(), per_page=500),
    _page("severity", "severity=P2", ProblemFilter(severity=("P2",))),
    _page("issue", "issue_code=offline", ProblemFilter(issue_code=("offline",))),
    _page("status", "status=ack", ProblemFilter(status=("ack",))),
    _page("resolved", "status=resolved", ProblemFilter(status=("resolved",))),
    _page("model", "model=Antminer%20S21", ProblemFilter(model=("Antminer S21",))),
    _page("firmware", "firmware=firmware%202026.3", ProblemFilter(firmware=("firmware 2026.3",))),
    _page("zone", "zone=z7", ProblemFilter(zone=("z7",))),
    _page("nothing", "firmware=nobody", ProblemFilter(firmware=("nobody",))),
    _page("text", "text=m9999", ProblemFilter(text="m9999")),
    _page("without_symptoms", "symptoms=exclude", ProblemFilter(with_symptoms=False)),
    _page(
        "several",
        "severity=P1,P2&zone=z7&status=open",
        ProblemFilter(severity=("P1", "P2"), zone=("z7",), status=("open",)),
    ),
    _page("reversed", "order=reversed", ProblemFilter(is_reversed=True)),
    _page("age", "age=week", ProblemFilter(started=(Age.WEEK.span(_NOW),))),
    _page("age_nobody", "age=older", ProblemFilter(started=(Age.OLDER.span(_NOW),))),
    _page("assigned", f"assigned_to={SOMEBODY}", ProblemFilter(assigned_to=SOMEBODY)),
    _page("assigned_nobody", "assigned_to=nobody", ProblemFilter(assigned_to="nobody")),
    _page("mixed", "status=open,resolved", ProblemFilter(status=("open", "resolved"))),
    _page(
        "mixed_model",
        "status=open,resolved&model=Antminer%20S21",
        ProblemFilter(status=("open", "resolved"), model=("Antminer S21",)),
    ),
    _page(
        "mixed_assigned",
        f"status=open,resolved&assigned_to={SOMEBODY}",
        ProblemFilter(status=("open", "resolved"), assigned_to=SOMEBODY),
    ),
    _page("resolved_text", "status=resolved&text=m9999", ProblemFilter(status=("resolved",), text="m9999")),
    _page("site", "site=one", ProblemFilter(site=("one",)), every=True),
    _page("every_site", "", ProblemFilter(), every=True),
    _page("every_site_assigned", f"assigned_to={SOMEBODY}", ProblemFilter(assigned_to=SOMEBODY), every=True),
)
DEEP = (
    _page("deep", "", ProblemFilter(), page=_PAGES, bound="deep"),
    _page("deep_model", "model=Antminer%20S21", ProblemFilter(model=("Antminer S21",)), page=_PAGES // 3, bound="deep"),
    *(
        _page(f"by_{sort.value}", f"sort={sort.value}", ProblemFilter(sort=sort), bound="sorted")
        for sort in ProblemSort
        if sort is not ProblemSort.SEVERITY
    ),
)
SUMMARY = Case("summary", "/api/v1/sites/one/health_summary", _summary, "summary")
TOUCHED = (FIRST[0], FIRST[7], FIRST[11], DEEP[0], SUMMARY)


async def measure() -> Result:
    async with scratch() as installation:
        create_site(installation)
        key = run_command(installation, "key", "create", "--name", "bench", "--role", "NOC")["key"]
        await fill(installation, now=_NOW.isoformat())
        scope, site_id = await _owner(installation)
        http_ms: dict[str, list[float]] = {}
        psql_ms: dict[str, list[float]] = {}
        async with running_api(installation) as api:
            for case in (*FIRST, *DEEP, SUMMARY):
                http_ms[case.name] = await asyncio.to_thread(_call_http, api.port, key, case)
                psql_ms[case.name] = await asyncio.to_thread(
                    _call_psql, installation, scope, case.statements(scope, site_id)
                )
            await asyncio.to_thread(installation.run_psql, "-c", _TOUCHED)
            for case in TOUCHED:
                http_ms[f"touched_{case.name}"] = await asyncio.to_thread(_call_http, api.port, key, case)
            memory = api.peak_rss_mb()
    return _result(http_ms, psql_ms, memory)


def _result(http_ms: dict[str, list[float]], psql_ms: dict[str, list[float]], memory: float) -> Result:
    worst = max((case.name for case in FIRST), key=lambda name: percentile(http_ms[name], 99))
    detail = {"open_problems": float(MACHINES), "calls": float(CALLS), "api_mb": round(memory)}
    for name, values in http_ms.items():
        detail |= {f"{name}_p50_ms": _ms(values, 50), f"{name}_p99_ms": _ms(values, 99)}
        if name in psql_ms:
            detail[f"{name}_bare_p99_ms"] = _ms(psql_ms[name], 99)
    figure, limit = _ms(http_ms[worst], 99), _ms(psql_ms[worst], 99)
    return Result(
        name="api",
        figure=figure,
        unit=f"ms, p99 of the slowest first page or filter ({worst}) of {MACHINES} open problems",
        limit=limit,
        ratio=round(limit / figure, 3),
        detail=detail,
    )


async def _owner(installation: Scratch) -> tuple[Scope, int]:
    async with installation.database.transaction(job_context()) as session:
        row = (await session.execute(text("select tenant_id, id from sites"))).one()
    return make_scope(row.tenant_id, SYSTEM, [WHOLE_TENANT]), row.id


def _call_http(port: int, key: str, case: Case) -> list[float]:
    """One after the other on one connection. The first five fill caches and are not counted."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    http_ms = []
    for _ in range(CALLS + 5):
        began = time.perf_counter()
        connection.request("GET", case.path, headers={"X-API-Key": key})
        response = connection.getresponse()
        body = response.read()
        http_ms.append((time.perf_counter() - began) * 1000)
        if response.status != http.HTTPStatus.OK:
            raise RuntimeError(f"{case.path}: {response.status} {body[:200]!r}")
    connection.close()
    return http_ms[5:]


def _call_psql(installation: Scratch, scope: Scope, queries: list[Any]) -> list[float]:
    """Run the same statements in the same role; psql's own times, summed by round."""
    statements = [str(query.compile(dialect=_PLAIN, compile_kwargs={"literal_binds": True})) for query in queries]
    context = scope.context().as_settings() | {"jit": "off"}
    lines = [f"select set_config('{name}', '{value}', false) \\g /dev/null" for name, value in context.items()]
    lines += [
        "\\timing on",
        *(f"{statement} \\g /dev/null" for _ in range(_BARE_CALLS + 5) for statement in statements),
    ]
    script = installation.folder / "bare.sql"
    script.write_text("\n".join(lines) + "\n")
    times_ms = [float(time_ms) for time_ms in _PSQL_TIME.findall(installation.run_psql("-f", str(script)))]
    rounds = [sum(times_ms[at : at + len(statements)]) for at in range(0, len(times_ms), len(statements))]
    return rounds[5:]


def _ms(values: list[float], percent: int) -> float:
    return round(percentile(values, percent), 2)

"""`bench api`: problems over HTTP with 100,000 open at a site, each case beside a bare psql of the same statements."""

import asyncio
import http.client
import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import text
from sqlalchemy.dialects import postgresql

from hashinsight.audit.actions import SYSTEM
from hashinsight.bench.api_server import command, running_api
from hashinsight.bench.problem_tables import MACHINES, SOMEBODY, fill
from hashinsight.bench.report import Result
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
_TOOK = re.compile(r"^Time: ([\d.]+) ms", re.MULTILINE)
# a fifth of what is open was moved by the last cycle, and nobody has tidied up since
_TOUCHED = "update problem_events set last_seen_ts = last_seen_ts + interval '1 second' where event_no % 5 = 0"


@dataclass(frozen=True)
class Case:
    """What is asked, and the statements behind it. `bound` is the group whose limit it is measured against."""

    name: str
    path: str
    asks: Callable[[Scope, int], list[Any]]
    bound: str = "first"
    wanted: ProblemFilter | None = None


def _page(
    name: str,
    query: str,
    wanted: ProblemFilter,
    *,
    page: int = 1,
    per_page: int = 50,
    bound: str = "first",
    every: bool = False,
) -> Case:
    """Of the site; or of every site that one sees, which is this one."""
    where = "problems" if every else "sites/one/problems"
    path = f"/api/v1/{where}?{query}&page={page}&per_page={per_page}"

    def asks(scope: Scope, site_id: int) -> list[Any]:
        there = replace(wanted, site_id=None if every else site_id)
        return [ids_query(scope, there, limit=per_page, offset=(page - 1) * per_page), count_query(scope, there)]

    return Case(name, path, asks, bound, wanted)


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
    async with scratch() as place:
        command(place, "tenant", "create", "--name", "bench")
        command(place, "site", "create", "--code", "one", "--name", "One")
        key = command(place, "key", "create", "--name", "bench", "--role", "NOC")["key"]
        await fill(place, now=_NOW.isoformat())
        scope, site_id = await _owner(place)
        took: dict[str, list[float]] = {}
        bare: dict[str, list[float]] = {}
        async with running_api(place) as api:
            for case in (*FIRST, *DEEP, SUMMARY):
                took[case.name] = await asyncio.to_thread(_call, api.port, key, case)
                bare[case.name] = await asyncio.to_thread(_psql, place, scope, case.asks(scope, site_id))
            await asyncio.to_thread(subprocess.run, [*place.psql, "-c", _TOUCHED], check=True)
            for case in TOUCHED:
                took[f"touched_{case.name}"] = await asyncio.to_thread(_call, api.port, key, case)
            memory = api.peak_rss_mb()
    return _result(took, bare, memory)


def _result(took: dict[str, list[float]], bare: dict[str, list[float]], memory: float) -> Result:
    worst = max((case.name for case in FIRST), key=lambda name: _percentile(took[name], 99))
    detail = {"open_problems": float(MACHINES), "calls": float(CALLS), "api_mb": round(memory)}
    for name, values in took.items():
        detail |= {f"{name}_p50_ms": _percentile(values, 50), f"{name}_p99_ms": _percentile(values, 99)}
        if name in bare:
            detail[f"{name}_bare_p99_ms"] = _percentile(bare[name], 99)
    figure, limit = _percentile(took[worst], 99), _percentile(bare[worst], 99)
    return Result(
        name="api",
        figure=figure,
        unit=f"ms, p99 of the slowest first page or filter ({worst}) of {MACHINES} open problems",
        limit=limit,
        ratio=round(limit / figure, 3),
        detail=detail,
    )


async def _owner(place: Scratch) -> tuple[Scope, int]:
    async with place.database.transaction(job_context()) as session:
        row = (await session.execute(text("select tenant_id, id from sites"))).one()
    return make_scope(row.tenant_id, SYSTEM, [WHOLE_TENANT]), row.id


def _call(port: int, key: str, case: Case) -> list[float]:
    """One after the other on one connection; the first ones fill caches and are not counted."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    took = []
    for _ in range(CALLS + 5):
        began = time.perf_counter()
        line.request("GET", case.path, headers={"X-API-Key": key})
        answer = line.getresponse()
        said = answer.read()
        took.append((time.perf_counter() - began) * 1000)
        if answer.status != http.HTTPStatus.OK:
            raise RuntimeError(f"{case.path}: {answer.status} {said[:200]!r}")
    line.close()
    return took[5:]


def _psql(place: Scratch, scope: Scope, asked: list[Any]) -> list[float]:
    """The same statements in the same role, one after the other; times by psql itself, added up by round."""
    words = [str(one.compile(dialect=_PLAIN, compile_kwargs={"literal_binds": True})) for one in asked]
    context = scope.context().as_settings() | {"jit": "off"}
    lines = [f"select set_config('{name}', '{value}', false) \\g /dev/null" for name, value in context.items()]
    lines += ["\\timing on", *(f"{one} \\g /dev/null" for _ in range(_BARE_CALLS + 5) for one in words)]
    script = place.folder / "bare.sql"
    script.write_text("\n".join(lines) + "\n")
    done = subprocess.run([*place.psql, "-f", str(script)], check=True, capture_output=True, text=True)
    each = [float(one) for one in _TOOK.findall(done.stdout)]
    rounds = [sum(each[at : at + len(words)]) for at in range(0, len(each), len(words))]
    return rounds[5:]


def _percentile(values: list[float], percent: int) -> float:
    return round(sorted(values)[min(len(values) - 1, len(values) * percent // 100)], 2)

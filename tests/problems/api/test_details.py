"""One problem with everything around it, its timeline, and the health of a machine."""

from datetime import timedelta
from uuid import uuid4

from hashinsight.problems.codes import EventStatus, Issue, Metric, Severity
from hashinsight.problems.models import FEATURE_CHUNKS, STATE
from hashinsight.problems.state import FIELDS, PACKED
from tests.problems.api.problems_api import V1, ProblemsApi, code_of


def machine_no(problems_api: ProblemsApi, miner: str) -> int:
    return int(problems_api.tenants.row("select miner_no from miners where miner_id = %s", miner)["miner_no"])


def known(problems_api: ProblemsApi, miner: str, others: int) -> None:
    """A chunk of state and of features with this machine in it, beside another one."""
    number, at = machine_no(problems_api, miner), problems_api.now.timestamp()
    place = (problems_api.tenants.site_id(), number // 1024)
    columns, cells = ["site_id", "chunk", "tenant_id", "miner_no"], [*map(str, place), "(select tenant_id from sites"]
    cells[-1] += f" where id = {place[0]})"
    cells.append(f"array[{number}, {others}]")
    for name, (rows, _, _) in FIELDS.items():
        columns.append(name)
        values = [f"{row + 0.5}, {row + 100.5}" for row in range(rows)]
        array = f"array[{at}, {at}]" if name == "updated_at" else f"array[{', '.join(values)}]"
        cells.append("''" if name in PACKED else array)  # nothing that is told of a machine is packed
    problems_api.tenants.write(f"insert into {STATE.name} ({', '.join(columns)}) values ({', '.join(cells)})")
    skipped = ("site_id", "ts", "chunk", "tenant_id", "miner_no")
    features = [column.name for column in FEATURE_CHUNKS.c if column.name not in skipped]
    problems_api.tenants.write(f"select partition_ensure('{FEATURE_CHUNKS.name}', %s, %s)", *_day(problems_api))
    for minutes in (5, 60 * 30):
        ts = problems_api.now - timedelta(minutes=minutes)
        problems_api.tenants.write(
            f"select partition_ensure('{FEATURE_CHUNKS.name}', %s, %s)", *_day(problems_api, minutes)
        )
        problems_api.tenants.write(
            f"insert into feature_chunks (site_id, ts, chunk, tenant_id, miner_no, {', '.join(features)})"
            f" select %s, %s, %s, tenant_id, array[{number}, {others}],"
            f" {', '.join(_cell(name) for name in features)} from sites where id = %s",
            *(place[0], ts, place[1], place[0]),
        )


def _day(problems_api: ProblemsApi, minutes: float = 0) -> tuple[object, object]:
    day = (problems_api.now - timedelta(minutes=minutes)).replace(hour=0, minute=0, second=0, microsecond=0)
    return day, day + timedelta(days=1)


def _cell(name: str) -> str:
    return {
        "hashrate_ratio": "array[0.75, 9]",
        "residual_hashrate": "array[-0.25, 9]",
        "efficiency": "array['NaN', 9]::real[]",
        "data_state": "array[3, 1]",
        "mode": "array[2, 1]",
        "left_out": "array[0, 0]",
    }.get(name, "array[1, 9]")


async def test_a_problem_page_shows_rule_machine_baseline_history_and_what_resolved_similar_ones(
    problems_api: ProblemsApi,
) -> None:
    grandparent = problems_api.problem(
        "m1", status=EventStatus.RESOLVED, minutes=9000, cause="cleaned", resolved_by="x"
    )
    parent = problems_api.problem(
        "m1", status=EventStatus.RESOLVED, minutes=6000, predecessor=grandparent, resolved_by="x"
    )
    problem = problems_api.problem("m1", predecessor=parent)
    for miner in ("m2", "m4"):
        problems_api.problem(
            miner, status=EventStatus.RESOLVED, cause="repaired", action="hashboard swapped", resolved_by="somebody"
        )
    problems_api.problem("m6", status=EventStatus.RESOLVED, cause="recovered", resolved_by="system")
    known(problems_api, "m1", machine_no(problems_api, "m2"))
    noc = await problems_api.headers()
    await problems_api.act(problem, "acknowledge", noc, comment="seen")
    answer = await problems_api.get(f"/problems/{problem}", noc)
    assert (answer["rule"]["code"], answer["rule"]["recommended_actions"]) == (
        *("hashrate_degradation", ["restart", "inspect_boards"]),
    )
    assert (answer["machine"]["miner_id"], answer["machine"]["zone"]) == ("m1", "z1")
    assert [row["id"] for row in answer["predecessors"]] == [str(parent), str(grandparent)]
    assert [(row["resolution_cause"], row["times"]) for row in answer["similar"]] == [
        *(("repaired", 2), ("cleaned", 1)),
    ]
    assert [(row["kind"], row["message"]) for row in answer["timeline"]] == [("acknowledged", "seen")]
    assert list(answer["people"]) == [answer["problem"]["acked_by"]]
    metrics = answer["baseline"]["metrics"]
    assert metrics.keys() == {each.name.lower() for each in Metric}
    assert metrics["efficiency"] == {
        "expected": 1.5 + 1.5, "sigma": 1.5**0.5, "samples": 1, "is_known": False, "last_value": 1.5,
        "last_residual": 1.5, "anchor": 1.5 + 1.5,
    }  # fmt: skip
    assert metrics["hw_error_rate"]["anchor"] is None
    assert metrics["hw_error_rate"]["expected"] == 7.5  # of what has no reference, the number itself
    (point,) = answer["history"]
    assert (point["hashrate_ratio"], point["expected"]["hashrate_ratio"], point["efficiency"]) == (0.75, 1.0, None)
    assert (point["data_state"], point["inferred_mode"]) == ("fresh", "normal")
    longer = await problems_api.get(f"/problems/{problem}", noc, history_hours=48)
    assert len(longer["history"]) == 2
    assert (await problems_api.get(f"/problems/{problem}", noc, history_hours=0))["history"] == []


async def test_a_story_ends_where_the_scope_does(problems_api: ProblemsApi) -> None:
    problem = problems_api.problem("m1")
    for miner, action in (("m2", "seen by others only"), ("m3", "fan swapped")):
        problems_api.problem(
            miner, status=EventStatus.RESOLVED, cause="repaired", action=action, resolved_by="somebody"
        )
    customer = await problems_api.headers("Customer", zones=[problems_api.tenants.zone_id("z1")])
    answer = await problems_api.get(f"/problems/{problem}", customer)
    assert [(row["resolution_action"], row["times"]) for row in answer["similar"]] == [("fan swapped", 1)]
    assert answer["machine"]["miner_id"] == "m1"
    problems_api.tenants.write("update miners set zone_id = null, rack_id = null where miner_id = 'm1'")
    answer = await problems_api.get(f"/problems/{problem}", customer)
    assert (answer["problem"]["miner_id"], answer["machine"], answer["history"]) == ("m1", None, [])


async def test_a_timeline_is_paged_newest_first(problems_api: ProblemsApi) -> None:
    problem, noc = problems_api.problem("m1"), await problems_api.headers()
    for n in range(5):
        await problems_api.act(problem, "comment", noc, comment=f"remark {n}")
    first = await problems_api.get(f"/problems/{problem}/timeline", noc, limit=3)
    rest = await problems_api.get(f"/problems/{problem}/timeline", noc, limit=3, cursor=first["next_cursor"])
    text = [row["message"] for row in (*first["timeline"], *rest["timeline"])]
    assert text == [f"remark {n}" for n in (4, 3, 2, 1, 0)]
    assert rest["next_cursor"] is None


async def test_machine_health_is_its_worst_open_problem_or_else_the_verdict_of_the_scan(
    problems_api: ProblemsApi,
) -> None:
    noc = await problems_api.headers()
    assert (await problems_api.get("/miners/m1/health", noc))["health_state"] == "unknown"
    problems_api.tenants.write(
        "insert into problem_runs (tenant_id, site_id, period, ran_at, machines, fresh, stale, offline, unknown,"
        " healthy, with_problem, actions, seconds) select tenant_id, id, %s, %s, 60, 60, 0, 0, 0, 60, 0, '{}', '{}'"
        " from sites where code = 'tx-1'",
        *(problems_api.now, problems_api.now),
    )
    problems_api.tenants.write(
        "insert into telemetry_live (miner_no, tenant_id, site_id, ts, last_seen_at, online, status, flags,"
        " overall_health, updated_at) select miner_no, tenant_id, site_id, %s, %s, true, 1, 0, 'ok', %s from miners"
        " where miner_id = 'm1'",
        *(problems_api.now, problems_api.now, problems_api.now),
    )
    assert (await problems_api.get("/miners/m1/health", noc))["health_state"] == "ok"
    problems_api.problem("m1", p_fail=0.25)
    problems_api.problem("m1", Issue.OVERHEAT_CRIT, Severity.P0)
    problems_api.problem("m1", Issue.FAN_ZERO, Severity.P1, EventStatus.PENDING)
    answer = await problems_api.get("/miners/m1/health", noc)
    assert answer["health_state"] == "P0"
    assert [row["issue_code"] for row in answer["issues"]] == ["overheat_crit", "hashrate_degradation"]
    assert answer["issues"][0]["evidence"] == [{"rule_code": "overheat_crit", "threshold": 0.05}]
    assert answer["p_fail_24h"] == 0.25


async def test_unknown_and_malformed_ids_are_refused(problems_api: ProblemsApi) -> None:
    problem, noc = problems_api.problem("m1"), await problems_api.headers()
    for path in (f"/problems/{uuid4()}", f"/problems/{uuid4()}/timeline", "/miners/nobody/health"):
        assert code_of(await problems_api.api.get(f"{V1}{path}", headers=noc)) == (404, "NOT_FOUND")
    for path in ("/problems/x", f"/problems/{problem}?history_hours=721", f"/problems/{problem}/timeline?limit=0"):
        assert code_of(await problems_api.api.get(f"{V1}{path}", headers=noc)) == (422, "VALIDATION_FAILED")
    cursor = f"/problems/{problem}/timeline?cursor=x"
    assert code_of(await problems_api.api.get(f"{V1}{cursor}", headers=noc)) == (422, "VALIDATION_FAILED")

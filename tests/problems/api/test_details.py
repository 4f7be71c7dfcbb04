"""One problem with everything around it, its timeline, and the health of a machine."""

from datetime import timedelta
from uuid import uuid4

from hashinsight.problems.codes import EventStatus, Issue, Metric, Severity
from hashinsight.problems.models import FEATURE_CHUNKS, STATE
from hashinsight.problems.state import FIELDS, PACKED
from tests.problems.api.problems_api import V1, ProblemsApi, code_of


def machine_no(ward: ProblemsApi, miner: str) -> int:
    return int(ward.desk.row("select miner_no from miners where miner_id = %s", miner)["miner_no"])


def known(ward: ProblemsApi, miner: str, beside: int) -> None:
    """A chunk of state and of features with this machine in it, beside another one."""
    number, at = machine_no(ward, miner), ward.now.timestamp()
    place = (ward.desk.site_id(), number // 1024)
    columns, cells = ["site_id", "chunk", "tenant_id", "miner_no"], [*map(str, place), "(select tenant_id from sites"]
    cells[-1] += f" where id = {place[0]})"
    cells.append(f"array[{number}, {beside}]")
    for name, (rows, _, _) in FIELDS.items():
        columns.append(name)
        values = [f"{row + 0.5}, {row + 100.5}" for row in range(rows)]
        array = f"array[{at}, {at}]" if name == "updated_at" else f"array[{', '.join(values)}]"
        cells.append("''" if name in PACKED else array)  # nothing that is told of a machine is packed
    ward.desk.write(f"insert into {STATE.name} ({', '.join(columns)}) values ({', '.join(cells)})")
    skipped = ("site_id", "ts", "chunk", "tenant_id", "miner_no")
    features = [column.name for column in FEATURE_CHUNKS.c if column.name not in skipped]
    ward.desk.write(f"select partition_ensure('{FEATURE_CHUNKS.name}', %s, %s)", *_day(ward))
    for minutes in (5, 60 * 30):
        ts = ward.now - timedelta(minutes=minutes)
        ward.desk.write(f"select partition_ensure('{FEATURE_CHUNKS.name}', %s, %s)", *_day(ward, minutes))
        ward.desk.write(
            f"insert into feature_chunks (site_id, ts, chunk, tenant_id, miner_no, {', '.join(features)})"
            f" select %s, %s, %s, tenant_id, array[{number}, {beside}],"
            f" {', '.join(_cell(name) for name in features)} from sites where id = %s",
            *(place[0], ts, place[1], place[0]),
        )


def _day(ward: ProblemsApi, minutes: float = 0) -> tuple[object, object]:
    day = (ward.now - timedelta(minutes=minutes)).replace(hour=0, minute=0, second=0, microsecond=0)
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


async def test_a_problem_is_told_with_its_rule_machine_baseline_past_and_what_helped_others(ward: ProblemsApi) -> None:
    grandparent = ward.problem("m1", status=EventStatus.RESOLVED, minutes=9000, cause="cleaned", resolved_by="x")
    parent = ward.problem("m1", status=EventStatus.RESOLVED, minutes=6000, predecessor=grandparent, resolved_by="x")
    problem = ward.problem("m1", predecessor=parent)
    for miner in ("m2", "m4"):
        ward.problem(
            miner, status=EventStatus.RESOLVED, cause="repaired", action="hashboard swapped", resolved_by="somebody"
        )
    ward.problem("m6", status=EventStatus.RESOLVED, cause="recovered", resolved_by="system")
    known(ward, "m1", machine_no(ward, "m2"))
    noc = await ward.headers()
    await ward.act(problem, "acknowledge", noc, comment="seen")
    told = await ward.get(f"/problems/{problem}", noc)
    assert (told["rule"]["code"], told["rule"]["recommended_actions"]) == (
        *("hashrate_degradation", ["restart", "inspect_boards"]),
    )
    assert (told["machine"]["miner_id"], told["machine"]["zone"]) == ("m1", "z1")
    assert [one["id"] for one in told["predecessors"]] == [str(parent), str(grandparent)]
    assert [(one["resolution_cause"], one["times"]) for one in told["similar"]] == [
        *(("repaired", 2), ("cleaned", 1)),
    ]
    assert [(one["kind"], one["message"]) for one in told["timeline"]] == [("acknowledged", "seen")]
    assert list(told["people"]) == [told["problem"]["acked_by"]]
    metrics = told["baseline"]["metrics"]
    assert metrics.keys() == {one.name.lower() for one in Metric}
    assert metrics["efficiency"] == {
        "expected": 1.5 + 1.5, "sigma": 1.5**0.5, "samples": 1, "last_value": 1.5, "last_residual": 1.5,
        "anchor": 1.5 + 1.5,
    }  # fmt: skip
    assert metrics["hw_error_rate"]["anchor"] is None
    assert metrics["hw_error_rate"]["expected"] == 7.5  # of what has no reference, the number itself
    (point,) = told["history"]
    assert (point["hashrate_ratio"], point["expected"]["hashrate_ratio"], point["efficiency"]) == (0.75, 1.0, None)
    assert (point["data_state"], point["inferred_mode"]) == ("fresh", "normal")
    longer = await ward.get(f"/problems/{problem}", noc, history_hours=48)
    assert len(longer["history"]) == 2
    assert (await ward.get(f"/problems/{problem}", noc, history_hours=0))["history"] == []


async def test_a_story_ends_where_the_scope_does(ward: ProblemsApi) -> None:
    problem = ward.problem("m1")
    for miner, action in (("m2", "seen by others only"), ("m3", "fan swapped")):
        ward.problem(miner, status=EventStatus.RESOLVED, cause="repaired", action=action, resolved_by="somebody")
    customer = await ward.headers("Customer", zones=[ward.desk.zone_id("z1")])
    told = await ward.get(f"/problems/{problem}", customer)
    assert [(one["resolution_action"], one["times"]) for one in told["similar"]] == [("fan swapped", 1)]
    assert told["machine"]["miner_id"] == "m1"
    ward.desk.write("update miners set zone_id = null, rack_id = null where miner_id = 'm1'")
    told = await ward.get(f"/problems/{problem}", customer)
    assert (told["problem"]["miner_id"], told["machine"], told["history"]) == ("m1", None, [])


async def test_a_timeline_is_paged_newest_first(ward: ProblemsApi) -> None:
    problem, noc = ward.problem("m1"), await ward.headers()
    for n in range(5):
        await ward.act(problem, "comment", noc, comment=f"remark {n}")
    first = await ward.get(f"/problems/{problem}/timeline", noc, limit=3)
    rest = await ward.get(f"/problems/{problem}/timeline", noc, limit=3, cursor=first["next_cursor"])
    said = [one["message"] for one in (*first["timeline"], *rest["timeline"])]
    assert said == [f"remark {n}" for n in (4, 3, 2, 1, 0)]
    assert rest["next_cursor"] is None


async def test_the_health_of_a_machine_is_the_worst_of_what_is_open_else_what_the_scan_said(ward: ProblemsApi) -> None:
    noc = await ward.headers()
    assert (await ward.get("/miners/m1/health", noc))["health_state"] == "unknown"
    ward.desk.write(
        "insert into problem_runs (tenant_id, site_id, period, ran_at, machines, fresh, stale, offline, unknown,"
        " healthy, with_problem, actions, seconds) select tenant_id, id, %s, %s, 60, 60, 0, 0, 0, 60, 0, '{}', '{}'"
        " from sites where code = 'tx-1'",
        *(ward.now, ward.now),
    )
    ward.desk.write(
        "insert into telemetry_live (miner_no, tenant_id, site_id, ts, last_seen_at, online, status, flags,"
        " overall_health, updated_at) select miner_no, tenant_id, site_id, %s, %s, true, 1, 0, 'ok', %s from miners"
        " where miner_id = 'm1'",
        *(ward.now, ward.now, ward.now),
    )
    assert (await ward.get("/miners/m1/health", noc))["health_state"] == "ok"
    ward.problem("m1", p_fail=0.25)
    ward.problem("m1", Issue.OVERHEAT_CRIT, Severity.P0)
    ward.problem("m1", Issue.FAN_ZERO, Severity.P1, EventStatus.PENDING)
    told = await ward.get("/miners/m1/health", noc)
    assert told["health_state"] == "P0"
    assert [one["issue_code"] for one in told["issues"]] == ["overheat_crit", "hashrate_degradation"]
    assert told["issues"][0]["evidence"] == [{"rule_code": "overheat_crit", "threshold": 0.05}]
    assert told["p_fail_24h"] == 0.25


async def test_what_is_nobodys_or_of_the_wrong_form_is_refused(ward: ProblemsApi) -> None:
    problem, noc = ward.problem("m1"), await ward.headers()
    for path in (f"/problems/{uuid4()}", f"/problems/{uuid4()}/timeline", "/miners/nobody/health"):
        assert code_of(await ward.api.get(f"{V1}{path}", headers=noc)) == (404, "NOT_FOUND")
    for path in ("/problems/x", f"/problems/{problem}?history_hours=721", f"/problems/{problem}/timeline?limit=0"):
        assert code_of(await ward.api.get(f"{V1}{path}", headers=noc)) == (422, "VALIDATION_FAILED")
    cursor = f"/problems/{problem}/timeline?cursor=x"
    assert code_of(await ward.api.get(f"{V1}{cursor}", headers=noc)) == (422, "VALIDATION_FAILED")

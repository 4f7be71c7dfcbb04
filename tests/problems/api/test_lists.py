"""Lists and the summary: filters, order, pages, scopes, both families of paths, and bad input with a code for each."""

from datetime import timedelta
from typing import Any

from hashinsight.problems.codes import EventStatus, Issue, Severity
from tests.problems.api.problems_api import HOSTING, V1, ProblemsApi, code_of

FIVE = (
    ("GET", "/sites/tx-1/health_summary"),
    ("GET", "/sites/tx-1/problems"),
    ("GET", "/miners/m1/problems"),
    ("POST", "/miners/m1/suppress"),
    ("POST", "/miners/m1/unsuppress"),
)


def ids(answer: Any) -> list[str]:
    return [row["id"] for row in answer["problems"]]


async def test_the_five_hosting_routes_answer_401_to_strangers_and_like_the_v1_routes_otherwise(
    problems_api: ProblemsApi,
) -> None:
    problems_api.problem("m1")
    noc = await problems_api.headers()
    for method, path in FIVE:
        body = {"reason": "x"} if path.endswith("/suppress") else None
        for headers in ({}, {"Authorization": "Bearer forged"}, {"Cookie": "hi_access=forged"}):
            answer = await problems_api.api.request(method, f"{HOSTING}{path}", json=body, headers=headers)
            assert answer.status_code == 401, (path, answer.text)
            assert answer.json()["success"] is False
        both = [
            await problems_api.api.request(method, f"{family}{path}", json=body, headers=noc)
            for family in (HOSTING, V1)
        ]
        assert [each.status_code for each in both] == [200, 200], (path, both[0].text)
        assert both[0].json().keys() == both[1].json().keys()
        if method == "GET":
            assert both[0].json() == both[1].json()


async def test_the_order_is_severity_then_risk_then_when_it_was_last_seen_and_the_pulse_knows_that_best(
    problems_api: ProblemsApi,
) -> None:
    long_gone = problems_api.now - timedelta(minutes=30)
    old = problems_api.problem("m1", severity=Severity.P2, seen=False, last_seen=long_gone, pulse_seen=long_gone)
    seen = problems_api.problem("m2", severity=Severity.P2)
    risky = problems_api.problem("m3", severity=Severity.P2, p_fail=0.4)
    riskier = problems_api.problem("m4", severity=Severity.P2, p_fail=0.9)
    worst = problems_api.problem("m5", Issue.OFFLINE, Severity.P0)
    outcome = await problems_api.get("/sites/tx-1/problems", await problems_api.headers())
    assert ids(outcome) == [str(each) for each in (worst, riskier, risky, seen, old)]
    assert outcome["problems"][3]["last_seen_ts"] == (problems_api.now - timedelta(minutes=1)).isoformat().replace(
        "+00:00", "Z"
    )
    assert outcome["problems"][0]["recurrence_count"] == 3
    assert outcome["pagination"] == {"page": 1, "per_page": 50, "total": 5, "pages": 1}
    turned = await problems_api.get("/sites/tx-1/problems", await problems_api.headers(), order="reversed")
    assert ids(turned) == list(reversed(ids(outcome)))


async def test_a_machines_list_starts_with_the_cause_and_a_sites_list_with_the_newest(
    problems_api: ProblemsApi,
) -> None:
    made = {
        issue: str(problems_api.problem("m1", issue, severity, minutes=minutes))
        for issue, severity, minutes in (
            (Issue.HASHRATE_ZERO, Severity.P1, 5),
            (Issue.BOARDS_DEAD, Severity.P1, 10),
            (Issue.FAN_ZERO, Severity.P1, 15),
            (Issue.FLEET_OUTLIER, Severity.P3, 2),
            (Issue.EFFICIENCY_DEGRADATION, Severity.P2, 3),
            (Issue.HW_ERROR_RATE_HIGH, Severity.P2, 20),
        )
    }
    over = str(problems_api.problem("m1", Issue.FAN_ZERO, Severity.P1, EventStatus.RESOLVED, minutes=1))
    wanted = [
        made[issue]
        for issue in (Issue.FAN_ZERO, Issue.BOARDS_DEAD, Issue.HASHRATE_ZERO, Issue.HW_ERROR_RATE_HIGH,
                      Issue.EFFICIENCY_DEGRADATION, Issue.FLEET_OUTLIER)
    ]  # fmt: skip
    noc = await problems_api.headers()
    assert ids(await problems_api.get("/miners/m1/problems", noc)) == wanted
    with_past = await problems_api.get("/miners/m1/problems", noc, include_resolved=True)
    assert ids(with_past) == [*wanted[:3], over, *wanted[3:]]
    health = await problems_api.get("/miners/m1/health", noc)
    assert [row["problem_id"] for row in health["issues"]] == wanted
    of_all = ids(await problems_api.get("/sites/tx-1/problems", noc, severity="P1"))
    assert of_all == [made[issue] for issue in (Issue.HASHRATE_ZERO, Issue.BOARDS_DEAD, Issue.FAN_ZERO)]


async def test_pages_hold_every_problem_once_in_every_order_and_the_one_behind_the_last_is_empty(
    problems_api: ProblemsApi,
) -> None:
    made = {str(problems_api.problem(f"m{n}", p_fail=(n % 3) / 10 or None, minutes=10 + n % 4)) for n in range(1, 24)}
    noc = await problems_api.headers()
    for sort in ("severity", "p_fail_24h", "last_seen_ts", "start_ts", "loss_ths", "miner_id"):
        for order in ("usual", "reversed"):
            pages = [
                await problems_api.get("/sites/tx-1/problems", noc, sort=sort, order=order, page=page, per_page=10)
                for page in (1, 2, 3, 4)
            ]
            assert [len(row["problems"]) for row in pages] == [10, 10, 3, 0]
            assert {row["pagination"]["total"] for row in pages} == {23}
            assert {row["pagination"]["pages"] for row in pages} == {3}
            assert {key for each in pages for key in ids(each)} == made
    by_name = await problems_api.get("/problems", noc, sort="miner_id", per_page=3)
    assert [row["miner_id"] for row in by_name["problems"]] == ["m1", "m10", "m11"]


async def test_every_filter_narrows_and_an_empty_one_does_not(problems_api: ProblemsApi) -> None:
    a = str(problems_api.problem("m1", Issue.OFFLINE, Severity.P0, firmware="7.1"))
    b = str(problems_api.problem("m2", Issue.FAN_ZERO, Severity.P1, EventStatus.ACK))
    c = str(problems_api.problem("m3", symptom=True))
    over = str(problems_api.problem("m4", status=EventStatus.RESOLVED))
    waits = str(problems_api.problem("m5", status=EventStatus.PENDING))
    far = str(problems_api.problem("n1", site="tx-2"))
    noc = await problems_api.headers()
    for query, wanted in (
        ({"severity": "", "issue_code": "", "status": "", "model": "", "zone": "", "symptoms": ""}, {a, b, c}),
        ({"severity": "P0,P1"}, {a, b}),
        ({"severity": ["P0", "P2"]}, {a, c}),
        ({"issue_code": "fan_zero"}, {b}),
        ({"status": "ack"}, {b}),
        ({"status": "resolved"}, {over}),
        ({"status": "pending"}, {waits}),
        ({"status": "open,resolved"}, {a, c, over}),
        ({"model": "antminer s19"}, {a, b, c}),
        ({"model": "Whatsminer M50"}, set()),
        ({"firmware": "7.1"}, {a}),
        ({"zone": "z1"}, {a, c}),
        ({"zone": "nowhere"}, set()),
        ({"zone": ["z1", "nowhere"]}, {a, c}),
        ({"firmware": ["7.1", "nobody"]}, {a}),
        ({"site": ["tx-1", "tx-2"]}, {a, b, c}),
        ({"site": "tx-2"}, set()),
        ({"age": "hour"}, set()),
        ({"age": "day"}, {a, b, c}),
        ({"age": ["hour", "older"]}, set()),
        ({"text": "m1"}, {a}),
        ({"symptoms": "exclude"}, {a, b}),
        ({"zone": "z1", "severity": "P2"}, {c}),
    ):
        outcome = await problems_api.get("/sites/tx-1/problems", noc, **query)
        assert set(ids(outcome)) == wanted, query
        assert outcome["pagination"]["total"] == len(wanted)
    assert set(ids(await problems_api.get("/problems", noc))) == {a, b, c, far}
    assert set(ids(await problems_api.get("/problems", noc, site_id="tx-2"))) == {far}
    by_number = await problems_api.get(f"/sites/{problems_api.tenants.site_id()}/problems", noc)
    assert set(ids(by_number)) == {a, b, c}


async def test_facets_count_each_filter_choice_without_their_own_filter(
    problems_api: ProblemsApi,
) -> None:
    problems_api.problem("m1", Issue.OFFLINE, Severity.P0, firmware="7.1", minutes=5)
    problems_api.problem("m2", Issue.FAN_ZERO, Severity.P1, EventStatus.ACK)
    problems_api.problem("m3", symptom=True, minutes=60 * 24 * 8)
    problems_api.problem("m4", status=EventStatus.RESOLVED)
    problems_api.problem("n1", site="tx-2")
    noc = await problems_api.headers()
    shown = await problems_api.get("/problems/counts", noc)

    def pairs(counted: Any, facet: str) -> dict[str, int]:
        return {row["value"]: row["problems"] for row in counted["facets"][facet]}

    assert (shown["total"], shown["symptoms"]) == (4, 1)
    assert pairs(shown, "severity") == {"P0": 1, "P1": 1, "P2": 2}
    assert pairs(shown, "status") == {"open": 3, "ack": 1}
    assert pairs(shown, "age") == {"hour": 1, "day": 2, "older": 1}
    assert pairs(shown, "site") == {"tx-1": 3, "tx-2": 1}
    assert pairs(shown, "zone")["z1"] == 3  # of two sites: a zone is chosen by its code
    assert all(row["name"] for row in shown["facets"]["site"])
    narrowed = await problems_api.get("/problems/counts", noc, severity=["P0"], site="tx-1", symptoms="exclude")
    assert (narrowed["total"], narrowed["symptoms"]) == (1, 0)
    assert pairs(narrowed, "severity") == {"P0": 1, "P1": 1}
    assert pairs(narrowed, "site") == {"tx-1": 1}
    assert pairs(narrowed, "issue_code") == {"offline": 1}
    over = await problems_api.get("/problems/counts", noc, status="resolved", site_id="tx-1")
    assert (over["total"], pairs(over, "status"), pairs(over, "site")) == (1, {"open": 2, "ack": 1}, {"tx-1": 1})


async def test_a_problem_can_be_assigned_to_users_who_may_act_at_its_site(problems_api: ProblemsApi) -> None:
    async def ids_at(site: str) -> set[str]:
        outcome = (await problems_api.get("/problems/assignees", noc, site_id=site))["assignees"]
        return {row["id"] for row in outcome}

    async def me(headers: dict[str, str]) -> str:
        return str((await problems_api.api.get(f"{V1}/auth/me", headers=headers)).json()["actor"]["id"])

    noc = await problems_api.headers()
    here = await me(await problems_api.headers("Technician", zones=[problems_api.tenants.zone_id("z1")]))
    there = await me(await problems_api.headers("Technician", sites=[problems_api.tenants.site_id("tx-2")]))
    customer = await problems_api.headers("Customer", sites=[problems_api.tenants.site_id()])
    other_tenant = await me(await problems_api.headers("NOC", "b"))
    both = {await me(noc), here, there, await me(customer), other_tenant}
    assert await ids_at("tx-1") & both == {await me(noc), here}
    assert await ids_at("tx-2") & both == {await me(noc), there}
    of_a_part = await problems_api.headers("Technician", zones=[problems_api.tenants.zone_id("z1")])
    shown = (await problems_api.get("/problems/assignees", of_a_part, site_id="tx-1"))["assignees"]
    assert [row["id"] for row in shown] == [await me(of_a_part)]
    refused = await problems_api.api.get(f"{V1}/problems/assignees?site_id=tx-1", headers=customer)
    assert code_of(refused) == (403, "FORBIDDEN")
    near, far = problems_api.problem("m1"), problems_api.problem("n1", site="tx-2")
    for named, code in (
        (there, (409, "CANNOT_ACT_THERE")),
        (await me(customer), (409, "CANNOT_ACT_THERE")),
        (other_tenant, (404, "NO_SUCH_USER")),
    ):
        assert code_of(await problems_api.act(near, "assign", noc, assignee=named)) == code
    assert code_of(await problems_api.act(near, "assign", of_a_part, assignee=await me(noc))) == (404, "NO_SUCH_USER")
    assert problems_api.event(near)["assigned_to"] is None
    assert (await problems_api.act(near, "assign", of_a_part, assignee=await me(of_a_part))).status_code == 200
    both_of_them = {"act": "assign", "ids": [str(near), str(far)], "assignee": here}
    bulk = (await problems_api.post("/problems/bulk", both_of_them, noc)).json()["results"]
    assert [(row["changed"], row.get("error_code")) for row in bulk] == [(True, None), (False, "CANNOT_ACT_THERE")]
    # who is named is nothing to an act that gives nobody anything
    taken = {"act": "acknowledge", "ids": [str(far)], "assignee": "kim@example.com"}
    assert [row["changed"] for row in (await problems_api.post("/problems/bulk", taken, noc)).json()["results"]] == [
        True
    ]
    assert (problems_api.event(near)["assigned_to"], problems_api.event(far)["assigned_to"]) == (here, None)


BAD = {
    "age=yesterday": "VALIDATION_FAILED",
    "severity=P4": "UNKNOWN_SEVERITY",
    "status=closed": "UNKNOWN_STATUS",
    "issue_code=gremlins": "UNKNOWN_ISSUE_CODE",
    "page=0": "VALIDATION_FAILED",
    "page=2000000": "VALIDATION_FAILED",
    "per_page=501": "VALIDATION_FAILED",
    "sort=colour": "VALIDATION_FAILED",
    "symptoms=maybe": "VALIDATION_FAILED",
    "text=%00": "VALIDATION_FAILED",
    f"model={'x' * 101}": "VALIDATION_FAILED",
    "site_id=nowhere": "NOT_FOUND",
}


async def test_bad_input_is_refused_with_a_code(problems_api: ProblemsApi) -> None:
    noc = await problems_api.headers()
    for query, code in BAD.items():
        answer = await problems_api.api.get(f"{V1}/problems?{query}", headers=noc)
        assert code_of(answer) == (404 if code == "NOT_FOUND" else 422, code), query


async def test_a_scope_holds_for_lists_counts_summaries_and_files(problems_api: ProblemsApi) -> None:
    odd = str(problems_api.problem("m1", Issue.OFFLINE, Severity.P0))
    even = str(problems_api.problem("m2"))
    tx_1, z1 = problems_api.tenants.site_id(), problems_api.tenants.zone_id("z1")
    member = problems_api.tenants.row("select miner_no from miners where miner_id = 'm2'")["miner_no"]
    group = problems_api.tenants.row(
        "insert into groups (tenant_id, name, kind, created_at) select tenant_id, 'g', 'listed', now() from sites"
        " where id = %s returning id", tx_1,
    )["id"]  # fmt: skip
    problems_api.tenants.write(
        "insert into group_members (group_id, miner_no, tenant_id, site_id)"
        " select %s, miner_no, tenant_id, site_id from miners where miner_no = %s",
        *(group, member),
    )
    for scope, wanted in ({"zones": [z1]}, {odd}), ({"groups": [group]}, {even}), ({"sites": [tx_1]}, {odd, even}):
        customer = await problems_api.headers("Customer", **scope)
        outcome = await problems_api.get("/problems", customer)
        assert set(ids(outcome)) == wanted
        assert outcome["pagination"]["total"] == len(wanted)
        summary = await problems_api.get("/sites/tx-1/health_summary", customer)
        assert sum(summary["by_severity"].values()) == len(wanted)
        assert len(summary["top_risks"]) == len(wanted)
        lines = (await problems_api.api.get(f"{V1}/problems?format=csv", headers=customer)).text.splitlines()
        assert {line.split(",")[0] for line in lines[1:]} == wanted
    elsewhere = await problems_api.headers("Owner", sites=[problems_api.tenants.site_id("tx-2")])
    at_site = [f"/sites/tx-1/{name}" for name in ("problems", "health_summary", "risks", "temperature-limits")]
    for path in (*at_site, "/miners/m1/problems", f"/problems/{odd}"):
        assert code_of(await problems_api.api.get(f"{V1}{path}", headers=elsewhere)) == (404, "NOT_FOUND")
        other_tenant = await problems_api.api.get(f"{V1}{path}", headers=await problems_api.headers("Owner", "b"))
        assert code_of(other_tenant) == (404, "NOT_FOUND")


async def test_a_summary_counts_problems_now_and_machines_as_the_last_scan_left_them(problems_api: ProblemsApi) -> None:
    noc = await problems_api.headers()
    empty = await problems_api.get("/sites/tx-1/health_summary", noc)
    assert (empty["total_miners"], empty["unknown_miners"], empty["last_scan_ts"]) == (60, 60, None)
    problems_api.problem("m1", Issue.OFFLINE, Severity.P0)
    problems_api.problem("m2", p_fail=0.2)
    problems_api.problem("m3", p_fail=0.7)
    problems_api.problem("m4", status=EventStatus.RESOLVED)
    problems_api.problem("m5", status=EventStatus.PENDING)
    problems_api.tenants.write(
        "insert into problem_runs (tenant_id, site_id, period, ran_at, machines, fresh, stale, offline, unknown,"
        " healthy, with_problem, stopped, down, lost_ths, actions, seconds)"
        " select tenant_id, id, %s, %s, 60, 50, 5, 1, 4, 44, 3, 3, 1, 812.5, '{}', '{}' from sites where code = 'tx-1'",
        *(problems_api.now, problems_api.now),
    )
    shown = await problems_api.get("/sites/tx-1/health_summary", noc)
    assert shown["by_severity"] == {"P0": 1, "P1": 0, "P2": 2, "P3": 0}
    assert shown["by_issue"] == {"hashrate_degradation": 2, "offline": 1}
    machines = ("total", "healthy", "problem", "stopped", "down", "unknown")
    assert [shown[f"{name}_miners"] for name in machines] == [60, 44, 3, 3, 1, 9]
    assert [row["miner_id"] for row in shown["top_risks"]] == ["m3", "m2", "m1"]
    assert (empty["loss"], shown["loss"]) == ({"ths": None, "thh": None}, {"ths": 812.5, "thh": None})
    assert shown["last_scan_ts"] == problems_api.now.isoformat().replace("+00:00", "Z")
    assert shown["scan_outdated_after_sec"] == 900, "three cycles"


async def test_risks_are_the_worst_of_each_machine_or_null_without_a_model(problems_api: ProblemsApi) -> None:
    noc = await problems_api.headers()
    problems_api.problem("m1", Issue.OFFLINE, Severity.P0)
    nothing = await problems_api.get("/sites/tx-1/risks", noc, least=0.1)
    assert (nothing["judged"], nothing["columns"]["miner_id"]) == (0, [])
    problems_api.problem("m2", p_fail=0.25)
    problems_api.problem("m2", Issue.FAN_ZERO, p_fail=0.75)
    problems_api.problem("m3", p_fail=0.5)
    problems_api.problem("m4", p_fail=0.05)
    problems_api.problem("m5", p_fail=0.9, status=EventStatus.RESOLVED)
    shown = await problems_api.get("/sites/tx-1/risks", noc, least=0.1)
    assert shown["judged"] == 3
    assert (shown["columns"]["miner_id"], shown["columns"]["p_fail_24h"]) == (["m2", "m3"], [0.75, 0.5])
    machine = problems_api.tenants.row("select miner_no from miners where miner_id = 'm2'")
    assert shown["columns"]["miner_no"][0] == machine["miner_no"]
    problems_api.problem("m6", p_fail=0.7)  # kept in four bytes, where it is a little less
    assert (await problems_api.get("/sites/tx-1/risks", noc, least=0.7))["columns"]["miner_id"] == ["m2", "m6"]
    odd_ones = await problems_api.headers("Customer", zones=[problems_api.tenants.zone_id("z1")])
    part = await problems_api.get("/sites/tx-1/risks", odd_ones)
    assert (part["judged"], part["columns"]["miner_id"]) == (1, ["m3"])
    assert code_of(await problems_api.api.get(f"{V1}/sites/tx-1/risks?least=2", headers=noc)) == (
        422,
        "VALIDATION_FAILED",
    )
    assert (await problems_api.api.get(f"{V1}/sites/tx-1/risks")).status_code == 401


async def test_temperature_limits_are_listed_by_machine_with_their_source(problems_api: ProblemsApi) -> None:
    noc = await problems_api.headers()
    problems_api.tenants.write("update miners set model = 'Antminer S9' where miner_id = 'm1'")
    problems_api.tenants.write("update miners set model = 'Nobody Knows 7' where miner_id = 'm2'")
    answer = await problems_api.get("/sites/tx-1/temperature-limits", noc)
    columns = answer["columns"]
    assert len(columns["miner_no"]) == len(columns["limit"]) == 60

    def limit_of(miner: str) -> tuple[float, float, str]:
        number = problems_api.tenants.row("select miner_no from miners where miner_id = %s", miner)["miner_no"]
        limit = answer["limits"][columns["limit"][columns["miner_no"].index(number)]]
        return limit["warn_c"], limit["crit_c"], limit["crit_source"]

    assert limit_of("m1") == (102, 110, "catalogue")
    assert limit_of("m2") == (75, 85, "assumed")
    others = {(row["crit_c"], row["other"]["sensor"], row["other"]["crit_c"]) for row in answer["limits"]}
    assert {(110, "board", 90), (85, "board", 85)} <= others, "the board's limit beside the chip's"
    of_zone = await problems_api.headers("Customer", zones=[problems_api.tenants.zone_id("z1")])
    assert len((await problems_api.get("/sites/tx-1/temperature-limits", of_zone))["columns"]["miner_no"]) == 30
    assert (await problems_api.api.get(f"{V1}/sites/tx-1/temperature-limits")).status_code == 401


async def test_a_machine_lists_open_problems_and_on_request_resolved_ones(problems_api: ProblemsApi) -> None:
    acked = str(problems_api.problem("m1", status=EventStatus.ACK))
    over = str(problems_api.problem("m1", Issue.OFFLINE, Severity.P0, EventStatus.RESOLVED, with_pulse=False))
    noc = await problems_api.headers()
    outcome = await problems_api.get("/miners/m1/problems", noc)
    assert (outcome["miner_id"], ids(outcome), outcome["total"]) == ("m1", [acked], 1)
    assert set(ids(await problems_api.get("/miners/m1/problems", noc, include_resolved=True))) == {acked, over}
    assert ids(await problems_api.get("/miners/m1/problems", noc, status="resolved")) == [over]
    assert ids(await problems_api.get("/miners/m1/problems", noc, status="open")) == []
    assert code_of(await problems_api.api.get(f"{V1}/miners/nobody/problems", headers=noc)) == (404, "NOT_FOUND")


async def test_a_file_holds_all_pages_in_their_order_is_recorded_and_carries_no_formula(
    problems_api: ProblemsApi,
) -> None:
    first = problems_api.problem("m2", Issue.OFFLINE, Severity.P0, p_fail=0.5)
    problems_api.problem("m1", status=EventStatus.RESOLVED, action="=cmd()", cause="other", resolved_by="x")
    noc = await problems_api.headers()
    site = problems_api.tenants.row("select name from sites where code = 'tx-1'")
    answer = await problems_api.api.get(
        f"{V1}/problems", params={"format": "csv", "status": "open,resolved"}, headers=noc
    )
    assert answer.headers["content-type"].startswith("text/csv")
    lines = answer.text.split("\r\n")
    assert lines[0].startswith("id,site_id,site,site_name,miner_id,zone,")
    assert lines[1].startswith(f"{first},{problems_api.tenants.site_id('tx-1')},tx-1,{site['name']},m2,z2,")
    assert "'=cmd()" in lines[2]
    assert lines[3:] == [""]
    (entry,) = problems_api.audited("problems_exported")
    assert entry["after"] == {"status": "open,resolved", "rows": 2}

"""What people do with problems: each move once, in both tables, on the timeline and in the record; and who may not."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

from hashinsight.problems.actions import ProblemAction
from hashinsight.problems.codes import EventStatus
from tests.problems.api.problems_api import ProblemsApi, code_of


async def test_a_problem_is_acknowledged_started_assigned_commented_and_resolved(problems_api: ProblemsApi) -> None:
    problem, noc = problems_api.problem("m1"), await problems_api.headers()
    user_id, email = await problems_api.tenants.people.user("Technician", email="kim@example.com")
    acked = await problems_api.act(problem, "acknowledge", noc, comment="on my way")
    assert (acked.status_code, acked.json()["status"]) == (200, "ack")
    assert acked.json()["acked_at"] is not None
    assert (await problems_api.act(problem, "assign", noc, assignee=email)).json()["assigned_to"] == str(user_id)
    assert (await problems_api.act(problem, "start", noc)).json()["status"] == "in_progress"
    assert (await problems_api.act(problem, "comment", noc, comment="board 2 is cold")).status_code == 200
    ended = (await problems_api.act(problem, "resolve", noc, cause="repaired", action="board 2 swapped")).json()
    assert (ended["status"], ended["resolution_cause"], ended["resolution_action"]) == (
        *("resolved", "repaired", "board 2 swapped"),
    )
    assert (await problems_api.act(problem, "comment", noc, comment="the old one goes to the maker")).status_code == 200
    kinds = [entry["kind"] for entry in problems_api.timeline(problem)]
    assert kinds == ["acknowledged", "assigned", "started", "comment", "resolved", "comment"]
    assert problems_api.timeline(problem)[0]["message"] == "on my way"
    assert problems_api.timeline(problem)[4]["details"] == {"cause": "repaired", "action": "board 2 swapped"}
    for action in ("acknowledged", "assigned", "started", "resolved"):
        (entry,) = problems_api.audited(f"problem_{action}")
        assert (entry["entity_id"], entry["actor_kind"]) == (str(problem), "user")
    assert [entry["reason"] for entry in problems_api.audited("problem_commented")] == [
        *("board 2 is cold", "the old one goes to the maker"),
    ]
    (entry,) = problems_api.audited("problem_resolved")
    assert entry["before"] == {"status": "in_progress"}
    assert entry["after"]["status"] == "resolved"


async def test_an_act_moves_the_version_so_that_a_running_cycle_yields(problems_api: ProblemsApi) -> None:
    problem, noc = problems_api.problem("m1"), await problems_api.headers()
    await problems_api.act(problem, "comment", noc, comment="nothing that a cycle would undo")
    assert problems_api.pulse(problem)["version"] == 0
    for version, (verb, body, status) in enumerate(
        (("acknowledge", {}, 2), ("start", {}, 3), ("resolve", {"cause": "other"}, 4)), start=1
    ):
        assert (await problems_api.act(problem, verb, noc, **body)).status_code == 200
        pulse = problems_api.pulse(problem)
        assert (pulse["status"], pulse["version"]) == (status, version)
    event, pulse = problems_api.event(problem), problems_api.pulse(problem)
    assert pulse["resolved_ts"] == event["resolved_ts"].timestamp()
    assert pulse["consecutive_ok"] == 0
    assert event["seen"] is False
    assert event["last_seen_ts"].timestamp() == pulse["last_seen_ts"]


async def test_an_act_that_comes_too_late_is_refused_and_undoes_nothing(problems_api: ProblemsApi) -> None:
    noc = await problems_api.headers()
    acked = problems_api.problem("m1", status=EventStatus.ACK)
    started = problems_api.problem("m2", status=EventStatus.IN_PROGRESS)
    over = problems_api.problem("m3", status=EventStatus.RESOLVED)
    waits = problems_api.problem("m4", status=EventStatus.PENDING)
    for problem, verb, body, code in (
        (acked, "acknowledge", {}, "ALREADY_ACKNOWLEDGED"),
        (started, "acknowledge", {}, "ALREADY_ACKNOWLEDGED"),
        (started, "start", {}, "ALREADY_STARTED"),
        (acked, "assign", {"assignee": None}, "ALREADY_ASSIGNED"),
        (over, "acknowledge", {}, "ALREADY_RESOLVED"),
        (over, "start", {}, "ALREADY_RESOLVED"),
        (over, "resolve", {"cause": "other"}, "ALREADY_RESOLVED"),
        (waits, "acknowledge", {}, "NOT_CONFIRMED"),
        (waits, "comment", {"comment": "x"}, "NOT_CONFIRMED"),
    ):
        before = problems_api.event(problem)
        answer = await problems_api.act(problem, verb, noc, **body)
        assert code_of(answer) == (409, code), verb
        assert answer.json()["details"]["status"] == before["status"]
        assert problems_api.event(problem) == before
        assert problems_api.timeline(problem) == []
    assert problems_api.tenants.rows("select from audit_log where action like 'problem%%'") == []


async def test_of_two_concurrent_acts_the_second_gets_a_conflict(problems_api: ProblemsApi) -> None:
    noc, manager = await problems_api.headers(), await problems_api.headers("OpsManager")
    problems = [problems_api.problem(f"m{n}") for n in range(1, 7)]
    answers = await asyncio.gather(
        *(problems_api.act(each, "resolve", who, cause="other") for each in problems for who in (noc, manager)),
    )
    assert sorted(answer.status_code for answer in answers) == [200] * 6 + [409] * 6
    assert {code_of(each)[1] for each in answers if each.status_code == 409} == {"ALREADY_RESOLVED"}
    for problem in problems:
        assert [entry["kind"] for entry in problems_api.timeline(problem)] == ["resolved"]
        assert problems_api.pulse(problem)["version"] == 1
    assert len(problems_api.audited("problem_resolved")) == 6


async def test_bulk_acts_in_opposite_orders_do_not_deadlock(problems_api: ProblemsApi) -> None:
    noc = await problems_api.headers()
    problems = [str(problems_api.problem(f"m{n}")) for n in range(1, 21)]
    bodies = [{"act": act, "ids": order} for act, order in (("start", problems), ("acknowledge", problems[::-1]))]
    first, second = await asyncio.gather(*(problems_api.post("/problems/bulk", body, noc) for body in bodies))
    assert (first.status_code, second.status_code) == (200, 200)
    assert {problems_api.event(UUID(each))["status"] for each in problems} == {"in_progress"}


async def test_a_list_of_ids_gets_a_result_each_in_its_order(problems_api: ProblemsApi) -> None:
    noc = await problems_api.headers()
    open_one, acked = problems_api.problem("m1"), problems_api.problem("m2", status=EventStatus.ACK)
    theirs = problems_api.problem("x1", site="other")
    named = [str(acked), str(open_one), str(uuid4()), str(theirs), str(open_one)]
    answer = await problems_api.post("/problems/bulk", {"act": "acknowledge", "ids": named, "comment": "all mine"}, noc)
    shown = answer.json()
    assert [(row["id"], row["changed"], row.get("error_code")) for row in shown["results"]] == [
        (named[0], False, "ALREADY_ACKNOWLEDGED"),
        (named[1], True, None),
        (named[2], False, "NOT_FOUND"),
        (named[3], False, "NOT_FOUND"),
    ]
    assert shown["counts"] == {"changed": 1, "refused": 3}
    assert problems_api.timeline(open_one)[0]["message"] == "all mine"
    assert problems_api.event(theirs)["status"] == "open"
    none = await problems_api.post("/problems/bulk", {"act": "acknowledge", "ids": named[2:4]}, noc)
    assert code_of(none) == (404, "NOT_FOUND")


async def test_a_thousand_are_one_request_and_more_are_refused(problems_api: ProblemsApi) -> None:
    noc = await problems_api.headers()
    problems_api.tenants.add_machines("tx-1", "k", 1, 1000)
    problems_api.tenants.write(
        "insert into problem_events (id, tenant_id, site_id, event_no, miner_no, miner_id, issue_code, severity,"
        " status, start_ts, last_seen_ts, seen, dedup_key, created_at, updated_at) select uuidv7(), tenant_id, site_id,"
        " miner_no, miner_no, miner_id, 'offline', 'P0', 'open', %(now)s, %(now)s, true, miner_id, %(now)s, %(now)s"
        " from miners where miner_id like 'k%%'".replace("%(now)s", f"'{problems_api.now.isoformat()}'")
    )
    named = [str(row["id"]) for row in problems_api.tenants.rows("select id from problem_events")]
    done = await problems_api.post("/problems/bulk", {"act": "resolve", "ids": named, "cause": "false_alarm"}, noc)
    assert done.json()["counts"] == {"changed": 1000, "refused": 0}
    assert len(problems_api.audited("problem_resolved")) == 1000
    too_many = await problems_api.post(
        "/problems/bulk", {"act": "comment", "ids": [*named, str(uuid4())], "comment": "x"}, noc
    )
    assert code_of(too_many) == (422, "VALIDATION_FAILED")


async def test_bad_bodies_are_refused(problems_api: ProblemsApi) -> None:
    problem, noc = problems_api.problem("m1"), await problems_api.headers()
    bad: tuple[tuple[str, dict[str, Any]], ...] = (
        ("resolve", {}),
        ("resolve", {"cause": "gremlins"}),
        ("resolve", {"cause": "other", "colour": "red"}),
        ("comment", {"comment": "  "}),
        ("comment", {"comment": "a\0b"}),
        ("comment", {"comment": "x" * 2001}),
        ("assign", {}),
    )
    for verb, body in bad:
        assert code_of(await problems_api.act(problem, verb, noc, **body)) == (422, "VALIDATION_FAILED"), body
    many: tuple[dict[str, Any], ...] = (
        {"act": "acknowledge", "ids": []},
        {"act": "acknowledge", "ids": ["x"]},
        {"act": "acknowledge", "ids": [str(problem)], "cause": "other"},
        {"act": "resolve", "ids": [str(problem)]},
        {"act": "comment", "ids": [str(problem)]},
        {"act": "assign", "ids": [str(problem)]},
        {"act": "dance", "ids": [str(problem)]},
    )
    for body in many:
        assert code_of(await problems_api.post("/problems/bulk", body, noc)) == (422, "VALIDATION_FAILED"), body
    assert code_of(await problems_api.act(problem, "assign", noc, assignee="nobody@example.com")) == (
        404,
        "NO_SUCH_USER",
    )
    assert code_of(await problems_api.act(uuid4(), "acknowledge", noc)) == (404, "NOT_FOUND")
    assert problems_api.event(problem)["status"] == "open"


async def test_roles_hold_a_customer_reads_and_changes_nothing_and_one_acts_only_where_one_may(
    problems_api: ProblemsApi,
) -> None:
    problem, far = problems_api.problem("m1"), problems_api.problem("n1", site="tx-2")
    customer, helper = await problems_api.headers("Customer"), await problems_api.headers("CustomerSuccess")
    bodies: dict[ProblemAction, dict[str, Any]] = {
        ProblemAction.ASSIGN: {"assignee": None},
        ProblemAction.COMMENT: {"comment": "x"},
        ProblemAction.RESOLVE: {"cause": "other"},
    }
    for act in ProblemAction:
        assert code_of(await problems_api.act(problem, act.value, customer, **bodies.get(act, {}))) == (
            403,
            "FORBIDDEN",
        )
    assert (await problems_api.get(f"/problems/{problem}", customer))["problem"]["status"] == "open"
    assert code_of(await problems_api.post("/miners/m1/suppress", {"reason": "x"}, customer)) == (403, "FORBIDDEN")
    assert (await problems_api.act(problem, "acknowledge", helper)).status_code == 200
    assert code_of(await problems_api.post("/miners/m1/suppress", {"reason": "x"}, helper)) == (403, "FORBIDDEN")
    assert code_of(await problems_api.act(problem, "start", await problems_api.headers("Owner", "b"))) == (
        404,
        "NOT_FOUND",
    )
    near = await problems_api.headers("Technician", sites=[problems_api.tenants.site_id()])
    assert code_of(await problems_api.act(far, "acknowledge", near)) == (404, "NOT_FOUND")

"""Lists of several sites and of statuses that lie in different indexes: one list, in one order, every problem once."""

from typing import Any

from hashinsight.problems.codes import EventStatus, Severity
from tests.problems.api.problems_api import ProblemsApi

STATUSES = (EventStatus.OPEN, EventStatus.RESOLVED, EventStatus.ACK, EventStatus.PENDING)
ALL = "open,ack,in_progress,resolved,pending"


def mixed(problems_api: ProblemsApi) -> list[str]:
    """By severity, risk and, the newest id last, in the order of a list."""
    made = []
    for no in range(20):
        severity = (Severity.P1, Severity.P2)[no % 2]
        miner, site = (f"n{1 + no // 5}", "tx-2") if no % 5 == 0 else (f"m{no + 1}", "tx-1")
        risk = None if no % 3 == 0 else no / 100
        key = problems_api.problem(miner, severity=severity, status=STATUSES[no % 4], site=site, p_fail=risk, seen=True)
        made.append((severity, risk is None, -(risk or 0), str(key)))
    return [key for *_, key in sorted(made)]


async def pages(problems_api: ProblemsApi, path: str, **query: Any) -> list[str]:
    noc = await problems_api.headers()
    answer = [await problems_api.get(path, noc, per_page=6, page=page, **query) for page in (1, 2, 3, 4, 5)]
    keys = [row["id"] for page in answer for row in page["problems"]]
    assert {page["pagination"]["total"] for page in answer} == {len(keys)}
    return keys


async def test_statuses_of_two_indexes_over_two_sites_are_one_list_in_one_order(problems_api: ProblemsApi) -> None:
    order = mixed(problems_api)
    assert await pages(problems_api, "/problems", status=ALL) == order
    assert await pages(problems_api, "/problems", status=ALL, order="reversed") == order[::-1]
    assert await pages(problems_api, "/problems", status=ALL, site=["tx-1", "tx-2"]) == order
    here = await pages(problems_api, "/sites/tx-1/problems", status=ALL)
    there = await pages(problems_api, "/problems", status=ALL, site="TX-2")
    assert (len(here), len(there)) == (16, 4)
    assert here == [key for key in order if key in set(here)]
    assert set(here) | set(there) == set(order)
    assert await pages(problems_api, "/sites/tx-1/problems", status=ALL, site="tx-2") == []


async def test_a_scope_holds_in_every_part_of_a_merged_list(problems_api: ProblemsApi) -> None:
    order = mixed(problems_api)
    customer = await problems_api.headers("Customer", zones=[problems_api.tenants.zone_id("z1")])
    answer = await problems_api.get("/problems", customer, status=ALL)
    named = {row["miner_id"] for row in answer["problems"]}
    assert 0 < len(named) < len(order)
    assert all(name.startswith("m") and int(name[1:]) % 2 for name in named)
    counted = await problems_api.get("/problems/counts", customer, status=ALL)
    assert counted["total"] == answer["pagination"]["total"] == len(named)


async def test_assigned_problems_are_listed_counted_and_filtered_whether_open_or_resolved(
    problems_api: ProblemsApi,
) -> None:
    noc = await problems_api.headers()
    mine, over = problems_api.problem("m1"), problems_api.problem("m2", status=EventStatus.RESOLVED)
    far = problems_api.problem("n1", site="tx-2")
    problems_api.problem("m3")
    problems_api.tenants.write(
        "update problem_events set assigned_to = 'somebody' where id = any(%s)", [mine, over, far]
    )
    for query, wanted in (
        ({}, {mine, far}),
        ({"site_id": "tx-1"}, {mine}),
        ({"status": "resolved"}, {over}),
        ({"status": "open,resolved"}, {mine, over, far}),
    ):
        answer = await problems_api.get("/problems", noc, assigned_to="somebody", **query)
        assert {row["id"] for row in answer["problems"]} == set(map(str, wanted)), query
        counted = await problems_api.get("/problems/counts", noc, assigned_to="somebody", **query)
        assert counted["total"] == answer["pagination"]["total"] == len(wanted)
    assert (await problems_api.get("/problems", noc, assigned_to="nobody"))["problems"] == []

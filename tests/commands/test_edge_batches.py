"""Many acks in one call: each judged on its own, in their order, and a bad one costs only itself."""

import json
from typing import Any

import httpx

from hashinsight.kit.ids import new_id
from tests.commands.edge_site import BATCH, EdgeSite


async def ids_of(edge_site: EdgeSite, *machines: int) -> list[str]:
    await edge_site.order("set_fan", *machines)
    polled = {one["miner_id"]: one["command_id"] for one in await edge_site.polled(limit=500)}
    return [polled[f"m{one}"] for one in machines]


def told(answer: httpx.Response) -> list[tuple[Any, ...]]:
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["success"] is True
    assert body["applied"] == sum(one["applied"] for one in body["results"])
    return [(one["command_id"], one["applied"], one["state"], one.get("error_code")) for one in body["results"]]


async def test_a_stranger_is_refused_and_another_tenant_changes_nothing(edge_site: EdgeSite) -> None:
    (one,) = await ids_of(edge_site, 1)
    body = {"acks": [{"command_id": one, "status": "succeeded"}]}
    assert (await edge_site.api.post(BATCH, json=body)).status_code == 401
    before = edge_site.everything()
    assert told(await edge_site.post(BATCH, body, await edge_site.stranger())) == [(one, False, None, "NOT_FOUND")]
    assert edge_site.everything() == before


async def test_each_is_judged_on_its_own_and_in_their_order(edge_site: EdgeSite) -> None:
    one, two, three = await ids_of(edge_site, 1, 2, 3)
    lost = str(new_id())
    acks = [
        {"command_id": one, "status": "running"},
        {"command_id": two, "result_code": 3, "result_message": "no such verb"},
        {"command_id": lost, "status": "succeeded"},
        "nonsense",
        {"command_id": three},
        {"status": "succeeded"},
        {"command_id": one, "status": "completed"},
        {"command_id": one, "status": "failed"},
    ]
    assert told(await edge_site.post(BATCH, {"acks": acks})) == [
        (one, True, "running", None),
        (two, True, "failed", None),
        (lost, False, None, "NOT_FOUND"),
        (None, False, None, "NOT_AN_OBJECT"),
        (three, False, None, "STATUS_UNKNOWN"),
        (None, False, None, "NO_COMMAND_ID"),
        (one, True, "succeeded", None),
        (one, False, "succeeded", "ALREADY_FINAL"),
    ]
    assert edge_site.attempt(three)["result"] is None


async def test_a_batch_may_be_a_bare_list_or_results_and_may_be_empty(edge_site: EdgeSite) -> None:
    one, two = await ids_of(edge_site, 1, 2)
    assert told(await edge_site.post(BATCH, [{"command_id": one, "status": "succeeded"}]))[0][1:3] == (
        True,
        "succeeded",
    )
    wrapped = {"results": [{"command_id": two, "asset_id": "m2", "status": "succeeded"}]}
    assert told(await edge_site.post(BATCH, wrapped))[0][1:3] == (True, "succeeded")
    assert told(await edge_site.post(BATCH, {"acks": []})) == []


async def test_results_within_a_batch_are_those_of_the_commands_machine(edge_site: EdgeSite) -> None:
    one, two, three = await ids_of(edge_site, 1, 2, 3)

    def both(command_id: str, *machines: str) -> dict[str, Any]:
        return {"command_id": command_id, "results": [{"asset_id": name, "status": "succeeded"} for name in machines]}

    acks = [both(one, "m9", "m1"), {"command_id": two, "status": "succeeded"}, both(three, "m8", "m9")]
    assert told(await edge_site.post(BATCH, {"acks": acks})) == [
        (one, True, "succeeded", None),
        (two, True, "succeeded", None),
        (three, False, None, "RESULTS_AMBIGUOUS"),
    ]


async def test_the_same_batch_sent_again_is_answered_200_and_moves_nothing(edge_site: EdgeSite) -> None:
    ids = await ids_of(edge_site, *range(1, 31))
    body = {"acks": [{"command_id": one, "status": "succeeded", "after": {"fan": 60}} for one in ids]}
    assert all(one[1] for one in told(await edge_site.post(BATCH, body)))
    moved = edge_site.rows("select command_id, state, moves, updated_at from commands order by 1")
    edge_site.collector_site.at(3600)
    assert {one[1:] for one in told(await edge_site.post(BATCH, body))} == {(False, "succeeded", "ALREADY_FINAL")}
    assert edge_site.rows("select command_id, state, moves, updated_at from commands order by 1") == moved


async def test_what_is_no_batch_is_refused_by_a_code(edge_site: EdgeSite) -> None:
    (one,) = await ids_of(edge_site, 1)
    before = edge_site.everything()
    ack = {"command_id": one, "status": "succeeded"}
    for body, status, code in (
        (b"{", 422, "BAD_JSON"),
        (b"7", 422, "NO_ACKS"),
        (b"{}", 422, "NO_ACKS"),
        (b'{"acks": {}}', 422, "NO_ACKS"),
        (json.dumps({"acks": [ack] * 501}).encode(), 413, "TOO_MANY_ACKS"),
        (b"[" + b" " * (17 * 2**20) + b"]", 413, "PAYLOAD_TOO_LARGE"),
    ):
        answer = await edge_site.post(BATCH, body)
        assert (answer.status_code, answer.json()["error_code"]) == (status, code), body[:30]
    assert edge_site.everything() == before


async def test_five_hundred_with_large_snapshots_go_in_one_call(edge_site: EdgeSite) -> None:
    ids = await ids_of(edge_site, *range(1, 51))
    chips = {"chips": [{"no": no, "temp_c": 61.5} for no in range(126)]}
    acks = [{"command_id": one, "status": "succeeded", "before": chips, "after": chips} for one in ids]
    acks += [{"command_id": ids[0], "status": "running", "after": chips}] * 450
    answers = told(await edge_site.post(BATCH, {"acks": acks}))
    assert [one[1] for one in answers] == [True] * 50 + [False] * 450
    assert edge_site.attempt(ids[-1])["snapshot_after"] == chips

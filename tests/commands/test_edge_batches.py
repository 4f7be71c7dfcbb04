"""Many acks in one call: each judged on its own, in their order, and a bad one costs only itself."""

import json
from typing import Any

import httpx

from hashinsight.kit.ids import new_id
from tests.commands.edge_site import BATCH, EdgeSite


async def ids_of(edge_site: EdgeSite, *machines: int) -> list[str]:
    await edge_site.make_commands("set_fan", *machines)
    polled = {command["miner_id"]: command["command_id"] for command in await edge_site.poll_commands(limit=500)}
    return [polled[f"m{machine}"] for machine in machines]


def ack_results(answer: httpx.Response) -> list[tuple[Any, ...]]:
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["success"] is True
    assert body["applied"] == sum(result["applied"] for result in body["results"])
    return [
        (result["command_id"], result["applied"], result["state"], result.get("error_code"))
        for result in body["results"]
    ]


async def test_a_stranger_is_refused_and_another_tenant_changes_nothing(edge_site: EdgeSite) -> None:
    (command_id,) = await ids_of(edge_site, 1)
    body = {"acks": [{"command_id": command_id, "status": "succeeded"}]}
    assert (await edge_site.api.post(BATCH, json=body)).status_code == 401
    before = edge_site.everything()
    assert ack_results(await edge_site.post(BATCH, body, await edge_site.stranger())) == [
        (command_id, False, None, "NOT_FOUND")
    ]
    assert edge_site.everything() == before


async def test_acks_of_a_batch_are_applied_one_by_one_in_order(edge_site: EdgeSite) -> None:
    first, two, three = await ids_of(edge_site, 1, 2, 3)
    lost = str(new_id())
    acks = [
        {"command_id": first, "status": "running"},
        {"command_id": two, "result_code": 3, "result_message": "no such verb"},
        {"command_id": lost, "status": "succeeded"},
        "nonsense",
        {"command_id": three},
        {"status": "succeeded"},
        {"command_id": first, "status": "completed"},
        {"command_id": first, "status": "failed"},
    ]
    assert ack_results(await edge_site.post(BATCH, {"acks": acks})) == [
        (first, True, "running", None),
        (two, True, "failed", None),
        (lost, False, None, "NOT_FOUND"),
        (None, False, None, "NOT_AN_OBJECT"),
        (three, False, None, "STATUS_UNKNOWN"),
        (None, False, None, "NO_COMMAND_ID"),
        (first, True, "succeeded", None),
        (first, False, "succeeded", "ALREADY_FINAL"),
    ]
    assert edge_site.attempt(three)["result"] is None


async def test_a_batch_may_be_a_bare_list_or_results_and_may_be_empty(edge_site: EdgeSite) -> None:
    first, two = await ids_of(edge_site, 1, 2)
    assert ack_results(await edge_site.post(BATCH, [{"command_id": first, "status": "succeeded"}]))[0][1:3] == (
        True,
        "succeeded",
    )
    wrapped = {"results": [{"command_id": two, "asset_id": "m2", "status": "succeeded"}]}
    assert ack_results(await edge_site.post(BATCH, wrapped))[0][1:3] == (True, "succeeded")
    assert ack_results(await edge_site.post(BATCH, {"acks": []})) == []


async def test_results_within_a_batch_are_those_of_the_commands_machine(edge_site: EdgeSite) -> None:
    first, two, three = await ids_of(edge_site, 1, 2, 3)

    def both(command_id: str, *machines: str) -> dict[str, Any]:
        return {"command_id": command_id, "results": [{"asset_id": name, "status": "succeeded"} for name in machines]}

    acks = [both(first, "m9", "m1"), {"command_id": two, "status": "succeeded"}, both(three, "m8", "m9")]
    assert ack_results(await edge_site.post(BATCH, {"acks": acks})) == [
        (first, True, "succeeded", None),
        (two, True, "succeeded", None),
        (three, False, None, "RESULTS_AMBIGUOUS"),
    ]


async def test_the_same_batch_sent_again_is_answered_200_and_moves_nothing(edge_site: EdgeSite) -> None:
    ids = await ids_of(edge_site, *range(1, 31))
    body = {"acks": [{"command_id": command_id, "status": "succeeded", "after": {"fan": 60}} for command_id in ids]}
    assert all(result[1] for result in ack_results(await edge_site.post(BATCH, body)))
    moved = edge_site.rows("select command_id, state, moves, updated_at from commands order by 1")
    edge_site.collector_site.at(3600)
    assert {result[1:] for result in ack_results(await edge_site.post(BATCH, body))} == {
        (False, "succeeded", "ALREADY_FINAL")
    }
    assert edge_site.rows("select command_id, state, moves, updated_at from commands order by 1") == moved


async def test_an_invalid_batch_is_refused_with_a_code(edge_site: EdgeSite) -> None:
    (command_id,) = await ids_of(edge_site, 1)
    before = edge_site.everything()
    ack = {"command_id": command_id, "status": "succeeded"}
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
    acks = [{"command_id": command_id, "status": "succeeded", "before": chips, "after": chips} for command_id in ids]
    acks += [{"command_id": ids[0], "status": "running", "after": chips}] * 450
    answers = ack_results(await edge_site.post(BATCH, {"acks": acks}))
    assert [answer[1] for answer in answers] == [True] * 50 + [False] * 450
    assert edge_site.attempt(ids[-1])["snapshot_after"] == chips

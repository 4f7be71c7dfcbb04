"""An ack over HTTP: every dialect, and the answer to each that is late, repeated, foreign, superseded or malformed."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from hashinsight.kit.ids import new_id
from tests.commands.edge_site import LEGACY, EdgeSite

V1 = "/api/edge/v1/commands/{}/ack"
RESULT = LEGACY + "/{}/result"
NAMED = f"{LEGACY}/ack"
GOLDEN = json.loads((Path(__file__).parents[1] / "contract" / "messages" / "acks.json").read_text())


async def test_the_second_of_two_acks_changes_nothing(gate: EdgeSite) -> None:
    """The acceptance case: a collector that lost our answer says the same again, and then something else."""
    (command_id,) = await gate.order()
    dispatch_id = (await gate.polled())[0]["command_id"]
    assert await gate.said(dispatch_id) == (True, "succeeded", None)
    before = gate.command(command_id)
    assert await gate.said(dispatch_id) == (False, "succeeded", "ALREADY_FINAL")
    assert await gate.said(dispatch_id, "failed") == (False, "succeeded", "ALREADY_FINAL")
    assert gate.command(command_id) == before
    assert gate.events(command_id) == ["created", "leased", "succeeded"]
    kept = gate.attempt(dispatch_id)
    assert (kept["result"], kept["late_count"]) == ("succeeded", 2)
    assert [one["said"]["status"] for one in kept["late_acks"]] == ["succeeded", "failed"]


@pytest.mark.parametrize("path", [V1, RESULT, NAMED])
async def test_a_stranger_is_refused_and_another_tenants_id_is_as_unknown_as_one_that_never_was(
    gate: EdgeSite, path: str
) -> None:
    dispatch_id = await gate.dispatch()
    before = gate.everything()
    stranger, answers = await gate.stranger(), []
    for named in (dispatch_id, str(new_id()), "7", "not an id"):
        body = {"command_id": named, "status": "succeeded"}
        assert (await gate.api.post(path.format(named), json=body)).status_code == 401
        answer = await gate.post(path.format(named), body, stranger)
        if path is NAMED and " " in named:
            assert answer.json()["error_code"] == "NO_COMMAND_ID"
            continue
        told = answer.json()
        assert (answer.status_code, told["success"]) == (404, False)
        answers.append({name: value for name, value in told.items() if name != "request_id"})
    assert len({json.dumps(one) for one in answers}) == 1
    assert gate.everything() == before


@pytest.mark.parametrize("path", [V1, RESULT, NAMED])
async def test_every_dialect_is_understood_on_every_route(gate: EdgeSite, path: str) -> None:
    for machine, case in enumerate(GOLDEN, 1):
        await _understood(gate, case, path, await gate.dispatch(machine))


async def _understood(gate: EdgeSite, case: dict[str, Any], path: str, dispatch_id: str) -> None:
    body = {name: value for name, value in case["body"].items() if name not in ("command_id", "id")}
    if path is NAMED:
        body["command_id"] = dispatch_id
    answer = await gate.post(path.format(dispatch_id), body)
    means = case["means"]
    assert (answer.status_code, answer.json()["applied"]) == (200, True), case["name"]
    after = {"succeeded": "succeeded", "failed": "queued", "running": "running"}.get(means["status"], "failed")
    assert answer.json()["state"] == after
    kept = gate.attempt(dispatch_id)
    assert kept["result"] == means["status"], case["name"]
    assert kept["snapshot_before"] == means.get("before")
    assert kept["execution_time_ms"] == means.get("duration_ms")
    code = "OUTCOME_UNKNOWN" if means["status"] == "skipped" else means.get("error_code")
    assert kept["error_code"] == (code if means["status"] != "failed" else code or "FAILED")


NO_ACKS = [b"null", b"[]", b"0", b'"x"', b"true", b"1.5", b"[{}]", b"", b"{}"]


@pytest.mark.parametrize("path", [V1, RESULT, NAMED, "/api/edge/v1/commands/ack/batch"])
async def test_an_ack_that_is_no_object_is_refused_in_words(gate: EdgeSite, path: str) -> None:
    dispatch_id = await gate.dispatch()
    for body in NO_ACKS:
        answer = await gate.api.post(path.format(dispatch_id), content=body, headers=gate.north)
        if path.endswith("batch") and answer.status_code == 200:
            assert not any(one["applied"] for one in answer.json()["results"]), body
        else:
            assert (answer.status_code, answer.json()["success"]) == (422, False), body
    assert gate.attempt(dispatch_id)["result"] is None


async def test_an_ack_hours_late_is_answered_200_and_kept_as_evidence(gate: EdgeSite) -> None:
    (command_id,) = await gate.order()
    dispatch_id = (await gate.polled())[0]["command_id"]
    await gate.said(dispatch_id)
    gate.scene.at(6 * 3600)
    assert await gate.archive() == 1
    assert await gate.said(dispatch_id, "failed") == (False, "succeeded", "ALREADY_FINAL")
    assert gate.command(command_id)["state"] == "succeeded"
    assert gate.attempt(dispatch_id)["late_count"] == 1


async def test_an_ack_of_what_expired_meanwhile_is_told_so(gate: EdgeSite) -> None:
    dispatch_id = await gate.dispatch(1, ttl_sec=60)
    gate.scene.at(6 * 3600)
    await gate.sweep()
    assert await gate.said(dispatch_id) == (False, "expired", "COMMAND_EXPIRED")


async def test_acks_out_of_order_leave_the_end_that_came_first(gate: EdgeSite) -> None:
    dispatch_id = await gate.dispatch()
    assert await gate.said(dispatch_id) == (True, "succeeded", None)
    assert await gate.said(dispatch_id, "running") == (False, "succeeded", "ALREADY_FINAL")


async def test_an_ack_for_an_older_dispatch_never_changes_a_newer_one(gate: EdgeSite) -> None:
    first = await gate.dispatch()
    assert await gate.said(first, "failed") == (True, "queued", None)
    assert await gate.said(first, "failed") == (False, "queued", "ALREADY_ACKED")
    gate.scene.at(30)
    (second,) = await gate.polled()
    assert second["command_id"] != first
    assert second["attempt"] == 2
    assert await gate.said(first) == (False, "dispatched", "STALE_DISPATCH")
    assert await gate.said(second["command_id"]) == (True, "succeeded", None)


async def test_a_lost_lease_comes_back_under_the_same_id_and_skipped_means_unknown(gate: EdgeSite) -> None:
    first = await gate.dispatch()
    gate.scene.at(200)
    await gate.sweep()
    (second,) = await gate.polled()
    assert second["command_id"] == first
    body = {"error_code": "DUPLICATE_IGNORED"}
    assert await gate.said(first, "skipped", body=body) == (True, "failed", None)
    assert gate.attempt(first)["error_code"] == "OUTCOME_UNKNOWN"


async def test_an_ack_after_the_lease_still_finishes_what_nobody_took_over(gate: EdgeSite) -> None:
    dispatch_id = await gate.dispatch()
    gate.scene.at(200)
    await gate.sweep()
    assert await gate.said(dispatch_id) == (True, "succeeded", None)


async def test_a_collector_that_never_had_it_changes_nothing_and_one_that_lost_it_may_only_succeed(
    gate: EdgeSite,
) -> None:
    dispatch_id = await gate.dispatch()
    assert await gate.said(dispatch_id, headers=gate.south) == (False, "dispatched", "NOT_LEASE_OWNER")
    gate.scene.at(200)
    await gate.sweep()
    await gate.polled(gate.south)
    assert await gate.said(dispatch_id, "failed") == (False, "dispatched", "LEASE_MOVED")
    assert await gate.said(dispatch_id) == (True, "succeeded", None)
    assert await gate.said(dispatch_id, headers=gate.south) == (False, "succeeded", "ALREADY_FINAL")


async def test_what_was_superseded_stays_superseded(gate: EdgeSite) -> None:
    dispatch_id = await gate.dispatch()
    gate.write(
        "update commands set state = 'superseded', superseded_by = %s, finished_at = %s, lease_owner = null,"
        " lease_device = null, lease_until = null, moves = moves + 1",
        *(new_id(), gate.scene.now),
    )
    assert await gate.said(dispatch_id) == (False, "superseded", "SUPERSEDED")


async def test_acks_are_taken_from_a_collector_that_may_no_longer_control(gate: EdgeSite) -> None:
    dispatch_id = await gate.dispatch()
    changed = await gate.api.patch(
        f"/api/admin/v1/collectors/{gate.collector_id}", json={"permissions": ["read"]}, headers=gate.scene.owner
    )
    assert changed.status_code == 200
    assert await gate.said(dispatch_id) == (True, "succeeded", None)


async def test_results_of_several_machines_are_those_of_the_commands_own(gate: EdgeSite) -> None:
    dispatch_id = await gate.dispatch(7)
    results = [{"asset_id": "m6", "status": "completed"}, {"asset_id": "m7", "status": "failed", "error_code": "HOT"}]
    answer = await gate.say(dispatch_id, {"results": results})
    assert answer.json()["state"] == "queued"
    assert gate.attempt(dispatch_id)["error_code"] == "HOT"
    named = await gate.post(NAMED, {"command_id": dispatch_id, "results": results})
    assert (named.status_code, named.json()["error_code"]) == (200, "ALREADY_ACKED")
    lost = await gate.say(str(new_id()), {"results": results})
    assert lost.status_code == 404
    foreign = await gate.say(dispatch_id, {"results": [{"asset_id": "m1", "status": "failed"}] * 2})
    assert (foreign.status_code, foreign.json()["error_code"]) == (422, "RESULTS_AMBIGUOUS")


DEEP = b'{"status":' + b"[" * 4_900 + b"]" * 4_900 + b"}"


MALFORMED: list[tuple[bytes, str]] = [
    (b"", "BAD_JSON"),
    (b"{", "BAD_JSON"),
    (b"\x00\xff\xfe", "BAD_JSON"),
    (b"status=succeeded", "BAD_JSON"),
    (DEEP, "BAD_JSON"),
    (b"[]", "NOT_AN_OBJECT"),
    (b'"succeeded"', "NOT_AN_OBJECT"),
    (b"null", "NOT_AN_OBJECT"),
    (b"7", "NOT_AN_OBJECT"),
    (b"{}", "STATUS_UNKNOWN"),
    (b'{"status": "great"}', "STATUS_UNKNOWN"),
    (b'{"status": ["succeeded"]}', "STATUS_UNKNOWN"),
    (b'{"result_code": 4}', "STATUS_UNKNOWN"),
    (b'{"result_code": true}', "STATUS_UNKNOWN"),
    (b'{"result_code": NaN}', "STATUS_UNKNOWN"),
    (b'{"status": "failed", "command_id": "0195508a-0000-7000-8000-00000000000b"}', "COMMAND_ID_MISMATCH"),
]


async def test_what_cannot_be_read_is_refused_by_a_code_and_moves_nothing(gate: EdgeSite) -> None:
    dispatch_id = await gate.dispatch()
    before = gate.everything()
    for (body, code), path in product(MALFORMED, (V1, RESULT)):
        answer = await gate.post(path.format(dispatch_id), body)
        assert (answer.status_code, answer.json()["error_code"]) == (422, code), body[:40]
        assert answer.json()["success"] is False
    assert gate.everything() == before


async def test_a_body_beyond_the_limit_is_413(gate: EdgeSite) -> None:
    dispatch_id = await gate.dispatch()
    answer = await gate.say(dispatch_id, {"status": "failed", "result": "x" * 2**20})
    assert (answer.status_code, answer.json()["error_code"]) == (413, "PAYLOAD_TOO_LARGE")


MENDED: list[bytes] = [
    b'{"status": "succeeded", "result": NaN, "after": {"temp_c": Infinity}}',
    b'{"status": "succeeded", "error_message": "\\u0000\\ud800", "before": {"a\\u0000b": "\\ud83d"}}',
    b'{"status": "succeeded", "result": "\xff\xfe"}',
    b'\xef\xbb\xbf{"status": "succeeded"}',
    b'{"status": "succeeded", "duration_ms": 1e999, "started_at": 99999999999999999999, "finished_at": []}',
    b'{"status": "succeeded", "after": {"n": ' + b"9" * 5000 + b"}}",
    b'{"status": "succeeded", "after": ' + b'{"a":' * 50 + b"1" + b"}" * 50 + b"}",
    json.dumps({"status": "succeeded", "after": {"log": "x" * 100_000}}).encode(),
    json.dumps({"status": "succeeded", "error_code": "x" * 5000, "device_id": {"a": [1]}}).encode(),
]


async def test_what_merely_tells_is_mended_and_costs_no_ack(gate: EdgeSite) -> None:
    for machine, body in enumerate(MENDED, 1):
        dispatch_id = await gate.dispatch(machine)
        answer = await gate.say(dispatch_id, body)
        assert (answer.status_code, answer.json()["applied"]) == (200, True), body[:60]
        kept = gate.attempt(dispatch_id)
        assert kept["result"] == "succeeded"
        assert len(json.dumps(kept, default=str)) < 25_000


async def test_addresses_and_credentials_are_taken_out_of_what_is_kept(gate: EdgeSite) -> None:
    dispatch_id = await gate.dispatch()
    said = {
        "status": "failed",
        "error_message": "no answer from 10.1.2.3, password=CANARY",
        "result": {"miner_ip": "10.1.2.3", "note": "Bearer CANARY12345", "fans": [1, 2]},
        "before": {"apiKey": "CANARY", "mac": "02:42:ac:11:00:02", "url": "stratum+tcp://u:CANARY@pool:3333"},
        "after": {"nested": {"root_password": "CANARY"}},
    }
    await gate.say(dispatch_id, said)
    await gate.say(dispatch_id, said)
    kept = str(gate.everything()) + str(gate.rows("select * from audit_log"))
    for secret in ("CANARY", "10.1.2.3", "02:42:ac"):
        assert secret not in kept
    assert "'fans': [1, 2]" in kept
    assert gate.attempt(dispatch_id)["late_count"] == 1


async def test_calls_of_one_token_are_limited_and_others_are_not(gate: EdgeSite) -> None:
    stack: Any = gate.scene.app.middleware_stack
    while type(stack).__name__ != "RateLimit":
        stack = getattr(stack, "app", None) or stack._app
    stack._per_token = 5
    answers = [await gate.poll() for _ in range(8)]
    refused = [one for one in answers if one.status_code != 200]
    assert len(refused) >= 3
    told = refused[0]
    assert (told.status_code, told.json()["error_code"], told.json()["success"]) == (429, "RATE_LIMITED", False)
    assert int(told.headers["Retry-After"]) > 0
    assert (await gate.poll(gate.south)).status_code == 200

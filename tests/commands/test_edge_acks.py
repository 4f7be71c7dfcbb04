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


async def test_the_second_of_two_acks_changes_nothing(edge_site: EdgeSite) -> None:
    """The acceptance case: a collector that lost our answer says the same again, and then something else."""
    (command_id,) = await edge_site.make_commands()
    dispatch_id = (await edge_site.poll_commands())[0]["command_id"]
    assert await edge_site.ack(dispatch_id) == (True, "succeeded", None)
    before = edge_site.command(command_id)
    assert await edge_site.ack(dispatch_id) == (False, "succeeded", "ALREADY_FINAL")
    assert await edge_site.ack(dispatch_id, "failed") == (False, "succeeded", "ALREADY_FINAL")
    assert edge_site.command(command_id) == before
    assert edge_site.events(command_id) == ["created", "leased", "succeeded"]
    kept = edge_site.attempt(dispatch_id)
    assert (kept["result"], kept["late_count"]) == ("succeeded", 2)
    assert [ack["said"]["status"] for ack in kept["late_acks"]] == ["succeeded", "failed"]


@pytest.mark.parametrize("path", [V1, RESULT, NAMED])
async def test_a_stranger_is_refused_and_another_tenants_id_is_as_unknown_as_one_that_never_was(
    edge_site: EdgeSite, path: str
) -> None:
    dispatch_id = await edge_site.dispatch()
    before = edge_site.everything()
    stranger, answers = await edge_site.stranger(), []
    for named in (dispatch_id, str(new_id()), "7", "not an id"):
        body = {"command_id": named, "status": "succeeded"}
        assert (await edge_site.api.post(path.format(named), json=body)).status_code == 401
        answer = await edge_site.post(path.format(named), body, stranger)
        if path is NAMED and " " in named:
            assert answer.json()["error_code"] == "NO_COMMAND_ID"
            continue
        error = answer.json()
        assert (answer.status_code, error["success"]) == (404, False)
        answers.append({name: value for name, value in error.items() if name != "request_id"})
    assert len({json.dumps(answer) for answer in answers}) == 1
    assert edge_site.everything() == before


@pytest.mark.parametrize("path", [V1, RESULT, NAMED])
async def test_every_ack_format_is_understood_on_every_route(edge_site: EdgeSite, path: str) -> None:
    for machine, case in enumerate(GOLDEN, 1):
        await _understood(edge_site, case, path, await edge_site.dispatch(machine))


async def _understood(edge_site: EdgeSite, case: dict[str, Any], path: str, dispatch_id: str) -> None:
    body = {name: value for name, value in case["body"].items() if name not in ("command_id", "id")}
    if path is NAMED:
        body["command_id"] = dispatch_id
    answer = await edge_site.post(path.format(dispatch_id), body)
    means = case["means"]
    assert (answer.status_code, answer.json()["applied"]) == (200, True), case["name"]
    after = {"succeeded": "succeeded", "failed": "queued", "running": "running"}.get(means["status"], "failed")
    assert answer.json()["state"] == after
    kept = edge_site.attempt(dispatch_id)
    assert kept["result"] == means["status"], case["name"]
    assert kept["snapshot_before"] == means.get("before")
    assert kept["execution_time_ms"] == means.get("duration_ms")
    code = "OUTCOME_UNKNOWN" if means["status"] == "skipped" else means.get("error_code")
    assert kept["error_code"] == (code if means["status"] != "failed" else code or "FAILED")


NO_ACKS = [b"null", b"[]", b"0", b'"x"', b"true", b"1.5", b"[{}]", b"", b"{}"]


@pytest.mark.parametrize("path", [V1, RESULT, NAMED, "/api/edge/v1/commands/ack/batch"])
async def test_an_ack_that_is_no_object_is_refused_with_a_message(edge_site: EdgeSite, path: str) -> None:
    dispatch_id = await edge_site.dispatch()
    for body in NO_ACKS:
        answer = await edge_site.api.post(path.format(dispatch_id), content=body, headers=edge_site.north)
        if path.endswith("batch") and answer.status_code == 200:
            assert not any(result["applied"] for result in answer.json()["results"]), body
        else:
            assert (answer.status_code, answer.json()["success"]) == (422, False), body
    assert edge_site.attempt(dispatch_id)["result"] is None


async def test_an_ack_hours_late_is_answered_200_and_kept_as_evidence(edge_site: EdgeSite) -> None:
    (command_id,) = await edge_site.make_commands()
    dispatch_id = (await edge_site.poll_commands())[0]["command_id"]
    await edge_site.ack(dispatch_id)
    edge_site.collector_site.at(6 * 3600)
    assert await edge_site.archive() == 1
    assert await edge_site.ack(dispatch_id, "failed") == (False, "succeeded", "ALREADY_FINAL")
    assert edge_site.command(command_id)["state"] == "succeeded"
    assert edge_site.attempt(dispatch_id)["late_count"] == 1


async def test_an_ack_of_an_expired_command_is_answered_expired(edge_site: EdgeSite) -> None:
    dispatch_id = await edge_site.dispatch(1, ttl_sec=60)
    edge_site.collector_site.at(6 * 3600)
    await edge_site.sweep()
    assert await edge_site.ack(dispatch_id) == (False, "expired", "COMMAND_EXPIRED")


async def test_the_first_final_ack_wins(edge_site: EdgeSite) -> None:
    dispatch_id = await edge_site.dispatch()
    assert await edge_site.ack(dispatch_id) == (True, "succeeded", None)
    assert await edge_site.ack(dispatch_id, "running") == (False, "succeeded", "ALREADY_FINAL")


async def test_an_ack_for_an_older_dispatch_never_changes_a_newer_one(edge_site: EdgeSite) -> None:
    first = await edge_site.dispatch()
    assert await edge_site.ack(first, "failed") == (True, "queued", None)
    assert await edge_site.ack(first, "failed") == (False, "queued", "ALREADY_ACKED")
    edge_site.collector_site.at(30)
    (second,) = await edge_site.poll_commands()
    assert second["command_id"] != first
    assert second["attempt"] == 2
    assert await edge_site.ack(first) == (False, "dispatched", "STALE_DISPATCH")
    assert await edge_site.ack(second["command_id"]) == (True, "succeeded", None)


async def test_a_lost_lease_comes_back_under_the_same_id_and_skipped_means_unknown(edge_site: EdgeSite) -> None:
    first = await edge_site.dispatch()
    edge_site.collector_site.at(200)
    await edge_site.sweep()
    (second,) = await edge_site.poll_commands()
    assert second["command_id"] == first
    body = {"error_code": "DUPLICATE_IGNORED"}
    assert await edge_site.ack(first, "skipped", body=body) == (True, "failed", None)
    assert edge_site.attempt(first)["error_code"] == "OUTCOME_UNKNOWN"


async def test_an_ack_after_the_lease_still_finishes_a_command_without_a_new_holder(edge_site: EdgeSite) -> None:
    dispatch_id = await edge_site.dispatch()
    edge_site.collector_site.at(200)
    await edge_site.sweep()
    assert await edge_site.ack(dispatch_id) == (True, "succeeded", None)


async def test_a_collector_without_the_lease_changes_nothing_and_a_former_holder_may_only_succeed(
    edge_site: EdgeSite,
) -> None:
    dispatch_id = await edge_site.dispatch()
    assert await edge_site.ack(dispatch_id, headers=edge_site.south) == (False, "dispatched", "NOT_LEASE_OWNER")
    edge_site.collector_site.at(200)
    await edge_site.sweep()
    await edge_site.poll_commands(edge_site.south)
    assert await edge_site.ack(dispatch_id, "failed") == (False, "dispatched", "LEASE_MOVED")
    assert await edge_site.ack(dispatch_id) == (True, "succeeded", None)
    assert await edge_site.ack(dispatch_id, headers=edge_site.south) == (False, "succeeded", "ALREADY_FINAL")


async def test_a_superseded_command_stays_superseded(edge_site: EdgeSite) -> None:
    dispatch_id = await edge_site.dispatch()
    edge_site.write(
        "update commands set state = 'superseded', superseded_by = %s, finished_at = %s, lease_owner = null,"
        " lease_device = null, lease_until = null, moves = moves + 1",
        *(new_id(), edge_site.collector_site.now),
    )
    assert await edge_site.ack(dispatch_id) == (False, "superseded", "SUPERSEDED")


async def test_acks_are_taken_from_a_collector_that_may_no_longer_control(edge_site: EdgeSite) -> None:
    dispatch_id = await edge_site.dispatch()
    changed = await edge_site.api.patch(
        f"/api/admin/v1/collectors/{edge_site.collector_id}",
        json={"permissions": ["read"]},
        headers=edge_site.collector_site.owner,
    )
    assert changed.status_code == 200
    assert await edge_site.ack(dispatch_id) == (True, "succeeded", None)


async def test_only_the_result_of_the_commands_machine_counts(edge_site: EdgeSite) -> None:
    dispatch_id = await edge_site.dispatch(7)
    results = [{"asset_id": "m6", "status": "completed"}, {"asset_id": "m7", "status": "failed", "error_code": "HOT"}]
    answer = await edge_site.post_ack(dispatch_id, {"results": results})
    assert answer.json()["state"] == "queued"
    assert edge_site.attempt(dispatch_id)["error_code"] == "HOT"
    named = await edge_site.post(NAMED, {"command_id": dispatch_id, "results": results})
    assert (named.status_code, named.json()["error_code"]) == (200, "ALREADY_ACKED")
    lost = await edge_site.post_ack(str(new_id()), {"results": results})
    assert lost.status_code == 404
    foreign = await edge_site.post_ack(dispatch_id, {"results": [{"asset_id": "m1", "status": "failed"}] * 2})
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


async def test_unreadable_acks_are_refused_with_a_code_and_change_nothing(edge_site: EdgeSite) -> None:
    dispatch_id = await edge_site.dispatch()
    before = edge_site.everything()
    for (body, code), path in product(MALFORMED, (V1, RESULT)):
        answer = await edge_site.post(path.format(dispatch_id), body)
        assert (answer.status_code, answer.json()["error_code"]) == (422, code), body[:40]
        assert answer.json()["success"] is False
    assert edge_site.everything() == before


async def test_a_body_beyond_the_limit_is_413(edge_site: EdgeSite) -> None:
    dispatch_id = await edge_site.dispatch()
    answer = await edge_site.post_ack(dispatch_id, {"status": "failed", "result": "x" * 2**20})
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


async def test_invalid_informational_fields_do_not_fail_an_ack(edge_site: EdgeSite) -> None:
    for machine, body in enumerate(MENDED, 1):
        dispatch_id = await edge_site.dispatch(machine)
        answer = await edge_site.post_ack(dispatch_id, body)
        assert (answer.status_code, answer.json()["applied"]) == (200, True), body[:60]
        kept = edge_site.attempt(dispatch_id)
        assert kept["result"] == "succeeded"
        assert len(json.dumps(kept, default=str)) < 25_000


async def test_addresses_and_credentials_are_removed_from_stored_acks(edge_site: EdgeSite) -> None:
    dispatch_id = await edge_site.dispatch()
    ack = {
        "status": "failed",
        "error_message": "no answer from 10.1.2.3, password=CANARY",
        "result": {"miner_ip": "10.1.2.3", "note": "Bearer CANARY12345", "fans": [1, 2]},
        "before": {"apiKey": "CANARY", "mac": "02:42:ac:11:00:02", "url": "stratum+tcp://u:CANARY@pool:3333"},
        "after": {"nested": {"root_password": "CANARY"}},
    }
    await edge_site.post_ack(dispatch_id, ack)
    await edge_site.post_ack(dispatch_id, ack)
    kept = str(edge_site.everything()) + str(edge_site.rows("select * from audit_log"))
    for secret in ("CANARY", "10.1.2.3", "02:42:ac"):
        assert secret not in kept
    assert "'fans': [1, 2]" in kept
    assert edge_site.attempt(dispatch_id)["late_count"] == 1


async def test_calls_of_one_token_are_limited_and_others_are_not(edge_site: EdgeSite) -> None:
    stack: Any = edge_site.collector_site.app.middleware_stack
    while type(stack).__name__ != "RateLimit":
        stack = getattr(stack, "app", None) or stack._app
    stack._per_token = 5
    answers = [await edge_site.poll() for _ in range(8)]
    refused = [answer for answer in answers if answer.status_code != 200]
    assert len(refused) >= 3
    body = refused[0]
    assert (body.status_code, body.json()["error_code"], body.json()["success"]) == (429, "RATE_LIMITED", False)
    assert int(body.headers["Retry-After"]) > 0
    assert (await edge_site.poll(edge_site.south)).status_code == 200

"""How much a body may hold: more than any honest one is refused before it is parsed, on every route that takes one."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from redis import Redis

from hashinsight.kit.ids import new_id
from hashinsight.wire.foreign_json import bound_value
from tests.app.test_malformed_bodies import OF_COLLECTORS, WRITING, filled, site
from tests.collectors.collector_site import CollectorSite, bearer

__all__ = ["site"]

MANY = 200_000
COMMANDS = "/api/admin/v1/commands"
ACKS = "/api/edge/v1/commands/ack/batch"
SHAPES: dict[str, Callable[[int], bytes]] = {
    "lists": lambda n: b"[" + b"[]," * n + b"[]]",
    "objects": lambda n: b"[" + b'{"a":[]},' * n + b"{}]",
    "names": lambda n: b"{" + b",".join(b'"%x":0' % i for i in range(n)) + b"}",
    "names with blanks": lambda n: b"{" + b",".join(b'"%x"\n\t :\r 0' % i for i in range(n)) + b"}",
}
TAKING = [(method, path, operation) for method, path, operation in WRITING if "requestBody" in operation]
WITH_ROOM_FOR_MORE = ("/api/edge/v1/telemetry/", "/api/collector/upload", "/api/admin/v1/miners/import", ACKS)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The length of each JSON text that was parsed by what reads requests."""
    lengths: list[int] = []
    loads = json.loads

    def counting(text: Any, *args: Any, **options: Any) -> Any:
        lengths.append(len(text))
        return loads(text, *args, **options)

    with monkeypatch.context() as patch:
        patch.setattr("starlette.requests.json.loads", counting)
        yield lengths


@pytest.mark.parametrize("shape", SHAPES)
async def test_every_route_that_takes_a_body_refuses_200_000_values_without_parsing_them(
    site: CollectorSite, redis_url: str, parsed: list[int], shape: str
) -> None:
    _, token = await site.collector()
    body = SHAPES[shape](MANY)
    wrong = []
    with Redis.from_url(redis_url) as redis:
        for method, path, operation in TAKING:
            redis.flushdb()
            is_theirs = path.startswith(OF_COLLECTORS)
            headers = bearer(token) if is_theirs else await site.people.headers("Owner")
            headers = {"Content-Type": "application/json", **headers}
            parsed.clear()
            answer = await site.api.request(method, filled(path, operation), content=body, headers=headers)
            code = answer.json()["error_code"]
            is_refused = code in ("TOO_MANY_VALUES", "PAYLOAD_TOO_LARGE") and answer.status_code == 413
            if path.startswith(WITH_ROOM_FOR_MORE):
                is_refused = 400 <= answer.status_code < 500
            if not is_refused or any(length > 100_000 for length in parsed):
                wrong.append(f"{method} {path}: {answer.status_code} {code} {parsed}")
    assert wrong == []
    assert len(TAKING) > 50


async def test_a_batch_of_acks_with_more_than_500_can_hold_is_refused_before_it_is_read(
    site: CollectorSite,
) -> None:
    _, token = await site.collector()
    for shape in SHAPES.values():
        answer = await site.api.post(ACKS, content=shape(2 * MANY), headers=bearer(token))
        assert (answer.status_code, answer.json()["error_code"]) == (413, "TOO_MANY_VALUES")


async def test_names_are_counted_however_a_body_is_chunked(site: CollectorSite) -> None:
    async def in_pieces() -> Any:
        yield b"{"
        for n in range(1200):
            yield b'"%x"' % n
            yield b":0,"

    answer = await site.api.post("/api/admin/v1/sites", content=in_pieces(), headers=site.owner)
    assert (answer.status_code, answer.json()["error_code"]) == (413, "TOO_MANY_VALUES")
    assert answer.json()["details"] == {"limit_values": 5000, "limit_fields": 1000}


async def test_a_stranger_s_long_body_is_refused_for_the_stranger_and_not_parsed(
    site: CollectorSite, parsed: list[int]
) -> None:
    body = json.dumps({"command_type": "reboot_device", "miner_ids": [f"R{n}" for n in range(25_000)]}).encode()
    for headers in ({}, {"Authorization": "Bearer forged"}, {"X-API-Key": "forged"}, {"Cookie": "hi_access=forged"}):
        parsed.clear()
        answer = await site.api.post(COMMANDS, content=body, headers={"Content-Type": "application/json", **headers})
        assert answer.status_code == 401
        assert len(body) not in parsed
    await site.api.post(COMMANDS, content=body, headers={"Content-Type": "application/json", **site.owner})
    assert len(body) in parsed


async def test_a_sign_in_body_has_few_values(site: CollectorSite) -> None:
    for path in ("/api/v1/auth/login", "/api/v1/auth/refresh", "/api/edge/v1/register"):
        answer = await site.api.post(path, json={f"{n}": 0 for n in range(200)})
        assert (answer.status_code, answer.json()["error_code"]) == (413, "TOO_MANY_VALUES")
        answer = await site.api.post(path, content=b" " * 17_000)
        assert (answer.status_code, answer.json()["error_code"]) == (413, "PAYLOAD_TOO_LARGE")


async def _asked(site: CollectorSite, **fields: Any) -> httpx.Response:
    body = {"command_type": "set_fan", "params": {"speed": 50}, "reason": "x", "dry_run": True, **fields}
    return await site.api.post(COMMANDS, json=body, headers=site.owner)


async def test_a_long_list_of_mistakes_is_answered_with_one(site: CollectorSite) -> None:
    answer = await _asked(site, miner_ids=[0] * 100_000)
    assert answer.status_code == 422
    assert [error["where"] for error in answer.json()["details"]["errors"]] == ["body.miner_ids.0"]


@pytest.mark.parametrize("name", ["params", "evidence"])
async def test_request_fields_other_than_machines_have_their_own_bound(site: CollectorSite, name: str) -> None:
    answer = await _asked(site, miner_ids=["A"], **{name: {"a": [0] * 100_000}})
    assert answer.status_code == 422
    assert "more than 2000 values" in answer.json()["details"]["errors"][0]["problem"]


async def test_a_hundred_thousand_machines_pass_also_when_their_ids_are_macs(site: CollectorSite) -> None:
    macs = [":".join(f"{n:012x}"[i : i + 2] for i in range(0, 12, 2)) for n in range(100_000)]
    answer = await _asked(site, miner_ids=macs)
    assert (answer.status_code, answer.json()["error_code"]) == (404, "NOT_FOUND")


async def test_500_acks_with_snapshots_of_400_chips_pass_and_an_oversized_one_is_refused(
    site: CollectorSite,
) -> None:
    _, token = await site.collector()
    snapshot = {"boards": [{"no": n, "chips": [61.5] * 133, "rate_ths": 33.1} for n in range(3)]}
    acks = [
        {
            "command_id": str(new_id()),
            "status": "succeeded",
            "result": {"ok": True},
            "before": snapshot,
            "after": snapshot,
        }
        for _ in range(500)
    ]
    answer = await site.api.post(ACKS, json={"acks": acks}, headers=bearer(token))
    assert (answer.status_code, len(answer.json()["results"])) == (200, 500)
    answer = await site.api.post(ACKS, json={"acks": [{**acks[0], "result": [0] * 500_001}]}, headers=bearer(token))
    assert (answer.status_code, answer.json()["error_code"]) == (413, "TOO_MANY_VALUES")


async def test_a_list_of_machines_with_millions_of_columns_is_refused_before_cells_are_made(
    site: CollectorSite,
) -> None:
    async def load(text: bytes) -> httpx.Response:
        path = "/api/admin/v1/miners/import?site_id=tx-1"
        return await site.api.post(path, content=text, headers={**site.owner, "Content-Type": "text/csv"})

    for text in (b"x," * 3_000_000 + b"\n", b"x," * 2_000 + b"\n", b"miner_id\n" + b"," * 2_000):
        answer = await load(text)
        assert (answer.status_code, answer.json()["error_code"]) == (413, "TOO_MANY_VALUES")


def test_snapshot_contents_beyond_the_bound_cost_nothing() -> None:
    def spent(many: Any) -> float:
        began = time.process_time()
        assert bound_value(many) == {"dropped": "too large"}
        return time.process_time() - began

    few, many = [[[None, float("nan")]] * 10_000], [[[None, float("nan")]] * 1_000_000]
    assert min(spent(many) for _ in range(5)) < 20 * min(spent(few) for _ in range(5))

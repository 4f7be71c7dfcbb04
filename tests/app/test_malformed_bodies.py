"""Whatever JSON a body is, and whoever sends it: a request is refused in words, and never breaks anything."""

import json
from functools import cache
from typing import Any, cast
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI
from redis import Redis

from hashinsight.app import Application
from hashinsight.kit.db.database import Database
from hashinsight.kit.ids import new_id
from tests.collectors.collector_site import CollectorSite, bearer
from tests.people import People

DEEP: Any = []
for _ in range(200):
    DEEP = [DEEP]
VALUES: list[Any] = [None, True, 0, -1.5, 10**30, "", "x", "\u0000", [], [None], [{}], {}, {"": {"x": []}}, DEEP]
RAW = [b"", b"{", b"\xff\xfe", b"NaN", b'"\\ud800"', b"\x1f\x8b\x08", b"\xef\xbb\xbf{}", b'{"a":' * 50_000]
BODIES = [json.dumps(value).encode() for value in VALUES] + RAW
WRONG: list[Any] = [None, -1, "x\u0000", ["x"], {"x": 1}]


@cache
def document() -> dict[str, Any]:
    return Application().openapi()


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    """Method, path and description of all that can be called."""
    return [
        (method.upper(), path, operation)
        for path, item in document()["paths"].items()
        for method, operation in item.items()
        if method in ("get", "post", "put", "patch", "delete")
    ]


def filled(path: str, operation: dict[str, Any]) -> str:
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", _named(parameter["schema"]))
    return path


def _named(schema: dict[str, Any]) -> str:
    if schema.get("type") == "integer":
        return "1"
    return str(new_id()) if schema.get("format") == "uuid" or "enum" not in schema else str(schema["enum"][0])


def example_of(operation: dict[str, Any]) -> dict[str, Any]:
    """A body as the document shows it; of other kinds than an object, nothing."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = content.get("schema", {})
    schema = document()["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], schema)
    shown = content.get("example") or next(iter(schema.get("examples", [])), None)
    return shown if isinstance(shown, dict) else dict.fromkeys(schema.get("properties", {}))


def bodies_for(operation: dict[str, Any]) -> list[bytes]:
    """Every kind of document; the example with each of its fields gone wrong; and all of them at once."""
    example = example_of(operation)
    mixed = [{**example, name: wrong} for name in example for wrong in WRONG]
    names = dict.fromkeys([*example, "command_id", "id", "status", "results", "acks", "records"])
    mixed += [dict.fromkeys(names, wrong) for wrong in WRONG]
    return BODIES + [json.dumps(body).encode() for body in mixed]


@pytest.fixture
async def site(api: httpx.AsyncClient, people: People, database: Database) -> CollectorSite:
    app = cast("FastAPI", api.app)  # type: ignore[attr-defined] # the fixture hangs it there
    made = CollectorSite(api, app, people, database)
    await made.open()
    return made


OF_COLLECTORS = ("/api/edge/", "/api/collector/")
WRITING = [(method, path, operation) for method, path, operation in operations() if method != "GET"]
ODD = ["", " ", "-1", "1e309", "9" * 40, "null", "\u0000", "é" * 300, "2026-13-45", "a,,'"]


@pytest.mark.parametrize("who", ["nobody", "collector", "person"])
async def test_a_body_of_any_kind_is_never_a_fault_of_ours(site: CollectorSite, redis_url: str, who: str) -> None:
    _, token = await site.collector()
    broken, values = [], 0
    with Redis.from_url(redis_url) as redis:
        for method, path, operation in WRITING:
            redis.flushdb()  # or the rate limit would answer most of them
            is_theirs = who != "nobody" and (who == "collector") == path.startswith(OF_COLLECTORS)
            headers = {"nobody": {}, "collector": bearer(token)}.get(who) or await site.people.headers("Owner")
            headers = {"Content-Type": "application/json", **(headers if who != "nobody" else {})}
            for body in bodies_for(operation) if is_theirs else BODIES[::3]:
                answer = await site.api.request(method, filled(path, operation), content=body, headers=headers)
                values += 1
                if answer.status_code >= 500:
                    broken.append(f"{method} {path} {body[:60]!r}: {answer.status_code} {answer.text[:80]}")
    assert broken == []
    assert values > 5 * len(WRITING)


async def test_parameters_of_any_kind_are_never_a_fault_of_ours(site: CollectorSite) -> None:
    _, token = await site.collector()
    broken = []
    for method, path, operation in operations():
        if method != "GET" or path == "/api/v1/stream":
            continue
        names = [parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "query"]
        headers = bearer(token) if path.startswith(("/api/edge/", "/api/collector/")) else site.owner
        for value in ODD:
            places = {filled(path, operation), path.partition("{")[0] + quote(value, safe="")}
            for place in places:
                answer = await site.api.request(method, place, params=dict.fromkeys(names, value), headers=headers)
                if answer.status_code >= 500:
                    broken.append(f"{method} {place} {value!r}: {answer.status_code} {answer.text[:80]}")
    assert broken == []

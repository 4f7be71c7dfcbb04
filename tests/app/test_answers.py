"""That the check of all answers against the OpenAPI document notices what it is there for."""

import json
from typing import Any

import pytest

from tests.answers import check, document, responses_of, validator

SITE = {
    "id": 3,
    "code": "tx-1",
    "name": "Midland",
    "timezone": "America/Chicago",
    "created_at": "2026-03-01T12:00:00Z",
}
ERROR: dict[str, Any] = {"error_code": "NOT_FOUND", "message": "no such site", "details": {}, "request_id": None}
ROUTE = "/api/admin/v1/sites/3"


def faults(status: int, body: Any, *, media_type: str = "application/json", path: str = ROUTE) -> list[str]:
    return list(check("GET", path, status, media_type, json.dumps(body).encode()))


def test_every_documented_json_answer_has_a_schema_that_can_be_checked() -> None:
    checked = 0
    for path, item in document()["paths"].items():
        for method, operation in item.items():
            for status, response in responses_of(operation).items():
                if "application/json" in response.get("content", {}):
                    made = validator(f"{method.upper()} {path}", status)
                    assert made is not None
                    made.check_schema(made.schema)
                    assert '"$ref"' not in json.dumps(made.schema)
                    assert made.schema not in ({}, {"type": "object"}), path
                    checked += 1
    assert checked > 1000


def test_an_answer_as_documented_has_no_fault() -> None:
    assert faults(404, ERROR) == []
    assert faults(200, SITE, path="/api/v1/nowhere") == [], "not a documented operation"


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (418, ERROR, "not documented"),
        (404, {"detail": "no such site"}, "error_code"),
        (404, ERROR | {"hint": "x"}, "hint"),
        (404, ERROR | {"message": None}, "message"),
        (200, SITE | {"created_at": "2026-03-01T12:00:00+00:00"}, "created_at"),
        (200, SITE | {"created_at": "2026-03-01T12:00:00"}, "created_at"),
        (200, SITE | {"id": "3"}, "$.id"),
    ],
)
def test_an_answer_that_is_not_as_documented_is_noticed(status: int, body: Any, expected: str) -> None:
    found = faults(status, body)
    assert any(expected in fault for fault in found), found


def test_another_media_type_is_noticed() -> None:
    assert faults(200, SITE, media_type="text/html") != []

from datetime import UTC, datetime
from typing import Any, Literal, NotRequired

import pytest
from fastapi import FastAPI, Response
from pydantic import BaseModel, ValidationError
from typing_extensions import TypedDict  # Pydantic takes no other on Python 3.11

from hashinsight.kit.web.responses import ErrorAnswer, encode, errors


class Row(TypedDict):
    miner_id: str
    hashrate_ths: float | None
    seen_at: datetime
    state: Literal["online", "offline"]
    note: NotRequired[str]


class Rows(BaseModel):
    rows: list[Row]
    next_cursor: str | None


ROW: Row = {
    "miner_id": "m-1",
    "hashrate_ths": None,
    "seen_at": datetime(2026, 3, 1, 12, tzinfo=UTC),
    "state": "online",
}


def test_rows_are_encoded_by_their_model_with_times_in_utc() -> None:
    response = encode(Rows, {"rows": [ROW, ROW | {"note": "矿机"}], "next_cursor": None})
    row = b'{"miner_id":"m-1","hashrate_ths":null,"seen_at":"2026-03-01T12:00:00Z","state":"online"'
    note = ',"note":"矿机"}'.encode()
    assert response.body == b'{"rows":[' + row + b"}," + row + note + b'],"next_cursor":null}'
    assert (response.status_code, response.media_type) == (200, "application/json")


@pytest.mark.parametrize(
    "row", [ROW | {"state": "asleep"}, ROW | {"hashrate_ths": "many"}, {"miner_id": "m-1"}, ROW | {"secret": "x"}]
)
def test_content_that_its_model_does_not_describe_is_an_error_in_tests(row: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        encode(Rows, {"rows": [row], "next_cursor": None})


def test_the_schema_of_an_encoded_answer_comes_from_the_same_model() -> None:
    app = FastAPI()

    @app.get("/rows", response_model=Rows, responses=errors(404, 409))
    async def list_rows() -> Response:
        return encode(Rows, {"rows": [], "next_cursor": None})

    document = app.openapi()
    responses = document["paths"]["/rows"]["get"]["responses"]
    assert responses["200"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Rows"}
    assert set(document["components"]["schemas"]["Row"]["required"]) == {
        "miner_id", "hashrate_ths", "seen_at", "state"
    }  # fmt: skip
    for status in ("404", "409"):
        assert responses[status]["content"]["application/json"]["schema"] == {
            "$ref": f"#/components/schemas/{ErrorAnswer.__name__}"
        }

"""Response models: one definition gives the schema, the encoding and the clients' types."""

from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from typing import Any, Literal

import msgspec
from fastapi import Response
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

Responses = dict[int | str, dict[str, Any]]

_DESCRIPTIONS = {
    400: "The body cannot be read",
    401: "Not signed in, or the token or key is not valid",
    403: "Not permitted",
    404: "Not found, or outside the caller's scope",
    409: "Conflicts with the current state",
    413: "Request body too large",
    415: "Unsupported media type",
    422: "Invalid request: `details.errors` lists the fields",
    429: "Too many requests: retry after `Retry-After` seconds",
    500: "Internal error: search the logs for the `request_id`",
    503: "Temporarily unavailable: retry after `Retry-After` seconds",
}


class ErrorAnswer(BaseModel):
    """The format of every error response."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "error_code": "NOT_FOUND",
                "message": "no such machine",
                "details": {},
                "request_id": "0199f1d2-7c1e-7bb2-9c39-2f4a3a1f6a10",
            }
        }
    )

    error_code: str = Field(description="Stable code, for programs")
    message: str = Field(description="One sentence, for people")
    details: dict[str, Any] = Field(description="Depends on the code; may be empty")
    request_id: str | None = Field(
        description="Finds the request in the logs; null when the connection was refused before the request was read"
    )


class CollectorErrorAnswer(ErrorAnswer):
    """As `ErrorAnswer`, for collectors, which read `success` first."""

    success: Literal[False]


def errors(*statuses: int) -> Responses:
    """For a route's `responses`: its own errors. 400, 401, 403, 413, 422, 429, 500 and 503 are added to all routes."""
    return {
        status: {"model": ErrorAnswer, "description": _DESCRIPTIONS.get(status) or HTTPStatus(status).phrase}
        for status in statuses
    }


def encode(model: Any, content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Encode a large response by its model without validation; small ones are returned to FastAPI as models.

    Rows are dicts described by a TypedDict of `typing_extensions`. Tests validate them strictly: no extra field, no
    missing one, exact types.
    """
    if isinstance(content, Mapping) and isinstance(model, type) and issubclass(model, BaseModel):
        content = model.model_construct(**content)
    body = _adapter(model).dump_json(content, by_alias=True)
    return Response(body, status, headers, media_type="application/json")


def encode_raw(content: Mapping[str, Any]) -> Response:
    """As `encode`, for rows with documents that are JSON text already (`msgspec.Raw`): these are not read again.

    The route's `response_model` still gives the schema, and tests compare every answer with it.
    """
    return Response(msgspec.json.encode(content), media_type="application/json")


@cache
def _adapter(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)

"""Parameter types shared by routes of all domains."""

from typing import Annotated, Any

from fastapi import Body, Query
from pydantic import BaseModel

from hashinsight.kit.paging import MAX_CURSOR_CHARS, MAX_LIMIT

Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT)]
Cursor = Annotated[str | None, Query(max_length=MAX_CURSOR_CHARS)]


def body(model: type[BaseModel]) -> Any:
    """A route's body, with the example of its model."""
    extra = model.model_config["json_schema_extra"]
    if not isinstance(extra, dict) or not isinstance(extra["examples"], list):
        raise TypeError(f"{model.__name__} has no example")
    return Body(openapi_examples={"example": {"value": extra["examples"][0]}})

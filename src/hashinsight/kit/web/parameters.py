"""Parameter and field types shared by routes of all domains."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Body, Query
from pydantic import AfterValidator, AwareDatetime, BaseModel

from hashinsight.kit.clock import in_utc
from hashinsight.kit.paging import MAX_CURSOR_CHARS, MAX_LIMIT

_LATEST_YEAR = 2200


def _bounded(instant: datetime) -> datetime:
    if not 1970 <= instant.year < _LATEST_YEAR:  # noqa: PLR2004 - the Unix epoch
        raise ValueError(f"must be after 1969 and before {_LATEST_YEAR}")
    return in_utc(instant)


Instant = Annotated[datetime, AfterValidator(_bounded)]
AwareInstant = Annotated[AwareDatetime, AfterValidator(_bounded)]  # for people, who may mean their own time
AnyInstant = Annotated[datetime, AfterValidator(in_utc)]  # also the year 9999: "never"
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT)]
Cursor = Annotated[str | None, Query(max_length=MAX_CURSOR_CHARS)]


def body(model: type[BaseModel]) -> Any:
    """A route's body, with the example of its model."""
    extra = model.model_config["json_schema_extra"]
    if not isinstance(extra, dict) or not isinstance(extra["examples"], list):
        raise TypeError(f"{model.__name__} has no example")
    return Body(openapi_examples={"example": {"value": extra["examples"][0]}})

"""Parameter and field types shared by routes of all domains."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Query
from pydantic import AfterValidator

from hashinsight.kit.paging import MAX_CURSOR_CHARS, MAX_LIMIT


def _in_utc(instant: datetime) -> datetime:
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant


Instant = Annotated[datetime, AfterValidator(_in_utc)]  # UTC if without a time zone
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT)]
Cursor = Annotated[str | None, Query(max_length=MAX_CURSOR_CHARS)]

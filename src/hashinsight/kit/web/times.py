"""Times in requests: checked for their range, and in UTC."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime

from hashinsight.kit.clock import in_utc

_LATEST_YEAR = 2200


def _bounded(instant: datetime) -> datetime:
    instant = in_utc(instant)
    if not 1970 <= instant.year < _LATEST_YEAR:  # noqa: PLR2004 - the Unix epoch
        raise ValueError(f"must be after 1969 and before {_LATEST_YEAR}")
    return instant


Instant = Annotated[datetime, AfterValidator(_bounded)]
AwareInstant = Annotated[AwareDatetime, AfterValidator(_bounded)]  # for people, who may mean their own time
AnyInstant = Annotated[datetime, AfterValidator(in_utc)]  # also the year 9999: "never"

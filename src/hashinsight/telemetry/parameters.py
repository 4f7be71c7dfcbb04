"""Query parameters of the telemetry routes."""

from typing import Annotated, Literal

from fastapi import Query

from hashinsight.inventory.fields import MINER_ID_CHARS
from hashinsight.inventory.filters import SiteRef
from hashinsight.kit.web.times import Instant

SiteQuery = Annotated[SiteRef | None, Query(description="Site id or code.")]
RequiredSite = Annotated[SiteRef, Query(description="Site id or code.")]
ZoneQuery = Annotated[str | None, Query(max_length=100, description="Code of a zone of the site.")]
MinerQuery = Annotated[
    str | None,
    Query(min_length=1, max_length=MINER_ID_CHARS, pattern=r"^[^\x00]*$", description="One machine, by its miner_id."),
]
OnlineQuery = Annotated[bool | None, Query(description="Only machines that are online (true) or not (false).")]
RightNowQuery = Annotated[bool, Query(description="Overlay the newest samples that are not rolled up yet.")]
Format = Annotated[Literal["json", "csv"], Query(alias="format", description="`csv` streams all machines as one file.")]
Start = Annotated[Instant, Query(description="ISO 8601; UTC if it has no zone.")]
End = Annotated[Instant, Query(description="Exclusive.")]
At = Annotated[
    Instant | None, Query(description="A time in the last 24 hours; gives the 5-minute bucket that holds it.")
]
Hours = Annotated[int, Query(ge=1, le=24, description="Length of the trend, up to now.")]

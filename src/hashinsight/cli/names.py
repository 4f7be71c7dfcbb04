"""Names for ids in output: code of a site."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession


async def with_site_codes(session: "AsyncSession", rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """`site_code` beside each row's `site_id`."""
    from hashinsight.inventory.queries.places import list_site_codes

    codes = await list_site_codes(session, {row["site_id"] for row in rows})
    return [{**row, "site_code": codes[row["site_id"]]} for row in rows]

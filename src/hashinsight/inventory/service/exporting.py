"""Export the machines of a site as the same asset list that an import takes."""

import csv
import io
from collections.abc import AsyncIterator
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service import record
from hashinsight.identity.scope import Scope
from hashinsight.inventory.importing.reading import COLUMNS
from hashinsight.inventory.models import Site
from hashinsight.inventory.queries import miners, places
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database

HEADER = ",".join(COLUMNS) + "\r\n"
_PART_ROWS = 5000


async def begin_export(session: AsyncSession, scope: Scope, site_ref: str | int, *, now: datetime) -> Site:
    """The site to export, and the record that somebody did."""
    site = await places.get_site(session, scope, site_ref)
    await record(
        session,
        scope.actor,
        Action.MINERS_EXPORTED,
        "site",
        site.id,
        tenant_id=site.tenant_id,
        after={"site": site.code},
        now=now,
    )
    return site


async def export_lines(database: Database, context: Context, scope: Scope, site_id: int) -> AsyncIterator[str]:
    """Parts of the file. Each is read in a short session of its own: a slow reader holds no connection."""
    yield HEADER
    after = ""
    while True:
        async with database.reading(context) as session:
            part, after = await export_part(session, scope, site_id, after)
        if not part:
            return
        yield part


async def export_part(session: AsyncSession, scope: Scope, site_id: int, after: str) -> tuple[str, str]:
    """The lines behind this id, and the last id among them; no text when there are no more."""
    rows = await miners.list_after(session, scope, site_id, after, limit=_PART_ROWS)
    if not rows:
        return "", after
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue(), rows[-1].miner_id

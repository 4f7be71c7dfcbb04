"""Looking for entries: filters that the indexes serve, and the lines of an export."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Boolean, ColumnElement, Select, literal_column, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.models import DENSE, RARE, AuditEntry
from hashinsight.audit.queries.seals import LINE

ORDER = (AuditEntry.at, AuditEntry.id)
_LINE: ColumnElement[str] = literal_column(LINE.as_string())
_HIDDEN = ("tenant_id", "era", "xid")
_SHOWN = [column.name for column in AuditEntry.__table__.columns if column.name not in _HIDDEN]


@dataclass(frozen=True)
class AuditFilter:
    entity_type: str | None = None
    entity_id: str | None = None
    actor: str | None = None
    action: Action | None = None
    since: datetime | None = None
    until: datetime | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        equal = (
            (AuditEntry.entity_type, self.entity_type),
            (AuditEntry.entity_id, self.entity_id),
            (AuditEntry.actor_id, self.actor),
            (AuditEntry.action, self.action and self.action.value),
        )
        found = [column == value for column, value in equal if value is not None]
        if self.action is not None and self.action not in DENSE:
            found.append(literal_column(RARE, Boolean))
        if self.since is not None:
            found.append(AuditEntry.at >= self.since)
        if self.until is not None:
            found.append(AuditEntry.at < self.until)
        return found

    def words(self) -> dict[str, str]:
        """What was asked for, for the record of an export."""
        return {name: str(value) for name, value in vars(self).items() if value is not None}


def select_entries(wanted: AuditFilter, *within: ColumnElement[bool]) -> Select[AuditEntry]:
    return select(AuditEntry).where(*within, *wanted.conditions())


async def list_lines(
    session: AsyncSession,
    wanted: AuditFilter,
    *within: ColumnElement[bool],
    after: tuple[datetime, UUID] | None,
    limit: int,
) -> Sequence[Any]:
    """Entries as the lines that were sealed, oldest first, behind a key of time and id."""
    query = select(AuditEntry.at, AuditEntry.id, _LINE.label("line")).where(*within, *wanted.conditions())
    if after is not None:
        query = query.where(tuple_(*ORDER) > after)
    return (await session.execute(query.order_by(*ORDER).limit(limit))).all()


def entry_fields(entry: AuditEntry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in _SHOWN}

"""The settings document of a tenant, guarded by its version."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.inventory.models import TenantSettingsRow


async def find_settings(session: AsyncSession, tenant_id: UUID) -> TenantSettingsRow | None:
    query = select(TenantSettingsRow).where(TenantSettingsRow.tenant_id == tenant_id)
    return (await session.execute(query)).scalar()


async def move_settings(
    session: AsyncSession, tenant_id: UUID, data: dict[str, Any], *, version: int, now: datetime
) -> bool:
    """From `version` to the next; False when somebody else was first. Version 0: no row yet."""
    if version == 0:
        made = (
            upsert(TenantSettingsRow)
            .values(tenant_id=tenant_id, version=1, data=data, updated_at=now)
            .on_conflict_do_nothing()
            .returning(TenantSettingsRow.version)
        )
        return (await session.execute(made)).scalar() is not None
    moved = (
        update(TenantSettingsRow)
        .where(TenantSettingsRow.tenant_id == tenant_id, TenantSettingsRow.version == version)
        .values(version=version + 1, data=data, updated_at=now)
        .returning(TenantSettingsRow.version)
    )
    return (await session.execute(moved)).scalar() is not None

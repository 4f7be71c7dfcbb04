"""Read and change the settings of a tenant."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service.entries import record
from hashinsight.inventory.queries import settings as queries
from hashinsight.inventory.tenant_settings import TenantSettings, VersionedSettings, changed_sections
from hashinsight.kit.errors import Conflict, ValidationFailed
from hashinsight.wire.sites import fold_code


async def get_settings(session: AsyncSession, tenant_id: UUID) -> VersionedSettings:
    """The tenant's settings; version 0 are the defaults."""
    row = await queries.find_settings(session, tenant_id)
    if row is None:
        return VersionedSettings(0, TenantSettings(), None)
    return VersionedSettings(row.version, TenantSettings.model_validate(row.data), row.updated_at)


async def change_settings(
    session: AsyncSession, actor: Actor, tenant_id: UUID, new: TenantSettings, *, version: int, now: datetime
) -> VersionedSettings:
    """Store settings that were edited from `version`; a concurrent change is a conflict, never overwritten."""
    if new.thresholds.overheat_warn_c >= new.thresholds.overheat_crit_c:
        raise ValidationFailed("overheat_warn_c must be below overheat_crit_c")
    if len({fold_code(code) for code in new.rules.sites}) < len(new.rules.sites):
        raise ValidationFailed("rules.sites has a site twice: codes that differ only in case are the same site")
    old = await get_settings(session, tenant_id)
    if old.version != version:
        raise _outdated(old.version)
    sections = changed_sections(old.settings, new)
    if not sections:
        return old
    data: dict[str, Any] = new.model_dump(mode="json")
    if not await queries.move_settings(session, tenant_id, data, version=version, now=now):
        raise _outdated(None)
    before = old.settings.model_dump(mode="json")
    await record(
        session,
        actor,
        Action.SETTINGS_CHANGED,
        "settings",
        version + 1,
        tenant_id=tenant_id,
        before={name: before[name] for name in sections},
        after={name: data[name] for name in sections},
        now=now,
    )
    return VersionedSettings(version + 1, new, now)


def _outdated(version: int | None) -> Conflict:
    return Conflict(
        "the settings were changed since you read them: reload them",
        code="SETTINGS_CHANGED",
        details={"version": version},
    )

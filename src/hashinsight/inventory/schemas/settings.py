"""The settings document with its version."""

from datetime import datetime
from typing import Annotated, Self

from pydantic import BaseModel, Field

from hashinsight.inventory.filters import MAX_INT
from hashinsight.inventory.schemas import WHEN, example
from hashinsight.inventory.tenant_settings import (
    Approval,
    Pools,
    Prices,
    Rules,
    TenantSettings,
    Thresholds,
    VersionedSettings,
)


class SettingsChange(BaseModel):
    """`version` is the one that was read. A section that is given replaces the old one as a whole."""

    model_config = example(version=3, prices={"currency": "USD", "hashrate_per_ph_day": 52.5, "power_per_kwh": 0.055})

    version: Annotated[int, Field(ge=0, le=MAX_INT - 1)]
    prices: Prices | None = None
    thresholds: Thresholds | None = None
    approval: Approval | None = None
    pools: Pools | None = None
    rules: Rules | None = None

    def applied(self, old: TenantSettings) -> TenantSettings:
        given = {name: getattr(self, name) for name in TenantSettings.model_fields if getattr(self, name) is not None}
        return old.model_copy(update=given)


class SettingsOut(BaseModel):
    model_config = example(version=4, settings=TenantSettings().model_dump(mode="json"), updated_at=WHEN)

    version: int
    settings: TenantSettings
    updated_at: datetime | None

    @classmethod
    def of(cls, found: VersionedSettings) -> Self:
        return cls(version=found.version, settings=found.settings, updated_at=found.updated_at)

"""The settings document with its version."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from hashinsight.inventory.filters import MAX_INT
from hashinsight.inventory.schemas import Body
from hashinsight.inventory.tenant_settings import ApprovalSettings, Pools, Prices, Rules, TenantSettings, Thresholds
from hashinsight.kit.web.bodies import example


class SettingsChange(Body):
    """`version` is the one that was read. A section that is sent replaces the old one as a whole."""

    model_config = example(version=3, prices={"currency": "USD", "hashrate_per_ph_day": 52.5, "power_per_kwh": 0.055})

    version: Annotated[int, Field(ge=0, le=MAX_INT - 1)]
    prices: Prices | None = None
    thresholds: Thresholds | None = None
    approval: ApprovalSettings | None = None
    pools: Pools | None = None
    rules: Rules | None = None

    def applied_to(self, old: TenantSettings) -> TenantSettings:
        sections = {name: getattr(self, name) for name in TenantSettings.model_fields}
        return old.model_copy(update={name: section for name, section in sections.items() if section is not None})


class SettingsOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    version: int = Field(description="0: the defaults, never changed.")
    settings: TenantSettings
    updated_at: datetime | None

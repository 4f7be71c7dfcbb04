"""Maintenance of chosen machines."""

from datetime import datetime
from typing import Literal, Self
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, model_validator

from hashinsight.inventory.filters import MinerFilter
from hashinsight.inventory.schemas import example, example_of
from hashinsight.inventory.schemas.fields import MinerIds, Reason, Site


class Chosen(BaseModel):
    """Either `miner_ids` (of `site_id`, where an id is at more than one site), or `filter`."""

    site_id: Site | None = None
    miner_ids: MinerIds | None = None
    filter: MinerFilter | None = None
    reason: Reason

    @model_validator(mode="after")
    def _one_choice(self) -> Self:
        if (self.filter is None) == (self.miner_ids is None):
            raise ValueError("give either miner_ids or filter")
        if self.filter is not None and not self.filter.given():
            raise ValueError("the filter is empty: every machine would be meant")
        return self


class SetMaintenance(Chosen):
    model_config = example(
        site_id="tx-midland-1", miner_ids=["B2-R14-03"], reason="new fans", until_at="2026-03-01T18:00:00Z"
    )

    from_at: AwareDatetime | None = None
    until_at: AwareDatetime | None = None


class EndMaintenance(Chosen):
    model_config = example(filter={"site_id": "tx-midland-1", "rack": "R14"}, reason="fans are in")


class MaintenanceShown(BaseModel):
    """`kind` says whether `miner_id`, `zone` or `group` is set; `suppression_id` where a suppression makes it."""

    model_config = example(
        kind="miner",
        miner_id="B2-R14-03",
        zone=None,
        group=None,
        site="tx-midland-1",
        from_at="2026-03-01T12:00:00Z",
        until_at="2026-03-01T18:00:00Z",
        cause="suppressed for maintenance: new fans",
        suppression_id="01980f80-0000-7000-8000-0000000005e1",
    )

    kind: Literal["miner", "zone", "group", "site"]
    miner_id: str | None
    zone: str | None
    group: str | None
    site: str
    from_at: datetime
    until_at: datetime | None
    cause: str
    suppression_id: UUID | None


class MaintenanceList(BaseModel):
    model_config = example(maintenance=[example_of(MaintenanceShown)], more=False)

    maintenance: list[MaintenanceShown]
    more: bool


class Touched(BaseModel):
    model_config = example(machines=1)

    machines: int

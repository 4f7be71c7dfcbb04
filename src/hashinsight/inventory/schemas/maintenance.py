"""Maintenance of chosen machines."""

from typing import Self

from pydantic import AwareDatetime, BaseModel, model_validator

from hashinsight.inventory.filters import MinerFilter
from hashinsight.inventory.schemas import example
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


class Touched(BaseModel):
    model_config = example(machines=1)

    machines: int

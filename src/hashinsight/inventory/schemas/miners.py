"""Machines: their records, changes, maintenance, and the report of an import."""

from datetime import datetime
from typing import Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hashinsight.inventory.fields import (
    Firmware,
    Mac,
    MinerId,
    MinerIds,
    ModelName,
    Owner,
    Position,
    RackCode,
    Reason,
    Serial,
    SiteIdOrCode,
    Ths,
    ZoneCode,
)
from hashinsight.inventory.filters import Id, MinerFilter
from hashinsight.inventory.models import ExpectedState
from hashinsight.inventory.queries.miners import LocatedMiner
from hashinsight.inventory.schemas import Body
from hashinsight.kit.web.bodies import example
from hashinsight.kit.web.times import AwareInstant

Cooling = Literal["air", "hydro", "immersion"]
ServiceState = Literal["in_service", "retired"]
MAX_REPORTED_LINES = 10_000


class _MinerFields(Body):
    """`zone` and `rack` are codes."""

    serial: Serial | None = None
    mac: Mac | None = None
    model: ModelName | None = None
    firmware: Firmware | None = None
    zone: ZoneCode | None = None
    rack: RackCode | None = None
    position: Position | None = None
    power_node_id: Id | None = None
    network_node_id: Id | None = None
    owner: Owner | None = None
    expected_ths: Ths | None = None


class NewMiner(_MinerFields):
    """`zone` and `rack` are codes. Without `expected_ths` the expected hashrate comes from the catalogue."""

    model_config = example(
        site_id="tx-midland-1",
        miner_id="B2-R14-03",
        serial="HKLN2331A0042",
        mac="02:1a:2b:3c:4d:5e",
        model="Antminer S19j Pro",
        zone="B2",
        rack="R14",
        position="03",
        owner="Aurora Mining",
    )

    site_id: SiteIdOrCode
    miner_id: MinerId
    cooling: Cooling | None = None


def _without_default(schema: dict[str, Any]) -> None:
    """A field left out of an update keeps its value: the default is never written."""
    schema.pop("default", None)


class MinerUpdate(_MinerFields):
    """Fields that are sent change; null clears. `site_id` moves the machine to another site, with its history."""

    model_config = example(mac="02:1a:2b:3c:4d:77", position="04")

    site_id: SiteIdOrCode | None = None
    miner_id: MinerId = Field("", json_schema_extra=_without_default)
    cooling: Cooling = Field("air", json_schema_extra=_without_default)
    state: ServiceState = Field("in_service", json_schema_extra=_without_default)


class RetireBody(Body):
    model_config = example(reason="sold")

    reason: Reason


class MinerOut(BaseModel):
    miner_no: int = Field(description="Never changes, also with another id, MAC or site.")
    miner_id: str = Field(description="The operator's own id, unique at its site.")
    site_id: int
    site: str
    serial: str | None
    mac: str | None
    model: str | None
    firmware: str | None
    cooling: Cooling
    zone: str | None
    rack: str | None
    position: str | None
    power_node_id: int | None
    network_node_id: int | None
    owner: str | None
    expected_ths: float | None
    expected_source: Literal["operator", "reported", "catalogue", "baseline"] | None
    state: ServiceState
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, located: LocatedMiner) -> Self:
        codes = {"site": located.site, "zone": located.zone, "rack": located.rack}
        own = {name: getattr(located.miner, name) for name in MinerOut.model_fields if name not in codes}
        return cls(**own, **codes)


class ExpectedStateOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    state: Literal["curtailed", "stopped", "rebooting", "maintenance"]
    from_at: datetime
    until_at: datetime | None = Field(description="Null: until ended.")
    cause: str


class MinerDetail(BaseModel):
    miner: MinerOut
    expected: ExpectedStateOut | None = Field(
        description="Planned state in which the machine does not hash; null: it should be running."
    )

    @classmethod
    def of(cls, located: LocatedMiner, expected: ExpectedState | None) -> Self:
        shown = None if expected is None else ExpectedStateOut.model_validate(expected)
        return cls(miner=MinerOut.of(located), expected=shown)


class MinerList(BaseModel):
    miners: list[MinerOut]
    next_cursor: str | None


class MinerChangeOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    at: datetime
    field: str
    old: str | None
    new: str | None
    cause: Literal["operator", "import", "telemetry"]


class MinerChangeList(BaseModel):
    miner_no: int
    changes: list[MinerChangeOut]
    next_cursor: str | None


class MinerSelection(Body):
    """Either `miner_ids` (with `site_id`, where more than one site has an id), or `filter`."""

    site_id: SiteIdOrCode | None = None
    miner_ids: MinerIds | None = None
    filter: MinerFilter | None = None
    reason: Reason

    @model_validator(mode="after")
    def _filter_or_list(self) -> Self:
        if (self.filter is None) == (self.miner_ids is None):
            raise ValueError("send either miner_ids or filter")
        if self.filter is not None and not self.filter.given():
            raise ValueError("the filter is empty: it would select every machine")
        return self


class SetMaintenance(MinerSelection):
    model_config = example(
        site_id="tx-midland-1", miner_ids=["B2-R14-03"], reason="new fans", until_at="2026-03-01T18:00:00Z"
    )

    from_at: AwareInstant | None = None
    until_at: AwareInstant | None = None


class EndMaintenance(MinerSelection):
    model_config = example(filter={"site_id": "tx-midland-1", "rack": "R14"}, reason="fans replaced")


class MaintenanceOut(BaseModel):
    kind: Literal["miner", "zone", "group", "site"]
    miner_id: str | None = Field(description="Set for a machine.")
    zone: str | None = Field(description="Set for a zone.")
    group: str | None = Field(description="Set for a group.")
    site: str
    from_at: datetime
    until_at: datetime | None
    cause: str
    suppression_id: UUID | None = Field(description="Set when a suppression causes it; it ends when that is lifted.")


class MaintenanceList(BaseModel):
    maintenance: list[MaintenanceOut]
    more: bool = Field(description="There are more than `limit`.")


class MachineCount(BaseModel):
    machines: int


class RefusedLine(BaseModel):
    line: int
    miner_id: str | None
    error_code: str
    reason: str


class ImportReport(BaseModel):
    created: int
    changed: int
    unchanged: int
    refused: int = Field(description="All refused lines; `lines` has the first 10,000.")
    zones_created: int
    racks_created: int
    lines: list[RefusedLine]

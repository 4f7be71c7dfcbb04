"""Machines and their changes."""

from datetime import datetime
from typing import Any, Literal, Self
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field, model_validator

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
from hashinsight.inventory.schemas import WHEN, example

Cooling = Literal["air", "hydro", "immersion"]
_GIVEN = {
    "miner_id": "B2-R14-03",
    "serial": "HKLN2331A0042",
    "mac": "02:1a:2b:3c:4d:5e",
    "model": "Antminer S19j Pro",
    "firmware": "LUXminer 2026.1",
    "cooling": "air",
    "zone": "B2",
    "rack": "R14",
    "position": "03",
    "owner": "Aurora Mining",
}
_MINER = _GIVEN | {
    "miner_no": 10231,
    "site_id": 3,
    "site": "tx-midland-1",
    "power_node_id": 41,
    "network_node_id": None,
    "expected_ths": 104.0,
    "expected_source": "catalogue",
    "state": "in_service",
    "created_at": WHEN,
    "updated_at": WHEN,
}


class NewMiner(BaseModel):
    """`zone` and `rack` are codes; the expected hashrate comes from the catalogue where none is given."""

    model_config = example(site_id="tx-midland-1", **_GIVEN)

    site_id: SiteIdOrCode
    miner_id: MinerId
    serial: Serial | None = None
    mac: Mac | None = None
    model: ModelName | None = None
    firmware: Firmware | None = None
    cooling: Cooling | None = None
    zone: ZoneCode | None = None
    rack: RackCode | None = None
    position: Position | None = None
    power_node_id: Id | None = None
    network_node_id: Id | None = None
    owner: Owner | None = None
    expected_ths: Ths | None = None


def _without_default(schema: dict[str, Any]) -> None:
    """What an update leaves out stays as it is: the default is never written."""
    schema.pop("default", None)


class MinerUpdate(BaseModel):
    """Only what is given changes; null clears. `site_id` moves the machine to another site, with its history."""

    model_config = example(mac="02:1a:2b:3c:4d:77", position="04")

    site_id: SiteIdOrCode | None = None
    miner_id: MinerId = Field("", json_schema_extra=_without_default)
    serial: Serial | None = None
    mac: Mac | None = None
    model: ModelName | None = None
    firmware: Firmware | None = None
    cooling: Cooling = Field("air", json_schema_extra=_without_default)
    zone: ZoneCode | None = None
    rack: RackCode | None = None
    position: Position | None = None
    power_node_id: Id | None = None
    network_node_id: Id | None = None
    owner: Owner | None = None
    expected_ths: Ths | None = None
    state: Literal["in_service", "retired"] = Field("in_service", json_schema_extra=_without_default)


class RetireBody(BaseModel):
    model_config = example(reason="sold")

    reason: Reason


class MinerOut(BaseModel):
    model_config = example(**_MINER)

    miner_no: int
    miner_id: str
    site_id: int
    site: str
    serial: str | None
    mac: str | None
    model: str | None
    firmware: str | None
    cooling: str
    zone: str | None
    rack: str | None
    position: str | None
    power_node_id: int | None
    network_node_id: int | None
    owner: str | None
    expected_ths: float | None
    expected_source: str | None
    state: str
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, one: LocatedMiner) -> Self:
        codes = {"site": one.site, "zone": one.zone, "rack": one.rack}
        own = {name: getattr(one.miner, name) for name in MinerOut.model_fields if name not in codes}
        return cls(**own, **codes)


class ExpectedStateOut(BaseModel):
    model_config = {"from_attributes": True}

    state: str
    from_at: datetime
    until_at: datetime | None
    cause: str


class MinerDetail(BaseModel):
    """`expected` is what the machine is expected to be now, where that is not simply running."""

    model_config = example(
        miner=_MINER,
        expected={"state": "maintenance", "from_at": WHEN, "until_at": None, "cause": "maintenance: new fans"},
    )

    miner: MinerOut
    expected: ExpectedStateOut | None

    @classmethod
    def of(cls, one: LocatedMiner, expected: ExpectedState | None) -> Self:
        return cls(
            miner=MinerOut.of(one), expected=None if expected is None else ExpectedStateOut.model_validate(expected)
        )


class MinerList(BaseModel):
    model_config = example(miners=[_MINER], next_cursor="W1sicyIsIkIyLVIxNC0wMyJdXQ")

    miners: list[MinerOut]
    next_cursor: str | None


class MinerChangeOut(BaseModel):
    model_config = {"from_attributes": True}

    id: UUID
    at: datetime
    field: str
    old: str | None
    new: str | None
    cause: str


class MinerChangeList(BaseModel):
    model_config = example(
        miner_no=10231,
        changes=[
            {
                "id": "01980f7e-6f6a-7c3e-9d8b-2f6f4f0f7a11",
                "at": WHEN,
                "field": "mac",
                "old": "02:1a:2b:3c:4d:5e",
                "new": "02:1a:2b:3c:4d:77",
                "cause": "operator",
            }
        ],
        next_cursor=None,
    )

    miner_no: int
    changes: list[MinerChangeOut]
    next_cursor: str | None


class MinerSelection(BaseModel):
    """Either `miner_ids` (of `site_id`, where an id is at more than one site), or `filter`."""

    site_id: SiteIdOrCode | None = None
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


class SetMaintenance(MinerSelection):
    model_config = example(
        site_id="tx-midland-1", miner_ids=["B2-R14-03"], reason="new fans", until_at="2026-03-01T18:00:00Z"
    )

    from_at: AwareDatetime | None = None
    until_at: AwareDatetime | None = None


class EndMaintenance(MinerSelection):
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
    maintenance: list[MaintenanceShown]
    more: bool


class MachineCount(BaseModel):
    model_config = example(machines=1)

    machines: int


SHOWN_LINES = 10_000


class RefusedLine(BaseModel):
    line: int
    miner_id: str | None
    error_code: str
    reason: str


class ImportReport(BaseModel):
    """`refused` counts all refused lines; `lines` lists the first 10,000 of them."""

    model_config = example(
        created=4118,
        changed=1,
        unchanged=0,
        refused=1,
        zones_created=4,
        racks_created=96,
        lines=[
            {
                "line": 17,
                "miner_id": "B2-R14-03",
                "error_code": "BAD_MAC",
                "reason": "mac is no address of 12 hexadecimal digits",
            }
        ],
    )

    created: int
    changed: int
    unchanged: int
    refused: int
    zones_created: int
    racks_created: int
    lines: list[RefusedLine]

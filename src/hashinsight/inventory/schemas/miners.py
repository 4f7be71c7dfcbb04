"""Machines and their changes."""

from datetime import datetime
from typing import Literal, Self
from uuid import UUID

from pydantic import BaseModel

from hashinsight.inventory.filters import Id
from hashinsight.inventory.models import ExpectedState
from hashinsight.inventory.queries.miners import Located
from hashinsight.inventory.schemas import WHEN, example
from hashinsight.inventory.schemas.fields import (
    Firmware,
    Mac,
    MinerId,
    Model,
    Owner,
    Position,
    Rack,
    Reason,
    Serial,
    Site,
    Ths,
    Zone,
)

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

    site_id: Site
    miner_id: MinerId
    serial: Serial | None = None
    mac: Mac | None = None
    model: Model | None = None
    firmware: Firmware | None = None
    cooling: Cooling | None = None
    zone: Zone | None = None
    rack: Rack | None = None
    position: Position | None = None
    power_node_id: Id | None = None
    network_node_id: Id | None = None
    owner: Owner | None = None
    expected_ths: Ths | None = None


class MinerChangeBody(BaseModel):
    """Only what is given changes; null clears. `site_id` moves the machine to another site, with its history."""

    model_config = example(mac="02:1a:2b:3c:4d:77", position="04")

    site_id: Site | None = None
    miner_id: MinerId = ""
    serial: Serial | None = None
    mac: Mac | None = None
    model: Model | None = None
    firmware: Firmware | None = None
    cooling: Cooling = "air"
    zone: Zone | None = None
    rack: Rack | None = None
    position: Position | None = None
    power_node_id: Id | None = None
    network_node_id: Id | None = None
    owner: Owner | None = None
    expected_ths: Ths | None = None
    state: Literal["in_service", "retired"] = "in_service"


class RetireBody(BaseModel):
    model_config = example(reason="sold")

    reason: Reason


class MinerShown(BaseModel):
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
    def of(cls, one: Located) -> Self:
        codes = {"site": one.site, "zone": one.zone, "rack": one.rack}
        own = {name: getattr(one.miner, name) for name in MinerShown.model_fields if name not in codes}
        return cls(**own, **codes)


class Expected(BaseModel):
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

    miner: MinerShown
    expected: Expected | None

    @classmethod
    def of(cls, one: Located, expected: ExpectedState | None) -> Self:
        return cls(miner=MinerShown.of(one), expected=None if expected is None else Expected.model_validate(expected))


class Miners(BaseModel):
    model_config = example(miners=[_MINER], next_cursor="W1sicyIsIkIyLVIxNC0wMyJdXQ")

    miners: list[MinerShown]
    next_cursor: str | None


class ChangeShown(BaseModel):
    model_config = {"from_attributes": True}

    id: UUID
    at: datetime
    field: str
    old: str | None
    new: str | None
    cause: str


class Changes(BaseModel):
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
    changes: list[ChangeShown]
    next_cursor: str | None

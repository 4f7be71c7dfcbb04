"""Sites, zones, racks, nodes."""

from datetime import datetime
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel

from hashinsight.inventory.fields import Name, RackCode, SiteCode, SiteIdOrCode, ZoneCode
from hashinsight.inventory.filters import Id
from hashinsight.inventory.schemas import WHEN, example


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("no time zone of this name") from None
    return name


Timezone = Annotated[str, AfterValidator(_known_zone)]
_SITE = {"code": "tx-midland-1", "name": "Midland 1", "timezone": "America/Chicago"}


class NewSite(BaseModel):
    model_config = example(**_SITE)

    code: SiteCode
    name: Name
    timezone: Timezone = "UTC"


class SiteChange(BaseModel):
    model_config = example(name="Midland, hall 1")

    code: SiteCode | None = None
    name: Name | None = None
    timezone: Timezone | None = None


class SiteOut(BaseModel):
    model_config = example(id=3, created_at=WHEN, **_SITE) | {"from_attributes": True}

    id: int
    code: str
    name: str
    timezone: str
    created_at: datetime


class SiteDetail(SiteOut):
    """`miners` are those in service that the caller sees."""

    model_config = example(id=3, created_at=WHEN, miners=4120, **_SITE) | {"from_attributes": True}

    miners: int


class SiteList(BaseModel):
    model_config = example(sites=[{"id": 3, "created_at": WHEN, **_SITE}], next_cursor=None)

    sites: list[SiteOut]
    next_cursor: str | None


class NewZone(BaseModel):
    model_config = example(site_id="tx-midland-1", code="B2", name="Building 2")

    site_id: SiteIdOrCode
    code: ZoneCode
    name: Name | None = None


class ZoneChange(BaseModel):
    model_config = example(name="Building 2, north")

    code: ZoneCode | None = None
    name: Name | None = None


class ZoneOut(BaseModel):
    model_config = example(id=7, site_id=3, code="B2", name="Building 2") | {"from_attributes": True}

    id: int
    site_id: int
    code: str
    name: str


class ZoneList(BaseModel):
    model_config = example(zones=[{"id": 7, "site_id": 3, "code": "B2", "name": "Building 2"}], next_cursor=None)

    zones: list[ZoneOut]
    next_cursor: str | None


class NewRack(BaseModel):
    model_config = example(site_id="tx-midland-1", zone="B2", code="R14")

    site_id: SiteIdOrCode
    zone: ZoneCode | None = None
    code: RackCode


class RackOut(BaseModel):
    model_config = example(id=21, site_id=3, zone_id=7, code="R14") | {"from_attributes": True}

    id: int
    site_id: int
    zone_id: int | None
    code: str


class RackList(BaseModel):
    model_config = example(racks=[{"id": 21, "site_id": 3, "zone_id": 7, "code": "R14"}], next_cursor=None)

    racks: list[RackOut]
    next_cursor: str | None


class NewNode(BaseModel):
    """A point of the power tree (transformer, breaker, pdu) or of the network (router, switch)."""

    model_config = example(site_id="tx-midland-1", kind="pdu", code="PDU-14", parent_id=40)

    site_id: SiteIdOrCode
    kind: Literal["transformer", "breaker", "pdu", "router", "switch"]
    code: RackCode
    parent_id: Id | None = None


class NodeOut(BaseModel):
    model_config = example(id=41, site_id=3, kind="pdu", code="PDU-14", parent_id=40) | {"from_attributes": True}

    id: int
    site_id: int
    kind: str
    code: str
    parent_id: int | None


class NodeList(BaseModel):
    model_config = example(
        nodes=[{"id": 41, "site_id": 3, "kind": "pdu", "code": "PDU-14", "parent_id": 40}], next_cursor=None
    )

    nodes: list[NodeOut]
    next_cursor: str | None

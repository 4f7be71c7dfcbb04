"""Sites, zones, racks, nodes."""

from datetime import datetime
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from hashinsight.inventory.fields import Name, RackCode, SiteCode, SiteIdOrCode, ZoneCode
from hashinsight.inventory.filters import Id
from hashinsight.inventory.schemas import Body
from hashinsight.kit.web.bodies import example


def _known_time_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("unknown time zone") from None
    return name


TimeZone = Annotated[str, AfterValidator(_known_time_zone)]
NodeKind = Literal["transformer", "breaker", "pdu", "router", "switch"]


class NewSite(Body):
    model_config = example(code="tx-midland-1", name="Midland 1", timezone="America/Chicago")

    code: SiteCode
    name: Name
    timezone: TimeZone = "UTC"


class SiteChange(Body):
    model_config = example(name="Midland, hall 1")

    code: SiteCode | None = None
    name: Name | None = None
    timezone: TimeZone | None = None


class SiteOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    code: str
    name: str
    timezone: str
    created_at: datetime


class SiteDetail(SiteOut):
    miners: int = Field(description="Machines in service that the caller sees.")


class SiteList(BaseModel):
    sites: list[SiteOut]
    next_cursor: str | None


class NewZone(Body):
    model_config = example(site_id="tx-midland-1", code="B2", name="Building 2")

    site_id: SiteIdOrCode
    code: ZoneCode
    name: Name | None = None


class ZoneChange(Body):
    model_config = example(name="Building 2, north")

    code: ZoneCode | None = None
    name: Name | None = None


class ZoneOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    site_id: int
    code: str
    name: str


class ZoneList(BaseModel):
    zones: list[ZoneOut]
    next_cursor: str | None


class NewRack(Body):
    model_config = example(site_id="tx-midland-1", zone="B2", code="R14")

    site_id: SiteIdOrCode
    zone: ZoneCode | None = None
    code: RackCode


class RackOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    site_id: int
    zone_id: int | None
    code: str


class RackList(BaseModel):
    racks: list[RackOut]
    next_cursor: str | None


class NewNode(Body):
    """A point of the power tree (transformer, breaker, pdu) or of the network (router, switch)."""

    model_config = example(site_id="tx-midland-1", kind="pdu", code="PDU-14", parent_id=40)

    site_id: SiteIdOrCode
    kind: NodeKind
    code: RackCode
    parent_id: Id | None = None


class NodeOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    site_id: int
    kind: NodeKind
    code: str
    parent_id: int | None


class NodeList(BaseModel):
    nodes: list[NodeOut]
    next_cursor: str | None

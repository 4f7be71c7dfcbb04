"""An authenticated collector, as services see it."""

from dataclasses import dataclass
from uuid import UUID

from hashinsight.audit.actions import Actor
from hashinsight.collectors.states import CollectorPermission, Status
from hashinsight.kit.db.context import Context
from hashinsight.kit.errors import Forbidden
from hashinsight.wire.sites import matches_site


@dataclass(frozen=True)
class CollectorCaller:
    tenant_id: UUID
    site_id: int
    site_code: str
    zone_id: int | None
    collector_id: UUID
    collector_no: int
    name: str
    status: Status
    permissions: frozenset[CollectorPermission]
    device_id: str | None
    site_name: str  # its site as the collector writes it: it compares as text
    actor: Actor
    clock_skew_sec: float | None = None
    names_site: bool = False  # in this call, by header or query
    named_zone_id: int | None = None  # the zone that this call names

    @property
    def stands_in(self) -> int | None:
        """The zone of newly reported machines: the token's, else the one that the call names."""
        return self.named_zone_id if self.zone_id is None else self.zone_id

    def may(self, permission: CollectorPermission) -> bool:
        return permission in self.permissions

    def check_site(self, named: str) -> None:
        """For a site in a path or body: refused if it is not the token's."""
        if not matches_site(named, site_id=self.site_id, code=self.site_code):
            raise Forbidden("this token belongs to another site", code="SITE_MISMATCH")

    def context(self) -> Context:
        return Context(tenant=str(self.tenant_id), sites=(self.site_id,))

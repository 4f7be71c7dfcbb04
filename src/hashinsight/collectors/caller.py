"""A collector that was let in, as those below the door see it: a value that needs no web."""

from dataclasses import dataclass
from uuid import UUID

from hashinsight.audit.actions import Actor
from hashinsight.collectors.kinds import CollectorPermission, Status
from hashinsight.kit.db.context import Context
from hashinsight.kit.errors import Forbidden


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
    site_form: str  # id or code: how this collector names its site
    actor: Actor
    clock_skew_sec: float | None = None

    @property
    def site_name(self) -> str:
        """Its site in the form that it uses itself: it compares as text."""
        return str(self.site_id) if self.site_form == "id" else self.site_code

    def may(self, permission: CollectorPermission) -> bool:
        return permission in self.permissions

    def check_site(self, named: str) -> None:
        """For sites that are named in a path or a body: another one than the token's is refused."""
        if form_of(named, self.site_id, self.site_code) is None:
            raise Forbidden("this token belongs to another site", code="SITE_MISMATCH")

    def context(self) -> Context:
        return Context(tenant=str(self.tenant_id), sites=(self.site_id,))


def form_of(named: str, site_id: int, site_code: str) -> str | None:
    """Whether a text names this site, and how."""
    if named == site_code:
        return "code"
    return "id" if named == str(site_id) else None

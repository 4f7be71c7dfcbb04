"""Which collector claimed a machine without a zone, and until when a collector may register a whole site.

A machine that a zone's collector registered before registration kept the zone gets it now: without one it would have no
commands. Where that is not certain, the zone that reads the machine has claimed it, and an event says so.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from hashinsight.kit.clock import system_clock
from hashinsight.kit.ids import new_id

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_NAMED = 50  # in an entry or event; the rest is counted
_AS_REGISTERED = "registered by this zone's collector before machines that it reports joined its zone"
_AS_READ = "read by this zone's collector when claims began"
_SET_ZONE = (
    "No other zone's collector may report them, and they get no commands from this one until they have a zone. "
    "Set their zone."
)
# Who registered: as the machine says, else as the entry of the very moment in which it was made does. Certain is one
# collector, of a zone, where no person changed the machine's zone and no other zone brought the newest sample.
_REGISTERED = sa.text("""
with registered as (
    -- since 0019
    select m.miner_no, c.zone_id, c.number
    from miners m join collectors c on c.number = m.registered_by and c.site_id = m.site_id
    where m.zone_id is null
    union
    -- before it
    select m.miner_no, c.zone_id, c.number
    from miners m
    join audit_log a on a.tenant_id = m.tenant_id and a.action = 'miners_registered' and a.actor_kind = 'collector'
        and a.entity_type = 'site' and a.entity_id = m.site_id::text and a.at = m.created_at
    join collectors c on c.id::text = a.actor_id and c.site_id = m.site_id
    where m.zone_id is null and m.registered_by is null
), certain as (
    select miner_no, min(zone_id) as zone_id
    from registered
    group by miner_no
    having count(distinct number) = 1 and min(zone_id) is not null
)
update miners m set zone_id = s.zone_id
from certain s
where s.miner_no = m.miner_no
    and not exists (select from miner_changes h where h.miner_no = m.miner_no and h.field = 'zone')
    and not exists (
        select from telemetry_live l join collectors c on c.number = l.collector_no
        where l.miner_no = m.miner_no and c.zone_id <> s.zone_id
    )
returning m.tenant_id, m.site_id, m.zone_id, m.miner_id
""")
# whoever reads a machine today goes on, also where the whole site's collector reads it as well
_CLAIM = sa.text("""
update miners m set claimed_by = c.number
from telemetry_live l join collectors c on c.number = l.collector_no
where l.miner_no = m.miner_no and m.zone_id is null and c.site_id = m.site_id and c.zone_id is not null
returning c.id as collector_id, c.name, m.tenant_id, m.site_id, c.zone_id, m.miner_id
""")
_RECORD = sa.text("""
insert into audit_log (id, at, tenant_id, actor_kind, action, entity_type, entity_id, after, reason)
values (:id, :now, :tenant_id, 'system', :action, 'site', :site_id, :after, :why)
""").bindparams(sa.bindparam("after", type_=JSONB))
_TELL = sa.text("""
insert into collector_events (id, tenant_id, site_id, zone_id, collector_id, at, source, kind, severity, title, message,
    details)
values (:id, :tenant_id, :site_id, :zone_id, :collector_id, :now, 'cloud', 'machines_claimed', 'warning', :title,
    :message, :details)
""").bindparams(sa.bindparam("details", type_=JSONB))


def _grouped(rows: Iterable[Any]) -> dict[tuple[Any, ...], list[str]]:
    """The machines, which stand last in a row, by what stands before them."""
    found: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for *group, miner_id in sorted(rows, key=lambda row: str(row[-1])):
        found[tuple(group)].append(miner_id)
    return found


def _settle_zones() -> None:
    """What was done is in the audit log; what is left for people to do is an event, too."""
    connection, now = op.get_bind(), system_clock()
    for (tenant_id, site_id, zone_id), named in _grouped(connection.execute(_REGISTERED)).items():
        after = {"machines": len(named), "miner_ids": named[:_NAMED], "zone_id": zone_id}
        entry = {"tenant_id": tenant_id, "site_id": str(site_id), "after": after, "action": "miner_changed"}
        connection.execute(_RECORD, {**entry, "id": new_id(), "now": now, "why": _AS_REGISTERED})
    for (collector_id, name, tenant_id, site_id, zone_id), named in _grouped(connection.execute(_CLAIM)).items():
        details = {"machines": len(named), "miner_ids": named[:_NAMED], "zone_id": zone_id}
        entry = {"tenant_id": tenant_id, "site_id": str(site_id), "after": details, "action": "miners_claimed"}
        connection.execute(_RECORD, {**entry, "id": new_id(), "now": now, "why": _AS_READ})
        event = {"tenant_id": tenant_id, "site_id": site_id, "zone_id": zone_id, "collector_id": collector_id}
        title = f"collector {name} reads {len(named):,} machines listed without a zone"
        connection.execute(
            _TELL, {**event, "id": new_id(), "now": now, "title": title, "message": _SET_ZONE, "details": details}
        )


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.add_column("miners", sa.Column("claimed_by", sa.Integer))
    op.add_column("collectors", sa.Column("registration_open_until", sa.DateTime(timezone=True)))
    _settle_zones()


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.drop_column("collectors", "registration_open_until")
    op.drop_column("miners", "claimed_by")

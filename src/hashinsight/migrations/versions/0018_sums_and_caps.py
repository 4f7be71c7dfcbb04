"""What a requester commanded without approval, whose a dedupe key is, and what exceeded a site's cap.

Changes of configuration that were asked for while any key passed are canceled: they would go out as they are.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from hashinsight.kit.clock import system_clock
from hashinsight.kit.ids import new_ids
from hashinsight.migrations.policies import protect

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_KEY, _DEDUPE = "pk_command_dedupe", "command_dedupe"
_VIEW = (
    "create view all_commands with (security_invoker = true) as"
    " select * from commands union all select * from commands_done"
)
# jsonb sorts by kind first: what lies between two numbers is one
_UNCHECKED = sa.text("""
select command_id from commands
where command_type = 'update_config' and finished_at is null and cancel_requested_at is null and case
    when jsonb_typeof(params -> 'config') = 'object' then exists (
        select from jsonb_each(params -> 'config') s where not coalesce(case s.key
            when 'power_mode' then s.value in ('"eco"', '"normal"', '"perf"')
            when 'power_limit_w' then s.value between '100' and '20000'
            when 'frequency_mhz' then s.value between '100' and '1500'
            when 'fan_speed_pct' then s.value between '0' and '100' end, false))
    else true end
order by command_id for update
""")
# as anybody's cancel: at once in the queue; handed out, its ack or the end of its lease decides
_CANCEL = sa.text("""
with moved as (
    update commands c
    set state = case when c.state = 'queued' then 'canceled' else c.state end, moves = c.moves + 1,
        finished_at = case when c.state = 'queued' then cast(:now as timestamptz) end,
        cancel_requested_at = cast(:now as timestamptz), updated_at = cast(:now as timestamptz),
        error_code = case when c.state = 'queued' then 'CANCELED' end,
        error_message = case when c.state = 'queued' then :why end
    from unnest(cast(:ids as uuid[]), cast(:entries as uuid[])) as given (id, entry_id)
    where c.command_id = given.id and c.state in ('queued', 'dispatched', 'running') and c.cancel_requested_at is null
    returning c.command_id, c.moves, c.tenant_id, c.site_id, c.state, given.entry_id,
        case when c.state = 'canceled' then 'queued' else c.state end as old_state,
        case when c.state = 'canceled' then 'canceled' else 'cancel_requested' end as event
), told as (
    insert into command_history (command_id, n, tenant_id, site_id, at, event, old_state, new_state, actor_kind,
        message)
    select command_id, moves, tenant_id, site_id, cast(:now as timestamptz), event, old_state, state, 'system', :why
    from moved
)
insert into audit_log (id, at, tenant_id, actor_kind, action, entity_type, entity_id, before, after, reason)
select entry_id, cast(:now as timestamptz), tenant_id, 'system', 'command_' || event, 'command', command_id::text,
    jsonb_build_object('state', old_state), jsonb_build_object('state', state), :why
from moved
""")
_WHY = "update_config takes listed settings within their bounds; ask again with these"


def _cancel_unchecked() -> None:
    connection = op.get_bind()
    ids = list(connection.execute(_UNCHECKED).scalars())
    if ids:
        connection.execute(_CANCEL, {"ids": ids, "entries": new_ids(len(ids)), "why": _WHY, "now": system_clock()})


def _show_all() -> None:
    op.execute(_VIEW)
    op.execute("grant select on all_commands to hi_app, hi_job")


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.create_table(
        "command_unapproved",
        sa.Column("tenant_id", sa.Uuid, nullable=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("requester", sa.Text, nullable=False),
        sa.Column("miner_no", sa.Integer, nullable=False),
        sa.Column("command_id", sa.Uuid, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("power_w", sa.REAL, nullable=False),
        sa.PrimaryKeyConstraint("site_id", "requester", "miner_no", name="pk_command_unapproved"),
    )
    op.create_index("ix_command_unapproved_at", "command_unapproved", ["at"])
    protect("command_unapproved", site_column="site_id", app="select, insert, update")
    op.add_column(_DEDUPE, sa.Column("requester", sa.Text, nullable=False, server_default=sa.text("''")))
    op.drop_constraint(_KEY, _DEDUPE)
    op.create_primary_key(_KEY, _DEDUPE, ["tenant_id", "dedupe_key", "miner_no", "requester"])
    op.execute("drop view all_commands")
    for table in ("commands", "commands_done"):
        op.add_column(table, sa.Column("over_cap", JSONB(none_as_null=True)))
    _show_all()
    _cancel_unchecked()


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.execute("drop view all_commands")
    for table in ("commands", "commands_done"):
        op.drop_column(table, "over_cap")
    _show_all()
    op.drop_constraint(_KEY, _DEDUPE)
    op.execute(
        "delete from command_dedupe d using command_dedupe o where (o.tenant_id, o.dedupe_key, o.miner_no)"
        " = (d.tenant_id, d.dedupe_key, d.miner_no) and o.requester < d.requester"
    )
    op.drop_column(_DEDUPE, "requester")
    op.create_primary_key(_KEY, _DEDUPE, ["tenant_id", "dedupe_key", "miner_no"])
    op.drop_table("command_unapproved")

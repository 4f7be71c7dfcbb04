"""The person behind an API key, found through keys that made keys; failures by account; where a user came from.

A key ends with the person who made it: the door asks whether that person could still make it.
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_KEY_DOOR = "key_entering(bytea, timestamptz)"
_PERSON = "person_of(text, text)"
_HELD = """
    (select coalesce(json_agg(json_build_array(role, site_ids, zone_ids, group_ids)), '[]')::text from held),
    array(select t.site_id from sites_touched(
        array(select unnest(zone_ids) from held), array(select unnest(group_ids) from held)) t)
"""
_BACKED = """
    k.user_id is null or exists (
        select from users u join grants g on g.user_id = u.id
        where u.id = k.user_id and u.state = 'active' and g.role = 'Owner'
            and coalesce(g.site_ids, g.zone_ids, g.group_ids) is null)
"""


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.add_column(
        "api_keys",
        sa.Column("user_id", sa.Uuid(), sa.ForeignKey("users.id", name="fk_api_keys_user_id"), nullable=True),
    )
    # a key that a key made belongs to whoever made the first of them
    op.execute("""
        with recursive made (key_id, tenant_id, maker) as (
            select id, tenant_id, created_by from api_keys
            union
            select m.key_id, m.tenant_id, k.created_by from made m
            join api_keys k on k.id::text = m.maker and k.tenant_id = m.tenant_id
        )
        update api_keys k set user_id = u.id from made m
        join users u on u.id::text = m.maker and u.tenant_id = m.tenant_id
        where m.key_id = k.id
    """)
    # counters of minutes: the doors have other names now
    op.execute("delete from login_failures")
    op.add_column("login_failures", sa.Column("account", sa.LargeBinary(), nullable=False))
    op.create_index("ix_login_failures_account", "login_failures", ["account"])
    op.create_index("ix_login_failures_last_at", "login_failures", ["last_at"])
    op.create_index("ix_login_sessions_came_from", "login_sessions", ["user_id", "created_at"])
    _open_key_door("tenant_id uuid, id uuid, user_id uuid, is_backed boolean", f"k.user_id, {_BACKED},")
    # as whoever calls it, so under the policies
    op.execute("""
        create function person_of(kind text, actor text) returns text language sql stable as $$
            select case kind
                when 'user' then actor
                when 'api_key' then (select k.user_id::text from api_keys k where k.id = actor::uuid)
            end
        $$
    """)
    op.execute(f"revoke execute on function {_PERSON} from public")
    op.execute(f"grant execute on function {_PERSON} to hi_app, hi_job")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.execute(f"drop function {_PERSON}")
    _open_key_door("tenant_id uuid, id uuid", "")
    op.drop_index("ix_login_sessions_came_from", "login_sessions")
    op.drop_index("ix_login_failures_last_at", "login_failures")
    op.drop_index("ix_login_failures_account", "login_failures")
    op.drop_column("login_failures", "account")
    op.drop_column("api_keys", "user_id")


def _open_key_door(columns: str, chosen: str) -> None:
    op.execute(f"drop function {_KEY_DOOR}")
    op.execute(f"""
        create function key_entering(hash bytea, as_of timestamptz) returns table (
            {columns}, grants text, touched integer[]
        ) language plpgsql as $$
        #variable_conflict use_column
        declare
            known record;
        begin
            select * into known from lookup_api_key(hash);
            perform set_config('app.tenant', known.tenant_id::text, true), set_config('app.sites', '*', true);
            -- once a minute is enough
            update api_keys set last_used_at = as_of
            where id = known.id and revoked_at is null and (expires_at is null or expires_at > as_of)
                and (last_used_at is null or last_used_at < as_of - interval '1 minute');
            return query
                with held as (select * from grants where api_key_id = known.id)
                select k.tenant_id, k.id, {chosen} {_HELD}
                from api_keys k
                where k.id = known.id and k.revoked_at is null and (k.expires_at is null or k.expires_at > as_of);
        end $$
    """)  # noqa: S608 - words of our own
    op.execute(f"revoke execute on function {_KEY_DOOR} from public")
    op.execute(f"grant execute on function {_KEY_DOOR} to hi_app")

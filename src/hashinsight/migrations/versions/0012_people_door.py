"""The door of people and keys as one call each: every request begins with it."""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_FUNCTIONS = ("user_entering(uuid, uuid, uuid)", "key_entering(bytea, timestamptz)")
_HELD = """
    (select coalesce(json_agg(json_build_array(role, site_ids, zone_ids, group_ids)), '[]')::text from held),
    array(select t.site_id from sites_touched(
        array(select unnest(zone_ids) from held), array(select unnest(group_ids) from held)) t)
"""


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    # As whoever calls them, so under the policies: from its first statement on, the transaction sees the rows of the
    # tenant that a signature or a key's hash vouched for. They are meant for a transaction of their own.
    op.execute(f"""
        create function user_entering(of_tenant uuid, who uuid, by_session uuid) returns table (
            state text, has_totp boolean, require_totp boolean, revoked_at timestamptz, expires_at timestamptz,
            grants text, touched integer[]
        ) language plpgsql as $$
        #variable_conflict use_column
        begin
            perform set_config('app.tenant', of_tenant::text, true), set_config('app.sites', '*', true);
            return query
                with held as (select * from grants where user_id = who)
                select u.state::text, u.totp_confirmed_at is not null, t.require_totp, s.revoked_at, s.expires_at,
                    {_HELD}
                from users u join tenants t on t.id = of_tenant left join login_sessions s on s.id = by_session
                where u.id = who;
        end $$
    """)  # noqa: S608 - words of our own
    op.execute(f"""
        create function key_entering(hash bytea, as_of timestamptz) returns table (
            tenant_id uuid, id uuid, grants text, touched integer[]
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
                select k.tenant_id, k.id, {_HELD}
                from api_keys k
                where k.id = known.id and k.revoked_at is null and (k.expires_at is null or k.expires_at > as_of);
        end $$
    """)  # noqa: S608 - words of our own
    for name in _FUNCTIONS:
        op.execute(f"revoke execute on function {name} from public")
        op.execute(f"grant execute on function {name} to hi_app")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for name in _FUNCTIONS:
        op.execute(f"drop function {name}")

"""The door of collectors as one call: every poll, ack and upload begins with it."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_NAME = "collector_holding(bytea)"


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    # As whoever calls it, so under the policies: from its first statement on, the transaction sees the site of the
    # token's collector, and nothing where there is none. It is meant for a transaction of its own.
    op.execute("""
        create function collector_holding(hash bytea) returns table (
            tenant_id uuid, site_id integer, collector_id uuid, revoked_at timestamptz, expires_at timestamptz,
            zone_id integer, name text, status text, permissions text[], site_form text, last_seen_at timestamptz,
            clock_skew_sec double precision, site_code text
        ) language plpgsql as $$
        #variable_conflict use_column
        begin
            perform set_config('app.tenant', found.tenant_id::text, true),
                set_config('app.sites', found.site_id::text, true)
            from lookup_collector(hash) as found;
            return query
                select c.tenant_id, c.site_id::integer, c.id, t.revoked_at, t.expires_at, c.zone_id::integer,
                    c.name::text, c.status::text, c.permissions::text[], c.site_form::text, c.last_seen_at,
                    c.clock_skew_sec::double precision, s.code::text
                from collector_tokens t join collectors c on c.id = t.collector_id join sites s on s.id = c.site_id
                where t.token_hash = hash;
        end $$
    """)
    op.execute(f"revoke execute on function {_NAME} from public")
    op.execute(f"grant execute on function {_NAME} to hi_app")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.execute(f"drop function {_NAME}")

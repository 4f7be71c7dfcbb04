"""Sites, zones, racks, nodes, miners, groups, tenant settings, expected states."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from hashinsight.migrations.columns import at_column, id_column, int_column, reference, tenant_columns, text_column
from hashinsight.migrations.policies import protect

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_TABLES = (
    "expected_states",
    "tenant_settings",
    "group_members",
    "groups",
    "miner_changes",
    "miners",
    "nodes",
    "racks",
    "zones",
    "sites",
)


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    _places()
    _miners()
    _groups()
    _settings_and_states()


def _places() -> None:
    op.create_table(
        "sites",
        id_column(),
        *tenant_columns("sites"),
        text_column("code"),
        text_column("name"),
        text_column("timezone", default="UTC"),
        at_column("created_at"),
        sa.PrimaryKeyConstraint("id", name="pk_sites"),
        sa.UniqueConstraint("code", name="uq_sites_code"),
    )
    op.create_index("ix_sites_tenant_id", "sites", ["tenant_id", "id"])
    # a site is made before it is in anybody's list of sites: that is for those with the whole tenant
    protect("sites", site_column="id")
    op.create_table(
        "zones",
        id_column(),
        *tenant_columns("zones"),
        int_column("site_id"),
        text_column("code"),
        text_column("name"),
        sa.PrimaryKeyConstraint("id", name="pk_zones"),
        reference("zones", "site_id", "sites.id"),
        sa.UniqueConstraint("site_id", "code", name="uq_zones_site_id_code"),
    )
    protect("zones", site_column="site_id")
    op.create_table(
        "racks",
        id_column(),
        *tenant_columns("racks"),
        int_column("site_id"),
        int_column("zone_id", nullable=True),
        text_column("code"),
        sa.PrimaryKeyConstraint("id", name="pk_racks"),
        reference("racks", "site_id", "sites.id"),
        reference("racks", "zone_id", "zones.id"),
        sa.UniqueConstraint(
            "site_id", "zone_id", "code", name="uq_racks_site_id_zone_id_code", postgresql_nulls_not_distinct=True
        ),
    )
    protect("racks", site_column="site_id")
    op.create_table(
        "nodes",
        id_column(),
        *tenant_columns("nodes"),
        int_column("site_id"),
        text_column("kind"),
        text_column("code"),
        int_column("parent_id", nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_nodes"),
        reference("nodes", "site_id", "sites.id"),
        reference("nodes", "parent_id", "nodes.id"),
        sa.UniqueConstraint("site_id", "kind", "code", name="uq_nodes_site_id_kind_code"),
        sa.CheckConstraint("kind in ('transformer', 'breaker', 'pdu', 'router', 'switch')", name="ck_nodes_kind"),
        sa.CheckConstraint("parent_id is null or parent_id <> id", name="ck_nodes_not_its_own_parent"),
    )
    protect("nodes", site_column="site_id")


def _miners() -> None:
    op.create_table(
        "miners",
        sa.Column("miner_no", sa.Integer, sa.Identity(), nullable=False),
        *tenant_columns("miners"),
        int_column("site_id"),
        text_column("miner_id"),
        *(text_column(name, nullable=True) for name in ("serial", "mac", "model", "firmware")),
        text_column("cooling", default="air"),
        int_column("zone_id", nullable=True),
        int_column("rack_id", nullable=True),
        text_column("position", nullable=True),
        int_column("power_node_id", nullable=True),
        int_column("network_node_id", nullable=True),
        text_column("owner", nullable=True),
        sa.Column("expected_ths", sa.Double),
        text_column("expected_source", nullable=True),
        text_column("state", default="in_service"),
        at_column("created_at"),
        at_column("updated_at"),
        sa.PrimaryKeyConstraint("miner_no", name="pk_miners"),
        reference("miners", "site_id", "sites.id"),
        reference("miners", "zone_id", "zones.id"),
        reference("miners", "rack_id", "racks.id"),
        reference("miners", "power_node_id", "nodes.id"),
        reference("miners", "network_node_id", "nodes.id"),
        sa.UniqueConstraint("site_id", "miner_id", name="uq_miners_site_id_miner_id"),
        sa.CheckConstraint("state in ('in_service', 'retired')", name="ck_miners_state"),
        sa.CheckConstraint("cooling in ('air', 'hydro', 'immersion')", name="ck_miners_cooling"),
        sa.CheckConstraint(
            "expected_source in ('operator', 'reported', 'catalogue', 'baseline')", name="ck_miners_expected_source"
        ),
        sa.CheckConstraint("expected_ths > 0 and expected_ths < 100000", name="ck_miners_expected_ths"),
    )
    op.create_index(
        "uq_miners_serial",
        "miners",
        ["tenant_id", "serial"],
        unique=True,
        postgresql_where=sa.text("serial is not null"),
    )
    op.create_index("ix_miners_mac", "miners", ["tenant_id", "mac"])
    op.create_index("ix_miners_zone_id", "miners", ["zone_id"])
    op.create_index("ix_miners_tenant_id", "miners", ["tenant_id", "miner_id", "miner_no"])
    protect("miners", site_column="site_id")
    _lookup_of_serials()
    op.create_table(
        "miner_changes",
        sa.Column("id", sa.Uuid, nullable=False),
        *tenant_columns("miner_changes"),
        int_column("site_id"),
        int_column("miner_no"),
        at_column("at"),
        text_column("field"),
        text_column("old", nullable=True),
        text_column("new", nullable=True),
        text_column("cause"),
        sa.PrimaryKeyConstraint("id", name="pk_miner_changes"),
        reference("miner_changes", "site_id", "sites.id"),
        reference("miner_changes", "miner_no", "miners.miner_no"),
    )
    op.create_index("ix_miner_changes_miner_no", "miner_changes", ["miner_no", "at"])
    protect("miner_changes", site_column="site_id", app="select, insert")


def _lookup_of_serials() -> None:
    """A serial is unique in the tenant: who writes at one site must be told that another, unseen one holds it."""
    op.execute(
        "create function lookup_serials(text[]) returns table (serial text, miner_no int)"
        " language sql stable security definer set search_path = public, pg_temp as $$"
        " select m.serial, m.miner_no from miners m where m.serial = any($1)"
        " and m.tenant_id = nullif(current_setting('app.tenant', true), '')::uuid $$"
    )
    op.execute("revoke execute on function lookup_serials(text[]) from public")
    op.execute("grant execute on function lookup_serials(text[]) to hi_app, hi_job")


def _groups() -> None:
    op.create_table(
        "groups",
        id_column(),
        *tenant_columns("groups"),
        text_column("name"),
        text_column("kind"),
        sa.Column("filter", JSONB),
        at_column("created_at"),
        at_column("refreshed_at", nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_groups"),
        sa.UniqueConstraint("tenant_id", "name", name="uq_groups_tenant_id_name"),
        sa.CheckConstraint("kind in ('listed', 'filter')", name="ck_groups_kind"),
        sa.CheckConstraint("(kind = 'filter') = (filter is not null)", name="ck_groups_filter_or_list"),
    )
    protect("groups")
    op.create_table(
        "group_members",
        int_column("group_id"),
        int_column("miner_no"),
        *tenant_columns("group_members"),
        int_column("site_id"),
        sa.PrimaryKeyConstraint("group_id", "miner_no", name="pk_group_members"),
        reference("group_members", "group_id", "groups.id"),
        reference("group_members", "miner_no", "miners.miner_no"),
        reference("group_members", "site_id", "sites.id"),
    )
    op.create_index("ix_group_members_miner_no", "group_members", ["miner_no"])
    protect("group_members", site_column="site_id")
    # for the access code: which sites do these zones and groups lie in? Asked inside the tenant.
    op.execute(
        "create function sites_touched(int[], int[]) returns table (site_id int) language sql stable as $$"
        " select z.site_id from zones z where z.id = any($1)"
        " union select m.site_id from group_members m where m.group_id = any($2) $$"
    )
    op.execute("grant execute on function sites_touched(int[], int[]) to hi_app, hi_job")


def _settings_and_states() -> None:
    op.create_table(
        "tenant_settings",
        *tenant_columns("tenant_settings"),
        int_column("version"),
        sa.Column("data", JSONB, nullable=False),
        at_column("updated_at"),
        sa.PrimaryKeyConstraint("tenant_id", name="pk_tenant_settings"),
    )
    protect("tenant_settings", app="select, insert, update")
    op.create_table(
        "expected_states",
        sa.Column("id", sa.Uuid, nullable=False),
        *tenant_columns("expected_states"),
        int_column("site_id"),
        int_column("miner_no"),
        text_column("state"),
        at_column("from_at"),
        at_column("until_at", nullable=True),
        text_column("cause"),
        at_column("created_at"),
        sa.PrimaryKeyConstraint("id", name="pk_expected_states"),
        reference("expected_states", "site_id", "sites.id"),
        reference("expected_states", "miner_no", "miners.miner_no"),
        sa.CheckConstraint(
            "state in ('curtailed', 'stopped', 'rebooting', 'maintenance')", name="ck_expected_states_state"
        ),
        sa.CheckConstraint("until_at is null or until_at > from_at", name="ck_expected_states_forward"),
    )
    op.create_index("ix_expected_states_miner_no", "expected_states", ["miner_no", "from_at"])
    op.create_index("ix_expected_states_site_id", "expected_states", ["site_id", "until_at"])
    protect("expected_states", site_column="site_id")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.execute("drop function sites_touched(int[], int[])")
    op.execute("drop function lookup_serials(text[])")
    for table in _TABLES:
        op.drop_table(table)

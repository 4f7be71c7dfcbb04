"""Codes that match without their case, who registered a machine, and groups that wait for those who give rights."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_CODE_KEY = 'lower(code collate "C")'


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for table in ("sites", "zones"):
        op.add_column(table, sa.Column("code_key", sa.Text, sa.Computed(_CODE_KEY, persisted=True), nullable=False))
    op.drop_constraint("uq_sites_code", "sites")
    op.create_unique_constraint("uq_sites_code_key", "sites", ["code_key"])
    # the text itself, where it was only known whether it is the id or the code
    op.drop_constraint("ck_collectors_site_form", "collectors")
    op.execute("""
        update collectors c set site_form = case c.site_form when 'id' then s.id::text else s.code end
        from sites s where s.id = c.site_id and c.site_form is not null
    """)
    op.add_column("miners", sa.Column("registered_by", sa.Integer))
    op.create_index(
        "ix_miners_registered_by",
        "miners",
        ["registered_by", "created_at"],
        postgresql_where=sa.text("registered_by is not null"),
    )
    for name in ("to_join", "to_leave"):
        op.add_column("groups", sa.Column(name, sa.Integer))


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for name in ("to_join", "to_leave"):
        op.drop_column("groups", name)
    op.drop_index("ix_miners_registered_by", "miners")
    op.drop_column("miners", "registered_by")
    op.execute("""
        update collectors c set site_form = case c.site_form when s.id::text then 'id' else 'code' end
        from sites s where s.id = c.site_id and c.site_form is not null
    """)
    op.create_check_constraint("ck_collectors_site_form", "collectors", "site_form in ('id', 'code')")
    op.drop_constraint("uq_sites_code_key", "sites")
    op.create_unique_constraint("uq_sites_code", "sites", ["code"])
    for table in ("zones", "sites"):
        op.drop_column(table, "code_key")

"""Sealing of the audit log: which transaction wrote an entry, the chain of seals, its keys, its anchors."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_WHEN = sa.DateTime(timezone=True)
# what a writer says; who wrote it when, in which transaction, is the database's to say
_SAID = (
    "id, at, tenant_id, actor_kind, actor_id, action, entity_type, entity_id, before, after, reason,"
    " request_id, address"
)


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.add_column("audit_log", sa.Column("era", sa.SmallInteger, nullable=False, server_default="1"))
    op.add_column(
        "audit_log",
        sa.Column("xid", sa.BigInteger, nullable=False, server_default=sa.text("pg_current_xact_id()::text::bigint")),
    )
    op.create_index("ix_audit_log_sealing", "audit_log", ["era", "xid"])
    op.create_index("ix_audit_log_action", "audit_log", ["tenant_id", "action", "at", "id"])
    op.create_index("ix_audit_log_actor", "audit_log", ["tenant_id", "actor_id", "at", "id"])
    for role in ("hi_app", "hi_job"):
        op.execute(f"revoke insert on audit_log from {role}")
        op.execute(f"grant insert ({_SAID}) on audit_log to {role}")
    _seals()
    _keys_and_anchors()
    _eras()


def _seals() -> None:
    op.create_table(
        "audit_seals",
        sa.Column("no", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("era", sa.SmallInteger, nullable=False),
        sa.Column("snapshot", sa.Text, nullable=False),
        sa.Column("server", sa.Text, nullable=False),
        sa.Column("entries", sa.Integer, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("previous", sa.LargeBinary, nullable=False),
        sa.Column("sealed_at", _WHEN, nullable=False),
        sa.Column("key_id", sa.Text, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("signature", sa.LargeBinary, nullable=False),
        sa.Column("leaves", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("no", name="pk_audit_seals"),
    )
    closes = "snapshot = '9223372036854775807:9223372036854775807:'"
    op.create_index("ix_audit_seals_closing", "audit_seals", ["era"], postgresql_where=sa.text(closes))
    # hashes do not compress
    op.execute("alter table audit_seals alter column leaves set storage external")
    op.execute("grant select, insert on audit_seals to hi_job")
    # hashes and counts, no tenant's words; the list of entries is not for requests
    shown = "no, era, snapshot, server, entries, digest, previous, sealed_at, key_id, hash, signature"
    op.execute(f"grant select ({shown}) on audit_seals to hi_app")


def _keys_and_anchors() -> None:
    op.create_table(
        "audit_keys",
        sa.Column("key_id", sa.Text, nullable=False),
        sa.Column("public_key", sa.LargeBinary, nullable=False),
        sa.Column("sealed_key", sa.LargeBinary, nullable=False),
        sa.Column("created_at", _WHEN, nullable=False),
        sa.PrimaryKeyConstraint("key_id", name="pk_audit_keys"),
    )
    op.execute("grant select, insert on audit_keys to hi_job")
    op.execute("grant select (key_id, public_key, created_at) on audit_keys to hi_app")
    op.create_table(
        "audit_anchors",
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("line", sa.Text, nullable=False),
        sa.Column("last_at", _WHEN, nullable=False),
        sa.PrimaryKeyConstraint("target", name="pk_audit_anchors"),
    )
    op.execute("grant select, insert, update on audit_anchors to hi_job")
    for table in ("audit_seals", "audit_keys"):
        op.execute(
            f"create trigger append_only before update or delete or truncate on {table}"
            " for each statement execute function refuse_audit_change()"
        )


def _eras() -> None:
    """A restored log starts a new era: transaction numbers of another server mean nothing here."""
    op.execute(
        "create function open_audit_era(era int) returns void language plpgsql security definer"
        " set search_path = public, pg_temp as $$ begin"
        " execute format('alter table audit_log alter column era set default %s', era);"
        " end $$"
    )
    # waits for whoever is writing an entry, so that the old era is complete when it is closed
    op.execute(
        "create function close_audit_era() returns void language plpgsql security definer"
        " set search_path = public, pg_temp as $$ begin"
        " lock table audit_log in access exclusive mode;"
        " end $$"
    )
    for signature in ("open_audit_era(int)", "close_audit_era()"):
        op.execute(f"revoke execute on function {signature} from public")
        op.execute(f"grant execute on function {signature} to hi_job")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for signature in ("open_audit_era(int)", "close_audit_era()"):
        op.execute(f"drop function {signature}")
    for table in ("audit_anchors", "audit_keys", "audit_seals"):
        op.drop_table(table)
    for role in ("hi_app", "hi_job"):
        op.execute(f"revoke insert ({_SAID}) on audit_log from {role}")
        op.execute(f"grant insert on audit_log to {role}")
    for index in ("ix_audit_log_actor", "ix_audit_log_action", "ix_audit_log_sealing"):
        op.drop_index(index, "audit_log")
    op.drop_column("audit_log", "xid")
    op.drop_column("audit_log", "era")

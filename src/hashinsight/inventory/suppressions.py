"""Suppressions as a table. Problems make and lift them; by those for maintenance a machine is expected to stand."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Boolean, CheckConstraint, DateTime, ForeignKey, Index, Integer, Text, Uuid, text
from sqlalchemy.orm import Mapped, mapped_column

from hashinsight.kit.db.metadata import Model


def _when() -> DateTime:
    return DateTime(timezone=True)


class Suppression(Model):
    """From when until when nothing new is told of something; over when it is lifted. An open end is null."""

    __tablename__ = "suppressions"
    __table_args__ = (
        CheckConstraint(
            "kind = case when miner_no is not null then 'miner' when zone_id is not null then 'zone'"
            " when group_id is not null then 'group' else 'site' end"
            " and num_nonnulls(miner_no, zone_id, group_id) <= 1",
            name="kind",
        ),
        CheckConstraint("until_at is null or until_at > from_at", name="forward"),
        Index("ix_suppressions_site_id", "site_id", postgresql_where=text("lifted_at is null")),
        Index("ix_suppressions_miner_no", "miner_no", "from_at"),
    )

    id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(Integer, ForeignKey("sites.id"))
    kind: Mapped[str] = mapped_column(Text)
    miner_no: Mapped[int | None] = mapped_column(Integer, ForeignKey("miners.miner_no"))
    zone_id: Mapped[int | None] = mapped_column(Integer, ForeignKey("zones.id"))
    group_id: Mapped[int | None] = mapped_column(Integer, ForeignKey("groups.id"))
    from_at: Mapped[datetime] = mapped_column(_when())
    until_at: Mapped[datetime | None] = mapped_column(_when())
    maintenance: Mapped[bool] = mapped_column(Boolean)  # somebody works on it
    reason: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(_when())
    created_by_kind: Mapped[str] = mapped_column(Text)
    created_by: Mapped[str | None] = mapped_column(Text)
    lifted_at: Mapped[datetime | None] = mapped_column(_when())
    lifted_by: Mapped[str | None] = mapped_column(Text)

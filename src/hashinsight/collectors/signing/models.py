"""Signing keys. Several are good at once, so that keys rotate without a gap."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, DateTime, ForeignKey, Integer, LargeBinary, Text, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from hashinsight.kit.db.metadata import Model


def _when() -> DateTime:
    return DateTime(timezone=True)


class SigningKey(Model):
    """Of one that was revoked the secret is gone; the public half stays, for whoever checks what it signed."""

    __tablename__ = "collector_signing_keys"
    __table_args__ = (
        CheckConstraint("algorithm in ('hmac-sha256', 'ed25519')", name="algorithm"),
        CheckConstraint("(algorithm = 'ed25519') = (public_key is not null)", name="public_key"),
        CheckConstraint("(revoked_at is null) = (sealed is not null)", name="revoked"),
    )

    collector_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("collectors.id"), primary_key=True)
    key_id: Mapped[str] = mapped_column(Text, primary_key=True)  # of a revoked key, too: an id never comes again
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(Integer, ForeignKey("sites.id"))
    algorithm: Mapped[str] = mapped_column(Text)
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)
    public_key: Mapped[bytes | None] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(_when())
    signs_from: Mapped[datetime] = mapped_column(_when())  # before it, the collector is given the key
    revoked_at: Mapped[datetime | None] = mapped_column(_when())

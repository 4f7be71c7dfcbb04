"""`jobs`: requested work, its progress and its result."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, DateTime, Float, ForeignKey, Index, Integer, Text, Uuid, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from hashinsight.kit.db.metadata import Model


class JobRow(Model):
    """States: queued → running → done | failed. A lost job goes back to queued."""

    __tablename__ = "jobs"
    __table_args__ = (
        CheckConstraint("state in ('queued', 'running', 'done', 'failed')", name="state"),
        CheckConstraint("progress between 0 and 1", name="progress"),
        CheckConstraint("(state in ('done', 'failed')) = (finished_at is not null)", name="finished"),
        Index("ix_jobs_open", "requested_at", postgresql_where=text("state in ('queued', 'running')")),
        Index("ix_jobs_finished_at", "finished_at"),
        Index("ix_jobs_tenant_id", "tenant_id"),
    )

    id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    name: Mapped[str] = mapped_column(Text)
    arguments: Mapped[dict[str, Any]] = mapped_column(JSONB)
    state: Mapped[str] = mapped_column(Text, server_default="queued")
    attempts: Mapped[int] = mapped_column(Integer, server_default="0")
    progress: Mapped[float] = mapped_column(Float, server_default="0")
    message: Mapped[str | None] = mapped_column(Text)
    result: Mapped[Any | None] = mapped_column(JSONB)
    error: Mapped[str | None] = mapped_column(Text)
    worker: Mapped[str | None] = mapped_column(Text)
    requested_by: Mapped[str] = mapped_column(Text)
    requested_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    started_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    alive_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    finished_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))

"""`ticks` and `tick_runs`: what is due and what was done. Redis only carries wake-ups."""

from datetime import datetime, timedelta

from sqlalchemy import CheckConstraint, DateTime, Index, Integer, Interval, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from hashinsight.kit.db.metadata import Model


class TickRow(Model):
    """A tick as last planned by a scheduler: its interval, and when it was planned."""

    __tablename__ = "ticks"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    length: Mapped[timedelta] = mapped_column(Interval)
    planned_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class TickRunRow(Model):
    """States: due → done (committed with the work) | skipped (a newer period was run) | failed (given up)."""

    __tablename__ = "tick_runs"
    __table_args__ = (
        CheckConstraint("state in ('due', 'done', 'skipped', 'failed')", name="state"),
        CheckConstraint("(state = 'done') <= (finished_at is not null)", name="done_is_finished"),
        Index(
            "ix_tick_runs_open",
            "tick",
            "site_id",
            "period",
            postgresql_where=text("state in ('due', 'failed')"),
        ),
        Index("ix_tick_runs_newest", "tick", "period"),
    )

    tick: Mapped[str] = mapped_column(Text, primary_key=True)
    site_id: Mapped[int] = mapped_column(Integer, primary_key=True, server_default="0", autoincrement=False)
    period: Mapped[datetime] = mapped_column(DateTime(timezone=True), primary_key=True)
    state: Mapped[str] = mapped_column(Text, server_default="due")
    attempts: Mapped[int] = mapped_column(Integer, server_default="0")
    retry_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    started_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    finished_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    worker: Mapped[str | None] = mapped_column(Text)
    last_error: Mapped[str | None] = mapped_column(Text)


class ProcessBeat(Model):
    """A live worker or scheduler: one row each, renewed every few seconds, deleted at an orderly stop."""

    __tablename__ = "process_beats"

    process: Mapped[str] = mapped_column(Text, primary_key=True)
    host: Mapped[str] = mapped_column(Text, primary_key=True)
    pid: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    started_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    seen_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))

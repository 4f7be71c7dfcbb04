"""Problems as people see them: events, their timelines, and suppressions."""

from typing import cast

from sqlalchemy import (
    REAL,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Double,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from hashinsight.inventory.queries.tables import Suppression
from hashinsight.kit.db.metadata import metadata
from hashinsight.problems.codes import SHOWN_STATUSES

IS_SHOWN = f"status in ({', '.join(map(repr, SHOWN_STATUSES))})"
IS_RESOLVED = "status = 'resolved'"
ENDED_BY_PEOPLE = f"{IS_RESOLVED} and resolved_by <> 'system' and resolution_cause is not null"
_ORDER = (text("p_fail_24h desc nulls last"), text("seen desc"), text("last_seen_ts desc"), "id")
# what lists filter and scope by: a page and its total are read from the index alone
_BESIDE = (
    *("tenant_id", "status", "issue_code", "symptom", "miner_no", "miner_id", "zone_id", "model", "firmware"),
    *("start_ts", "loss_ths"),
)
# what is counted: few values that repeat, so that the index is small, and none that changes every cycle
_COUNTED = ("site_id", "status", "severity", "issue_code", "model", "firmware", "zone_id", "symptom", "tenant_id")

EVENTS = Table(
    "problem_events",
    metadata,
    Column("id", Uuid, nullable=False),
    Column("tenant_id", Uuid, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("event_no", BigInteger, nullable=False),  # of its site, in order of detection
    Column("miner_no", Integer),
    Column("miner_id", Text),
    Column("collector_id", Uuid),  # of a collector that is down; then there is no machine
    Column("issue_code", Text, nullable=False),
    Column("severity", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("start_ts", DateTime(timezone=True), nullable=False),
    Column("opened_ts", DateTime(timezone=True)),
    Column(
        "last_seen_ts", DateTime(timezone=True), nullable=False
    ),  # exact once it is no longer seen; until then the pulse is newer
    Column("seen", Boolean, nullable=False),  # in the newest cycle
    Column("resolved_ts", DateTime(timezone=True)),
    Column("recurrence_count", Integer, nullable=False, server_default=text("0")),
    Column("dedup_key", Text, nullable=False),
    Column("evidence_json", JSONB, nullable=False, server_default=text("'[]'")),
    Column("actions_json", JSONB, nullable=False, server_default=text("'[]'")),
    Column("peer_metrics_json", JSONB),
    Column("ml_json", JSONB),
    Column("health_json", JSONB),
    Column("suppress_until", DateTime(timezone=True)),
    Column("maintenance_flag", Boolean, nullable=False, server_default=text("false")),
    Column("symptom", Boolean, nullable=False, server_default=text("false")),
    Column("flapping", Boolean, nullable=False, server_default=text("false")),
    Column("escalated", Boolean, nullable=False, server_default=text("false")),
    Column("incident_id", Uuid),
    Column("predecessor_id", Uuid),
    Column("assigned_to", Text),
    Column("acked_by", Text),
    Column("acked_at", DateTime(timezone=True)),
    Column("resolved_by", Text),
    Column("resolution_cause", Text),
    Column("resolution_action", Text),
    Column("loss_ths", REAL),
    Column("loss_thh", Double),
    Column("p_fail_24h", REAL),
    Column("zone_id", Integer),  # of its machine, as the next two: lists filter by them
    Column("model", Text),
    Column("firmware", Text),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("updated_at", DateTime(timezone=True), nullable=False),
    PrimaryKeyConstraint("id", name="pk_problem_events"),
    CheckConstraint("severity in ('P0', 'P1', 'P2', 'P3')", name="severity"),
    CheckConstraint("status in ('pending', 'open', 'ack', 'in_progress', 'resolved')", name="status"),
    CheckConstraint("(miner_no is null) = (collector_id is not null)", name="subject"),
    CheckConstraint("(status = 'resolved') = (resolved_ts is not null)", name="resolved"),
    Index(
        "ix_problem_events_shown",
        *("site_id", "severity", *_ORDER),
        postgresql_include=_BESIDE,
        postgresql_where=text(IS_SHOWN),
    ),
    Index("ix_problem_events_status", *_COUNTED),
    Index(
        "ix_problem_events_name",  # by the start of a machine's id
        *("site_id", "miner_id"),
        postgresql_ops={"miner_id": "text_pattern_ops"},
        postgresql_where=text(IS_SHOWN),
    ),
    Index(
        "ix_problem_events_over",
        *("site_id", "severity", *_ORDER),
        postgresql_include=_BESIDE,
        postgresql_where=text(IS_RESOLVED),
    ),
    Index(
        "ix_problem_events_name_over",
        *("site_id", "miner_id"),
        postgresql_ops={"miner_id": "text_pattern_ops"},
        postgresql_where=text(IS_RESOLVED),
    ),
    # few problems are assigned: for all others these indexes cost a cycle nothing
    Index(
        "ix_problem_events_assigned",
        *("assigned_to", "site_id", "severity", *_ORDER),
        postgresql_include=_BESIDE,
        postgresql_where=text(f"assigned_to is not null and {IS_SHOWN}"),
    ),
    Index(
        "ix_problem_events_assigned_over",
        *("assigned_to", "site_id", "severity", *_ORDER),
        postgresql_include=_BESIDE,
        postgresql_where=text(f"assigned_to is not null and {IS_RESOLVED}"),
    ),
    Index(
        "ix_problem_events_ended",  # how people resolved the same issue on the same model, newest first
        *("site_id", "issue_code", "model", text("resolved_ts desc")),
        postgresql_where=text(ENDED_BY_PEOPLE),
    ),
    Index(
        "ix_problem_events_loss",
        *("site_id", "tenant_id", "loss_ths", "loss_thh"),
        postgresql_where=text(f"loss_ths is not null and {IS_SHOWN}"),
    ),
    Index("ix_problem_events_miner_no", "miner_no", "status"),
    Index("ix_problem_events_issue_code", "site_id", "issue_code", "status", "severity"),
    Index("ix_problem_events_began", "site_id", "status", "start_ts", "tenant_id"),  # ages are counted in it
    Index("ix_problem_events_incident_id", "site_id", "incident_id", postgresql_where=text("incident_id is not null")),
    Index("uq_problem_events_event_no", "site_id", "event_no", unique=True),
    Index(
        "uq_problem_events_active", "site_id", "dedup_key", unique=True, postgresql_where=text("status <> 'resolved'")
    ),
)

TIMELINE = Table(
    "problem_timeline",
    metadata,
    Column("id", Uuid, nullable=False),
    Column("tenant_id", Uuid, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("problem_id", Uuid, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("kind", Text, nullable=False),
    Column("actor_kind", Text, nullable=False),
    Column("actor_id", Text),
    Column("message", Text),
    Column("details", JSONB),
    PrimaryKeyConstraint("id", name="pk_problem_timeline"),
    Index("ix_problem_timeline_problem_id", "problem_id", "at"),
    Index("ix_problem_timeline_site_id", "site_id", "id"),  # ids are in order of time: what is new since one of them
)

SUPPRESSIONS = cast("Table", Suppression.__table__)

SUPPRESSED = Table(
    "suppressed_detections",
    metadata,
    Column("miner_no", Integer, nullable=False),
    Column("issue_code", Text, nullable=False),
    Column("tenant_id", Uuid, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("severity", Text, nullable=False),
    Column("first_seen_ts", DateTime(timezone=True), nullable=False),
    Column("last_seen_ts", DateTime(timezone=True), nullable=False),
    Column("detections", Integer, nullable=False),
    PrimaryKeyConstraint("miner_no", "issue_code", name="pk_suppressed_detections"),
    ForeignKeyConstraint(["miner_no"], ["miners.miner_no"], name="fk_suppressed_detections_miner_no"),
    Index("ix_suppressed_detections_site_id", "site_id", "last_seen_ts"),
)

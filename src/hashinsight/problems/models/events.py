"""Problems as people see them: events, what was said and done about each, and what is not to be told for now."""

from typing import cast

from sqlalchemy import (
    REAL,
    BigInteger,
    Boolean,
    CheckConstraint,
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
from hashinsight.problems.models.columns import may, must, owned, when

IS_SHOWN = "status in ('open', 'ack', 'in_progress')"
IS_RESOLVED = "status = 'resolved'"
ENDED_BY_PEOPLE = f"{IS_RESOLVED} and resolved_by <> 'system' and resolution_cause is not null"
_ORDER = (text("p_fail_24h desc nulls last"), text("seen desc"), text("last_seen_ts desc"), "id")
# what lists are filtered by, and whose rows they are: a page and its total are read off the index alone
_BESIDE = (
    *("tenant_id", "status", "issue_code", "symptom", "miner_no", "miner_id", "zone_id", "model", "firmware"),
    *("start_ts", "loss_ths"),
)
# what is counted: few values that repeat, so that the index is small, and none that changes from cycle to cycle
_COUNTED = ("site_id", "status", "severity", "issue_code", "model", "firmware", "zone_id", "symptom", "tenant_id")

EVENTS = Table(
    "problem_events",
    metadata,
    *must("id", Uuid),
    *owned(),
    *must("event_no", BigInteger),  # of its site, in order of birth
    *may("miner_no", Integer),
    *may("miner_id", Text),
    *may("collector_id", Uuid),  # of a collector that is down; then there is no machine
    *must("issue_code severity status", Text),
    *must("start_ts", when()),
    *may("opened_ts", when()),
    *must("last_seen_ts", when()),  # exact once it is no longer seen; else the pulse knows better
    *must("seen", Boolean),  # in the newest cycle
    *may("resolved_ts", when()),
    *must("recurrence_count", Integer, "0"),
    *must("dedup_key", Text),
    *must("evidence_json actions_json", JSONB, "'[]'"),
    *may("peer_metrics_json ml_json health_json", JSONB),
    *may("suppress_until", when()),
    *must("maintenance_flag symptom flapping escalated", Boolean, "false"),
    *may("incident_id predecessor_id", Uuid),
    *may("assigned_to acked_by", Text),
    *may("acked_at", when()),
    *may("resolved_by resolution_cause resolution_action", Text),
    *may("loss_ths", REAL),
    *may("loss_thh", Double),
    *may("p_fail_24h", REAL),
    *may("zone_id", Integer),  # of its machine, as are the next two: lists are filtered by them
    *may("model firmware", Text),
    *must("created_at updated_at", when()),
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
        "ix_problem_events_name",  # by how a machine's name begins
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
    # few are anybody's: for all others these three cost a cycle nothing
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
        "ix_problem_events_ended",  # how people ended the same on the same model, newest first
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
    Index("ix_problem_events_began", "site_id", "status", "start_ts", "tenant_id"),  # what began when is counted in it
    Index("ix_problem_events_incident_id", "site_id", "incident_id", postgresql_where=text("incident_id is not null")),
    Index("uq_problem_events_event_no", "site_id", "event_no", unique=True),
    Index(
        "uq_problem_events_active", "site_id", "dedup_key", unique=True, postgresql_where=text("status <> 'resolved'")
    ),
)

TIMELINE = Table(
    "problem_timeline",
    metadata,
    *must("id", Uuid),
    *owned(),
    *must("problem_id", Uuid),
    *must("at", when()),
    *must("kind actor_kind", Text),
    *may("actor_id message", Text),
    *may("details", JSONB),
    PrimaryKeyConstraint("id", name="pk_problem_timeline"),
    Index("ix_problem_timeline_problem_id", "problem_id", "at"),
    Index("ix_problem_timeline_site_id", "site_id", "id"),  # ids are in order of time: what is new since one of them
)

SUPPRESSIONS = cast("Table", Suppression.__table__)

SUPPRESSED = Table(
    "suppressed_detections",
    metadata,
    *must("miner_no", Integer),
    *must("issue_code", Text),
    *owned(),
    *must("severity", Text),
    *must("first_seen_ts last_seen_ts", when()),
    *must("detections", Integer),
    PrimaryKeyConstraint("miner_no", "issue_code", name="pk_suppressed_detections"),
    ForeignKeyConstraint(["miner_no"], ["miners.miner_no"], name="fk_suppressed_detections_miner_no"),
    Index("ix_suppressed_detections_site_id", "site_id", "last_seen_ts"),
)

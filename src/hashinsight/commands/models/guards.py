"""What keeps a request, a rate or a device from being counted twice, and what was commanded without approval."""

from sqlalchemy import (
    REAL,
    BigInteger,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    Uuid,
)

from hashinsight.commands.models.columns import may, must, owned, when
from hashinsight.kit.db.metadata import metadata

DEDUPE = Table(
    "command_dedupe",
    metadata,
    *owned(),
    *must("dedupe_key", Text),
    *must("miner_no", Integer),
    *must("requester", Text, "''"),  # a key is its requester's own: nobody else can use it up
    *must("command_id", Uuid),
    *must("until_at", when()),
    PrimaryKeyConstraint("tenant_id", "dedupe_key", "miner_no", "requester", name="pk_command_dedupe"),
    Index("ix_command_dedupe_until_at", "until_at"),
)

# one row a machine that a requester commanded without approval: the next request is judged by all of them
UNAPPROVED = Table(
    "command_unapproved",
    metadata,
    *owned(),
    *must("requester", Text),
    *must("miner_no", Integer),
    *must("command_id", Uuid),  # the newest
    *must("at", when()),
    *must("power_w", REAL),  # as it was asked: a machine that stands draws nothing any more
    PrimaryKeyConstraint("site_id", "requester", "miner_no", name="pk_command_unapproved"),
    Index("ix_command_unapproved_at", "at"),
)

KEYS = Table(
    "command_keys",
    metadata,
    *must("tenant_id", Uuid),
    *must("key", Text),
    *must("fingerprint", LargeBinary),  # of the request: the same key for another one is a mistake
    *must("batch_id", Uuid),
    *must("until_at", when()),
    PrimaryKeyConstraint("tenant_id", "key", name="pk_command_keys"),
    Index("ix_command_keys_until_at", "until_at"),
)

RATES = Table(
    "command_rates",
    metadata,
    *must("id", Uuid),
    *owned(),
    *must("command_type", Text),
    *must("at", when()),
    *must("n", Integer),
    PrimaryKeyConstraint("id", name="pk_command_rates"),
    Index("ix_command_rates_site_id", "site_id", "command_type", "at"),
)

DEVICES = Table(
    "command_devices",
    metadata,
    *owned(),
    *must("collector_id", Uuid),
    *must("device", Text),  # empty for a collector that names none
    *must("last_seen_at", when()),
    *may("incarnation", BigInteger),  # which of its lives polls, where it says so
    PrimaryKeyConstraint("collector_id", "device", name="pk_command_devices"),
    ForeignKeyConstraint(["collector_id"], ["collectors.id"], name="fk_command_devices_collector_id"),
)

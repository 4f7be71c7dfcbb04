"""What keeps a request, a rate or a device from being counted twice."""

from sqlalchemy import (
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
    *must("command_id", Uuid),
    *must("until_at", when()),
    PrimaryKeyConstraint("tenant_id", "dedupe_key", "miner_no", name="pk_command_dedupe"),
    Index("ix_command_dedupe_until_at", "until_at"),
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

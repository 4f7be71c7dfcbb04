"""Leased commands as they go over the wire: in the collector's own words, and signed where that is on."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from hashinsight.commands.service.leases import LeasedCommand
from hashinsight.wire.commands import Command
from hashinsight.wire.keys import SigningKey
from hashinsight.wire.signing import sign


def handed(leased: Sequence[LeasedCommand], *, site: str, zone: str | None) -> list[Command]:
    """`site` and `zone` as the collector says them: it refuses what names another. Who says no zone is told none."""
    return [
        Command(
            command_id=str(one.dispatch_id),
            site_id=site,
            miner_id=one.miner_id,
            command_type=one.command_type,
            issued_at=one.issued_at,
            expires_at=one.expires_at,
            ttl_sec=one.ttl_sec,
            lease_until=one.lease_until,
            params=one.params,
            priority=one.urgency,
            attempt=one.attempt,
            zone_id=zone,
        )
        for one in leased
    ]


def signed(commands: Sequence[Command], key: SigningKey, tenant_id: UUID, *, now: datetime) -> list[Command]:
    return [sign(one, key, tenant_id=str(tenant_id), not_before=now) for one in commands]

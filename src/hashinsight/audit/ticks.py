"""Periodic work: sealing the log, and delivering the seals to the anchor."""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.crypto import Vault
from hashinsight.kit.ticks.tick import CatchUp, Tick, TickRun


def audit_ticks(vault: Vault, anchor: str | None) -> tuple[Tick, ...]:
    async def seal_entries(session: AsyncSession, run: TickRun) -> None:
        from hashinsight.audit.service.sealing import seal

        await seal(session, vault, now=run.now)

    async def deliver_seals(session: AsyncSession, run: TickRun) -> None:
        if anchor is not None:
            from hashinsight.audit.service.delivery import deliver_seals

            await deliver_seals(session, anchor, now=run.now)

    # one run seals everything that is there, so a missed period needs no run of its own
    sealing = Tick("audit_seal", timedelta(seconds=15), CatchUp.LATEST, seal_entries)
    return (sealing, Tick("audit_anchor", timedelta(seconds=30), CatchUp.LATEST, deliver_seals))

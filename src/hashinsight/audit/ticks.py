"""What the record needs done by itself: it is sealed, and the outside is told."""

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

    # one run seals whatever there is, so a missed period has nothing of its own to make good
    sealing = Tick("audit_seal", timedelta(seconds=15), CatchUp.LATEST, seal_entries)
    return (sealing, Tick("audit_anchor", timedelta(seconds=30), CatchUp.LATEST, deliver_seals))

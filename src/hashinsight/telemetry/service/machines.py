"""Resolves the machines of a batch: the number of each, or the reason why its samples are rejected."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from hashinsight.collectors.access import find_own_zone
from hashinsight.collectors.caller import CollectorCaller
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import Forbidden
from hashinsight.telemetry.ingest.samples import Bools, Samples
from hashinsight.telemetry.ingest.texts import may_be_registered
from hashinsight.telemetry.queries.machines import list_machines
from hashinsight.telemetry.service.claims import REFUSALS, claim_machines, report_refused
from hashinsight.telemetry.service.registration import RegistrationLimits, register_reported
from hashinsight.telemetry.site_machines import UNKNOWN, MachineCache, SiteMachines, machine_numbers

_ZONE_REMEMBERED = timedelta(seconds=30)
_LIMIT_REMEMBERED = timedelta(minutes=1)
_REPORT_REMEMBERED = timedelta(minutes=10)
_MAX_REMEMBERED = 1_000
_REASONS = {
    "ZONE_MISMATCH": "this machine belongs to another zone than the token",
    "ZONE_NOT_SET": "this machine has no zone and another collector reads it: set its zone",
    "MINER_ID_ALIKE": "this new id differs from another zone's machine only in case, spaces or Unicode form",
    "BAD_MINER_ID": "the inventory does not accept this miner_id",
    "MINER_UNKNOWN": "this machine is not in the inventory of the site",
}


@dataclass
class MachineLookup:
    """What one process knows of the machines of its collectors."""

    database: Database
    auto_register: bool = True
    limits: RegistrationLimits = field(default_factory=RegistrationLimits)
    cache: MachineCache = field(default_factory=MachineCache)
    _at_limit: dict[UUID, tuple[datetime, str]] = field(
        default_factory=dict
    )  # collectors at their registration limit: since when, why
    _zones: dict[tuple[int, int | None, str], tuple[datetime, int | None]] = field(default_factory=dict)
    _reported: dict[tuple[UUID, str], datetime] = field(default_factory=dict)  # rejections that were reported lately

    async def resolve(self, caller: CollectorCaller, samples: Samples, *, now: datetime) -> NDArray[np.int64]:
        """Uses its own transactions: what is remembered must not depend on the outcome of this batch."""
        known = self.cache.find(caller.site_id, zoned=caller.zone_id is not None) or await self._load(caller)
        if known.unclaimed and not known.unclaimed.isdisjoint(samples.miner_ids):
            known = await self._claim_unzoned(caller, samples, known, now=now)
        numbers, missing = _look_up(samples, known, caller)
        if not missing.any():
            return numbers
        ids = _ids(samples, missing)
        if not known.is_fresh and any(miner_id in known.numbers for miner_id in ids):
            known = await self._load(caller)  # a machine may just have been moved to this zone
        rejections: dict[str, tuple[str, str]] = {}
        unknown = [miner_id for miner_id in ids if miner_id not in known.numbers and may_be_registered(miner_id)]
        if self.auto_register and unknown:
            alike = known.confusable(caller.zone_id, unknown)
            rejections = dict.fromkeys(alike, ("MINER_ID_ALIKE", _REASONS["MINER_ID_ALIKE"]))
            new = [miner_id for miner_id in unknown if miner_id not in alike]
            known, reason = await self._register(caller, known, new, now=now) if new else (known, "")
            rejections |= {
                miner_id: ("REGISTRATION_LIMIT", reason) for miner_id in new if miner_id not in known.numbers
            }
        numbers, missing = _look_up(samples, known, caller)
        if missing.any():
            await self._reject(caller, samples, missing, known, rejections, now=now)
        return numbers

    async def own_zone_id(self, caller: CollectorCaller, zone_name: str, *, now: datetime) -> int:
        """The zone that an envelope names; it must be the token's."""
        key = (caller.site_id, caller.zone_id, zone_name)
        remembered = self._zones.get(key)
        if remembered is None or not timedelta(0) <= now - remembered[0] < _ZONE_REMEMBERED:
            async with self.database.transaction(caller.context()) as session:
                remembered = (now, await find_own_zone(session, caller.actor, caller, zone_name))
            if len(self._zones) >= _MAX_REMEMBERED:
                self._zones.clear()
            self._zones[key] = remembered
        if remembered[1] is None:
            raise Forbidden("this token belongs to another zone", code="ZONE_MISMATCH")
        return remembered[1]

    async def _load(self, caller: CollectorCaller) -> SiteMachines:
        zoned = caller.zone_id is not None or self.cache.has_zones(caller.site_id)
        async with self.database.transaction(caller.context()) as session:
            machines = await list_machines(session, caller.site_id, zoned=zoned)
        return self.cache.keep(caller.site_id, machines)

    async def _claim_unzoned(
        self, caller: CollectorCaller, samples: Samples, known: SiteMachines, *, now: datetime
    ) -> SiteMachines:
        """Claims machines without a zone that no collector reads yet and that this batch has valid samples of."""
        reported = {miner_id for row, miner_id in enumerate(samples.miner_ids) if row not in samples.rejected}
        unclaimed = known.unclaimed & reported
        if not unclaimed:
            return known
        async with self.database.transaction(caller.context()) as session:
            await claim_machines(session, caller, unclaimed, now=now)
        return await self._load(caller)

    async def _register(
        self, caller: CollectorCaller, known: SiteMachines, unknown: list[str], *, now: datetime
    ) -> tuple[SiteMachines, str]:
        """The machines of the site afterwards, and why some were not registered."""
        since, reason = self._at_limit.get(caller.collector_id, (None, ""))
        if since is not None and timedelta(0) <= now - since < _LIMIT_REMEMBERED:
            return known, reason
        async with self.database.transaction(caller.context()) as session:
            registered = await register_reported(session, caller, unknown, self.limits, now=now)
        if not registered.count:
            if len(self._at_limit) >= _MAX_REMEMBERED:
                self._at_limit.clear()
            self._at_limit[caller.collector_id] = (now, registered.reason)
            return known, registered.reason
        return await self._load(caller), registered.reason

    async def _reject(
        self,
        caller: CollectorCaller,
        samples: Samples,
        missing: Bools,
        known: SiteMachines,
        rejections: Mapping[str, tuple[str, str]],
        *,
        now: datetime,
    ) -> None:
        reasons = {
            miner_id: rejections.get(miner_id) or self._rejection(miner_id, known)
            for miner_id in _ids(samples, missing)
        }
        for code, reason in sorted(set(reasons.values())):
            matches = np.array([reasons.get(miner_id) == (code, reason) for miner_id in samples.miner_ids], bool)
            samples.reject(missing & matches, code, reason)
            if code in REFUSALS:
                await self._report(
                    caller, code, [miner_id for miner_id, given in reasons.items() if given[0] == code], now=now
                )

    def _rejection(self, miner_id: str, known: SiteMachines) -> tuple[str, str]:
        if miner_id in known.numbers:
            code = "ZONE_NOT_SET" if miner_id in known.held else "ZONE_MISMATCH"
        else:
            code = "MINER_UNKNOWN" if not self.auto_register or may_be_registered(miner_id) else "BAD_MINER_ID"
        return code, _REASONS[code]

    async def _report(self, caller: CollectorCaller, code: str, miner_ids: list[str], *, now: datetime) -> None:
        """Reports to the operator once a day; this process checks the database every ten minutes."""
        last = self._reported.get((caller.collector_id, code))
        if last is not None and timedelta(0) <= now - last < _REPORT_REMEMBERED:
            return
        async with self.database.transaction(caller.context()) as session:
            await report_refused(session, caller, code, miner_ids, now=now)
        if len(self._reported) >= _MAX_REMEMBERED:
            self._reported.clear()
        self._reported[caller.collector_id, code] = now


def _look_up(samples: Samples, known: SiteMachines, caller: CollectorCaller) -> tuple[NDArray[np.int64], Bools]:
    """The numbers, and which samples have none; samples that are rejected already are skipped."""
    numbers = machine_numbers(samples.miner_ids, known.open_to(caller.zone_id))
    missing = numbers == UNKNOWN
    if samples.rejected:
        missing[list(samples.rejected)] = False
    return numbers, missing


def _ids(samples: Samples, rows: Bools) -> list[str]:
    """Each id once, in order of appearance."""
    return list(dict.fromkeys(samples.miner_ids[row] for row in np.flatnonzero(rows)))

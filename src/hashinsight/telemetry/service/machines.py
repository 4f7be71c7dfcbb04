"""Whose the samples of a batch are: the number of each machine, or why its sample is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from hashinsight.collectors.caller import CollectorCaller
from hashinsight.kit.db.database import Database
from hashinsight.telemetry.ingest.samples import Bools, Samples
from hashinsight.telemetry.ingest.texts import may_be_registered
from hashinsight.telemetry.queries.machines import list_machines
from hashinsight.telemetry.service.claims import REFUSALS, claim_machines, report_refused
from hashinsight.telemetry.service.registration import RegistrationLimits, register_reported
from hashinsight.telemetry.site_machines import UNKNOWN, MachineCache, SiteMachines, machine_numbers

_FULL_REMEMBERED = timedelta(minutes=1)
_TOLD_REMEMBERED = timedelta(minutes=10)
_MOST_REMEMBERED = 1_000
_REASONS = {
    "ZONE_MISMATCH": "this machine is of another zone than the token's",
    "ZONE_NOT_SET": "this machine has no zone, and another collector reads it: set its zone",
    "MINER_ID_ALIKE": "this new id differs from another zone's machine only in case, spaces or Unicode form",
    "BAD_MINER_ID": "the inventory does not take such a miner_id",
    "MINER_UNKNOWN": "this machine is not in the site's inventory",
}


@dataclass
class MachineLookup:
    """What one process knows of the machines that it is sent samples of."""

    database: Database
    auto_register: bool = True
    limits: RegistrationLimits = field(default_factory=RegistrationLimits)
    numbers: MachineCache = field(default_factory=MachineCache)
    _full: dict[UUID, tuple[datetime, str]] = field(default_factory=dict)  # who may register no more, since when, why
    _told: dict[tuple[UUID, str], datetime] = field(default_factory=dict)  # which refusals an operator may know of

    async def resolve(self, caller: CollectorCaller, samples: Samples, *, now: datetime) -> NDArray[np.int64]:
        """In transactions of their own: what is remembered must not hang on this batch's end."""
        known = self.numbers.find(caller.site_id, zoned=caller.zone_id is not None) or await self._read(caller)
        if known.unclaimed and not known.unclaimed.isdisjoint(samples.miner_ids):
            known = await self._claim(caller, samples, known, now=now)
        found, missing = _look_up(samples, known, caller)
        if not missing.any():
            return found
        ids = _ids(samples, missing)
        if not known.is_fresh and any(one in known.numbers for one in ids):
            known = await self._read(caller)  # it may have been moved to this zone a moment ago
        refusals: dict[str, tuple[str, str]] = {}
        unknown = [one for one in ids if one not in known.numbers and may_be_registered(one)]
        if self.auto_register and unknown:
            alike = known.read_alike(caller.zone_id, unknown)
            refusals = dict.fromkeys(alike, ("MINER_ID_ALIKE", _REASONS["MINER_ID_ALIKE"]))
            new = [one for one in unknown if one not in alike]
            known, reason = await self._register(caller, known, new, now=now) if new else (known, "")
            refusals |= {one: ("REGISTRATION_LIMIT", reason) for one in new if one not in known.numbers}
        found, missing = _look_up(samples, known, caller)
        if missing.any():
            await self._refuse(caller, samples, missing, known, refusals, now=now)
        return found

    async def _read(self, caller: CollectorCaller) -> SiteMachines:
        zoned = caller.zone_id is not None or self.numbers.has_zones(caller.site_id)
        async with self.database.transaction(caller.context()) as session:
            read = await list_machines(session, caller.site_id, zoned=zoned)
        return self.numbers.keep(caller.site_id, read)

    async def _claim(
        self, caller: CollectorCaller, samples: Samples, known: SiteMachines, *, now: datetime
    ) -> SiteMachines:
        """Machines without a zone that nobody reads, by samples that are good: who comes next finds them held."""
        reported = {one for row, one in enumerate(samples.miner_ids) if row not in samples.bad}
        free = known.unclaimed & reported
        if not free:
            return known
        async with self.database.transaction(caller.context()) as session:
            await claim_machines(session, caller, free, now=now)
        return await self._read(caller)

    async def _register(
        self, caller: CollectorCaller, known: SiteMachines, unknown: list[str], *, now: datetime
    ) -> tuple[SiteMachines, str]:
        """The machines of the site afterwards, and why some were left out."""
        since, reason = self._full.get(caller.collector_id, (None, ""))
        if since is not None and timedelta(0) <= now - since < _FULL_REMEMBERED:
            return known, reason
        async with self.database.transaction(caller.context()) as session:
            taken = await register_reported(session, caller, unknown, self.limits, now=now)
        if not taken.count:
            if len(self._full) >= _MOST_REMEMBERED:
                self._full.clear()
            self._full[caller.collector_id] = (now, taken.reason)
            return known, taken.reason
        return await self._read(caller), taken.reason

    async def _refuse(
        self,
        caller: CollectorCaller,
        samples: Samples,
        missing: Bools,
        known: SiteMachines,
        refusals: Mapping[str, tuple[str, str]],
        *,
        now: datetime,
    ) -> None:
        why = {one: refusals.get(one) or self._refusal(one, known) for one in _ids(samples, missing)}
        for code, reason in sorted(set(why.values())):
            its = np.array([why.get(one) == (code, reason) for one in samples.miner_ids], bool)
            samples.refuse(missing & its, code, reason)
            if code in REFUSALS:
                await self._tell(caller, code, [one for one, given in why.items() if given[0] == code], now=now)

    def _refusal(self, miner_id: str, known: SiteMachines) -> tuple[str, str]:
        if miner_id in known.numbers:
            code = "ZONE_NOT_SET" if miner_id in known.held else "ZONE_MISMATCH"
        else:
            code = "MINER_UNKNOWN" if not self.auto_register or may_be_registered(miner_id) else "BAD_MINER_ID"
        return code, _REASONS[code]

    async def _tell(self, caller: CollectorCaller, code: str, miner_ids: list[str], *, now: datetime) -> None:
        """The operator, once a day; this process asks the database about it every ten minutes."""
        last = self._told.get((caller.collector_id, code))
        if last is not None and timedelta(0) <= now - last < _TOLD_REMEMBERED:
            return
        async with self.database.transaction(caller.context()) as session:
            await report_refused(session, caller, code, miner_ids, now=now)
        if len(self._told) >= _MOST_REMEMBERED:
            self._told.clear()
        self._told[caller.collector_id, code] = now


def _look_up(samples: Samples, known: SiteMachines, caller: CollectorCaller) -> tuple[NDArray[np.int64], Bools]:
    """The numbers, and which samples have none; those that are bad anyhow are not looked for."""
    found = machine_numbers(samples.miner_ids, known.open_to(caller.zone_id))
    missing = found == UNKNOWN
    if samples.bad:
        missing[list(samples.bad)] = False
    return found, missing


def _ids(samples: Samples, rows: Bools) -> list[str]:
    """Each once, in the order in which they came."""
    return list(dict.fromkeys(samples.miner_ids[row] for row in np.flatnonzero(rows)))

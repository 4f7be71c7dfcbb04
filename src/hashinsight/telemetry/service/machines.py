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
from hashinsight.telemetry.ingest.wording import may_be_registered
from hashinsight.telemetry.numbers import UNKNOWN, Numbers, SiteMachines, numbers_of
from hashinsight.telemetry.queries.machines import list_machines
from hashinsight.telemetry.service.registration import RegistrationLimits, register_reported

_FULL_REMEMBERED = timedelta(minutes=1)
_MOST_FULL = 1_000
_REASONS = {
    "ZONE_MISMATCH": "this machine is of another zone than the token's",
    "BAD_MINER_ID": "the inventory does not take such a miner_id",
    "REGISTRATION_LIMIT": "this collector has registered as many new machines as it may: import the asset list",
    "MINER_UNKNOWN": "this machine is not in the site's inventory",
}


@dataclass
class MachineLookup:
    """What one process knows of the machines that it is sent samples of."""

    database: Database
    auto_register: bool = True
    limits: RegistrationLimits = field(default_factory=RegistrationLimits)
    numbers: Numbers = field(default_factory=Numbers)
    _full: dict[UUID, datetime] = field(default_factory=dict)  # collectors that may register no more, and since when

    async def resolve(self, caller: CollectorCaller, samples: Samples, *, now: datetime) -> NDArray[np.int64]:
        """In transactions of their own: what is remembered must not hang on this batch's end."""
        is_zoned = caller.zone_id is not None
        known = self.numbers.find(caller.site_id, zoned=is_zoned) or await self._read(caller, now=now)
        found, missing = _look_up(samples, known, caller)
        if not missing.any():
            return found
        ids = _ids(samples, missing)
        if not known.is_fresh and any(one in known.numbers for one in ids):
            known = await self._read(caller, now=now)  # it may have been moved to this zone a moment ago
        over: set[str] = set()
        if self.auto_register:
            unknown = [one for one in ids if one not in known.numbers and may_be_registered(one)]
            if unknown:
                known, over = await self._register(caller, known, unknown, now=now)
        found, missing = _look_up(samples, known, caller)
        self._refuse(samples, missing, known.numbers, over)
        return found

    async def _read(self, caller: CollectorCaller, *, now: datetime) -> SiteMachines:
        zoned = caller.zone_id is not None or self.numbers.has_zones(caller.site_id)
        async with self.database.transaction(caller.context()) as session:
            read = await list_machines(session, caller.site_id, zoned=zoned, now=now)
        return self.numbers.keep(caller.site_id, read)

    async def _register(
        self, caller: CollectorCaller, known: SiteMachines, unknown: list[str], *, now: datetime
    ) -> tuple[SiteMachines, set[str]]:
        """The machines of the site afterwards, and those that the limits left out."""
        since = self._full.get(caller.collector_id)
        if since is not None and timedelta(0) <= now - since < _FULL_REMEMBERED:
            return known, set(unknown)
        async with self.database.transaction(caller.context()) as session:
            taken = await register_reported(session, caller, unknown, self.limits, now=now)
        if not taken:
            if len(self._full) >= _MOST_FULL:
                self._full.clear()
            self._full[caller.collector_id] = now
            return known, set(unknown)
        return await self._read(caller, now=now), set(unknown[taken:])

    def _refuse(self, samples: Samples, missing: Bools, known: Mapping[str, int], over: set[str]) -> None:
        codes = {one: self._refusal(one, known, over) for one in _ids(samples, missing)}
        for code in sorted(set(codes.values())):
            its = np.array([codes.get(one) == code for one in samples.miner_ids], bool)
            samples.refuse(missing & its, code, _REASONS[code])

    def _refusal(self, miner_id: str, known: Mapping[str, int], over: set[str]) -> str:
        if miner_id in known:
            return "ZONE_MISMATCH"
        if self.auto_register and not may_be_registered(miner_id):
            return "BAD_MINER_ID"
        return "REGISTRATION_LIMIT" if miner_id in over else "MINER_UNKNOWN"


def _look_up(samples: Samples, known: SiteMachines, caller: CollectorCaller) -> tuple[NDArray[np.int64], Bools]:
    """The numbers, and which samples have none; those that are bad anyhow are not looked for."""
    found = numbers_of(samples.miner_ids, known.open_to(caller.zone_id))
    missing = found == UNKNOWN
    if samples.bad:
        missing[list(samples.bad)] = False
    return found, missing


def _ids(samples: Samples, rows: Bools) -> list[str]:
    """Each once, in the order in which they came."""
    return list(dict.fromkeys(samples.miner_ids[row] for row in np.flatnonzero(rows)))

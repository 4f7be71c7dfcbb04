"""`bench import`: an asset list of 100,000 machines; the limit is a bare COPY of the same rows into the same table."""

import time
from uuid import UUID

from sqlalchemy import text

from hashinsight.audit.actions import SYSTEM
from hashinsight.bench.report import Result
from hashinsight.bench.scratch import Scratch, scratch
from hashinsight.identity.caller import system_caller
from hashinsight.identity.queries.sessions import enter_tenant
from hashinsight.identity.service.tenants import create_tenant
from hashinsight.inventory.service.asset_lists import import_miners
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context

MACHINES = 100_000
_MODELS = ("Antminer S19j Pro", "Antminer S21", "Whatsminer M50S")


async def measure() -> Result:
    async with scratch() as installation:
        tenant_id = await _tenant_with_sites(installation)
        asset_list = _asset_list()
        first = await _import(installation, tenant_id, asset_list)
        unchanged = await _import(installation, tenant_id, asset_list)
        limit = _copy_by_psql(installation)
    return Result(
        name="import",
        figure=round(first, 2),
        unit="s for 100,000 machines",
        limit=round(limit, 2),
        ratio=round(limit / first, 3),
        detail={"seconds_100k": round(first, 2), "seconds_unchanged_100k": round(unchanged, 2)},
    )


async def _tenant_with_sites(installation: Scratch) -> UUID:
    async with installation.database.transaction(job_context()) as session:
        tenant = await create_tenant(session, SYSTEM, "bench", now=system_clock())
        await session.execute(
            text("insert into sites (tenant_id, code, name, created_at) values (:t, 'one', 'One', :now)"),
            {"t": tenant.id, "now": system_clock()},
        )
        return tenant.id


def _asset_list() -> bytes:
    lines = ["miner_id,model,serial,mac,zone,rack,position,owner,expected_ths"]
    for n in range(MACHINES):
        mac = "02:" + ":".join(f"{(n >> shift) & 255:02x}" for shift in (32, 24, 16, 8, 0))
        zone, rack = n // 2000, n // 100
        lines.append(f"m{n:06d},{_MODELS[n % 3]},SN{n:08d},{mac},zone-{zone},rack-{rack},{n % 100},acme,")
    return ("\n".join(lines) + "\n").encode()


async def _import(installation: Scratch, tenant_id: UUID, asset_list: bytes) -> float:
    began = time.perf_counter()
    async with installation.database.transaction(job_context()) as session:
        await enter_tenant(session, tenant_id)
        report = await import_miners(session, system_caller(tenant_id), "one", asset_list, now=system_clock())
    seconds = time.perf_counter() - began
    if report.created + report.unchanged != MACHINES:
        raise RuntimeError(f"the import is incomplete: {report}")
    return seconds


def _copy_by_psql(installation: Scratch) -> float:
    """Export the imported rows and COPY them into a table with the same indexes and checks."""
    rows = installation.folder / "miners.csv"
    installation.run_psql("-c", f"\\copy miners to '{rows}' csv")
    installation.run_psql("-c", "create table limit_miners (like miners including all)")
    began = time.perf_counter()
    installation.run_psql("-c", f"\\copy limit_miners from '{rows}' csv")
    return time.perf_counter() - began

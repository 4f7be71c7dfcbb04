"""`bench audit`: the cost of sealing for writers at 20,000 appends/s, and the time to verify a million entries."""

import asyncio
import contextlib
import re
import time
from dataclasses import dataclass
from pathlib import Path

from hashinsight.audit.actions import SYSTEM
from hashinsight.audit.service.sealing import seal
from hashinsight.audit.service.verification import verify
from hashinsight.bench.report import Result
from hashinsight.bench.scratch import Scratch, scratch
from hashinsight.identity.service.tenants import create_tenant
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context

OFFERED = 20_000
ENTRIES = 1_000_000
_ROWS = 10  # appends in one transaction
_WRITERS = 8
_SECONDS = 15
_ROUNDS = 2
_SEAL_EVERY = 5.0  # three times as often as in production
_ACHIEVED = re.compile(r"tps = ([0-9.]+)")
_LATENCY = re.compile(r"latency average = ([0-9.]+) ms")


@dataclass
class _Phase:
    appends: float = 0.0
    latency_ms: float = 0.0


async def measure() -> Result:
    async with scratch() as installation:
        script = await _append_script(installation)
        bare, sealed, flat_bare, flat_sealed = (_Phase() for _ in range(4))
        for _ in range(_ROUNDS):
            await _write(installation, script, bare, rate=OFFERED)
            await _seal_all(installation)
            await _write_sealed(installation, script, sealed, rate=OFFERED)
            await _write(installation, script, flat_bare)
            await _seal_all(installation)
            await _write_sealed(installation, script, flat_sealed)
            await _seal_all(installation)
        entries, seconds = await _verify(installation)
    return Result(
        name="audit",
        figure=round(sealed.appends),
        unit=f"appends/s at {OFFERED} offered, sealed meanwhile",
        limit=round(bare.appends),
        ratio=round(sealed.appends / bare.appends, 3),
        detail={
            "latency_ms_sealed": round(sealed.latency_ms, 2),
            "latency_ms_unsealed": round(bare.latency_ms, 2),
            "flat_out_appends_per_s_sealed": round(flat_sealed.appends),
            "flat_out_appends_per_s_unsealed": round(flat_bare.appends),
            "flat_out_ratio": round(flat_sealed.appends / flat_bare.appends, 3),
            "verified_entries": entries,
            "verify_seconds": round(seconds, 2),
            "verify_seconds_1m": round(seconds * 1e6 / entries, 2),
        },
    )


async def _append_script(installation: Scratch) -> Path:
    async with installation.database.transaction(job_context()) as session:
        tenant = await create_tenant(session, SYSTEM, "bench", now=system_clock())
    row = (
        f"(uuidv7(), '2026-01-01', '{tenant.id}', 'user', 'u-17', 'miner_changed', 'miner', '7 B2-R14-03',"
        """ '{"owner": "Aurora"}', '{"owner": "Boreal", "rack": "R14"}', 'request', '127.0.0.1')"""
    )
    columns = (
        "id, at, tenant_id, actor_kind, actor_id, action, entity_type, entity_id, before, after, request_id, address"
    )
    context = f"set_config('role', 'hi_app', true), set_config('app.tenant', '{tenant.id}', true)"
    script = installation.folder / "append.sql"
    rows = ", ".join([row] * _ROWS)
    script.write_text(f"begin;\nselect {context};\ninsert into audit_log ({columns}) values {rows};\ncommit;\n")
    return script


async def _write(installation: Scratch, script: Path, phase: _Phase, *, rate: int | None = None) -> None:
    options = f"-c {_WRITERS} -j 1 -T {_SECONDS} -M prepared"
    command = [*installation.pgbench, "-f", str(script), *options.split()]
    if rate is not None:
        command += ["-R", str(rate // _ROWS)]
    child = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, errors = await child.communicate()
    tps, latency = _ACHIEVED.search(out.decode()), _LATENCY.search(out.decode())
    if child.returncode != 0 or tps is None or latency is None:
        raise RuntimeError(f"pgbench failed: {errors.decode()[-300:]}")
    phase.appends += float(tps.group(1)) * _ROWS / _ROUNDS
    phase.latency_ms += float(latency.group(1)) / _ROUNDS


async def _write_sealed(installation: Scratch, script: Path, phase: _Phase, *, rate: int | None = None) -> None:
    async def seal_repeatedly() -> None:
        while True:
            await asyncio.sleep(_SEAL_EVERY)
            await _seal(installation)

    sealing = asyncio.create_task(seal_repeatedly())
    await _write(installation, script, phase, rate=rate)
    sealing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await sealing


async def _seal(installation: Scratch) -> int:
    async with installation.database.transaction(job_context()) as session:
        return await seal(session, installation.vault, now=system_clock())


async def _seal_all(installation: Scratch) -> None:
    while await _seal(installation):
        pass


async def _verify(installation: Scratch) -> tuple[int, float]:
    began = time.perf_counter()
    report = await verify(installation.database, installation.vault, now=system_clock())
    elapsed = time.perf_counter() - began
    if not report.ok or report.entries < ENTRIES:
        raise RuntimeError(f"audit log not verified or too short: {report.entries} entries, {report.findings[:1]}")
    return report.entries, elapsed

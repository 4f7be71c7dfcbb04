"""`bench lease`: commands leased and acked over HTTP; the limit is pgbench with the same updates on the same tables."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from hashinsight.audit.actions import Actor, ActorKind
from hashinsight.bench.api_server import ApiServer, create_collector, create_site, running_api
from hashinsight.bench.lease_tables import FINISHED, MACHINES, Owner, fill, write_pgbench_script
from hashinsight.bench.report import Result, percentile
from hashinsight.bench.scratch import Scratch, scratch
from hashinsight.commands import service
from hashinsight.commands.requests import CommandRequest, PreApproval
from hashinsight.commands.service import sweeps
from hashinsight.identity.caller import automation_caller
from hashinsight.inventory.filters import MinerFilter
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import Context, job_context

ROUNDS = 3
BATCH = 50
_CONNECTIONS = 8
_SINGLES = 2_000


@dataclass
class _Site:
    installation: Scratch
    token: str
    owner: Owner


@dataclass
class _Totals:
    seconds: float = 0.0
    commands: int = 0
    polls_ms: list[float] = field(default_factory=list)
    acks_ms: list[float] = field(default_factory=list)
    api_sec: float = 0.0  # processor time
    postgres_sec: float = 0.0

    def add(self, run: dict[str, Any]) -> None:
        self.seconds += run["seconds"]
        self.commands += run["commands"]
        self.polls_ms += run["polls_ms"]
        self.acks_ms += run["acks_ms"]

    @property
    def per_sec(self) -> float:
        return self.commands / self.seconds


async def measure() -> Result:
    async with scratch() as installation:
        site = await _open(installation)
        ours, limit, single_acks, one_connection, snapshot, snapshot_flat_out = (_Totals() for _ in range(6))
        script = write_pgbench_script(installation, site.owner, batch=BATCH)
        async with running_api(installation, processes=2) as api:
            await _round(site, api, _Totals(), "set_fan")  # not measured: prepares statements, fills caches
            for _ in range(ROUNDS):
                await _round(site, api, ours, "set_fan")
                await _request(site, "set_fan")
                limit.add(await _pgbench(installation, script, clients=_CONNECTIONS))
                await _archive(site)
            await _round(site, api, one_connection, "set_fan", connections=1)
            await _round(site, api, single_acks, "set_fan", machines=_SINGLES, ack_mode="single")
            async with _open_snapshot(installation):
                for _ in range(2):
                    await _round(site, api, snapshot, "set_fan", connections=1)
                await _round(site, api, snapshot_flat_out, "set_fan")
            memory = api.peak_rss_mb()
    return Result(
        name="lease",
        figure=round(ours.per_sec),
        unit=f"commands/s leased and acked in batches of {BATCH}",
        limit=round(limit.per_sec),
        ratio=round(ours.per_sec / limit.per_sec, 3),
        detail={
            "single_ack_per_s": round(len(single_acks.acks_ms) / single_acks.seconds),
            "poll_p50_ms": _ms(one_connection.polls_ms, 50),
            "poll_p99_ms": _ms(one_connection.polls_ms, 99),
            "poll_p99_ms_with_an_open_snapshot": _ms(snapshot.polls_ms, 99),
            "commands_per_s_with_an_open_snapshot": round(snapshot_flat_out.per_sec),
            "poll_p99_ms_flat_out": _ms(ours.polls_ms, 99),
            "batch_ack_p99_ms_flat_out": _ms(ours.acks_ms, 99),
            "limit_sql_per_s": round(limit.per_sec),
            "api_processor_us_per_command": round(1e6 * ours.api_sec / ours.commands, 1),
            "postgres_processor_us_per_command": round(1e6 * ours.postgres_sec / ours.commands, 1),
            "commands": ours.commands,
            "finished_commands": FINISHED,
            "peak_rss_mb": round(memory, 1),
        },
    )


async def _open(installation: Scratch) -> _Site:
    create_site(installation)
    token = create_collector(installation)
    return _Site(installation, token, await fill(installation))


async def _round(
    site: _Site,
    api: ApiServer,
    totals: _Totals,
    command_type: str,
    *,
    connections: int = _CONNECTIONS,
    machines: int = MACHINES,
    ack_mode: str = "batch",
) -> None:
    """Request one command per machine, as a rule would; poll and ack until none is left."""
    await _request(site, command_type, machines=machines)
    arguments = (str(api.port), site.token, str(connections), str(BATCH), ack_mode)
    api_sec, postgres_sec = api.processor_sec(), site.installation.postgres_processor_sec()
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "hashinsight.bench.polling", *arguments, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await child.communicate()
    if child.returncode != 0:
        raise RuntimeError("the polling client failed")
    totals.add(json.loads(out))
    totals.api_sec += api.processor_sec() - api_sec
    totals.postgres_sec += site.installation.postgres_processor_sec() - postgres_sec
    await _archive(site)


async def _request(site: _Site, command_type: str, *, machines: int = MACHINES) -> None:
    caller = automation_caller(site.owner.tenant_id, Actor(ActorKind.RULE, "bench"))
    target = (
        {"filter": MinerFilter()}
        if machines == MACHINES
        else {"miner_ids": tuple(f"m{n}" for n in range(1, machines + 1))}
    )
    request = CommandRequest(
        command_type,
        {"speed": 60},
        site=site.owner.site_id,
        reason="a benchmark",
        ttl_sec=3600,
        pre_approval=PreApproval("bench", "a benchmark"),
        **target,
    )
    async with site.installation.database.transaction(Context(tenant=str(site.owner.tenant_id))) as session:
        result = await service.request(session, site.installation.vault, caller, request, now=system_clock())
    if len(result.commands) != machines:
        raise RuntimeError(f"requested {machines} commands, got {len(result.commands)}: {result.refused[:1]}")


async def _archive(site: _Site) -> None:
    """Archive as the worker does, between rounds."""
    async with site.installation.database.transaction(job_context()) as session:
        await sweeps.archive(session, now=system_clock() + timedelta(hours=1))


async def _pgbench(installation: Scratch, script: Path, *, clients: int) -> dict[str, Any]:
    per_client = MACHINES // BATCH // clients
    options = f"-c {clients} -j 1 -t {per_client} -M prepared"
    child = await asyncio.create_subprocess_exec(
        *(*installation.pgbench, "-f", str(script), *options.split()),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, errors = await child.communicate()
    tps = re.search(r"tps = ([0-9.]+)", out.decode())
    if child.returncode != 0 or tps is None:
        raise RuntimeError(f"pgbench failed: {errors.decode()[-300:]}")
    batches = per_client * clients
    return {"seconds": batches / float(tps.group(1)), "commands": batches * BATCH, "polls_ms": [], "acks_ms": []}


@asynccontextmanager
async def _open_snapshot(installation: Scratch) -> AsyncIterator[None]:
    """A report left open: vacuum cannot remove the rows that die meanwhile."""
    child = await asyncio.create_subprocess_exec(
        *installation.psql, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    if child.stdin is None or child.stdout is None:
        raise RuntimeError("psql has no pipes")
    child.stdin.write(b"begin isolation level repeatable read; select count(*) from commands;\n")
    await child.stdin.drain()
    await child.stdout.readline()
    yield
    child.stdin.close()
    await child.wait()


def _ms(values: list[float], percent: int) -> float:
    return round(percentile(values, percent), 1)

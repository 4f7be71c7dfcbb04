"""`bench lease`: commands leased and acked over HTTP, against pgbench that makes the same moves on the same tables."""

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
from hashinsight.bench.api_server import ApiServer, command, running_api
from hashinsight.bench.lease_tables import FINISHED, MACHINES, Owner, fill, same_moves
from hashinsight.bench.report import Result
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
_MOVED = re.compile(r"number of transactions actually processed: (\d+)")


@dataclass
class _Place:
    scratch: Scratch
    token: str
    owner: Owner


@dataclass
class _Ran:
    seconds: float = 0.0
    commands: int = 0
    polls_ms: list[float] = field(default_factory=list)
    acks_ms: list[float] = field(default_factory=list)

    def add(self, more: dict[str, Any]) -> None:
        self.seconds += more["seconds"]
        self.commands += more["commands"]
        self.polls_ms += more["polls_ms"]
        self.acks_ms += more["acks_ms"]

    @property
    def per_sec(self) -> float:
        return self.commands / self.seconds


async def measure() -> Result:
    async with scratch() as bare:
        place = await _open(bare)
        ours, limit, alone, quiet, held, held_flat_out = (_Ran() for _ in range(6))
        script = same_moves(bare, place.owner, batch=BATCH)
        async with running_api(bare, processes=2) as api:
            await _round(place, api, _Ran(), "set_fan")  # prepares statements and fills caches: not what is measured
            for _ in range(ROUNDS):
                await _round(place, api, ours, "set_fan")
                await _order(place, "set_fan")
                limit.add(await _pgbench(bare, script, clients=_CONNECTIONS))
                await _tidy(place)
            await _round(place, api, quiet, "set_fan", connections=1)
            await _round(place, api, alone, "set_fan", most=_SINGLES, how="single")
            async with _open_snapshot(bare):
                for _ in range(2):
                    await _round(place, api, held, "set_fan", connections=1)
                await _round(place, api, held_flat_out, "set_fan")
            memory = api.peak_rss_mb()
    return Result(
        name="lease",
        figure=round(ours.per_sec),
        unit=f"commands/s leased and acked in batches of {BATCH}",
        limit=round(limit.per_sec),
        ratio=round(ours.per_sec / limit.per_sec, 3),
        detail={
            "single_acks_per_s": round(len(alone.acks_ms) / alone.seconds),
            "poll_p50_ms": _percentile(quiet.polls_ms, 50),
            "poll_p99_ms": _percentile(quiet.polls_ms, 99),
            "poll_p99_ms_with_an_open_snapshot": _percentile(held.polls_ms, 99),
            "commands_per_s_with_an_open_snapshot": round(held_flat_out.per_sec),
            "poll_p99_ms_flat_out": _percentile(ours.polls_ms, 99),
            "batch_ack_p99_ms_flat_out": _percentile(ours.acks_ms, 99),
            "commands": ours.commands,
            "finished_commands": FINISHED,
            "peak_rss_mb": round(memory, 1),
        },
    )


async def _open(bare: Scratch) -> _Place:
    command(bare, "tenant", "create", "--name", "bench")
    command(bare, "site", "create", "--code", "one", "--name", "One")
    token = command(bare, "collector", "create", "--site", "one", "--name", "north")["token"]
    return _Place(bare, token, await fill(bare))


async def _round(
    place: _Place,
    api: ApiServer,
    ran: _Ran,
    command_type: str,
    *,
    connections: int = _CONNECTIONS,
    most: int = MACHINES,
    how: str = "batch",
) -> None:
    """One command for each machine, asked for as a rule would, then polled and acked until none is left."""
    await _order(place, command_type, most=most)
    arguments = (str(api.port), place.token, str(connections), str(BATCH), how)
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "hashinsight.bench.polling", *arguments, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await child.communicate()
    if child.returncode != 0:
        raise RuntimeError("the collectors failed")
    ran.add(json.loads(out))
    await _tidy(place)


async def _order(place: _Place, command_type: str, *, most: int = MACHINES) -> None:
    caller = automation_caller(place.owner.tenant_id, Actor(ActorKind.RULE, "bench"))
    wanted = (
        {"filter": MinerFilter()} if most == MACHINES else {"miner_ids": tuple(f"m{n}" for n in range(1, most + 1))}
    )
    request = CommandRequest(
        command_type,
        {"speed": 60},
        site=place.owner.site_id,
        reason="a benchmark",
        ttl_sec=3600,
        pre_approval=PreApproval("bench", "it measures"),
        **wanted,
    )
    async with place.scratch.database.transaction(Context(tenant=str(place.owner.tenant_id))) as session:
        answer = await service.request(session, place.scratch.vault, caller, request, now=system_clock())
    if len(answer.commands) != most:
        raise RuntimeError(f"asked for {most} commands and got {len(answer.commands)}: {answer.refused[:1]}")


async def _tidy(place: _Place) -> None:
    """As the worker does every few seconds; nothing of it falls into a round."""
    async with place.scratch.database.transaction(job_context()) as session:
        await sweeps.archive(session, now=system_clock() + timedelta(hours=1))


async def _pgbench(bare: Scratch, script: Path, *, clients: int) -> dict[str, Any]:
    each = MACHINES // BATCH // clients
    child = await asyncio.create_subprocess_exec(
        *(*bare.pgbench, "-f", str(script), "-c", str(clients), "-j", "1", "-t", str(each), "-M", "prepared"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, errors = await child.communicate()
    tps = re.search(r"tps = ([0-9.]+)", out.decode())
    if child.returncode != 0 or tps is None:
        raise RuntimeError(f"pgbench failed: {errors.decode()[-300:]}")
    batches = each * clients
    return {"seconds": batches / float(tps.group(1)), "commands": batches * BATCH, "polls_ms": [], "acks_ms": []}


@asynccontextmanager
async def _open_snapshot(bare: Scratch) -> AsyncIterator[None]:
    """A report that somebody left open: nothing that dies meanwhile can be cleaned away."""
    child = await asyncio.create_subprocess_exec(
        *bare.psql, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    if child.stdin is None or child.stdout is None:
        raise RuntimeError("the reader has no pipes")
    child.stdin.write(b"begin isolation level repeatable read; select count(*) from commands;\n")
    await child.stdin.drain()
    await child.stdout.readline()
    yield
    child.stdin.close()
    await child.wait()


def _percentile(values: list[float], percent: int) -> float:
    ordered = sorted(values)
    return round(ordered[min(len(ordered) * percent // 100, len(ordered) - 1)], 1)

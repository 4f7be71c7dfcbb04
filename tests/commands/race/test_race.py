"""Everybody at once on real connections, processes killed in the middle: afterwards the checker finds nothing.

The seed draws what each one does; how their transactions interleave is the machine's, so a seed that failed is a place
to look, not a recording. 20 races here, 1,000 in `make chaos`.
"""

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from hashinsight.commands.service.checker import check_history
from tests.commands.race.actors import DOWN, Actors
from tests.commands.race.shared_clock import SharedClockSite

RACES = int(os.environ.get("HI_RACES", "20"))
STEPS = 16 if RACES <= 20 else 25
DEATHS = 3
SMALL_CAP = 0.25  # two of the eight machines
ENOUGH = {"made": 10, "leased": 5, "acked": 2}


@pytest.mark.parametrize("seed", range(max(2, RACES // 10)), ids=lambda seed: f"seed-{seed}")
async def test_a_small_cap_holds_with_everybody_at_once_but_for_emergencies(fleet: SharedClockSite, seed: int) -> None:
    fleet.pass_time(3600)  # far enough from the share that the fleet began with
    await fleet.set_share_down(SMALL_CAP)
    fleet.pass_time(3600)
    actors = Actors(fleet, f"cap {seed}", DOWN)
    await _work(actors)
    await actors.settle()
    examined = await check_history(fleet.database, fleet.tenant)
    assert examined.findings == []
    assert examined.open == 0
    assert not _missing(actors), "a race in which little happens shows little"


@pytest.mark.parametrize("seed", range(RACES), ids=lambda seed: f"seed-{seed}")
async def test_every_command_ends_once_and_no_guarantee_is_broken(
    fleet: SharedClockSite, dying: subprocess.Popen[str], tmp_path: Path, seed: int
) -> None:
    actors = Actors(fleet, str(seed))
    plan = fleet.plan(tmp_path / "clock", seed=seed, deaths=DEATHS)
    async with asyncio.TaskGroup() as group:
        killed = group.create_task(asyncio.to_thread(_let_die, dying, plan.to_line()))
        group.create_task(_work(actors))
    await actors.settle()
    examined = await check_history(fleet.database, fleet.tenant)
    assert examined.findings == []
    assert examined.open == 0
    assert examined.notes == []
    assert killed.result() == DEATHS
    finals = {row["command_id"]: row["state"] for row in fleet.rows("select command_id, state from all_commands")}
    assert {command_id: [finals[command_id]] for command_id in actors.ended} == actors.ended, (
        "an ack that was answered as applied is what counts"
    )
    assert not _missing(actors), "a race in which little happens shows little"


async def _work(actors: Actors) -> None:
    """On a busy machine one round may come to little: some more then, and no more than some."""
    for _ in range(20):
        await actors.everybody(STEPS)
        if not _missing(actors):
            return


def _missing(actors: Actors) -> dict[str, int]:
    return {what: actors.did[what] for what, least in ENOUGH.items() if actors.did[what] < least}


def _let_die(dying: subprocess.Popen[str], line: str) -> int:
    assert dying.stdin is not None
    assert dying.stdout is not None
    dying.stdin.write(line)
    dying.stdin.flush()
    return int(dying.stdout.readline())

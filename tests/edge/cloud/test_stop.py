"""A collector that is told to stop while it is woken ends all the same."""

import asyncio
from pathlib import Path

import pytest

from hashinsight.edge.cloud.intake import Intake
from hashinsight.edge.cloud.reporter import Reporter
from hashinsight.edge.cloud.resources import open_resources
from tests.edge.factories import settings_in


@pytest.mark.parametrize("task", ["acks", "events", "intake"])
async def test_a_task_cancelled_in_the_turn_in_which_it_is_woken_ends(tmp_path: Path, task: str) -> None:
    resources = open_resources(settings_in(tmp_path))
    try:
        intake, reporter = Intake(resources), Reporter(resources)
        run, wakeup = {
            "acks": (reporter.run_acks, reporter._wakeup),
            "events": (reporter.run_events, reporter._wakeup),
            "intake": (intake.run, intake._wakeup),
        }[task]
        running = asyncio.create_task(run())
        while not wakeup._waiters:  # noqa: ASYNC110 - the event itself is observed
            await asyncio.sleep(0.001)
        wakeup.set()
        await asyncio.sleep(0)  # woken, and not yet run
        running.cancel()
        ended, _ = await asyncio.wait([running], timeout=300.0)
        if not ended:
            running.cancel()
        assert ended, "the cancellation was lost"
    finally:
        await resources.aclose()

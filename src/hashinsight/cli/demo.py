"""The demo of `hashinsight up --demo`: simulated machines, and one collector per site that reads them."""

import sys

from hashinsight.cli.own_api import own_url
from hashinsight.cli.startup import check_database, prepare
from hashinsight.kit.children import Child
from hashinsight.kit.clock import system_clock
from hashinsight.kit.connections import open_database
from hashinsight.kit.db.context import job_context
from hashinsight.kit.embedded.servers import Progress
from hashinsight.kit.process import run, stop_on_signal
from hashinsight.kit.settings import Settings

_STOP_SECONDS = 40.0  # collectors stop first, then the machines


def demo() -> None:
    run(_demo(prepare("demo")))


async def _demo(settings: Settings) -> None:
    from hashinsight.demo.runner import run_demo

    stop = stop_on_signal()
    database = open_database(settings, "demo")
    try:
        await check_database(database)
        await run_demo(database, own_url(settings), settings.data_dir / "demo", settings.demo_miners, stop)
    finally:
        await database.dispose()


async def demo_child(settings: Settings, report: Progress) -> Child | None:
    """The child process to start, or None if the installation has sites of its own."""
    from hashinsight.demo.queries import has_telemetry
    from hashinsight.demo.setup import is_demo_only

    database = open_database(settings, "up")
    async with database.transaction(job_context()) as session:
        allowed = await is_demo_only(session)
    if not allowed:
        report("demo skipped: this installation has its own sites")
        await database.dispose()
        return None
    began = system_clock()

    async def is_reporting() -> bool:
        async with database.transaction(job_context()) as session:
            return await has_telemetry(session, since=began)

    report(f"starting the demo: {settings.demo_miners:,} simulated machines, one collector per site")
    command = [sys.executable, "-m", "hashinsight", "demo"]
    return Child("demo", command, layer=2, stop_seconds=_STOP_SECONDS, ready=is_reporting)

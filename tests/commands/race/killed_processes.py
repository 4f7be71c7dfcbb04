"""Processes that join a race and die in it: each kills itself with SIGKILL at some statement of some transaction.

One process that has everything loaded waits for plans on standard input and forks; it has no loop and no thread of its
own. A child knows only the database: what it was handed, and the answers that it got, die with it.
"""

import asyncio
import os
import random
import signal
import sys

from hashinsight.kit.logs import configure_logs
from hashinsight.kit.settings import Settings
from tests.commands.race.actors import Actors
from tests.commands.race.shared_clock import Plan, joined
from tests.commands.race.statements import every_statement

STEPS = 200  # more than it lives


def main() -> None:
    configure_logs(Settings(log_level="ERROR", log_format="json"), "race")
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        plan = Plan.from_line(line)
        killed = sum(_one_dies(plan, number) for number in range(plan.deaths))
        sys.stdout.write(f"{killed}\n")
        sys.stdout.flush()


def _one_dies(plan: Plan, number: int) -> bool:
    pid = os.fork()
    if pid == 0:
        try:
            asyncio.run(_act(plan, number))
        finally:
            os._exit(1)
    _, status = os.waitpid(pid, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


async def _act(plan: Plan, number: int) -> None:
    left = random.Random(f"{plan.seed} dies {number}").randint(20, 90)

    def count(_statement: str) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    with every_statement(count):
        await Actors(joined(plan), f"{plan.seed} child {number}").everybody(STEPS, of="ask poll ack sweep")


if __name__ == "__main__":
    main()

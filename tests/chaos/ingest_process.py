"""API processes to be killed: each is a fork of this one, which holds the listening socket and only obeys.

A line on standard input kills one of them with SIGKILL and starts another in its place, as the supervisor would.
"""

import gc
import os
import random
import signal
import sys

from hashinsight.cli.startup import prepare


def main(count: int) -> None:
    settings = prepare("api")
    import hashinsight.app  # noqa: F401 - loaded once, for all forks
    from hashinsight.cli.serve import _serve_one, listen

    gc.collect()
    gc.freeze()  # or each of them would look through all of it as it starts

    with listen(settings) as listening:

        def start() -> int:
            pid = os.fork()
            if pid == 0:
                try:
                    _serve_one(settings, listening)
                finally:
                    os._exit(0)
            return pid

        running = [start() for _ in range(count)]
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        for _ in sys.stdin:
            place = random.randrange(count)
            kill(running[place])
            running[place] = start()
        for pid in running:
            kill(pid)


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


if __name__ == "__main__":
    main(int(sys.argv[1]))

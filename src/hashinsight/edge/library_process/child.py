"""The child process that talks to machines: `python -m …library_process.child MEMORY_MB`, requests in, answers out.

A separate process, because asic-rs has been seen to abort, and reads whatever a machine sends without a limit. Nothing
else in the collector opens a connection to a machine, so whatever breaks here is simply restarted.
"""

import asyncio
import os
import resource
import sys
import threading
import time
from typing import Any

from hashinsight.edge.library_process.machines import LibraryStuck, Machines
from hashinsight.edge.library_process.messages import MachineError, pack_message, read_message

STUCK_CODE = 70
_ORPHAN_SEC = 2.0
_LAST_ACTIONS_SEC = 30.0  # a half-sent action is finished, even if the collector is gone
_MAX_OPEN_FILES = 65_536


async def serve(requests: asyncio.StreamReader, answers: asyncio.WriteTransport) -> None:
    machines = Machines()
    running: set[asyncio.Task[None]] = set()
    actions: set[asyncio.Task[None]] = set()
    while (request := await read_message(requests)) is not None:
        if request["op"] == "ping":
            answers.write(pack_message({"id": request["id"], "ok": True, "result": None}))
            continue
        task = asyncio.create_task(_answer(machines, request, answers))
        running.add(task)
        task.add_done_callback(running.discard)
        if request["op"] == "act":
            actions.add(task)
            task.add_done_callback(actions.discard)
    if actions:
        await asyncio.wait(actions, timeout=_LAST_ACTIONS_SEC)


async def _answer(machines: Machines, request: dict[str, Any], answers: asyncio.WriteTransport) -> None:
    try:
        method = getattr(machines, request["op"])
        result = await method(*request["args"], **request["options"])
        answer = pack_message({"id": request["id"], "ok": True, "result": result})
    except LibraryStuck:
        os._exit(STUCK_CODE)
    except MachineError as error:
        answer = pack_message({"id": request["id"], "ok": False, "kind": error.kind, "text": str(error)})
    except Exception as error:  # noqa: BLE001 - one strange machine must not stop reading the others
        text = f"not read: {type(error).__name__}"
        answer = pack_message({"id": request["id"], "ok": False, "kind": "garbled", "text": text})
    answers.write(answer)


async def main() -> None:
    loop = asyncio.get_running_loop()
    output = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints must not mix with our answers
    requests = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(requests), sys.stdin.buffer)
    answers, _ = await loop.connect_write_pipe(asyncio.Protocol, os.fdopen(output, "wb"))
    await serve(requests, answers)
    os._exit(0)  # at once: the library has been seen to abort at interpreter exit


def _watch_parent(parent: int) -> None:
    """A child whose event loop hangs must not outlive the collector either."""
    while os.getppid() == parent:
        time.sleep(_ORPHAN_SEC)
    time.sleep(_LAST_ACTIONS_SEC)
    os._exit(0)


def _limit_resources(memory_mb: int) -> None:
    """Beyond the limit an allocation fails and the child aborts: better than a device that swaps."""
    resource.setrlimit(resource.RLIMIT_DATA, (memory_mb * 1024 * 1024, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = _MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _MAX_OPEN_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, limit), hard))


if __name__ == "__main__":
    threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True).start()
    _limit_resources(int(sys.argv[1]))
    asyncio.run(main())

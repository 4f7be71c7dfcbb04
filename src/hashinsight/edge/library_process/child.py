"""The child process that talks to machines.

`python -m hashinsight.edge.library_process.child MEMORY_MB`: requests in, answers out.


A process of its own, because asic-rs has been seen to abort and reads what a machine sends without a bound. Nothing of
the edge but this program opens a connection to a machine: whoever breaks it breaks nothing that is not started anew.
"""

import asyncio
import os
import resource
import sys
import threading
import time
from typing import Any

from hashinsight.edge.library_process.cgminer import Trouble
from hashinsight.edge.library_process.machines import LibraryStuck, Machines
from hashinsight.edge.library_process.messages import packed, read_message

STUCK_CODE = 70
_ORPHAN_SEC = 2.0
_LAST_ACTS_SEC = 30.0  # an order that is half given is brought to its end, also when the edge is gone
_SPARE_FILES = 65_536


async def serve(incoming: asyncio.StreamReader, outgoing: asyncio.WriteTransport) -> None:
    machines = Machines()
    under_way: set[asyncio.Task[None]] = set()
    acts: set[asyncio.Task[None]] = set()
    while (asked := await read_message(incoming)) is not None:
        if asked["op"] == "ping":
            outgoing.write(packed({"id": asked["id"], "ok": True, "result": None}))
            continue
        task = asyncio.create_task(_answer(machines, asked, outgoing))
        under_way.add(task)
        task.add_done_callback(under_way.discard)
        if asked["op"] == "act":
            acts.add(task)
            task.add_done_callback(acts.discard)
    if acts:
        await asyncio.wait(acts, timeout=_LAST_ACTS_SEC)


async def _answer(machines: Machines, asked: dict[str, Any], outgoing: asyncio.WriteTransport) -> None:
    try:
        work = getattr(machines, asked["op"])
        result = await work(*asked["args"], **asked["options"])
        said = packed({"id": asked["id"], "ok": True, "result": result})
    except LibraryStuck:
        os._exit(STUCK_CODE)
    except Trouble as problem:
        said = packed({"id": asked["id"], "ok": False, "kind": problem.kind, "said": str(problem)})
    except Exception as problem:  # noqa: BLE001 - one odd machine must not cost the others their reader
        said = packed(
            {"id": asked["id"], "ok": False, "kind": "garbled", "said": f"not read: {type(problem).__name__}"}
        )
    outgoing.write(said)


async def main() -> None:
    loop = asyncio.get_running_loop()
    answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer of ours
    incoming = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(incoming), sys.stdin.buffer)
    outgoing, _ = await loop.connect_write_pipe(asyncio.Protocol, os.fdopen(answers, "wb"))
    await serve(incoming, outgoing)
    os._exit(0)  # at once: the library has been seen to abort when an interpreter ends


def _watch_parent(parent: int) -> None:
    """Also a child whose loop hangs must not outlive the edge."""
    while os.getppid() == parent:
        time.sleep(_ORPHAN_SEC)
    time.sleep(_LAST_ACTS_SEC)
    os._exit(0)


def _bound(memory_mb: int) -> None:
    """Past the bound an allocation fails and the child aborts: better than a box that swaps."""
    resource.setrlimit(resource.RLIMIT_DATA, (memory_mb * 1024 * 1024, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _SPARE_FILES if hard == resource.RLIM_INFINITY else min(hard, _SPARE_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))


if __name__ == "__main__":
    threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True).start()
    _bound(int(sys.argv[1]))
    asyncio.run(main())

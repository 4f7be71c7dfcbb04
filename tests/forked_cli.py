"""`hashinsight …` as a process of its own that is forked from one which has the program loaded: 0.1 s, not a second.

For tests of what a command does. What a start itself does (what it imports, how it is installed, how it dies) is
tested with real starts, in `tests.installation`. The waiting process has no loop, and has run nothing: polars may be
loaded
before a fork, but not used.
"""

import atexit
import functools
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import IO, Any, NoReturn

from tests.installation import HANG_TIMEOUT_SEC, environment


def hashinsight(*arguments: str, stdin: str = "", **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run one command to its end."""
    with tempfile.TemporaryDirectory(prefix="hi-command-") as name:
        folder = Path(name)
        (folder / "0").write_text(stdin)
        request = {"arguments": arguments, "environment": environment(**settings), "folder": name}
        requests, answers = _waiting()
        requests.write(json.dumps(request) + "\n")
        requests.flush()
        code = int(answers.readline())
        return subprocess.CompletedProcess(arguments, code, (folder / "1").read_text(), (folder / "2").read_text())


@functools.cache
def _waiting() -> tuple[IO[str], IO[str]]:
    """One for all commands of a test process, started with the first."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.forked_cli"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
        env=environment(),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    atexit.register(process.communicate)
    return process.stdin, process.stdout


def _wait_and_fork() -> None:
    """Ends in the child with its standard files and environment in place, and in the parent with the last question."""
    import hashinsight.app
    import hashinsight.cli.startup
    import hashinsight.kit.db.arrow
    import hashinsight.worker  # noqa: F401 - loaded for the children

    gc.collect()
    gc.freeze()  # or each child would copy all of it
    requests, answers = os.fdopen(os.dup(0)), os.dup(1)  # a child's standard files have not been read ahead
    for line in requests:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            break
        _, status = os.waitpid(pid, 0)
        os.write(answers, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    else:
        os._exit(0)
    requests.close()
    os.close(answers)
    signal.alarm(int(HANG_TIMEOUT_SEC))
    for number, way in ((0, os.O_RDONLY), (1, os.O_WRONLY | os.O_CREAT), (2, os.O_WRONLY | os.O_CREAT)):
        file = os.open(Path(request["folder"]) / str(number), way, 0o600)
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["hashinsight", *request["arguments"]]


def _end(code: object) -> NoReturn:
    """As the interpreter does, but for taking everything apart, which takes longer than most commands."""
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    from hashinsight.__main__ import main

    _wait_and_fork()
    try:
        main()
    except SystemExit as end:
        _end(end.code)
    except BaseException:  # noqa: BLE001 - the interpreter's own last resort
        traceback.print_exc()
        _end(1)
    _end(None)

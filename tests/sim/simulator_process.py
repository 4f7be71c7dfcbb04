"""A real `hashinsight sim run` as a child process, in a net of its own."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hashinsight.sim.control.client import ask
from hashinsight.sim.sockets.nets import read_net
from tests.installation import HANG_TIMEOUT_SEC, environment, hashinsight

# a few of each make that lives on port 4028; nothing breaks by itself
SCENARIO = """
about = "a few of each make"
[[pools]]
name = "main"
url = "stratum+tcp://main.pool.example:3333"
user = "farm.worker"
[[pools]]
name = "backup"
url = "stratum+tcp://backup.pool.example:3333"
user = "farm.worker"
[[sites]]
name = "north"
pools = ["main", "backup"]
[[sites.zones]]
name = "a"
switch_size = 3
machines = [
  { model = "Antminer S19j Pro", count = 3, firmware = "LuxOS 2024.5.1" },
  { model = "Whatsminer M50S", count = 3 },
  { model = "Avalon A1366", count = 3 },
]
"""


class Sim:
    def __init__(self, process: "subprocess.Popen[str]", ready: dict[str, Any]) -> None:
        self.process = process
        self.ready = ready
        self.net = str(ready["net"])

    def address(self, no: int) -> str:
        return f"{self.net}.0.{no + 1}"

    def said(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return hashinsight("sim", *arguments, "--net", self.net)

    def ask(self, *arguments: str) -> Any:
        done = self.said(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def control(self, verb: str, **given: Any) -> Any:
        """The control API itself, without a process for the command line."""
        return ask(read_net(self.net), verb, **given)

    def machine(self, no: int) -> dict[str, Any]:
        (machines,) = self.control("machines", machine=str(no))
        assert isinstance(machines, dict)
        return machines


@contextmanager
def sim_running(folder: Path, *options: str, holding: tuple[int, ...] = ()) -> Iterator[Sim]:
    """Ready when everything listens; SIGTERM must end it with code 0 and without a word."""
    file = folder / "few.toml"
    file.write_text(SCENARIO)
    command = [sys.executable, "-m", "hashinsight", "sim", "run", str(file), "--json", *options]
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, pass_fds=holding
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        try:
            assert line, process.stderr.read()
            yield Sim(process, json.loads(line))
        finally:
            process.send_signal(signal.SIGTERM)
            code = process.wait(HANG_TIMEOUT_SEC)
            trouble = process.stderr.read()
        assert (code, trouble) == (0, "")

"""The full stack: a server process, a collector process with its child, and simulated machines on sockets."""

import json
import signal
import sqlite3
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from hashinsight.client import CommandRequest, HashInsight
from hashinsight.edge.status import read_status
from tests.edge.server_process import ServerProcess, until
from tests.edge.simulated_site import LUXOS
from tests.installation import HANG_TIMEOUT_SEC, environment, hashinsight, wait_for
from tests.sim.simulator_process import Sim
from tests.telemetry.site_with_collector import SiteWithCollector

ADMIN = "/api/admin/v1"
# a starved simulator must not make a restart that it was asked for one of unknown outcome
FAST = {"collection_interval": 1, "heartbeat_interval": 2, "api_timeout": 20}
EACH = 14
MAKES = (("Antminer S19j Pro", EACH, LUXOS), ("Whatsminer M50S", EACH))  # two that accept actions
_FINAL = ("succeeded", "failed", "expired", "canceled", "superseded")
# the machine's action for each command type, which must not appear twice
ACTS = {
    "reboot_device": "reboot",
    "disable_hashing": "pause",
    "set_power_mode": "mode",
    "fault_light": "light-on",
}


@contextmanager
def collector_running(log: Path | None = None, **settings: object) -> Iterator[subprocess.Popen[bytes]]:
    """`hashinsight edge run` with these settings; ended here if the test has not done so."""
    with (log or Path("/dev/null")).open("ab") as log_file:
        process = subprocess.Popen(
            [sys.executable, "-m", "hashinsight", "edge", "run"],
            env=environment(**{f"edge_{name}": value for name, value in settings.items()}),
            stderr=log_file,
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(HANG_TIMEOUT_SEC)


class FullStack:
    def __init__(
        self, folder: Path, server: ServerProcess, place: SiteWithCollector, sim: Sim, superuser_url: str
    ) -> None:
        self.folder, self.server, self.place, self.sim, self._url = folder, server, place, sim, superuser_url
        self.state, self.log = folder / "state", folder / "edge.log"
        self.names: list[str] = []
        self.process: subprocess.Popen[bytes] | None = None
        self.more: dict[str, object] = {}
        self.starts = 0

    async def open(self) -> None:
        """An asset list, a configuration with short intervals, and keys that sign commands."""
        machines = self.sim.control("machines")
        self.names = [item["machine_id"] for item in machines]
        self.state.mkdir(mode=0o700)
        rows = "".join(f"{item['machine_id']},{item['address']}\n" for item in machines)
        (self.folder / "machines.csv").write_text(f"miner_id,address\n{rows}")
        token = self.state / "token"
        token.touch(mode=0o600)
        token.write_text(self.place.collector["X-Collector-Key"])
        config = await self._post("collector-configs", {"version": "fast", "data": FAST})
        await self._post(f"collector-configs/{config['id']}/activate", {})
        # most of the site gets commands at once
        whole_site = {"version": 0, "thresholds": {"max_share_of_site_down": 1.0}}
        changed = await self.place.api.patch(f"{ADMIN}/settings", json=whole_site, headers=self.place.owner)
        assert changed.is_success, changed.text
        listed = await self.place.api.get(f"{ADMIN}/collectors", headers=self.place.owner)
        collector = f"collectors/{listed.json()['collectors'][0]['id']}"
        key = await self._post(f"{collector}/signing-keys", {"algorithm": "ed25519"})
        turned = await self.place.api.put(f"{ADMIN}/{collector}/signing", json={"on": True}, headers=self.place.owner)
        assert turned.is_success, turned.text
        self.more["signing_keys"] = json.dumps([{"key_id": key["key_id"], "key": key["public_key"]}])
        self.asks = HashInsight(self.server.url, token=_bearer(self.place.owner))
        self.approves = HashInsight(self.server.url, token=_bearer(await self.place.people.headers("OpsManager")))

    async def close(self) -> None:
        self.kill()
        await self.asks.aclose()
        await self.approves.aclose()

    def start_collector(self, **more: object) -> None:
        settings = {
            "state_dir": self.state,
            "cloud_url": self.server.url,
            "place_site": "tx-1",
            "miners_ranges": f"{self.sim.net}.0.1-{len(self.names)}",
            "miners_identity": "file",
            "miners_id_file": self.folder / "machines.csv",
            "cloud_command_interval_sec": 0.2,
            "cloud_upload_interval_sec": 0.5,
            "spool_store_every_sec": 0.2,
            "limits_per_minute": 1000,
            **self.more,
            **more,
        }
        began = self.log.read_text().count("collector running\n") if self.log.exists() else 0
        self.starts = began + 1
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "hashinsight", "edge", "run"],
                env=environment(**{f"edge_{name}": value for name, value in settings.items()}),
                stderr=log,
            )

    def end_collector(self, how: signal.Signals = signal.SIGTERM) -> int:
        """SIGTERM only once it is ready; a kill at any time."""
        assert self.process is not None
        if how is signal.SIGTERM:
            wait_for(lambda: self.log.read_text().count("collector running\n") == self.starts, "the edge to run")
        self.process.send_signal(how)
        code, self.process = self.process.wait(HANG_TIMEOUT_SEC), None
        return code

    def kill(self) -> None:
        if self.process is not None:
            self.end_collector(signal.SIGKILL)

    def status(self) -> dict[str, Any]:
        return read_status(self.state)

    async def all_read(self) -> None:
        """The server knows every machine by its name."""

        async def known() -> bool:
            return {row["miner_id"] for row in self.rows("select miner_id from miners")} >= set(self.names)

        await until(known, f"the machines; {self.log.read_text()[-2000:]}")

    async def ask(self, command_type: str, *machines: int, **more: Any) -> list[str]:
        """Ids of the commands; what needs approval is approved by another user."""
        new = CommandRequest(
            command_type,
            site_id="tx-1",
            miner_ids=[self.names[no] for no in machines],
            reason="a test",
            max_retries=20,
            retry_backoff_sec=1,
            **more,
        )
        made = await self.asks.commands.request(new)
        assert not made["refused"], made["refused"]
        if made["commands"][0]["approval_state"] == "required":
            await self.approves.batches.approve(made["batch_id"], "fine")
        return [item["command_id"] for item in made["commands"]]

    async def ended(self, ids: list[str]) -> dict[str, dict[str, Any]]:
        """Their rows, once all are final."""

        async def over() -> bool:
            return all(row["state"] in _FINAL for row in self.commands(ids).values())

        try:
            await until(over, "the commands")
        except AssertionError:
            states = {item: (row["state"], row["error_code"]) for item, row in self.commands(ids).items()}
            raise AssertionError(f"{states}\n{self.log.read_text()[-3000:]}") from None
        return self.commands(ids)

    def commands(self, ids: list[str]) -> dict[str, dict[str, Any]]:
        query = (
            "select c.command_id::text, m.miner_id, c.command_type, c.state, c.error_code, c.attempt from"
            " (select command_id, miner_no, command_type, state, error_code, attempt from commands union all"
            " select command_id, miner_no, command_type, state, error_code, attempt from commands_done) c"
            " join miners m using (miner_no) where c.command_id = any (%s::uuid[])"
        )
        return {row["command_id"]: row for row in self.rows(query, ids)}

    def orders(self) -> dict[str, Counter[str]]:
        """What each machine received, by the simulator's log."""
        actions: dict[str, Counter[str]] = {name: Counter() for name in self.names}
        for item in self.sim.control("orders"):
            actions[item["machine_id"]][item["act"]] += item["refused"] is None
        return actions

    def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        with psycopg.connect(self._url, row_factory=dict_row) as connection:
            return connection.execute(query.encode(), values).fetchall()

    def check_orders(self, commands: dict[str, dict[str, Any]]) -> None:
        """Each machine had one command: its action appears once if it succeeded, and never twice."""
        actions = self.orders()
        for row in commands.values():
            times = actions[row["miner_id"]][ACTS[row["command_type"]]]
            assert times <= 1, f"{row}: {times} times"
            if row["state"] == "succeeded":
                assert times == 1, row

    def check_samples(self) -> int:
        """Every sequence number of the spool is a row on the server or still waits: none lost, none duplicated.

        What was in flight when the collector ended may be both: sent again, it is recognised by machine and time.
        """
        assert self.process is None, "end the collector first"
        with closing(sqlite3.connect(self.state / "spool.db")) as spool:
            (given,) = spool.execute("select value - 1 from numbers where name = 'next'").fetchone()
            chunks = spool.execute("select lines from chunks").fetchall()
            (lost,) = spool.execute("select count(*) from gaps").fetchone()
        lines = [json.loads(line) for (packed,) in chunks for line in zlib.decompress(packed).split(b"\n")]
        waiting = {(item["miner_id"], datetime.fromisoformat(item["timestamp"])) for item in lines}
        rows = self.rows("select miner_id, ts from telemetry_raw join miners using (miner_no)")
        stored = {(row["miner_id"], row["ts"]) for row in rows}
        assert lost == 0
        assert len(waiting) == len(lines)
        assert len(stored | waiting) == given
        return int(given)

    def checked(self) -> Any:
        """`hashinsight command check`, as an operator runs it."""
        done = hashinsight("command", "check", "--json", **self.server.settings)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = await self.place.api.post(f"{ADMIN}/{path}", json=body, headers=self.place.owner)
        assert answer.is_success, answer.text
        content: dict[str, Any] = answer.json()
        return content


def _bearer(headers: dict[str, str]) -> str:
    return headers["Authorization"].removeprefix("Bearer ")

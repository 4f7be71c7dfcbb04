"""The whole way, nothing left out: a server process, an edge process, its reader, and simulated machines on sockets."""

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
from tests.sim.running import Sim
from tests.telemetry.site_with_collector import SiteWithCollector

ADMIN = "/api/admin/v1"
FAST = {"collection_interval": 1, "heartbeat_interval": 2, "api_timeout": 4}
EACH = 14
MAKES = (("Antminer S19j Pro", EACH, LUXOS), ("Whatsminer M50S", EACH))  # two that take orders
_FINAL = ("succeeded", "failed", "expired", "canceled", "superseded")
# what a command of this type is for the machine: the act that must not be there twice
ACTS = {
    "reboot_device": "reboot",
    "disable_hashing": "pause",
    "set_power_mode": "mode",
    "fault_light": "light-on",
}


@contextmanager
def collector_running(log: Path | None = None, **settings: object) -> Iterator[subprocess.Popen[bytes]]:
    """`hashinsight edge run` with these settings; ended here if the test has not done so."""
    with (log or Path("/dev/null")).open("ab") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "hashinsight", "edge", "run"],
            env=environment(**{f"edge_{name}": value for name, value in settings.items()}),
            stderr=said,
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
        """A list of the machines by their names, a configuration for the hurried, and keys that sign commands."""
        machines = self.sim.control("machines")
        self.names = [one["machine_id"] for one in machines]
        self.state.mkdir(mode=0o700)
        rows = "".join(f"{one['machine_id']},{one['address']}\n" for one in machines)
        (self.folder / "machines.csv").write_text(f"miner_id,address\n{rows}")
        token = self.state / "token"
        token.touch(mode=0o600)
        token.write_text(self.place.collector["X-Collector-Key"])
        config = await self._post("collector-configs", {"version": "fast", "data": FAST})
        await self._post(f"collector-configs/{config['id']}/activate", {})
        # most of it is told something at once
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
        began = self.log.read_text().count("edge runs\n") if self.log.exists() else 0
        self.starts = began + 1
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "hashinsight", "edge", "run"],
                env=environment(**{f"edge_{name}": value for name, value in settings.items()}),
                stderr=log,
            )

    def end_collector(self, how: signal.Signals = signal.SIGTERM) -> int:
        """In order once it runs; a kill comes at whatever instant."""
        assert self.process is not None
        if how is signal.SIGTERM:
            wait_for(lambda: self.log.read_text().count("edge runs\n") == self.starts, "the edge to run")
        self.process.send_signal(how)
        code, self.process = self.process.wait(HANG_TIMEOUT_SEC), None
        return code

    def kill(self) -> None:
        if self.process is not None:
            self.end_collector(signal.SIGKILL)

    def status(self) -> dict[str, Any]:
        return read_status(self.state)

    async def all_read(self) -> None:
        """Every machine is known to the server by its name."""

        async def known() -> bool:
            return {row["miner_id"] for row in self.rows("select miner_id from miners")} >= set(self.names)

        await until(known, f"the machines; {self.log.read_text()[-2000:]}")

    async def ask(self, command_type: str, *machines: int, **more: Any) -> list[str]:
        """Ids of the commands; whatever needs approval is approved by somebody else."""
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
        return [one["command_id"] for one in made["commands"]]

    async def ended(self, ids: list[str]) -> dict[str, dict[str, Any]]:
        """Their rows, once all of them are over."""

        async def over() -> bool:
            return all(row["state"] in _FINAL for row in self.commands(ids).values())

        try:
            await until(over, "the commands")
        except AssertionError:
            states = {one: (row["state"], row["error_code"]) for one, row in self.commands(ids).items()}
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
        """What each machine was told, by the simulator's own book."""
        told: dict[str, Counter[str]] = {name: Counter() for name in self.names}
        for one in self.sim.control("orders"):
            told[one["machine_id"]][one["act"]] += one["refused"] is None
        return told

    def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        with psycopg.connect(self._url, row_factory=dict_row) as connection:
            return connection.execute(query.encode(), values).fetchall()

    def check_orders(self, commands: dict[str, dict[str, Any]]) -> None:
        """Each machine had one command: its act is there once where it succeeded, and never twice."""
        told = self.orders()
        for row in commands.values():
            times = told[row["miner_id"]][ACTS[row["command_type"]]]
            assert times <= 1, f"{row}: {times} times"
            if row["state"] == "succeeded":
                assert times == 1, row

    def check_samples(self) -> int:
        """Every number that the spool has given is a row of the server or waits: none lost, none twice.

        What was on its way when the edge ended may be both: sent again, it is known by machine and time.
        """
        assert self.process is None, "end the edge first"
        with closing(sqlite3.connect(self.state / "spool.db")) as spool:
            (given,) = spool.execute("select value - 1 from numbers where name = 'next'").fetchone()
            chunks = spool.execute("select lines from chunks").fetchall()
            (lost,) = spool.execute("select count(*) from gaps").fetchone()
        lines = [json.loads(line) for (packed,) in chunks for line in zlib.decompress(packed).split(b"\n")]
        waiting = {(one["miner_id"], datetime.fromisoformat(one["timestamp"])) for one in lines}
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
        found: dict[str, Any] = answer.json()
        return found


def _bearer(headers: dict[str, str]) -> str:
    return headers["Authorization"].removeprefix("Bearer ")

"""A whole collector killed again and again: no command runs twice, each is acked, no sample is lost or sent as new."""

import json
import random
import signal
import subprocess
import sys
import time
from bisect import bisect
from contextlib import nullcontext
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from hashinsight.edge.settings import SpoolBounds
from hashinsight.edge.status import read_status
from hashinsight.edge.storage.spool import Spool
from hashinsight.wire.acks import AckStatus
from tests.edge.factories import command
from tests.edge.stub_cloud import StubCloud, running_cloud
from tests.installation import HANG_TIMEOUT_SEC, free_port, hashinsight, wait_for

KILLS = 8


class Collector:
    def __init__(self, folder: Path, url: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.edge.collector_process", str(folder), url],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def end(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        code = self.process.wait(HANG_TIMEOUT_SEC)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


def test_no_command_runs_twice_and_no_stored_sample_is_lost_or_resent_as_new(tmp_path: Path) -> None:
    chance, cloud, port = random.Random(3), StubCloud(), free_port()
    kills: list[datetime] = []
    given = 0
    for life in range(KILLS):
        edge = Collector(tmp_path, f"http://127.0.0.1:{port}")
        with nullcontext() if life % 4 == 2 else running_cloud(cloud, port):  # in some runs the cloud is down
            for _ in range(10):
                given += 1
                cloud.give(command(f"d-{given}", f"A-{given % 20}"))
                time.sleep(chance.uniform(0.0, 0.15))
            cloud.is_deaf = life % 4 == 1  # processes everything, and its answers are lost
            time.sleep(chance.uniform(0.0, 0.6))
            kills.append(datetime.now().astimezone())
            edge.end(signal.SIGKILL)
            cloud.is_deaf = False
    with running_cloud(cloud, port):
        edge = Collector(tmp_path, cloud.url)
        wait_for(lambda: not cloud.commands, "every command to be answered")
        wait_for(lambda: read_status(tmp_path / "state")["journal"]["acks_waiting"] == 0, "the acks")
        old = time.time() - 1.0
        wait_for(lambda: (read_status(tmp_path / "state")["spool"]["oldest_at"] or time.time()) > old, "the spool")
        assert edge.end(signal.SIGTERM) == 0  # an orderly stop: nothing of this run may be missing
        _look(cloud, tmp_path, given, kills)


def _look(cloud: StubCloud, folder: Path, given: int, kills: list[datetime]) -> None:
    ran = (folder / "ran.txt").read_text().split()
    assert given == 10 * KILLS
    assert len(ran) == len(set(ran)), "no command runs twice"
    for number in range(1, given + 1):
        ended = set(cloud.ended(f"d-{number}"))
        assert ended in ({AckStatus.SUCCEEDED}, {AckStatus.SKIPPED}), f"d-{number} is answered, always the same"
        assert (f"d-{number}" in ran) or ended == {AckStatus.SKIPPED}
    assert all(len(seqs) == 1 for seqs in cloud.samples.values()), "sent again, it has the number that it had"
    seqs = [seq for seqs in cloud.samples.values() for seq in seqs]
    assert len(seqs) == len(set(seqs))
    arrived = cloud.samples.keys() | _left(folder / "state" / "spool.db")
    safe = _safe(folder, kills)
    missing = [at for at in safe if ("A-0", at.isoformat()) not in arrived]
    assert len(safe) > 30
    assert missing == [], "what was stored has arrived, or waits"


def _safe(folder: Path, kills: list[datetime]) -> list[datetime]:
    """What was read in a run before its last stored sample: each time everything waiting is stored."""
    read, stored = (
        [datetime.fromisoformat(line) for line in (folder / name).read_text().split()]
        for name in ("read.txt", "stored.txt")
    )
    newest: dict[int, datetime] = {}
    for at in sorted(stored):
        newest[bisect(kills, at)] = at
    return [at for at in read if at <= newest.get(bisect(kills, at), kills[0] - timedelta(days=1))]


def _left(path: Path) -> set[tuple[str, str]]:
    spool = Spool(path, SpoolBounds(), now=time.time())
    batch = spool.take_live(since=0, limit=100_000)
    spool.close()
    records = [json.loads(line) for line in batch.lines] if batch else []
    return {(record["miner_id"], record["timestamp"]) for record in records}


def test_one_collector_per_state_folder_and_its_status_can_be_read_during_and_after_its_run(tmp_path: Path) -> None:
    with running_cloud(StubCloud()) as cloud:
        cloud.config = ("v9", {"collection_interval": 30, "buffer": {"hours": 2}, "some_key": "of another make"})
        edge = Collector(tmp_path, cloud.url)
        state: dict[str, Any] = {"edge_state_dir": tmp_path / "state", "edge_cloud_url": cloud.url}
        wait_for(lambda: cloud.applied == ["v9"], "the configuration")
        wait_for(lambda: len(cloud.samples) > 20, "samples")
        wait_for(lambda: (read_status(tmp_path / "state")["uploads"] or {}).get("delivered", 0) > 0, "its status")
        running = hashinsight("edge", "status", **state)
        assert running.stdout.startswith("running since ")
        assert "machines: 20 online (fake 20), 0 failed, 0 not polled yet" in running.stdout
        assert "configuration: v9" in running.stdout
        second = hashinsight("edge", "run", **state)
        assert second.returncode == 78
        assert f"another collector uses {tmp_path / 'state'} (process {edge.process.pid})" in second.stderr
        beat = cloud.beats[0]
        assert (beat["miners_online"], beat["miners_total"], beat["status"]) == (20, 20, "online")
        assert edge.end(signal.SIGTERM) == 0
        ended = hashinsight("edge", "status", **state)
        assert ended.stdout.startswith("not running; last run ")
        assert ended.stderr == ""

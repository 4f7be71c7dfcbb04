"""The bare programs that `bench sim` measures its limits with do what they are measured for."""

import json
import subprocess
import sys
from pathlib import Path

import polars as pl

from hashinsight.sim.sockets.nets import address_of, claim
from tests.installation import HANG_TIMEOUT_SEC, environment

BARE = [sys.executable, "-m", "hashinsight.bench.sim_limits"]


def test_the_bare_server_answers_every_request_of_the_client_on_every_address() -> None:
    net, held = claim(None)
    addresses = [address_of(net, no) for no in range(20)]
    command = [*BARE, "answer", "700", *addresses]
    with subprocess.Popen(
        command, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        run = subprocess.run([*BARE, "ask", "100", "1", *addresses], env=environment(), capture_output=True, check=True)
        server.stdin.close()
        assert server.wait(HANG_TIMEOUT_SEC) == 0
    held.close()
    body = json.loads(run.stdout)
    assert (body["answered"], body["failed"], body["mean_bytes"]) == (100, 0, 700)
    assert body["per_sec"] < 110, "by the clock, and no faster"


def test_the_client_counts_unanswered_requests() -> None:
    net, held = claim(None)
    run = subprocess.run(
        [*BARE, "ask", "50", "0.2", address_of(net, 0)], env=environment(), capture_output=True, check=False
    )
    held.close()
    assert json.loads(run.stdout)["failed"] == 10


def test_the_bare_writer_writes_pieces_of_the_size_of_a_frame(tmp_path: Path) -> None:
    out = tmp_path / "bare.parquet"
    subprocess.run([*BARE, "write", "250000", str(out)], env=environment(), check=True)
    assert pl.read_parquet(out).shape == (50_000, 18)

"""Kill -9 of a writer at random times: what it reported as stored is there, complete, until it is confirmed."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path

from hashinsight.edge.settings import SpoolBounds
from hashinsight.edge.storage.spool import Spool
from tests.edge.factories import numbers_in, sample
from tests.installation import HANG_TIMEOUT_SEC

ROUNDS = 12


def test_a_killed_writer_loses_nothing_it_had_stored_and_leaves_no_partial_record(tmp_path: Path) -> None:
    chance = random.Random(8)
    stored: set[int] = set()
    sent: set[int] = set()
    gone: set[int] = set()
    next_number = 0
    for _ in range(ROUNDS):
        lines = _killed_after(tmp_path, next_number, chance.randint(1, 60), chance.uniform(0.0, 0.05))
        for word, *numbers in (line.split() for line in lines):
            if word == "stored":
                stored |= set(range(int(numbers[0]), int(numbers[1])))
            else:
                (sent if word == "sent" else gone).update(map(int, numbers))
        next_number = max(stored, default=0) + 1000  # beyond what may be stored but not reported
    spool = Spool(tmp_path / "spool.db", SpoolBounds(), now=time.time())
    assert spool.damaged is None
    left: list[int] = []
    seqs: list[int] = []
    while batch := spool.take_backlog(before=time.time() + 1, limit=2000):
        left += numbers_in(batch)
        seqs += [json.loads(line)["source_seq"] for line in batch.lines]  # each line is complete
        spool.confirm(batch)
    spool.close()
    assert len(stored) > 1000
    assert len(left) == len(set(left)) == len(set(seqs))
    assert stored - sent <= set(left), "stored and never sent: it is there"
    assert not gone & set(left), "confirmed: it is not sent again"
    assert seqs == sorted(seqs)


def _killed_after(folder: Path, number: int, count: int, seconds: float) -> list[str]:
    """After this many lines, at any point of what it does next."""
    writer = subprocess.Popen(
        [sys.executable, "-m", "tests.edge.storage.test_spool_killed", str(folder), str(number)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    assert writer.stdout is not None
    first = "".join(writer.stdout.readline() for _ in range(count))
    time.sleep(seconds)
    writer.kill()
    rest = writer.stdout.read()
    writer.wait(HANG_TIMEOUT_SEC)
    writer.stdout.close()
    complete = (first + rest).rpartition("\n")[0]  # the last line may be cut off
    return complete.splitlines()


def store_until_killed(folder: Path, number: int) -> None:
    """Stores samples and prints which are stored; drains some of them."""
    spool = Spool(folder / "spool.db", SpoolBounds(), now=time.time())
    while True:
        count = 1 + number % 37
        numbers = range(number, number + count)
        spool.put([sample(no) for no in numbers], now=time.time())
        number += count
        sys.stdout.write(f"stored {numbers.start} {numbers.stop}\n")
        sys.stdout.flush()
        batch = spool.take_backlog(before=time.time() + 1, limit=20) if number % 3 else None
        if batch is not None:
            sys.stdout.write(f"sent {' '.join(map(str, numbers_in(batch)))}\n")
            sys.stdout.flush()
            spool.confirm(batch)
            sys.stdout.write(f"gone {' '.join(map(str, numbers_in(batch)))}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    store_until_killed(Path(sys.argv[1]), int(sys.argv[2]))

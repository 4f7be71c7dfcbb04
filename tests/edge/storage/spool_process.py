"""Puts samples without end and says which are stored; drains some. It is killed at any instant."""

import sys
import time
from pathlib import Path

from hashinsight.edge.settings import SpoolBounds
from hashinsight.edge.storage.spool import Spool
from tests.edge.factories import numbers_in, sample

if __name__ == "__main__":
    folder, number = Path(sys.argv[1]), int(sys.argv[2])
    spool = Spool(folder / "spool.db", SpoolBounds(), now=time.time())
    while True:
        count = 1 + number % 37
        made = range(number, number + count)
        spool.put([sample(one) for one in made], now=time.time())
        number += count
        sys.stdout.write(f"stored {made.start} {made.stop}\n")
        sys.stdout.flush()
        batch = spool.take_backlog(before=time.time() + 1, limit=20) if number % 3 else None
        if batch is not None:
            sys.stdout.write(f"sent {' '.join(map(str, numbers_in(batch)))}\n")
            sys.stdout.flush()
            spool.confirm(batch)
            sys.stdout.write(f"gone {' '.join(map(str, numbers_in(batch)))}\n")
            sys.stdout.flush()

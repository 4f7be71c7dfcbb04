"""`bench ingest-soak`: ten million rows through one API process; what it holds after the last against the first."""

import shutil
from datetime import UTC, datetime, timedelta

from hashinsight.bench.ingest import MACHINES, sent
from hashinsight.bench.report import Result
from hashinsight.bench.scratch import scratch
from hashinsight.bench.serving import command, serving
from hashinsight.bench.uploads import SAMPLES, make_batches

_ROUNDS = 10
_BATCHES = 1_000
_MINUTES = _BATCHES * SAMPLES // MACHINES  # that a round of batches covers


async def measure() -> Result:
    held: list[float] = []
    seconds = 0.0
    async with scratch() as place:
        command(place, "tenant", "create", "--name", "bench")
        command(place, "site", "create", "--code", "one", "--name", "One")
        token = command(place, "collector", "create", "--site", "one", "--name", "north")["token"]
        newest = datetime.now(UTC) - timedelta(minutes=1)
        async with serving(place) as api:
            for n in range(_ROUNDS):
                folder = place.folder / f"round{n}"
                make_batches(folder, _BATCHES, machines=MACHINES, newest=newest - timedelta(minutes=n * _MINUTES))
                seconds += await sent(api, token, folder)
                held.append(api.rss_mb())
                shutil.rmtree(folder)
    return Result(
        name="ingest-soak",
        figure=round(held[-1], 1),
        unit="MB held after the last round",
        limit=round(held[0], 1),
        ratio=round(held[-1] / held[0], 3),
        detail={
            "rows": _ROUNDS * _BATCHES * SAMPLES,
            "rows_per_s": round(_ROUNDS * _BATCHES * SAMPLES / seconds),
            **{f"mb_after_{n + 1}_million": round(mb, 1) for n, mb in enumerate(held)},
        },
    )

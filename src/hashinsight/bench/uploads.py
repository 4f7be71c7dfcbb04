"""Telemetry batches as collectors send them, and a client process that uploads them."""

import gzip
import http.client
import json
import random
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

SAMPLES = 1000


def make_batches(folder: Path, batches: int, *, machines: int, newest: datetime, repeated: float = 0.0) -> list[Path]:
    """Every machine once a minute, the last sample at `newest`; `repeated` is the share sent twice."""
    rng = random.Random(batches)  # noqa: S311 - load, not secrets
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    previous: list[dict[str, object]] = []
    start = newest - batches * SAMPLES * timedelta(minutes=1) / machines
    for n in range(batches):
        records = [_record(rng, n * SAMPLES + m, machines, start) for m in range(SAMPLES)]
        if previous and repeated:
            for m in rng.sample(range(SAMPLES), int(SAMPLES * repeated)):
                records[m] = previous[m]
        previous = records
        body = {"schema": "telemetry_envelope.v1", "mode": "raw", "record_count": SAMPLES, "records": records}
        path = folder / f"{n:06d}.json.gz"
        path.write_bytes(gzip.compress(json.dumps(body).encode(), 1))
        paths.append(path)
    return paths


def _record(rng: random.Random, n: int, machines: int, start: datetime) -> dict[str, object]:
    at = start + n * timedelta(minutes=1) / machines
    ths = rng.gauss(104, 1.3)
    return {
        "miner_id": f"rack{n % machines // 40:03d}-{n % machines:06d}",
        "miner_key": f"{n % machines:06d}",
        "timestamp": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f"),
        "online": True,
        "hashrate_ghs": round(ths * 1000, 2),
        "hashrate_5s_ghs": round(rng.gauss(ths, 4) * 1000, 2),
        "temperature_avg": round(rng.gauss(64, 3), 1),
        "temperature_max": round(rng.gauss(70, 3), 1),
        "temperature_chips": [round(rng.gauss(64, 3), 1) for _ in range(3)],
        "fan_speeds": [rng.randrange(5200, 5600) for _ in range(4)],
        "frequency_avg": 545.0,
        "accepted_shares": 10_000 + n // machines,
        "rejected_shares": 31,
        "hardware_errors": rng.randrange(40),
        "uptime_seconds": 86_400 + 60 * (n // machines),
        "power_consumption": round(rng.gauss(3050, 30), 1),
        "efficiency": 29.4,
        "pool_url": "stratum+tcp://pool.example:3333",
        "worker_name": f"farm.{n % machines:06d}",
        "firmware_version": "49.0.1.3",
        "error_type": "",
        "error_message": "",
    }


def send(port: int, token: str, paths: list[Path], connections: int) -> float:
    """Upload every batch once; each must be answered 200. Returns seconds."""
    waiting = list(reversed(paths))
    errors: list[str] = []

    def upload() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        headers = {"X-Collector-Key": token, "Content-Type": "application/octet-stream"}
        while waiting and not errors:
            try:
                path = waiting.pop()
            except IndexError:
                return
            connection.request("POST", "/api/edge/v1/telemetry/batch", path.read_bytes(), headers)
            response = connection.getresponse()
            content = response.read()
            if response.status != http.HTTPStatus.OK:
                errors.append(f"{response.status} {content[:200]!r}")

    threads = [threading.Thread(target=upload) for _ in range(connections)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise RuntimeError(errors[0])
    return time.perf_counter() - began


if __name__ == "__main__":
    print(send(int(sys.argv[1]), sys.argv[2], sorted(Path(sys.argv[3]).glob("*.gz")), int(sys.argv[4])))  # noqa: T201

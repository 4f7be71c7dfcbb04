"""Batches as collectors send them, made beforehand, and a client in its own process that sends them."""

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
    """Envelopes of the field's form: every machine once a minute, one after the other, the last at `newest`."""
    chance = random.Random(batches)  # noqa: S311 - load, not secrets
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    old: list[dict[str, object]] = []
    begins = newest - batches * SAMPLES * timedelta(minutes=1) / machines
    for n in range(batches):
        records = [_record(chance, n * SAMPLES + m, machines, begins) for m in range(SAMPLES)]
        if old and repeated:
            for m in chance.sample(range(SAMPLES), int(SAMPLES * repeated)):
                records[m] = old[m]
        old = records
        body = {"schema": "telemetry_envelope.v1", "mode": "raw", "record_count": SAMPLES, "records": records}
        path = folder / f"{n:06d}.json.gz"
        path.write_bytes(gzip.compress(json.dumps(body).encode(), 1))
        paths.append(path)
    return paths


def _record(chance: random.Random, n: int, machines: int, begins: datetime) -> dict[str, object]:
    at = begins + n * timedelta(minutes=1) / machines
    ths = chance.gauss(104, 1.3)
    return {
        "miner_id": f"rack{n % machines // 40:03d}-{n % machines:06d}",
        "miner_key": f"{n % machines:06d}",
        "timestamp": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f"),
        "online": True,
        "hashrate_ghs": round(ths * 1000, 2),
        "hashrate_5s_ghs": round(chance.gauss(ths, 4) * 1000, 2),
        "temperature_avg": round(chance.gauss(64, 3), 1),
        "temperature_max": round(chance.gauss(70, 3), 1),
        "temperature_chips": [round(chance.gauss(64, 3), 1) for _ in range(3)],
        "fan_speeds": [chance.randrange(5200, 5600) for _ in range(4)],
        "frequency_avg": 545.0,
        "accepted_shares": 10_000 + n // machines,
        "rejected_shares": 31,
        "hardware_errors": chance.randrange(40),
        "uptime_seconds": 86_400 + 60 * (n // machines),
        "power_consumption": round(chance.gauss(3050, 30), 1),
        "efficiency": 29.4,
        "pool_url": "stratum+tcp://pool.example:3333",
        "worker_name": f"farm.{n % machines:06d}",
        "firmware_version": "49.0.1.3",
        "error_type": "",
        "error_message": "",
    }


def send(port: int, token: str, paths: list[Path], connections: int) -> float:
    """Send them all, each once and to its 200; gives the seconds."""
    waiting = list(reversed(paths))
    wrong: list[str] = []

    def work() -> None:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        headers = {"X-Collector-Key": token, "Content-Type": "application/octet-stream"}
        while waiting and not wrong:
            try:
                path = waiting.pop()
            except IndexError:
                return
            line.request("POST", "/api/edge/v1/telemetry/batch", path.read_bytes(), headers)
            answer = line.getresponse()
            said = answer.read()
            if answer.status != http.HTTPStatus.OK:
                wrong.append(f"{answer.status} {said[:200]!r}")

    threads = [threading.Thread(target=work) for _ in range(connections)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise RuntimeError(wrong[0])
    return time.perf_counter() - began


if __name__ == "__main__":
    print(send(int(sys.argv[1]), sys.argv[2], sorted(Path(sys.argv[3]).glob("*.gz")), int(sys.argv[4])))  # noqa: T201

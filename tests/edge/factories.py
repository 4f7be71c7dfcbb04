"""Settings, samples and commands for collector tests."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hashinsight.edge.settings import Settings
from hashinsight.edge.settings_file import load_settings
from hashinsight.edge.storage.spool import SampleBatch
from hashinsight.wire.commands import Command

SITE = "tx-1"


def settings_in(folder: Path, url: str = "http://127.0.0.1:1", **values: object) -> Settings:
    """With a token in place; `values` as in the environment, e.g. `spool_max_mb=1`."""
    folder.mkdir(parents=True, exist_ok=True)
    token = folder / "token"
    if not token.exists():
        token.write_text("hi_collector_test\n")
        token.chmod(0o600)
    given = {"state_dir": folder, "cloud_url": url, "place_site": SITE, **values}
    return load_settings(environ={f"HASHINSIGHT_EDGE_{name.upper()}": str(value) for name, value in given.items()})


def sample(number: int, at: datetime | None = None) -> dict[str, Any]:
    moment = (at or datetime.now(UTC)) + timedelta(milliseconds=number)
    return {"miner_id": f"A-{number}", "timestamp": moment.isoformat(), "online": True, "hashrate_ghs": 104_000.5}


def numbers_in(batch: SampleBatch) -> list[int]:
    """Which samples, by the number in the machine's name."""
    return [int(line.split(b'"A-')[1].split(b'"')[0]) for line in batch.lines]


def command(command_id: str = "d-1", miner_id: str = "A-1", **more: Any) -> Command:
    now = datetime.now(UTC)
    given: dict[str, Any] = {
        "command_type": "reboot_device",
        "site_id": SITE,
        "issued_at": now,
        "expires_at": now + timedelta(minutes=15),
        "ttl_sec": 900,
        "lease_until": now + timedelta(minutes=3),
    }
    return Command(command_id=command_id, miner_id=miner_id, **(given | more))

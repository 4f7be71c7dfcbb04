"""A field collector as the contract describes it: not our code, and it cannot be updated."""

import gzip
import json
from datetime import UTC, datetime
from typing import Any

import httpx


class FieldCollector:
    """`site` and `zone` are its own settings: sent as written and compared as text."""

    def __init__(self, url: str, token: str, site: str, zone: str | None = None) -> None:
        self.site = site
        self.zone = zone
        headers_sent = {"X-Site-ID": site, "X-Device-ID": "edge-01"} | ({} if zone is None else {"X-Zone-ID": zone})
        self.http = httpx.AsyncClient(
            base_url=url, timeout=60, headers={"Authorization": f"Bearer {token}", **headers_sent}
        )

    async def upload(self, *miner_ids: str, path: str = "/api/edge/v1/telemetry/batch") -> dict[str, Any]:
        """Expects exactly 200 and `success`; on anything else a real one would spool and retry."""
        at = datetime.now(UTC).replace(tzinfo=None).isoformat()
        records = [_record(miner_id, at) for miner_id in miner_ids]
        envelope = {
            "schema": "telemetry_envelope.v1",
            "site_id": self.site,
            "zone_id": self.zone,
            "device_id": "edge-01",
            "sent_at": at,
            "mode": "raw",
            "record_count": len(records),
            "source_seq_start": 0,
            "source_seq_end": 0,
            "compression": "gzip",
            "records": records,
        }
        body: Any = envelope if "edge" in path else records
        headers = {"Content-Type": "application/octet-stream", "X-Upload-Mode": "raw"}
        answer = await self.http.post(path, content=gzip.compress(json.dumps(body).encode()), headers=headers)
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        assert result["success"] is True
        return result

    async def beat(self) -> None:
        body = {"status": "online", "cpu_usage": 3.0, "version": "1.8.2", "miners_online": 2, "miners_total": 2}
        answer = await self.http.post("/api/edge/v1/heartbeat", json=body)
        assert answer.status_code == 200, answer.text

    async def poll(self, path: str = "/api/edge/v1/commands/poll") -> list[dict[str, Any]]:
        """It rejects commands whose site or zone differs from its own settings."""
        params: dict[str, Any] = {"collector_id": "", "site_id": self.site, "limit": 50} if "edge" in path else {}
        answer = await self.http.get(path, params=params)
        assert answer.status_code in (200, 204), answer.text
        commands: list[dict[str, Any]] = answer.json()["commands"]
        assert {str(command["site_id"]) for command in commands} <= {self.site}
        assert {command.get("zone_id", self.zone) for command in commands} <= {self.zone}
        return commands

    async def ack(self, command: dict[str, Any], *, legacy: bool = False) -> dict[str, Any]:
        legacy_path = f"/api/collector/commands/{command['command_id']}/result"
        path = legacy_path if legacy else f"/api/edge/v1/commands/{command['command_id']}/ack"
        done = {
            "status": "completed",
            "result_code": 0,
            "result_message": "ok",
            "executed_at": _now(),
            "duration_ms": 9,
        }
        answer = await self.http.post(path, json={**done, "device_id": "edge-01"})
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        return result


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _record(miner_id: str, at: str) -> dict[str, Any]:
    return {
        "miner_id": miner_id,
        "miner_key": miner_id.lower(),
        "timestamp": at,
        "online": True,
        "hashrate_ghs": 104_000.0,
        "hashrate_5s_ghs": 103_500.0,
        "temperature_avg": 61.0,
        "temperature_max": 68.0,
        "temperature_chips": [60.0, 62.0],
        "fan_speeds": [5400, 5450],
        "accepted_shares": 10,
        "rejected_shares": 0,
        "hardware_errors": 0,
        "uptime_seconds": 900,
        "power_consumption": 0,
        "pool_url": "stratum+tcp://pool.example:3333",
        "worker_name": "acme.1",
        "firmware_version": "49.0.1.3",
        "error_type": "",
        "error_message": "",
        "source_seq": 0,
    }

"""Where telemetry comes in: v1, and the legacy upload with the same code behind it."""

import time
from collections import Counter
from typing import Any

from fastapi import APIRouter, Request

from hashinsight.collectors.access import Caller, collector_caller
from hashinsight.collectors.caller import CollectorCaller
from hashinsight.identity.access import now_of
from hashinsight.kit.errors import HashInsightError
from hashinsight.kit.web.examples import answers
from hashinsight.telemetry import metrics
from hashinsight.telemetry.service.uploads import Receiver, Upload, UploadResult, receive

router = APIRouter(tags=["edge"])

_SHOWN_FAULTS = 100
_SLOW_SECONDS = 2.0
_FAULT = {"index": 7, "error_code": "NEGATIVE", "reason": "hashrate_ths is negative"}
_DONE = {"success": True, "accepted": 998, "rejected": 1, "duplicates": 1, "errors": [_FAULT]}
_SAMPLE = {"miner_id": "B2-R14-03", "ts": "2026-03-01T12:00:00Z", "hashrate_ths": 104.2, "temp_max": 71.5}
_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"type": "array", "items": {"type": "object"}}, "example": [_SAMPLE]},
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


@router.post("/api/edge/v1/telemetry/batch", responses=answers(_DONE), openapi_extra=_BODY)
async def take_batch(request: Request, caller: Caller) -> dict[str, Any]:
    """Store a batch: a JSON array of samples or the envelope, plain or gzip. 200 means committed.

    A sample needs `miner_id` and a time; a bad one costs only itself, one that was sent before is stored once. So does
    one of another zone's machine than the token's (`ZONE_MISMATCH`, `ZONE_NOT_SET`), and of a machine that is not in
    the inventory once the collector has registered as many as it may (`REGISTRATION_LIMIT`). All bad ones are counted
    in `rejected`; `errors` names the first 100.
    """
    return await _take(request, caller)


@router.post("/api/collector/upload", responses=answers(_DONE), openapi_extra=_BODY, deprecated=True)
async def take_upload(request: Request, caller: Caller) -> dict[str, Any]:
    """The same, as older collectors call it: those write 0 for what they do not know, also without an envelope."""
    return await _take(request, caller, zero_is_unknown=True)


async def _take(request: Request, caller: CollectorCaller, *, zero_is_unknown: bool = False) -> dict[str, Any]:
    receiver: Receiver = request.app.state.receiver
    headers = request.headers
    began = time.perf_counter()
    body = await request.body()
    if time.perf_counter() - began > _SLOW_SECONDS:  # a token may have been revoked meanwhile, and no body outlives it
        caller = await collector_caller(request)
    upload = Upload(
        body,
        mode=headers.get("x-upload-mode", ""),
        zone=headers.get("x-zone-id", "").strip(),
        zero_is_unknown=zero_is_unknown,
    )
    began = time.perf_counter()
    try:
        received = await receive(receiver, caller, upload, now=now_of(request))
    except HashInsightError as error:
        metrics.REFUSED.labels(error.error_code).inc()
        raise
    metrics.BATCH_SECONDS.observe(time.perf_counter() - began)
    _count(received)
    return {
        "success": True,
        "accepted": received.accepted,
        "rejected": received.rejected,
        "duplicates": received.duplicates,
        "errors": [vars(fault) for fault in received.faults[:_SHOWN_FAULTS]],
    }


def _count(received: UploadResult) -> None:
    for outcome in ("accepted", "rejected", "duplicates"):
        metrics.SAMPLES.labels(outcome).inc(getattr(received, outcome))
    for code, count in Counter(fault.error_code for fault in received.faults).items():
        metrics.REJECTED.labels(code).inc(count)

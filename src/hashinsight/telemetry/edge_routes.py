"""Telemetry uploads: v1, and the legacy path of older collectors."""

import time
from collections import Counter

from fastapi import APIRouter, Request

from hashinsight.collectors.access import Caller, collector_caller
from hashinsight.collectors.caller import CollectorCaller
from hashinsight.identity.access import now_of
from hashinsight.kit.errors import HashInsightError
from hashinsight.telemetry import metrics
from hashinsight.telemetry.schemas.live import SampleError, UploadAnswer
from hashinsight.telemetry.service.uploads import Receiver, Upload, UploadResult, receive

router = APIRouter(tags=["edge"])

_MAX_ERRORS = 100
_SLOW_SECONDS = 2.0
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


@router.post("/api/edge/v1/telemetry/batch", openapi_extra=_BODY)
async def upload_telemetry(request: Request, caller: Caller) -> UploadAnswer:
    """Store a batch: a JSON array of samples or an envelope, plain or gzip. 200 means committed.

    A sample needs `miner_id` and a time. A bad sample is rejected alone; a repeated one is stored once.
    Samples are also rejected if their machine belongs to another zone than the token (`ZONE_MISMATCH`, `ZONE_NOT_SET`),
    or is unknown and the collector has reached its registration limit (`REGISTRATION_LIMIT`).
    """
    return await _upload(request, caller)


@router.post("/api/collector/upload", openapi_extra=_BODY, deprecated=True)
async def upload_telemetry_legacy(request: Request, caller: Caller) -> UploadAnswer:
    """The same for older collectors, which write 0 for unknown values even without an envelope."""
    return await _upload(request, caller, zero_is_unknown=True)


async def _upload(request: Request, caller: CollectorCaller, *, zero_is_unknown: bool = False) -> UploadAnswer:
    receiver: Receiver = request.app.state.receiver
    headers = request.headers
    began = time.perf_counter()
    body = await request.body()
    if time.perf_counter() - began > _SLOW_SECONDS:  # the token may have been revoked while the body arrived
        caller = await collector_caller(request)
    upload = Upload(
        body,
        mode=headers.get("x-upload-mode", ""),
        zone=headers.get("x-zone-id", "").strip(),
        zero_is_unknown=zero_is_unknown,
    )
    began = time.perf_counter()
    try:
        result = await receive(receiver, caller, upload, now=now_of(request))
    except HashInsightError as error:
        metrics.REFUSED.labels(error.error_code).inc()
        raise
    metrics.BATCH_SECONDS.observe(time.perf_counter() - began)
    _count(result)
    return UploadAnswer(
        success=True,
        accepted=result.accepted,
        rejected=result.rejected,
        duplicates=result.duplicates,
        errors=[SampleError(**vars(fault)) for fault in result.faults[:_MAX_ERRORS]],
    )


def _count(result: UploadResult) -> None:
    for outcome in ("accepted", "rejected", "duplicates"):
        metrics.SAMPLES.labels(outcome).inc(getattr(result, outcome))
    for code, count in Counter(fault.error_code for fault in result.faults).items():
        metrics.REJECTED.labels(code).inc(count)

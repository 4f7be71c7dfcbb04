"""A batch that is bad as a whole is refused with a clear code, and leaves nothing behind."""

import asyncio
import gzip
import json
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from hashinsight.kit.errors import PayloadTooLarge
from hashinsight.telemetry import edge_routes
from hashinsight.telemetry.ingest.decoder import decode
from hashinsight.telemetry.ingest.payload import unzip
from tests.telemetry.site_with_collector import SiteWithCollector

MILLION = b"[" + b'{"miner_id":"m","ts":1},' * 999_999 + b'{"miner_id":"m","ts":1}]'
ZIPPED = gzip.compress(json.dumps([{"miner_id": "m", "ts": 1}] * 100).encode())

WHOLE: dict[str, tuple[bytes, int, str]] = {
    "nothing": (b"", 422, "BAD_JSON"),
    "blanks": (b" \n" * 100, 422, "BAD_JSON"),
    "not JSON": (b"[{miner_id: 1}]", 422, "BAD_JSON"),
    "JSON cut short": (b'[{"miner_id": "m1", "ts":', 422, "BAD_JSON"),
    "JSON and more": (b"[] []", 422, "BAD_JSON"),
    "words": (b"hello", 422, "BAD_JSON"),
    "a text": (b'"[]"', 422, "BAD_JSON"),
    "a number": (b"17", 422, "BAD_JSON"),
    "null": (b"null", 422, "BAD_JSON"),
    "gzip of words": (gzip.compress(b"hello"), 422, "BAD_JSON"),
    "gzip of nothing": (gzip.compress(b""), 422, "BAD_JSON"),
    "not gzip": (b"\x1f\x8b" + b"not at all", 422, "BAD_GZIP"),
    "gzip cut short": (ZIPPED[:-12], 422, "BAD_GZIP"),
    "gzip without its end": (ZIPPED[:-1], 422, "BAD_GZIP"),
    "gzip with a wrong checksum": (ZIPPED[:-8] + b"\0\0\0\0" + ZIPPED[-4:], 422, "BAD_GZIP"),
    "gzip and more": (ZIPPED + b"more", 422, "BAD_GZIP"),
    "gzip twice over": (ZIPPED + ZIPPED, 422, "BAD_GZIP"),
    "gzip in gzip": (gzip.compress(ZIPPED), 422, "BAD_JSON"),
    "a bomb": (gzip.compress(bytes(140_000_000), 9), 413, "BATCH_TOO_LARGE"),
    "a bomb of blanks": (gzip.compress(b" " * 140_000_000, 9), 413, "BATCH_TOO_LARGE"),
    "a million samples": (gzip.compress(MILLION, 1), 413, "TOO_MANY_SAMPLES"),
    "a million empty samples": (gzip.compress(b"[" + b"{}," * 999_999 + b"{}]"), 413, "TOO_MANY_SAMPLES"),
    "too many samples by one": (b"[" + b"{}," * 20_000 + b"{}]", 413, "TOO_MANY_SAMPLES"),
    "twenty million values": (gzip.compress(b"[" + b"1," * 20_000_000 + b"1]"), 413, "TOO_MANY_SAMPLES"),
    "deep lists": (b"[" * 100_000 + b"]" * 100_000, 422, "BAD_JSON"),
    "deep objects": (b"[" + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"]", 422, "BAD_JSON"),
    "deep and open": (b"[" * 100_000, 422, "BAD_JSON"),
    "deep in a sample": (b'[{"raw_data":' + b"[" * 100_000 + b"]" * 100_000 + b"}]", 422, "BAD_JSON"),
    "an empty envelope": (b"{}", 422, "NO_RECORDS"),
    "records that are no list": (b'{"records": {"miner_id": "m"}}', 422, "NO_RECORDS"),
    "records that are a text": (b'{"records": "[]"}', 422, "NO_RECORDS"),
    "a schema of somebody else": (b'{"schema": "telemetry_envelope.v9", "records": []}', 422, "SCHEMA_UNKNOWN"),
    "a schema that is none": (b'{"schema": {"v": 1}, "records": []}', 422, "SCHEMA_UNKNOWN"),
    "the envelope of another site": (b'{"site_id": "elsewhere", "records": []}', 403, "SITE_MISMATCH"),
    "the envelope of a site by number": (b'{"site_id": 999999, "records": []}', 403, "SITE_MISMATCH"),
    "the envelope of an odd site": (b'{"site_id": ["tx-1"], "records": []}', 403, "SITE_MISMATCH"),
    "the envelope of another zone": (b'{"zone_id": "nowhere", "records": []}', 403, "ZONE_MISMATCH"),
}


def left_behind(site: SiteWithCollector) -> list[tuple[Any, ...]]:
    return site.rows(
        "select (select count(*) from telemetry_raw), (select count(*) from telemetry_touched),"
        " (select count(*) from miners)"
    )


@pytest.mark.parametrize("path", ["/api/edge/v1/telemetry/batch", "/api/collector/upload"])
async def test_a_bad_batch_is_refused_and_nothing_is_stored(site: SiteWithCollector, path: str) -> None:
    for name, (body, status, code) in WHOLE.items():
        answer = await site.post(body, path=path)
        assert (answer.status_code, answer.json()["error_code"]) == (status, code), f"{name}: {answer.text}"
        assert answer.json()["success"] is False
        assert len(answer.json()["message"]) < 300
        assert left_behind(site) == [(0, 0, 0)], name


async def test_a_bad_batch_is_refused_when_the_dialect_is_known_too(site: SiteWithCollector) -> None:
    await site.post([{"miner_id": "m1", "ts": site.at(0)}])
    for name in ("a million samples", "a million empty samples", "deep lists", "JSON cut short"):
        body, status, code = WHOLE[name]
        answer = await site.post(body)
        assert (answer.status_code, answer.json()["error_code"]) == (status, code), name
        assert left_behind(site) == [(1, 2, 1)], name


async def test_a_body_over_the_limit_is_refused_before_it_is_read(site: SiteWithCollector) -> None:
    answer = await site.post(b"[" + b" " * 17_000_000 + b"]")
    assert (answer.status_code, answer.json()["error_code"]) == (413, "PAYLOAD_TOO_LARGE")


async def test_a_wrong_site_a_revoked_token_and_a_disabled_collector_are_refused(site: SiteWithCollector) -> None:
    samples = [{"miner_id": "m1", "ts": site.at(0)}]
    wrong = await site.post(samples, headers={"X-Site-ID": "elsewhere"})
    assert (wrong.status_code, wrong.json()["error_code"]) == (403, "SITE_MISMATCH")
    nobody = await site.api.post("/api/edge/v1/telemetry/batch", json=samples)
    assert nobody.status_code == 401
    collectors = (await site.api.get("/api/admin/v1/collectors", headers=site.owner)).json()["collectors"]
    path = f"/api/admin/v1/collectors/{collectors[0]['id']}"
    await site.api.patch(path, json={"permissions": ["control"]}, headers=site.owner)
    mute = await site.post(samples)
    assert (mute.status_code, mute.json()["error_code"]) == (403, "READ_NOT_PERMITTED")
    await site.api.patch(path, json={"permissions": ["read"]}, headers=site.owner)
    await site.api.post(f"{path}/revoke-tokens", headers=site.owner)
    revoked = await site.post(samples)
    assert (revoked.status_code, revoked.json()["error_code"]) == (401, "COLLECTOR_TOKEN_REVOKED")
    assert left_behind(site) == [(0, 0, 0)]


async def test_a_token_revoked_while_the_body_arrives_stores_nothing(
    site: SiteWithCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_routes, "_SLOW_SECONDS", 0.0)
    (collector,) = (await site.api.get("/api/admin/v1/collectors", headers=site.owner)).json()["collectors"]

    async def trickling() -> AsyncIterator[bytes]:
        yield b"["
        yield json.dumps({"miner_id": "m1", "ts": site.at(0)}).encode()
        path = f"/api/admin/v1/collectors/{collector['id']}/revoke-tokens"
        assert (await site.api.post(path, headers=site.owner)).json() == {"revoked": 1}
        yield b"]"

    answer = await site.api.post("/api/edge/v1/telemetry/batch", content=trickling(), headers=site.collector)
    assert (answer.status_code, answer.json()["error_code"]) == (401, "COLLECTOR_TOKEN_REVOKED")
    assert left_behind(site) == [(0, 0, 0)]


async def test_a_large_batch_does_not_block_other_requests(site: SiteWithCollector) -> None:
    """Small as it is sent: the list widens what every sample is read into."""
    many: list[dict[str, Any]] = [
        {"miner_id": "m", "ts": site.at(-n), "temperature_chips": [60]} for n in range(19_000)
    ]
    many[0]["temperature_chips"] = [60.0] * 512
    sending = asyncio.create_task(site.post(many))
    began = last = time.monotonic()
    longest = 0.0
    while not sending.done():
        await asyncio.sleep(0.001)
        now = time.monotonic()
        longest, last = max(longest, now - last), now
    assert (await sending).json()["accepted"] == 19_000
    assert longest < (last - began) / 3


def _unpack() -> None:
    with pytest.raises(PayloadTooLarge):
        unzip(WHOLE["a bomb"][0], max_bytes=1_000_000)


def _decode() -> None:
    for data in (MILLION, b"[" + b"{}," * 5_000_000 + b"{}]", b"[" + b"1," * 11_000_000 + b"1]"):
        with pytest.raises(PayloadTooLarge):
            decode(data, ("miner_id", "ts"), max_samples=20_000)


@pytest.mark.parametrize(("read", "most_mb"), [(_unpack, 5), (_decode, 100)])
def test_an_oversized_batch_is_refused_before_it_takes_memory(read: Callable[[], None], most_mb: int) -> None:
    tracemalloc.start()
    try:
        read()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < most_mb * 1_000_000


async def test_unusual_but_valid_batches_are_accepted(site: SiteWithCollector) -> None:
    sample = json.dumps({"miner_id": "m1", "ts": site.at(0)}).encode()
    for body in (b"[]", b"\xef\xbb\xbf[]", b" " * 1000 + b"[" + sample + b"]\n", b'{"records": []}'):
        answer = await site.post(body)
        assert answer.status_code == 200, answer.text
    assert left_behind(site)[0][0] == 1


async def test_a_long_batch_is_read_in_a_thread_and_stored(site: SiteWithCollector) -> None:
    site.may_register(3000)
    words = "x" * 1500
    samples = [{"miner_id": f"m{n}", "ts": site.at(-n % 60), "error_message": words} for n in range(3000)]
    answer = await site.post(samples, zipped=True)
    assert answer.json()["accepted"] == 3000, answer.text
    assert site.rows("select count(*), min(length(error_message)) from telemetry_raw") == [(3000, 1500)]


async def test_a_whole_site_can_register_with_its_first_batch_within_the_limit(site: SiteWithCollector) -> None:
    site.may_register(20_000)
    answer = await site.post([{"miner_id": f"m{n}", "ts": site.at(0)} for n in range(20_000)], zipped=True)
    assert answer.json()["accepted"] == 20_000, answer.text
    assert site.rows("select count(*) from miners") == [(20_000,)]
    registered = site.rows("select (after->>'machines')::int from audit_log where action = 'miners_registered'")
    assert registered == [(20_000,)]

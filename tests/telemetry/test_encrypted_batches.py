"""Encrypted payloads: opened with the collector's key, refused without."""

import gzip
import json
import os
from base64 import b64decode, b64encode
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from hashinsight.kit.crypto import Vault
from tests.telemetry.site_with_collector import SiteWithCollector


async def path_of(site: SiteWithCollector) -> str:
    collectors = (await site.api.get("/api/admin/v1/collectors", headers=site.owner)).json()["collectors"]
    return f"/api/admin/v1/collectors/{collectors[0]['id']}/payload-key"


async def new_key(site: SiteWithCollector, **body: Any) -> bytes:
    answer = await site.api.post(await path_of(site), json=body, headers=site.owner)
    assert answer.status_code == 200, answer.text
    return b64decode(answer.json()["payload_key"])


def sealed(key: bytes, plain: bytes, **claims: Any) -> dict[str, Any]:
    nonce = os.urandom(12)
    payload = {
        "nonce_b64": b64encode(nonce).decode(),
        "ciphertext_b64": b64encode(AESGCM(key).encrypt(nonce, plain, None)).decode(),
    }
    return {"schema": "telemetry_envelope.v1", "site_id": "tx-1", "mode": "latest", **claims, "payload_enc": payload}


def records(site: SiteWithCollector, *seconds: float) -> bytes:
    return json.dumps(
        [{"miner_id": "m1", "timestamp": site.at(second), "power_consumption": 0} for second in seconds]
    ).encode()


async def test_an_encrypted_batch_is_stored_like_any_other(site: SiteWithCollector) -> None:
    key = await new_key(site)
    answer = await site.post(sealed(key, records(site, 0)), zipped=True)
    assert answer.json() == {"success": True, "accepted": 1, "rejected": 0, "duplicates": 0, "errors": []}
    zipped = await site.post(sealed(key, gzip.compress(records(site, 0, -1)), compression="gzip"))
    assert (zipped.json()["accepted"], zipped.json()["duplicates"]) == (1, 1)
    assert site.rows("select upload_mode, power_w from telemetry_raw") == [(1, None), (1, None)]


async def test_an_encrypted_batch_without_a_known_key_is_refused(site: SiteWithCollector) -> None:
    answer = await site.post(sealed(os.urandom(32), records(site, 0)))
    assert (answer.status_code, answer.json()["error_code"]) == (422, "PAYLOAD_KEY_UNKNOWN")
    await new_key(site)
    removed = await site.api.delete(await path_of(site), headers=site.owner)
    assert removed.json() == {"removed": 1}
    again = await site.post(sealed(os.urandom(32), records(site, 0)))
    assert again.json()["error_code"] == "PAYLOAD_KEY_UNKNOWN"
    assert site.rows("select count(*) from telemetry_raw") == [(0,)]


@pytest.mark.parametrize("how", ["key", "tag", "nonce", "base64", "nothing", "text", "short"])
async def test_a_payload_that_cannot_be_decrypted_is_refused(site: SiteWithCollector, how: str) -> None:
    key = await new_key(site)
    body = sealed(os.urandom(32) if how == "key" else key, records(site, 0))
    payload = body["payload_enc"]
    if how == "tag":
        broken = bytearray(b64decode(payload["ciphertext_b64"]))
        broken[-1] ^= 1
        payload["ciphertext_b64"] = b64encode(bytes(broken)).decode()
    elif how == "nonce":
        payload["nonce_b64"] = b64encode(b"123").decode()
    elif how == "base64":
        payload["ciphertext_b64"] = "***"
    elif how == "nothing":
        body["payload_enc"] = {}
    elif how == "text":
        body["payload_enc"] = "sealed"
    elif how == "short":
        payload["ciphertext_b64"] = b64encode(b"123").decode()
    answer = await site.post(body)
    assert (answer.status_code, answer.json()["error_code"]) == (422, "PAYLOAD_UNREADABLE"), answer.text
    assert site.rows("select count(*) from telemetry_raw") == [(0,)]


@pytest.mark.parametrize(
    ("plain", "code"),
    [
        (b"hello", "BAD_JSON"),
        (b'{"records": []}', "NO_RECORDS"),
        (gzip.compress(b"[]", mtime=0)[:-2], "BAD_GZIP"),
        (gzip.compress(b" " * 140_000_000), "BATCH_TOO_LARGE"),
    ],
)
async def test_encrypted_samples_are_checked_like_plain_ones(site: SiteWithCollector, plain: bytes, code: str) -> None:
    answer = await site.post(sealed(await new_key(site), plain))
    assert answer.json()["error_code"] == code


async def test_the_envelope_of_an_encrypted_batch_is_checked_too(site: SiteWithCollector) -> None:
    key = await new_key(site)
    answer = await site.post(sealed(key, records(site, 0), site_id="elsewhere"))
    assert (answer.status_code, answer.json()["error_code"]) == (403, "SITE_MISMATCH")
    both = await site.post(sealed(key, records(site, 0)) | {"records": [{"miner_id": "m"}]})
    assert (both.status_code, both.json()["error_code"]) == (422, "NO_RECORDS")
    assert site.rows("select count(*) from telemetry_raw") == [(0,)]


async def test_the_old_key_works_only_during_the_overlap(site: SiteWithCollector) -> None:
    old = await new_key(site)
    new = await new_key(site, overlap_sec=3600)
    assert (await site.post(sealed(old, records(site, 0)))).json()["accepted"] == 1
    assert (await site.post(sealed(new, records(site, -1)))).json()["accepted"] == 1
    site.api.app.state.clock = lambda: site.now + timedelta(seconds=3700)  # type: ignore[attr-defined]
    late = await site.post(sealed(old, records(site, -2)))
    assert (late.status_code, late.json()["error_code"]) == (422, "PAYLOAD_UNREADABLE")
    assert (await site.post(sealed(new, records(site, -2)))).json()["accepted"] == 1


async def test_a_payload_key_of_another_installation_secret_is_unusable(site: SiteWithCollector) -> None:
    key = await new_key(site)
    receiver = site.api.app.state.receiver  # type: ignore[attr-defined] # the fixture's
    site.api.app.state.receiver = replace(receiver, vault=Vault(b"the secret of somebody else, 32 +"))  # type: ignore[attr-defined]
    answer = await site.post(sealed(key, records(site, 0)))
    assert (answer.status_code, answer.json()["error_code"]) == (422, "PAYLOAD_KEY_UNKNOWN")

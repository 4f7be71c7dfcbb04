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


async def path_of(place: SiteWithCollector) -> str:
    collectors = (await place.api.get("/api/admin/v1/collectors", headers=place.owner)).json()["collectors"]
    return f"/api/admin/v1/collectors/{collectors[0]['id']}/payload-key"


async def new_key(place: SiteWithCollector, **body: Any) -> bytes:
    answer = await place.api.post(await path_of(place), json=body, headers=place.owner)
    assert answer.status_code == 200, answer.text
    return b64decode(answer.json()["payload_key"])


def sealed(key: bytes, plain: bytes, **said: Any) -> dict[str, Any]:
    nonce = os.urandom(12)
    payload = {
        "nonce_b64": b64encode(nonce).decode(),
        "ciphertext_b64": b64encode(AESGCM(key).encrypt(nonce, plain, None)).decode(),
    }
    return {"schema": "telemetry_envelope.v1", "site_id": "tx-1", "mode": "latest", **said, "payload_enc": payload}


def records(place: SiteWithCollector, *seconds: float) -> bytes:
    return json.dumps(
        [{"miner_id": "m1", "timestamp": place.at(one), "power_consumption": 0} for one in seconds]
    ).encode()


async def test_an_encrypted_batch_is_stored_like_any_other(place: SiteWithCollector) -> None:
    key = await new_key(place)
    answer = await place.post(sealed(key, records(place, 0)), zipped=True)
    assert answer.json() == {"success": True, "accepted": 1, "rejected": 0, "duplicates": 0, "errors": []}
    zipped = await place.post(sealed(key, gzip.compress(records(place, 0, -1)), compression="gzip"))
    assert (zipped.json()["accepted"], zipped.json()["duplicates"]) == (1, 1)
    assert place.rows("select upload_mode, power_w from telemetry_raw") == [(1, None), (1, None)]


async def test_without_a_key_it_is_refused(place: SiteWithCollector) -> None:
    answer = await place.post(sealed(os.urandom(32), records(place, 0)))
    assert (answer.status_code, answer.json()["error_code"]) == (422, "PAYLOAD_KEY_UNKNOWN")
    await new_key(place)
    removed = await place.api.delete(await path_of(place), headers=place.owner)
    assert removed.json() == {"removed": 1}
    again = await place.post(sealed(os.urandom(32), records(place, 0)))
    assert again.json()["error_code"] == "PAYLOAD_KEY_UNKNOWN"
    assert place.rows("select count(*) from telemetry_raw") == [(0,)]


@pytest.mark.parametrize("how", ["key", "tag", "nonce", "base64", "nothing", "text", "short"])
async def test_what_cannot_be_opened_is_refused(place: SiteWithCollector, how: str) -> None:
    key = await new_key(place)
    body = sealed(os.urandom(32) if how == "key" else key, records(place, 0))
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
    answer = await place.post(body)
    assert (answer.status_code, answer.json()["error_code"]) == (422, "PAYLOAD_UNREADABLE"), answer.text
    assert place.rows("select count(*) from telemetry_raw") == [(0,)]


@pytest.mark.parametrize(
    ("plain", "code"),
    [
        (b"hello", "BAD_JSON"),
        (b'{"records": []}', "NO_RECORDS"),
        (gzip.compress(b"[]", mtime=0)[:-2], "BAD_GZIP"),
        (gzip.compress(b" " * 140_000_000), "BATCH_TOO_LARGE"),
    ],
)
async def test_what_was_encrypted_is_judged_like_what_was_not(
    place: SiteWithCollector, plain: bytes, code: str
) -> None:
    answer = await place.post(sealed(await new_key(place), plain))
    assert answer.json()["error_code"] == code


async def test_the_envelope_around_it_is_checked_too(place: SiteWithCollector) -> None:
    key = await new_key(place)
    answer = await place.post(sealed(key, records(place, 0), site_id="elsewhere"))
    assert (answer.status_code, answer.json()["error_code"]) == (403, "SITE_MISMATCH")
    both = await place.post(sealed(key, records(place, 0)) | {"records": [{"miner_id": "m"}]})
    assert (both.status_code, both.json()["error_code"]) == (422, "NO_RECORDS")
    assert place.rows("select count(*) from telemetry_raw") == [(0,)]


async def test_the_old_key_is_good_for_the_overlap_and_not_longer(place: SiteWithCollector) -> None:
    old = await new_key(place)
    new = await new_key(place, overlap_sec=3600)
    assert (await place.post(sealed(old, records(place, 0)))).json()["accepted"] == 1
    assert (await place.post(sealed(new, records(place, -1)))).json()["accepted"] == 1
    place.api.app.state.clock = lambda: place.now + timedelta(seconds=3700)  # type: ignore[attr-defined]
    late = await place.post(sealed(old, records(place, -2)))
    assert (late.status_code, late.json()["error_code"]) == (422, "PAYLOAD_UNREADABLE")
    assert (await place.post(sealed(new, records(place, -2)))).json()["accepted"] == 1


async def test_a_key_that_another_secret_sealed_is_as_good_as_none(place: SiteWithCollector) -> None:
    key = await new_key(place)
    receiver = place.api.app.state.receiver  # type: ignore[attr-defined] # the fixture's
    place.api.app.state.receiver = replace(receiver, vault=Vault(b"the secret of somebody else, 32 +"))  # type: ignore[attr-defined]
    answer = await place.post(sealed(key, records(place, 0)))
    assert (answer.status_code, answer.json()["error_code"]) == (422, "PAYLOAD_KEY_UNKNOWN")

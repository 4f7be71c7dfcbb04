"""Golden messages: collectors in the field cannot be updated, so these files change only when the contract does."""

import hmac
import json
from base64 import b64decode
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from hashinsight.wire.acks import parse_ack, parse_acks, read_ack, read_acks
from hashinsight.wire.commands import Command, poll_answer, read_command, wire_priority
from hashinsight.wire.keys import key_ring, signing_key, verifying_key
from hashinsight.wire.signing import SignatureStatus, sign, signed_bytes, verify
from hashinsight.wire.times import find_time

MESSAGES = Path(__file__).parent / "messages"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def golden(name: str) -> Any:
    return json.loads((MESSAGES / name).read_text())


ACKS = golden("acks.json")
SIGNED = golden("signed.json")


def test_a_poll_response_matches_the_contract() -> None:
    pool = Command(
        command_id="0195508a-0000-7000-8000-00000000000a",
        site_id="tx-midland-1",
        zone_id="hall-2",
        miner_id="B2-R14-03",
        command_type="set_pool",
        params={"pool_url": "stratum+tcp://pool.example:3333", "pool_user": "acme.rack1", "pool_password": "x"},
        priority=wire_priority("compliance", 5),
        issued_at=NOON,
        expires_at=NOON + timedelta(seconds=900),
        ttl_sec=900,
        lease_until=NOON + timedelta(seconds=180),
    )
    reboot = replace(
        pool,
        command_id="0195508a-0000-7000-8000-00000000000b",
        site_id="3",
        zone_id=None,
        miner_id="A-17",
        command_type="reboot_device",
        params={},
        priority=wire_priority("safety", 0),
        issued_at=NOON + timedelta(milliseconds=250),
        expires_at=NOON + timedelta(seconds=60, milliseconds=250),
        ttl_sec=60,
        attempt=2,
    )
    assert poll_answer([pool, reboot]) == golden("poll.json")
    assert [read_command(message) for message in golden("poll.json")["commands"]] == [pool, reboot]


@pytest.mark.parametrize("case", ACKS, ids=lambda case: case["name"])
def test_an_ack_is_read_by_the_contract(case: dict[str, Any]) -> None:
    ack = read_ack(json.dumps(case["body"]).encode(), case["path_id"])
    assert ack.to_wire() == case["means"]
    assert parse_ack(case["means"]) == ack


def test_the_same_acks_in_a_batch_are_read_the_same() -> None:
    batch = {"acks": [{"command_id": case["path_id"], **case["body"]} for case in ACKS]}
    acks = read_acks(json.dumps(batch).encode())
    assert acks == parse_acks([case["means"] for case in ACKS])
    assert [ack.command_id for ack in acks] == [case["means"]["command_id"] for case in ACKS]


@pytest.mark.parametrize("algorithm", SIGNED["signatures"])
def test_a_signed_command_matches_the_contract(algorithm: str) -> None:
    key = signing_key(algorithm, SIGNED["key_id"], SIGNED["keys"][algorithm])
    not_before = find_time(SIGNED["not_before"])
    assert not_before is not None
    command = read_command(SIGNED["command"])
    message = sign(command, key, tenant_id=SIGNED["tenant_id"], not_before=not_before, nonce=SIGNED["nonce"]).to_wire()
    assert signed_bytes(message, message["cloud_sign"]).decode() == SIGNED["signed_text"]
    assert message == {
        **SIGNED["command"],
        "cloud_sign": {
            "alg": algorithm,
            "key_id": SIGNED["key_id"],
            "tenant_id": SIGNED["tenant_id"],
            "not_before": SIGNED["not_before"],
            "nonce": SIGNED["nonce"],
            "signature": SIGNED["signatures"][algorithm],
        },
    }
    public = SIGNED["public_ed25519"] if algorithm == "ed25519" else SIGNED["keys"][algorithm]
    ring = key_ring([verifying_key(algorithm, SIGNED["key_id"], public)])
    assert verify(message, ring, now=NOON) is SignatureStatus.GENUINE


def test_the_golden_signatures_verify_with_public_libraries_alone() -> None:
    data = SIGNED["signed_text"].encode()
    secret = b64decode(SIGNED["keys"]["hmac-sha256"])
    assert hmac.digest(secret, data, "sha256") == b64decode(SIGNED["signatures"]["hmac-sha256"])
    public = Ed25519PublicKey.from_public_bytes(b64decode(SIGNED["public_ed25519"]))
    public.verify(b64decode(SIGNED["signatures"]["ed25519"]), data)

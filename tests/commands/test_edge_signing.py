"""Signed commands, checked as a collector would that has nothing of ours but the page in the documentation."""

import hmac
import json
from base64 import b64decode
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from hashinsight.kit.crypto import Vault
from hashinsight.wire.keys import key_ring, verifying_key
from hashinsight.wire.signing import SignatureStatus, verify
from tests.commands.edge_site import LEGACY, EdgeSite

FIELDS = ("command_id", "miner_id", "command_type", "params", "priority", "expires_at", "attempt")


def signed_text(message: dict[str, Any]) -> bytes:
    """The canonical JSON of plain values: names sorted, no blanks."""
    seal = message["cloud_sign"]
    signed = {name: message[name] for name in FIELDS} | {
        "site_id": str(message["site_id"]),
        "zone_id": message.get("zone_id"),
        **{name: seal[name] for name in ("tenant_id", "not_before", "nonce")},
    }
    return json.dumps(signed, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


async def add_key(edge_site: EdgeSite, **body: Any) -> dict[str, Any]:
    made = await edge_site.collector_site.post(f"collectors/{edge_site.collector_id}/signing-keys", body)
    assert made.status_code == 201, made.text
    key: dict[str, Any] = made.json()
    return key


async def turn(edge_site: EdgeSite, *, on: bool) -> None:
    path = f"/api/admin/v1/collectors/{edge_site.collector_id}/signing"
    answer = await edge_site.api.put(path, json={"on": on}, headers=edge_site.collector_site.owner)
    assert answer.status_code == 200, answer.text


async def handed(edge_site: EdgeSite, machine: int, **headers: str) -> dict[str, Any]:
    await edge_site.make_commands("set_fan", machine)
    (message,) = await edge_site.poll_commands(edge_site.north | headers)
    return message


async def test_an_ed25519_signature_holds_and_a_changed_command_does_not(edge_site: EdgeSite) -> None:
    key = await add_key(edge_site, algorithm="ed25519")
    await turn(edge_site, on=True)
    message = await handed(edge_site, 1, **{"X-Zone-ID": "hall"})
    seal = message["cloud_sign"]
    assert (seal["alg"], seal["key_id"], seal["tenant_id"]) == ("ed25519", key["key_id"], str(edge_site.tenant_id))
    public = Ed25519PublicKey.from_public_bytes(b64decode(key["public_key"]))
    public.verify(b64decode(seal["signature"]), signed_text(message))
    for name, other in (("params", {"speed": 100}), ("miner_id", "m2"), ("site_id", "tx-2"), ("zone_id", None)):
        with pytest.raises(InvalidSignature):
            public.verify(b64decode(seal["signature"]), signed_text(message | {name: other}))


async def test_an_hmac_signature_holds_on_the_legacy_route_as_well(edge_site: EdgeSite) -> None:
    key = await add_key(edge_site, algorithm="hmac-sha256", key_id="shared-1")
    await turn(edge_site, on=True)
    await edge_site.make_commands("set_fan", 1, 2)
    messages = (await edge_site.poll(path=f"{LEGACY}/pending")).json()["commands"]
    for message in messages:
        expected = hmac.digest(b64decode(key["secret"]), signed_text(message), "sha256")
        assert b64decode(message["cloud_sign"]["signature"]) == expected
    assert len({message["cloud_sign"]["nonce"] for message in messages}) == 2


async def test_off_by_default_and_off_again_when_turned_off(edge_site: EdgeSite) -> None:
    assert "cloud_sign" not in await handed(edge_site, 1)
    await add_key(edge_site)
    assert "cloud_sign" not in await handed(edge_site, 2)
    await turn(edge_site, on=True)
    assert "cloud_sign" in await handed(edge_site, 3)
    await turn(edge_site, on=False)
    assert "cloud_sign" not in await handed(edge_site, 4)


async def test_another_collector_of_the_site_has_a_switch_of_its_own(edge_site: EdgeSite) -> None:
    await add_key(edge_site)
    await turn(edge_site, on=True)
    await edge_site.make_commands("set_fan", 1)
    (message,) = await edge_site.poll_commands(edge_site.south)
    assert "cloud_sign" not in message


async def test_keys_rotate_without_a_moment_in_which_a_command_is_refused(edge_site: EdgeSite) -> None:
    old = await add_key(edge_site, algorithm="ed25519")
    await turn(edge_site, on=True)
    ring = [verifying_key("ed25519", old["key_id"], old["public_key"])]
    new = await add_key(edge_site, algorithm="hmac-sha256", signs_after_sec=60)
    verdicts, signers = [], []
    for machine, seconds in enumerate((0, 30, 59, 60, 90), 1):
        if seconds == 30:  # the collector is given the new key while the old one still signs
            ring.append(verifying_key("hmac-sha256", new["key_id"], new["secret"]))
        edge_site.collector_site.at(seconds)
        message = await handed(edge_site, machine)
        verdicts.append(
            verify(message, key_ring(ring), now=edge_site.collector_site.now, tenant_id=str(edge_site.tenant_id))
        )
        signers.append(message["cloud_sign"]["key_id"])
    assert verdicts == [SignatureStatus.GENUINE] * 5
    assert signers == [old["key_id"]] * 3 + [new["key_id"]] * 2
    gone = await edge_site.api.delete(
        f"/api/admin/v1/collectors/{edge_site.collector_id}/signing-keys/{old['key_id']}",
        headers=edge_site.collector_site.owner,
    )
    assert gone.status_code == 200
    assert (await handed(edge_site, 6))["cloud_sign"]["key_id"] == new["key_id"]


async def test_a_redelivery_is_signed_anew_under_the_same_id(edge_site: EdgeSite) -> None:
    await add_key(edge_site)
    await turn(edge_site, on=True)
    first = await handed(edge_site, 1)
    edge_site.collector_site.at(200)
    await edge_site.sweep()
    (second,) = await edge_site.poll_commands()
    assert second["command_id"] == first["command_id"]
    assert second["cloud_sign"]["signature"] != first["cloud_sign"]["signature"]
    assert second["cloud_sign"]["not_before"] > first["cloud_sign"]["not_before"]


async def test_commands_that_cannot_be_signed_are_not_leased(edge_site: EdgeSite) -> None:
    await add_key(edge_site)
    await turn(edge_site, on=True)
    (command_id,) = await edge_site.make_commands()
    good, edge_site.collector_site.app.state.vault = (
        edge_site.collector_site.app.state.vault,
        Vault(b"another secret of this house...."),
    )
    answer = await edge_site.poll()
    assert (answer.status_code, answer.json()["error_code"]) == (503, "CANNOT_SIGN")
    assert edge_site.command(command_id)["state"] == "queued"
    edge_site.collector_site.app.state.vault = good
    assert "cloud_sign" in (await edge_site.poll_commands())[0]

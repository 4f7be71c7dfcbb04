"""Signed commands: what was signed is genuine, whatever was changed is caught, and each refusal has its reason."""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashinsight.wire.canonical import canonical_json
from hashinsight.wire.commands import VERBS, Command
from hashinsight.wire.keys import Ed25519Key, Ed25519PublicKey, HmacKey, SigningKey, VerifyingKey, key_ring
from hashinsight.wire.signing import LEEWAY, SignatureStatus, sign, signed_bytes, verify

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TENANT = "5f0c9a52-0000-7000-8000-000000000001"
SEED = bytes(range(32))
ED25519 = Ed25519Key("cloud-2026-03", SEED)
HMAC = HmacKey("shared-1", SEED[::-1])
RING = key_ring([Ed25519PublicKey("cloud-2026-03", ED25519.public), HMAC])
KEYS = pytest.mark.parametrize("key", [ED25519, HMAC], ids=["ed25519", "hmac"])
COMMAND = Command(
    command_id="0195508a-0000-7000-8000-00000000000a",
    site_id="tx-midland-1",
    zone_id="hall-2",
    miner_id="B2-R14-03",
    command_type="set_pool",
    params={"pool_url": "stratum+tcp://pool.example:3333", "pool_user": "acme.rack1", "pool_password": "x"},
    priority=25,
    issued_at=NOW,
    expires_at=NOW + timedelta(seconds=900),
    ttl_sec=900,
    attempt=1,
    lease_until=NOW + timedelta(seconds=180),
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=10,
)
COMMANDS = st.builds(
    Command,
    command_id=TEXTS,
    site_id=TEXTS | st.integers(0, 2**31),
    zone_id=st.none() | TEXTS | st.integers(0, 2**31),
    miner_id=TEXTS,
    command_type=st.sampled_from(sorted(VERBS)),
    params=st.dictionaries(TEXTS, VALUES, max_size=4),
    priority=st.integers(0, 39),
    issued_at=st.just(NOW),
    expires_at=st.datetimes(datetime(2026, 3, 2), datetime(2030, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 - given a zone there
    ttl_sec=st.just(900),
    attempt=st.integers(1, 100),
    lease_until=st.just(NOW),
)


def signed(key: SigningKey = ED25519, command: Command = COMMAND) -> dict[str, Any]:
    return sign(command, key, tenant_id=TENANT, not_before=NOW).to_wire()


def check(message: dict[str, Any], ring: Any = RING, *, now: datetime = NOW) -> SignatureStatus:
    return verify(message, ring, now=now, tenant_id=TENANT)


@given(command=COMMANDS, key=st.sampled_from([ED25519, HMAC]))
def test_a_signed_command_is_genuine(command: Command, key: SigningKey) -> None:
    assert check(signed(key, command)) is SignatureStatus.GENUINE


# where in the message each of the twelve stands
SIGNED = [
    *[(name,) for name in ("command_id", "site_id", "zone_id", "miner_id", "command_type", "params")],
    *[(name,) for name in ("priority", "expires_at", "attempt")],
    *[("cloud_sign", name) for name in ("tenant_id", "not_before", "nonce")],
]


@pytest.mark.parametrize("path", [*SIGNED, ("cloud_sign", "signature"), ("command",)], ids=".".join)
@given(value=VALUES, key=st.sampled_from([ED25519, HMAC]))
def test_tampering_with_any_field_is_caught(path: tuple[str, ...], value: Any, key: SigningKey) -> None:
    message = signed(key)
    holder = message if len(path) == 1 else message["cloud_sign"]
    if canonical_json(holder[path[-1]]) == canonical_json(value):
        return
    holder[path[-1]] = value
    assert check(message) is SignatureStatus.WRONG


@pytest.mark.parametrize(
    "path", [*SIGNED, ("cloud_sign", "signature"), ("cloud_sign", "alg"), ("command",)], ids=".".join
)
def test_a_field_that_is_left_out_is_caught(path: tuple[str, ...]) -> None:
    message = signed()
    del (message if len(path) == 1 else message["cloud_sign"])[path[-1]]
    assert check(message) is SignatureStatus.WRONG


def changed(value: Any) -> Iterator[Any]:
    """The smallest changes that somebody could make to a set of parameters."""
    yield {**value, "pool_url": "stratum+tcp://thief.example:3333"}
    yield {**value, "extra": None}
    yield {name: item for name, item in value.items() if name != "pool_password"}
    yield {**value, "pool_password": "X"}
    yield [value]
    yield None


@KEYS
def test_every_change_of_the_parameters_is_caught(key: SigningKey) -> None:
    for params in changed(COMMAND.params):
        assert check({**signed(key), "params": params}) is SignatureStatus.WRONG


@KEYS
def test_a_signature_of_another_command_is_caught(key: SigningKey) -> None:
    second = signed(key, replace(COMMAND, miner_id="B2-R14-04"))
    assert check({**signed(key), "cloud_sign": second["cloud_sign"]}) is SignatureStatus.WRONG


def test_a_verb_that_does_not_match_the_type_is_caught() -> None:
    message = signed(command=replace(COMMAND, command_type="fault_light", params={"on": True}))
    assert check(message) is SignatureStatus.GENUINE
    assert check({**message, "command": "reboot"}) is SignatureStatus.WRONG


def test_a_site_is_signed_as_text_because_collectors_compare_it_as_text() -> None:
    message = signed(command=replace(COMMAND, site_id=3))
    assert check({**message, "site_id": "3"}) is SignatureStatus.GENUINE
    assert check({**message, "site_id": "03"}) is SignatureStatus.WRONG


def test_the_order_of_names_and_the_spelling_of_numbers_do_not_matter() -> None:
    message = signed(command=replace(COMMAND, command_type="set_frequency", params={"frequency": 490}))
    shuffled = dict(reversed(message.items()))
    assert check({**shuffled, "params": {"frequency": 490.0}}) is SignatureStatus.GENUINE
    assert check({**shuffled, "params": {"frequency": "490"}}) is SignatureStatus.WRONG


@pytest.mark.parametrize("seal", [None, ...])
def test_a_command_without_a_signature_is_unsigned(seal: Any) -> None:
    message = COMMAND.to_wire()
    if seal is None:
        message["cloud_sign"] = None
    assert check(message) is SignatureStatus.UNSIGNED


@pytest.mark.parametrize("seal", ["x", 5, [], True, ["key_id"]])
def test_a_cloud_sign_that_is_not_an_object_is_wrong(seal: Any) -> None:
    assert check({**signed(), "cloud_sign": seal}) is SignatureStatus.WRONG


@pytest.mark.parametrize("key_id", ["other", "", None, 5, ["cloud-2026-03"], {}])
def test_an_unknown_key_is_reported(key_id: Any) -> None:
    message = signed()
    message["cloud_sign"]["key_id"] = key_id
    assert check(message) is SignatureStatus.UNKNOWN_KEY


def test_a_message_cannot_choose_the_algorithm() -> None:
    """The classic attack: an HMAC made with the public key as its secret."""
    forged = HmacKey("cloud-2026-03", ED25519.public)
    assert check(signed(forged)) is SignatureStatus.WRONG
    message = signed(forged)
    message["cloud_sign"]["alg"] = "ed25519"
    assert check(message) is SignatureStatus.WRONG
    message = signed()
    message["cloud_sign"]["alg"] = "hmac-sha256"
    assert check(message) is SignatureStatus.WRONG


def test_a_signature_has_one_spelling() -> None:
    message = signed()
    text = message["cloud_sign"]["signature"]
    assert text.endswith("==")
    twin = text[:-3] + chr(ord(text[-3]) + 1) + "=="  # the bits that base64 ignores
    for second in (twin, text + "\n", text.rstrip("="), b64encode(b"x" * 64).decode(), "", "é"):
        message["cloud_sign"]["signature"] = second
        assert check(message) is SignatureStatus.WRONG


@KEYS
def test_stale_and_early_commands_are_distinguished_from_forged_ones(key: SigningKey) -> None:
    message = signed(key)
    assert check(message, now=NOW - LEEWAY) is SignatureStatus.GENUINE
    assert check(message, now=NOW - LEEWAY - timedelta(seconds=1)) is SignatureStatus.NOT_YET
    assert check(message, now=COMMAND.expires_at - timedelta(microseconds=1)) is SignatureStatus.GENUINE
    assert check(message, now=COMMAND.expires_at) is SignatureStatus.STALE
    message["expires_at"] = "2036-03-01T12:15:00Z"
    assert check(message, now=COMMAND.expires_at) is SignatureStatus.WRONG


def test_a_command_of_another_tenant_is_wrong_if_the_collector_knows_its_tenant() -> None:
    message = sign(COMMAND, ED25519, tenant_id="another", not_before=NOW).to_wire()
    assert check(message) is SignatureStatus.WRONG
    assert verify(message, RING, now=NOW) is SignatureStatus.GENUINE


def test_keys_rotate_without_a_gap() -> None:
    old, new = ED25519, Ed25519Key("cloud-2026-04", bytes(range(1, 33)))
    before, between, after = key_ring([old]), key_ring([old, new]), key_ring([new])
    assert [check(signed(old), ring) for ring in (before, between, after)] == [
        SignatureStatus.GENUINE,
        SignatureStatus.GENUINE,
        SignatureStatus.UNKNOWN_KEY,
    ]
    assert [check(signed(new), ring) for ring in (before, between, after)] == [
        SignatureStatus.UNKNOWN_KEY,
        SignatureStatus.GENUINE,
        SignatureStatus.GENUINE,
    ]


def test_two_signatures_of_the_same_command_have_different_nonces() -> None:
    first, second = signed()["cloud_sign"], signed()["cloud_sign"]
    assert first["nonce"] != second["nonce"]
    assert first["signature"] != second["signature"]


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize("params", [deep(500), deep(5000), {"a": float("nan")}, {"a": 10**5000}, {"a": "\ud800"}])
def test_hostile_parameters_are_rejected_without_an_error(params: Any) -> None:
    assert check({**signed(), "params": params}) is SignatureStatus.WRONG


def test_exactly_twelve_fields_are_signed() -> None:
    message = signed()
    unsigned = {**message, "issued_at": "x", "ttl_sec": 5, "lease_until": None, "note": "new"}
    assert signed_bytes(unsigned, message["cloud_sign"]) == signed_bytes(message, message["cloud_sign"])
    assert check(unsigned) is SignatureStatus.GENUINE


def test_a_command_without_a_canonical_form_is_not_signed() -> None:
    with pytest.raises(ValueError, match="NaN"):
        signed(command=replace(COMMAND, params={"frequency": float("nan")}))


def test_a_public_key_cannot_sign() -> None:
    public: VerifyingKey = RING["cloud-2026-03"]
    assert not hasattr(public, "sign")

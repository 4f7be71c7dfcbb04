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


def judged(message: dict[str, Any], ring: Any = RING, *, now: datetime = NOW) -> SignatureStatus:
    return verify(message, ring, now=now, tenant_id=TENANT)


@given(command=COMMANDS, key=st.sampled_from([ED25519, HMAC]))
def test_what_was_signed_is_genuine(command: Command, key: SigningKey) -> None:
    assert judged(signed(key, command)) is SignatureStatus.GENUINE


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
    assert judged(message) is SignatureStatus.WRONG


@pytest.mark.parametrize(
    "path", [*SIGNED, ("cloud_sign", "signature"), ("cloud_sign", "alg"), ("command",)], ids=".".join
)
def test_a_field_that_is_left_out_is_caught(path: tuple[str, ...]) -> None:
    message = signed()
    del (message if len(path) == 1 else message["cloud_sign"])[path[-1]]
    assert judged(message) is SignatureStatus.WRONG


def changed(value: Any) -> Iterator[Any]:
    """The smallest changes that somebody could make to a set of parameters."""
    yield {**value, "pool_url": "stratum+tcp://thief.example:3333"}
    yield {**value, "extra": None}
    yield {name: one for name, one in value.items() if name != "pool_password"}
    yield {**value, "pool_password": "X"}
    yield [value]
    yield None


@KEYS
def test_every_change_of_the_parameters_is_caught(key: SigningKey) -> None:
    for params in changed(COMMAND.params):
        assert judged({**signed(key), "params": params}) is SignatureStatus.WRONG


@KEYS
def test_a_seal_of_another_command_is_caught(key: SigningKey) -> None:
    other = signed(key, replace(COMMAND, miner_id="B2-R14-04"))
    assert judged({**signed(key), "cloud_sign": other["cloud_sign"]}) is SignatureStatus.WRONG


def test_the_verb_cannot_be_another_than_the_types() -> None:
    message = signed(command=replace(COMMAND, command_type="fault_light", params={"on": True}))
    assert judged(message) is SignatureStatus.GENUINE
    assert judged({**message, "command": "reboot"}) is SignatureStatus.WRONG


def test_a_site_is_signed_as_text_because_collectors_compare_it_as_text() -> None:
    message = signed(command=replace(COMMAND, site_id=3))
    assert judged({**message, "site_id": "3"}) is SignatureStatus.GENUINE
    assert judged({**message, "site_id": "03"}) is SignatureStatus.WRONG


def test_another_order_of_names_and_another_spelling_of_a_number_change_nothing() -> None:
    message = signed(command=replace(COMMAND, command_type="set_frequency", params={"frequency": 490}))
    shuffled = dict(reversed(message.items()))
    assert judged({**shuffled, "params": {"frequency": 490.0}}) is SignatureStatus.GENUINE
    assert judged({**shuffled, "params": {"frequency": "490"}}) is SignatureStatus.WRONG


@pytest.mark.parametrize("seal", [None, ...])
def test_a_command_without_a_signature_is_unsigned(seal: Any) -> None:
    message = COMMAND.to_wire()
    if seal is None:
        message["cloud_sign"] = None
    assert judged(message) is SignatureStatus.UNSIGNED


@pytest.mark.parametrize("seal", ["x", 5, [], True, ["key_id"]])
def test_a_seal_that_is_no_object_is_wrong(seal: Any) -> None:
    assert judged({**signed(), "cloud_sign": seal}) is SignatureStatus.WRONG


@pytest.mark.parametrize("key_id", ["other", "", None, 5, ["cloud-2026-03"], {}])
def test_a_key_that_nobody_gave_us_is_unknown(key_id: Any) -> None:
    message = signed()
    message["cloud_sign"]["key_id"] = key_id
    assert judged(message) is SignatureStatus.UNKNOWN_KEY


def test_a_message_cannot_choose_the_algorithm() -> None:
    """The classic attack: an HMAC made with the public key as its secret."""
    forged = HmacKey("cloud-2026-03", ED25519.public)
    assert judged(signed(forged)) is SignatureStatus.WRONG
    message = signed(forged)
    message["cloud_sign"]["alg"] = "ed25519"
    assert judged(message) is SignatureStatus.WRONG
    message = signed()
    message["cloud_sign"]["alg"] = "hmac-sha256"
    assert judged(message) is SignatureStatus.WRONG


def test_a_signature_has_one_spelling() -> None:
    message = signed()
    text = message["cloud_sign"]["signature"]
    assert text.endswith("==")
    twin = text[:-3] + chr(ord(text[-3]) + 1) + "=="  # the bits that base64 ignores
    for other in (twin, text + "\n", text.rstrip("="), b64encode(b"x" * 64).decode(), "", "é"):
        message["cloud_sign"]["signature"] = other
        assert judged(message) is SignatureStatus.WRONG


@KEYS
def test_a_stale_command_and_one_of_tomorrow_are_told_from_forged_ones(key: SigningKey) -> None:
    message = signed(key)
    assert judged(message, now=NOW - LEEWAY) is SignatureStatus.GENUINE
    assert judged(message, now=NOW - LEEWAY - timedelta(seconds=1)) is SignatureStatus.NOT_YET
    assert judged(message, now=COMMAND.expires_at - timedelta(microseconds=1)) is SignatureStatus.GENUINE
    assert judged(message, now=COMMAND.expires_at) is SignatureStatus.STALE
    message["expires_at"] = "2036-03-01T12:15:00Z"
    assert judged(message, now=COMMAND.expires_at) is SignatureStatus.WRONG


def test_a_command_of_another_tenant_is_wrong_where_the_collector_knows_its_own() -> None:
    message = sign(COMMAND, ED25519, tenant_id="another", not_before=NOW).to_wire()
    assert judged(message) is SignatureStatus.WRONG
    assert verify(message, RING, now=NOW) is SignatureStatus.GENUINE


def test_keys_rotate_without_a_gap() -> None:
    old, new = ED25519, Ed25519Key("cloud-2026-04", bytes(range(1, 33)))
    before, between, after = key_ring([old]), key_ring([old, new]), key_ring([new])
    assert [judged(signed(old), ring) for ring in (before, between, after)] == [
        SignatureStatus.GENUINE,
        SignatureStatus.GENUINE,
        SignatureStatus.UNKNOWN_KEY,
    ]
    assert [judged(signed(new), ring) for ring in (before, between, after)] == [
        SignatureStatus.UNKNOWN_KEY,
        SignatureStatus.GENUINE,
        SignatureStatus.GENUINE,
    ]


def test_two_signatures_of_one_command_differ_by_their_nonce() -> None:
    one, other = signed()["cloud_sign"], signed()["cloud_sign"]
    assert one["nonce"] != other["nonce"]
    assert one["signature"] != other["signature"]


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize("params", [deep(500), deep(5000), {"a": float("nan")}, {"a": 10**5000}, {"a": "\ud800"}])
def test_hostile_parameters_are_wrong_and_nothing_worse(params: Any) -> None:
    assert judged({**signed(), "params": params}) is SignatureStatus.WRONG


def test_the_twelve_fields_are_exactly_what_is_signed() -> None:
    message = signed()
    unsigned = {**message, "issued_at": "x", "ttl_sec": 5, "lease_until": None, "note": "new"}
    assert signed_bytes(unsigned, message["cloud_sign"]) == signed_bytes(message, message["cloud_sign"])
    assert judged(unsigned) is SignatureStatus.GENUINE


def test_a_command_that_has_no_canonical_form_is_not_signed() -> None:
    with pytest.raises(ValueError, match="NaN"):
        signed(command=replace(COMMAND, params={"frequency": float("nan")}))


def test_the_half_that_checks_cannot_sign() -> None:
    public: VerifyingKey = RING["cloud-2026-03"]
    assert not hasattr(public, "sign")

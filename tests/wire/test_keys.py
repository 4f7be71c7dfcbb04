"""Keys: made from what is good, refused in words that repeat nothing of them."""

import subprocess
import sys
from base64 import b64encode
from typing import Any

import pytest

from hashinsight.wire.keys import Algorithm, BadKey, Ed25519Key, HmacKey, key_ring, signing_key, verifying_key

RAW = bytes(range(32))


@pytest.mark.parametrize("algorithm", Algorithm)
@pytest.mark.parametrize("given", [RAW, b64encode(RAW).decode(), f" {b64encode(RAW).decode()}\n"])
def test_a_key_is_made_from_its_bytes_or_their_base64(algorithm: str, given: bytes | str) -> None:
    key = signing_key(algorithm, "k1", given)
    public = key.public if isinstance(key, Ed25519Key) else RAW
    other = verifying_key(algorithm, "k1", public)
    assert (key.key_id, key.algorithm.value, other.algorithm) == ("k1", algorithm, key.algorithm)
    assert other.verifies(b"data", key.sign(b"data"))
    assert not other.verifies(b"date", key.sign(b"data"))
    assert not other.verifies(b"data", b"")


@pytest.mark.parametrize("make", [signing_key, verifying_key])
@pytest.mark.parametrize("algorithm", Algorithm)
@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (b"", "must be 32 bytes, not 0"),
        (RAW[:31], "must be 32 bytes, not 31"),
        (RAW + b"x", "must be 32 bytes, not 33"),
        (b64encode(RAW[:16]).decode(), "must be 32 bytes, not 16"),
        ("hunter22hunter22hunter22hunter22!!", "not base64"),
        ("ключ", "not base64"),
        (b"\0" * 32, "is not random"),
    ],
)
def test_a_malformed_key_is_refused_without_showing_it(
    make: Any, algorithm: str, given: bytes | str, reason: str
) -> None:
    with pytest.raises(BadKey, match=reason) as refused:
        make(algorithm, "k1", given)
    assert "hunter22" not in str(refused.value)


@pytest.mark.parametrize("key_id", ["", "a b", "-a", "k\n", "x" * 65, "ключ"])
def test_a_key_id_with_special_characters_is_refused(key_id: str) -> None:
    with pytest.raises(BadKey, match="key id"):
        HmacKey(key_id, RAW)


@pytest.mark.parametrize("algorithm", ["", "none", "HS256", "rsa"])
def test_an_unknown_algorithm_is_refused(algorithm: str) -> None:
    with pytest.raises(BadKey, match="hmac-sha256, ed25519"):
        signing_key(algorithm, "k1", RAW)


def test_duplicate_key_ids_are_refused() -> None:
    with pytest.raises(BadKey, match="duplicate key id k1"):
        key_ring([HmacKey("k1", RAW), Ed25519Key("k1", RAW)])


@pytest.mark.parametrize("key", [HmacKey("k1", RAW), Ed25519Key("k1", RAW)])
def test_the_repr_of_a_key_hides_its_secret(key: Any) -> None:
    assert "\\x01" not in repr(key)


def test_wire_imports_nothing_beyond_the_base_install() -> None:
    """Every module of it loads, and HMAC is checked, where only the standard library is."""
    program = """
import importlib, pathlib, pkgutil, sys
sys.path[:] = [path for path in sys.path if "site-packages" not in path] + [sys.argv[1]]
import hashinsight.wire
for module in pkgutil.iter_modules(hashinsight.wire.__path__):
    importlib.import_module(f"hashinsight.wire.{module.name}")
from hashinsight.wire.keys import HmacKey
key = HmacKey("k1", bytes(range(32)))
print(key.verifies(b"x", key.sign(b"x")), "cryptography" in sys.modules, "pydantic" in sys.modules)
"""
    import hashinsight

    source = str(next(iter(hashinsight.__path__))).removesuffix("/hashinsight")
    ran = subprocess.run([sys.executable, "-S", "-c", program, source], capture_output=True, text=True, check=False)
    assert ran.stdout == "True False False\n", ran.stderr

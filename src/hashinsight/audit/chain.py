"""The chain of seals: what a seal contains, how it is hashed and signed, and its form outside the database. Pure.

A leaf is an entry's id and the SHA-256 of its line. A seal binds its leaves in order, and the seal before it.
"""

import base64
import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from hashinsight.audit.snapshot import EVERYTHING, NOTHING, Snapshot

FORMAT = 1  # of lines, leaves and seals; a later format gets a new number
LEAF_BYTES = 48
_ID_BYTES = 16
_PURPOSE = b"hashinsight audit seal\0"
START = bytes(32)


@dataclass(frozen=True)
class SealHead:
    """What is hashed. `server` is the database server and its timeline: a restored log is on another one."""

    no: int
    era: int
    snapshot: str
    server: str
    entries: int
    digest: bytes
    previous: bytes
    sealed_at: datetime
    key_id: str


@dataclass(frozen=True)
class Seal(SealHead):
    hash: bytes
    signature: bytes


@dataclass(frozen=True)
class Anchor:
    """A seal as it is kept elsewhere, with the key that checks it."""

    seal: Seal
    public_key: bytes


def leaves_of(leaves: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Ids and hashes in the order of the seal; an incomplete one at the end is dropped."""
    for start in range(0, len(leaves) - LEAF_BYTES + 1, LEAF_BYTES):
        middle = start + _ID_BYTES
        yield leaves[start:middle], leaves[middle : start + LEAF_BYTES]


def next_window(last: Seal | None) -> tuple[int, Snapshot]:
    """The era after this seal, and how far it is sealed."""
    if last is None:
        return 1, NOTHING
    if last.snapshot == str(EVERYTHING):
        return last.era + 1, NOTHING
    return last.era, Snapshot.read(last.snapshot)


def digest_of(leaves: bytes) -> bytes:
    return hashlib.sha256(leaves).digest()


def hash_of(head: SealHead) -> bytes:
    # the key is `form` in every seal so far
    text = json.dumps(_head_fields(head) | {"form": FORMAT}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()


def sign(head: SealHead, key: Ed25519PrivateKey) -> Seal:
    digest = hash_of(head)
    return Seal(**asdict(head), hash=digest, signature=key.sign(_PURPOSE + digest))


def is_signed(seal: Seal, public_key: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(seal.signature, _PURPOSE + seal.hash)
    except (InvalidSignature, ValueError):
        return False
    return True


def key_id_of(public_key: bytes) -> str:
    return hashlib.sha256(public_key).hexdigest()[:16]


def is_sound(seal: Seal) -> bool:
    """Whether its hash matches its content."""
    return hash_of(seal) == seal.hash


def anchor_line(seal: Seal, public_key: bytes) -> dict[str, Any]:
    """One line of an anchor."""
    proof = {"hash": seal.hash.hex(), "signature": _b64(seal.signature), "public_key": _b64(public_key)}
    return _head_fields(seal) | proof


def read_anchor(line: str | bytes | dict[str, Any]) -> Anchor:
    """A line of an anchor; ValueError when it is not one."""
    try:
        fields = line if isinstance(line, dict) else json.loads(line)
        seal = Seal(
            no=int(fields["no"]),
            era=int(fields["era"]),
            snapshot=str(fields["snapshot"]),
            server=str(fields["server"]),
            entries=int(fields["entries"]),
            digest=bytes.fromhex(fields["digest"]),
            previous=bytes.fromhex(fields["previous"]),
            sealed_at=datetime.fromisoformat(fields["sealed_at"]),
            key_id=str(fields["key_id"]),
            hash=bytes.fromhex(fields["hash"]),
            signature=base64.b64decode(fields["signature"], validate=True),
        )
        return Anchor(seal, base64.b64decode(fields["public_key"], validate=True))
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ValueError(f"not a seal: {type(error).__name__}") from None


def _head_fields(head: SealHead) -> dict[str, Any]:
    return {
        "no": head.no,
        "era": head.era,
        "snapshot": head.snapshot,
        "server": head.server,
        "entries": head.entries,
        "digest": head.digest.hex(),
        "previous": head.previous.hex(),
        "sealed_at": head.sealed_at.isoformat(),
        "key_id": head.key_id,
    }


def _b64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()

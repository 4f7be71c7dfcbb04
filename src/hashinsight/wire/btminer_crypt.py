"""Encryption of privileged Whatsminer commands: salted MD5 crypt for keys and tokens, AES-ECB for the text."""

import base64
import binascii
import hashlib
from typing import Any

_ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_BLOCK = 16
_ROUNDS = 1000


class NotEncrypted(Exception):
    """The text cannot be decrypted."""


def md5_crypt(password: str, salt: str) -> str:
    """The last part of `openssl passwd -1 -salt SALT PASSWORD`; Python 3.13 removed its own."""
    secret, salt_bytes = password.encode(), salt.encode()[:8]
    inner = hashlib.md5(secret + salt_bytes + secret, usedforsecurity=False).digest()
    mixed = secret + b"$1$" + salt_bytes
    mixed += (inner * (len(secret) // _BLOCK + 1))[: len(secret)]
    bits = len(secret)
    while bits:
        mixed += b"\0" if bits & 1 else secret[:1]
        bits >>= 1
    digest = hashlib.md5(mixed, usedforsecurity=False).digest()
    for turn in range(_ROUNDS):
        parts = secret if turn & 1 else digest
        parts += salt_bytes if turn % 3 else b""
        parts += secret if turn % 7 else b""
        parts += digest if turn & 1 else secret
        digest = hashlib.md5(parts, usedforsecurity=False).digest()
    return _encode_digest(digest)


def _encode_digest(digest: bytes) -> str:
    order = ((0, 6, 12), (1, 7, 13), (2, 8, 14), (3, 9, 15), (4, 10, 5))
    letters = []
    for a, b, c in order:
        value = digest[a] << 16 | digest[b] << 8 | digest[c]
        letters += [_ALPHABET[value >> shift & 63] for shift in (0, 6, 12, 18)]
    letters += [_ALPHABET[digest[11] >> shift & 63] for shift in (0, 6)]
    return "".join(letters)


def _cipher(key: str) -> Any:
    """Imported here: the base install has no `cryptography`."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    return Cipher(algorithms.AES256(hashlib.sha256(key.encode()).digest()), modes.ECB())  # noqa: S305 - the maker's choice


def encrypt(key: str, text: bytes) -> str:
    padded = text + b"\0" * (-len(text) % _BLOCK)
    encryptor = _cipher(key).encryptor()
    return base64.b64encode(encryptor.update(padded) + encryptor.finalize()).decode()


def decrypt(key: str, sealed: str) -> bytes:
    try:
        raw = base64.b64decode(sealed, validate=False)
    except (binascii.Error, ValueError):
        raise NotEncrypted from None
    if not raw or len(raw) % _BLOCK:
        raise NotEncrypted
    decryptor = _cipher(key).decryptor()
    opened: bytes = (decryptor.update(raw) + decryptor.finalize()).rstrip(b"\0")
    return opened

"""Keys that follow from the installation's secret, sealed values for the database, and hashes of bearer tokens."""

import hashlib
import hmac
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_NONCE_BYTES = 12


class Vault:
    """Derives one key for each purpose, so that a value sealed for one cannot be opened as another."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def key(self, purpose: str) -> bytes:
        return HKDF(SHA256(), 32, salt=None, info=f"hashinsight {purpose}".encode()).derive(self._secret)

    def seal(self, purpose: str, value: bytes) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + AESGCM(self.key(purpose)).encrypt(nonce, value, purpose.encode())

    def open(self, purpose: str, sealed: bytes) -> bytes:
        """The value; ValueError when it was sealed with another secret or was changed."""
        try:
            return AESGCM(self.key(purpose)).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], purpose.encode())
        except InvalidTag:
            raise ValueError(
                f"a sealed value ({purpose}) cannot be opened: was HASHINSIGHT_SECRET_KEY changed?"
            ) from None

    def fingerprint(self, purpose: str, value: str) -> bytes:
        """A keyed hash: tells whether two values are the same, and nothing else."""
        return hmac.digest(self.key(purpose), octets(value), "sha256")


def token_hash(token: str) -> bytes:
    """For tokens that we made from 256 random bits: they need no slow hash."""
    return hashlib.sha256(octets(token)).digest()


def octets(foreign: str) -> bytes:
    """What somebody sent, as bytes to hash or compare: JSON lets half a surrogate pair through, and UTF-8 does not."""
    return foreign.encode(errors="surrogatepass")


def is_text(foreign: str) -> bool:
    """Whether it can be stored: half a surrogate pair cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in foreign)

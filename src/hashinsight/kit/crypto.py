"""Keys derived from the installation's secret, encrypted values for the database, and hashes of bearer tokens."""

import hashlib
import hmac
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_NONCE_BYTES = 12


class Vault:
    """Derives one key per purpose, so that a value sealed for one purpose cannot be opened for another."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def key(self, purpose: str) -> bytes:
        return HKDF(SHA256(), 32, salt=None, info=f"hashinsight {purpose}".encode()).derive(self._secret)

    def seal(self, purpose: str, value: bytes) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + AESGCM(self.key(purpose)).encrypt(nonce, value, purpose.encode())

    def open(self, purpose: str, sealed: bytes) -> bytes:
        """Raises ValueError if the value was sealed with another secret or was changed."""
        try:
            return AESGCM(self.key(purpose)).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], purpose.encode())
        except InvalidTag:
            raise ValueError(
                f"a stored secret ({purpose}) cannot be decrypted: was HASHINSIGHT_SECRET_KEY changed?"
            ) from None

    def fingerprint(self, purpose: str, value: str) -> bytes:
        """A keyed hash, to compare values without storing them."""
        return hmac.digest(self.key(purpose), octets(value), "sha256")


def token_hash(token: str) -> bytes:
    """For our own tokens of 256 random bits: they need no slow hash."""
    return hashlib.sha256(octets(token)).digest()


def octets(foreign: str) -> bytes:
    """Foreign text as bytes to hash or compare: JSON allows a lone surrogate, UTF-8 does not."""
    return foreign.encode(errors="surrogatepass")


def is_text(foreign: str) -> bool:
    """Whether it can be stored: a lone surrogate cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in foreign)

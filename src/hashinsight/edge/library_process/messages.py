"""Messages between the collector and its child process: four bytes of length, then JSON."""

import asyncio
import struct
from typing import Any

import msgspec

MAX_BYTES = 8 * 1024 * 1024  # a machine with the figures of every chip has 40 kB
_LENGTH = struct.Struct(">I")
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()


class BrokenFrame(Exception):
    """Not one of our messages: the other side cannot be trusted any more."""


class MachineError(Exception):
    """A machine was not read, or did not take an action.

    `kind` is one word for programs, `str()` a sentence for logs and the cloud; it never holds an address.
    """

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


def pack_message(message: Any) -> bytes:
    body = _encoder.encode(message)
    if len(body) > MAX_BYTES:
        raise BrokenFrame(f"message of {len(body)} bytes")
    return _LENGTH.pack(len(body)) + body


async def read_message(stream: asyncio.StreamReader) -> Any:
    """The next message; None if the other side is gone, also in the middle of a message."""
    try:
        (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
        if length > MAX_BYTES:
            raise BrokenFrame(f"message of {length} bytes announced")
        return _decoder.decode(await stream.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    except msgspec.DecodeError as error:
        raise BrokenFrame(str(error)) from None

"""Messages between the edge and the child that reads: four bytes of length, then JSON."""

import asyncio
import struct
from typing import Any

import msgspec

LONGEST = 8 * 1024 * 1024  # a machine with every chip's figures has 40 kB
_LENGTH = struct.Struct(">I")
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()


class BrokenFrame(Exception):
    """What came is none of ours: whoever wrote it is not to be believed any further."""


def packed(message: Any) -> bytes:
    body = _encoder.encode(message)
    if len(body) > LONGEST:
        raise BrokenFrame(f"{len(body)} bytes are too many")
    return _LENGTH.pack(len(body)) + body


async def read_message(stream: asyncio.StreamReader) -> Any:
    """The next message; None when the other side is gone, also where it went in the middle of one."""
    try:
        (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
        if length > LONGEST:
            raise BrokenFrame(f"{length} bytes are announced")
        return _decoder.decode(await stream.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    except msgspec.DecodeError as problem:
        raise BrokenFrame(str(problem)) from None

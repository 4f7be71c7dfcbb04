"""Random streams, one for each purpose, so that switching one feature on does not change the others."""

import zlib

import numpy as np
from numpy.random import Generator, SeedSequence


def stream_of(seed: int, *purpose: str) -> Generator:
    """The random stream of one purpose: the same for the same seed and words, independent of all others."""
    words = tuple(zlib.crc32(word.encode()) for word in purpose)
    return np.random.Generator(np.random.SFC64(SeedSequence(seed, spawn_key=words)))

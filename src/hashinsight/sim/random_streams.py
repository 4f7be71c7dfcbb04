"""Random streams: one for every purpose, so that switching one thing on does not disturb the others."""

import zlib

import numpy as np
from numpy.random import Generator, SeedSequence


def stream_of(seed: int, *purpose: str) -> Generator:
    """The stream of one purpose: the same for the same seed and words, unrelated to every other."""
    words = tuple(zlib.crc32(word.encode()) for word in purpose)
    return np.random.Generator(np.random.SFC64(SeedSequence(seed, spawn_key=words)))

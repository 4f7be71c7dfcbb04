"""Which pools and workers are on a tenant's lists: by text, not by machine. A fleet may have a worker for each."""

import numpy as np
import polars as pl

from hashinsight.problems.frame import Flags, TextColumn


def pools_allowed(pool: TextColumn, words: tuple[str, ...]) -> Flags:
    """Hosts match with or without port, `*.` matches what is below."""
    return _spread(pool, np.array([_fits(text, words) for text in pool.of], dtype=np.bool_))


def workers_allowed(worker: TextColumn, words: tuple[str, ...]) -> Flags:
    """A worker is `account` or `account.machine`: what is allowed allows everything below it."""
    told = pl.Series(worker.of, dtype=pl.String)
    fits = np.zeros(len(told), dtype=np.bool_)
    for depth in {word.count(".") for word in words}:
        of_depth = [word for word in words if word.count(".") == depth]
        begins = told.str.extract(rf"^([^.]*(?:\.[^.]*){{{depth}}})(?:\.|$)", 1)
        fits |= begins.is_in(of_depth).fill_null(value=False).to_numpy()
    return _spread(worker, fits)


def _spread(texts: TextColumn, fits: Flags) -> Flags:
    """By machine; -1, no text, is the last one."""
    chosen: Flags = np.append(fits, False)[texts.no]
    return chosen


def _fits(text: str, words: tuple[str, ...]) -> bool:
    place = text.lower().split("://")[-1].split("/")[0]
    host = place.split(":")[0]
    return any(
        word in (place, host, text) or (word.startswith("*.") and host.endswith(word.split(":")[0][1:]))
        for word in words
    )

"""What is written down of a problem that was just seen: its evidence, and where its machine stands among its peers."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from hashinsight.problems.codes import Issue
from hashinsight.problems.events import Events
from hashinsight.problems.evidence import evidence_of, of_collectors, peer_metrics
from hashinsight.problems.frame import Flags, Floats, Frame, Ints
from hashinsight.problems.pipeline import Verdicts


@dataclass(frozen=True)
class Described:
    """JSON by row of the events; null where nothing is to be written."""

    evidence: pl.Series
    peers: pl.Series


def describe(found: Verdicts, events: Events, which: Flags, subjects: pl.DataFrame) -> Described:
    """Loops over issues, of which there are a few, never over machines."""
    evidence, peers = np.full(events.n, None, dtype=object), np.full(events.n, None, dtype=object)
    machines = found.seen.frame.miner_no
    for issue in Issue:
        rows = np.flatnonzero(which & (events.issue == issue))
        if not len(rows):
            continue
        if issue is Issue.COLLECTOR_DOWN:
            heard = pl.DataFrame({"subject": events.subject[rows]}).join(subjects, on="subject", how="left")["heard_at"]
            heard_at = heard.cast(pl.Float64).fill_null(float("nan")).to_numpy()
            newest = _newest_of(found.seen.frame, -1 - events.subject[rows])
            evidence[rows] = of_collectors(found.now, heard_at, newest, silent_sec=found.config.offline_sec)
            continue
        at = np.searchsorted(machines, events.subject[rows])
        evidence[rows] = evidence_of(found, at, issue)
        peers[rows] = peer_metrics(found, at)
    return Described(pl.Series(evidence.tolist(), dtype=pl.String), pl.Series(peers.tolist(), dtype=pl.String))


def _newest_of(frame: Frame, collectors: Ints) -> Floats:
    """When the newest sample of any of its machines was taken, by collector; NaN where there is none."""
    named = frame.collector.no >= 0
    newest = np.full(len(frame.collector.of) + 1, np.nan)
    np.fmax.at(newest, frame.collector.no[named], frame.ts[named])
    chosen: Floats = newest[np.minimum(collectors, len(frame.collector.of))]
    return chosen

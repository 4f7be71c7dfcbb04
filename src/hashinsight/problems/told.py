"""What is told of one way by which a rule can hit."""

from dataclasses import dataclass, field

import polars as pl

from hashinsight.problems.codes import Metric
from hashinsight.problems.frame import Flags, Floats


@dataclass(frozen=True)
class Told:
    """The numbers of one way. `aside` is what belongs to the explanation without being the number that passed."""

    hit: Flags
    value: Floats | pl.Series
    threshold: Floats | None = None
    own: Metric | None = None  # whose baseline is told with it
    is_mean: Flags | None = None  # the value is not the reading of now, but the mean of about half an hour
    aside: dict[str, pl.Series] = field(default_factory=dict)

"""The layers, from fine to coarse: how long a bucket is, how long it is kept, which one it feeds. Pure."""

from datetime import UTC, datetime, timedelta
from enum import IntEnum

RAW_KEPT = timedelta(hours=24)
ONLINE_FOR = timedelta(seconds=300)
MEAN_OVER = timedelta(minutes=5)  # before the newest sample: `hashrate_5min_ths` and its like
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
MONTH = timedelta(days=30)  # of a partition


class Layer(IntEnum):
    LIVE = 0
    FIVE_MINUTES = 1
    HOUR = 2
    DAY = 3


LENGTH = {Layer.FIVE_MINUTES: timedelta(minutes=5), Layer.HOUR: HOUR, Layer.DAY: DAY}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def floor(at: datetime, layer: Layer) -> datetime:
    return at - (at - _EPOCH) % LENGTH[layer]

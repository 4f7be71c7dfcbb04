"""Says over Redis that a tick was done, after its commit: whoever looks at the results looks again.

Losing one costs freshness alone.
"""

import asyncio
import json
from collections.abc import Callable

import structlog
from redis import Redis
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

CHANNEL = "hashinsight:done"


class Teller:
    def __init__(self, connect: Callable[[], Redis]) -> None:
        self._connect = connect
        self._redis: Redis | None = None

    async def tell(self, tick: str, site_id: int) -> None:
        await asyncio.to_thread(self._publish, json.dumps({"tick": tick, "site_id": site_id}))

    def close(self) -> None:
        if self._redis is not None:
            self._redis.close()

    def _publish(self, message: str) -> None:
        try:
            self._redis = self._redis or self._connect()
            self._redis.publish(CHANNEL, message)
        except (RedisError, OSError) as error:
            log.debug("done_not_told", error=str(error))

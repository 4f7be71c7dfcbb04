"""The wake-up over RQ: "look now at this tick". Losing one costs at most a sweep; nothing else is in Redis."""

import threading
from collections.abc import Callable, Sequence
from typing import Any, Self

import structlog
from redis import Redis
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker
from rq.exceptions import StopRequested
from rq.timeouts import TimerDeathPenalty

log = structlog.get_logger(__name__)

QUEUE = "hashinsight:ticks"
_WAKE_TTL_SECONDS = 60

_bells: list[Callable[[str], None]] = []


def look(tick: str) -> None:
    """The RQ job. It runs inside the worker process and rings there."""
    for bell in _bells:
        bell(tick)


class Waker:
    """The scheduler's end. Redis may be away: then the workers' own sweep finds the run a little later."""

    def __init__(self, redis: Redis) -> None:
        self._queue = Queue(QUEUE, connection=redis)

    def wake(self, ticks: Sequence[str]) -> None:
        try:
            for tick in ticks:
                self._queue.enqueue(look, tick, ttl=_WAKE_TTL_SECONDS, result_ttl=0, failure_ttl=_WAKE_TTL_SECONDS)
        except RedisError as error:
            log.warning("wake_failed", error=str(error))


class _Listener(SimpleWorker):
    """RQ's worker in a thread: no fork (forking after polars hangs), no signal handlers, no alarm signals."""

    death_penalty_class = TimerDeathPenalty
    max_connection_wait_time = 5.0

    def _install_signal_handlers(self) -> None:
        """Signals belong to the process's main loop."""

    def heartbeat(self, *args: Any, **options: Any) -> None:
        """RQ beats between two blocking reads: the one place where an idle worker can be told to go."""
        if self._stop_requested:
            raise StopRequested
        super().heartbeat(*args, **options)

    def stop(self) -> None:
        self._stop_requested = True


class WakeListener:
    """The worker's end: a supervised thread that listens until it is closed, through any failure of Redis."""

    def __init__(self, connect: Callable[[], Redis], bell: Callable[[str], None]) -> None:
        self._connect = connect
        self._bell = bell
        self._closed = threading.Event()
        self._listener: _Listener | None = None
        self._thread = threading.Thread(target=self._run, name="wake-listener", daemon=True)

    def __enter__(self) -> Self:
        _bells.append(self._bell)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        if self._listener is not None:
            self._listener.stop()
        self._thread.join(timeout=3)
        _bells.remove(self._bell)

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                redis = self._connect()
                # worker_ttl 17 makes RQ look up from its blocking read every two seconds
                self._listener = _Listener([Queue(QUEUE, connection=redis)], connection=redis, worker_ttl=17)
                if not self._closed.is_set():
                    self._listener.work(with_scheduler=False, logging_level="WARNING")
            except (RedisError, OSError, ValueError) as error:
                log.warning("wake_listener_failed", error=str(error))
            self._closed.wait(2)

"""The wake-up over RQ: "look now". Losing one costs at most a sweep; nothing else is in Redis.

Whoever can write to Redis could put any function call into a queue. So no job is ever executed or even decoded: that
one is there at all is the whole message.
"""

import threading
from collections.abc import Callable
from typing import Any, Self

import structlog
from redis import Redis
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker
from rq.exceptions import StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.timeouts import TimerDeathPenalty

log = structlog.get_logger(__name__)

QUEUE = "hashinsight:ticks"
_WAKE_TTL_SECONDS = 60
_MAX_PAUSE_SECONDS = 30.0


def look_now() -> None:
    """What the job in the queue names; nobody calls it."""


class Waker:
    """The scheduler's end. Redis may be away: then the workers' own sweep finds the run a little later."""

    def __init__(self, redis: Redis) -> None:
        self._queue = Queue(QUEUE, connection=redis, serializer=JSONSerializer)

    def wake(self) -> None:
        try:
            self._queue.enqueue(look_now, ttl=_WAKE_TTL_SECONDS, result_ttl=0, failure_ttl=_WAKE_TTL_SECONDS)
        except RedisError as error:
            log.warning("wake_failed", error=str(error))


class _Listener(SimpleWorker):
    """RQ's worker in a thread: no fork (forking after polars hangs), no signal handlers, no alarm signals."""

    death_penalty_class = TimerDeathPenalty
    max_connection_wait_time = 5.0
    bell: Callable[[], None]

    def _install_signal_handlers(self) -> None:
        """Signals belong to the process's main loop."""

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Ring, and throw the job away unread."""
        del queue
        self.bell()
        job.delete()

    def heartbeat(self, *args: Any, **options: Any) -> None:
        """RQ beats between two blocking reads: the one place where an idle worker can be told to go."""
        if self._stop_requested:
            raise StopRequested
        super().heartbeat(*args, **options)

    def stop(self) -> None:
        self._stop_requested = True


class WakeListener:
    """The worker's end: a supervised thread that listens until it is closed, through any failure of Redis."""

    def __init__(self, connect: Callable[[], Redis], bell: Callable[[], None]) -> None:
        self._connect = connect
        self._bell = bell
        self._closed = threading.Event()
        self._listener: _Listener | None = None
        self._thread = threading.Thread(target=self._run, name="wake-listener", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        if self._listener is not None:
            self._listener.stop()
        self._thread.join(timeout=3)

    def _run(self) -> None:
        pause = 1.0
        while not self._closed.is_set():
            try:
                self._listen()
                pause = 1.0
            except (RedisError, OSError, ValueError) as error:
                log.warning("wake_listener_failed", error=str(error), again_in_seconds=pause)
                self._closed.wait(pause)
                pause = min(pause * 2, _MAX_PAUSE_SECONDS)

    def _listen(self) -> None:
        with self._connect() as redis:
            queue = Queue(QUEUE, connection=redis, serializer=JSONSerializer)
            # worker_ttl 17 makes RQ look up from its blocking read every two seconds
            self._listener = _Listener([queue], connection=redis, worker_ttl=17, serializer=JSONSerializer)
            self._listener.bell = self._bell
            if not self._closed.is_set():
                self._listener.work(with_scheduler=False, logging_level="WARNING")

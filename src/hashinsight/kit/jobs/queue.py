"""The queue of job ids, in RQ. Losing it costs time, not jobs: workers also sweep the table."""

from uuid import UUID

import structlog
from redis import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.exceptions import DequeueTimeout, NoSuchJobError
from rq.job import Job
from rq.serializers import JSONSerializer

log = structlog.get_logger(__name__)

_QUEUE = "hashinsight:jobs"
_KEPT_SECONDS = 3600


class JobQueue:
    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._queue = Queue(_QUEUE, connection=redis, serializer=JSONSerializer)

    def enqueue(self, job_id: UUID, name: str) -> None:
        """Call after the commit of its row. The name is for RQ's tools; no function is called by it."""
        try:
            self._queue.enqueue_call(
                f"hashinsight.jobs.{name}", (str(job_id),), job_id=str(job_id), ttl=_KEPT_SECONDS, result_ttl=0
            )
        except (RedisError, OSError) as error:
            log.warning("job_enqueue_failed", job=name, error=str(error))

    def take(self, seconds: int) -> UUID | None:
        """The id of the next job; None after the timeout, and for anything that is not an id. Blocks."""
        try:
            _, taken = Queue.lpop([self._queue.key], seconds, connection=self._redis)
            job = Job.fetch(taken.decode(), connection=self._redis, serializer=JSONSerializer)
            job.delete(remove_from_queue=False)
            return UUID(job.id)
        except (DequeueTimeout, NoSuchJobError, ValueError, UnicodeDecodeError):
            return None

"""First steps of every long-running command: settings, logs, metrics, and a check of the database."""

import structlog
from sqlalchemy.exc import DBAPIError

from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.db.server import reach
from hashinsight.kit.embedded.folder import open_folder
from hashinsight.kit.errors import OperatorError
from hashinsight.kit.logs import configure_logs
from hashinsight.kit.process import share_metrics
from hashinsight.kit.settings import Settings, load_settings

log = structlog.get_logger(__name__)


def prepare(process: str) -> Settings:
    """Call before anything that imports prometheus_client."""
    settings = load_settings()
    configure_logs(settings, process)
    open_folder(settings.data_dir)
    share_metrics(settings.data_dir)
    return settings


async def check_database(database: Database) -> None:
    """Refuse to start if the database is unreachable or its schema is of another version."""
    from hashinsight.migrations import current_revision, head_revision

    await reach(database.address)
    try:
        async with database.transaction(job_context(work_seconds=30)) as session:
            revision = await current_revision(session)
    except DBAPIError as error:  # the server is up, but our roles do not exist
        log.debug("roles_missing", error=str(error.orig))
        revision = None
    if revision != head_revision():
        raise OperatorError(
            f"the database schema is at revision {revision}; this version needs {head_revision()}: "
            "run `hashinsight migrate`."
        )

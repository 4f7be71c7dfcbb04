"""Can the database be reached, and used? If not, why, in one sentence that names no secret."""

import psycopg

from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.roles import check_server
from hashinsight.kit.errors import Refusal
from hashinsight.kit.scrub import scrub_text


async def reach(address: DatabaseAddress) -> int:
    """The server's version number, or a refusal."""
    try:
        connection = await psycopg.AsyncConnection.connect(address.libpq, connect_timeout=5)
    except psycopg.OperationalError as error:
        raise Refusal(_sentence(address, str(error))) from None
    except psycopg.ProgrammingError as error:
        raise Refusal(f"HASHINSIGHT_DATABASE_URL cannot be read: {scrub_text(str(error).splitlines()[0])}.") from None
    async with connection:
        check_server(connection)
        return connection.info.server_version


def _sentence(address: DatabaseAddress, said: str) -> str:
    reason = scrub_text(said.strip().splitlines()[-1].strip().removeprefix("FATAL:").strip())
    if "password authentication failed" in said or "no password supplied" in said:
        return f"the database at {address.shown} refuses the password: correct it in HASHINSIGHT_DATABASE_URL."
    if "Peer authentication failed" in said:
        return "the embedded database was started by another user: run this command as that user."
    if address.is_embedded:
        return "the embedded PostgreSQL is not running: start everything with `hashinsight up`."
    if "does not exist" in said and "database" in said:
        return f"the server answers, but the database of {address.shown} does not exist: make it, or correct the URL."
    return (
        f"the database at {address.shown} cannot be reached ({reason}): check that it runs and that the URL is right."
    )

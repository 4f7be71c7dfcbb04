"""How a command acts on an installation: in one transaction, as whoever types it, on servers found or started."""

import importlib.util
import json
import os
import pwd
import socket
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import typer

from hashinsight.kit.errors import OperatorError

if TYPE_CHECKING:
    from hashinsight.audit.actions import Actor


def act(work: Callable[[Any, Any], Awaitable[Any]]) -> Any:
    """Run `work(session, settings)` in one transaction of the job role, and give what it returns."""

    async def within(database: Any, settings: Any) -> Any:
        from hashinsight.kit.db.context import job_context

        async with database.transaction(job_context()) as session:
            return await work(session, settings)

    return act_over(within)


def act_over(work: Callable[[Any, Any], Awaitable[Any]]) -> Any:
    """Run `work(database, settings)`: for what takes longer than any one transaction may."""
    need_server()
    from hashinsight.kit.process import run

    return run(_act(work))


def need_server() -> None:
    if importlib.util.find_spec("sqlalchemy") is None:
        raise OperatorError("this command needs the server's packages: run `pip install hashinsight[server]`.")


async def _act(work: Callable[[Any, Any], Awaitable[Any]]) -> Any:
    from hashinsight.kit.connections import open_database
    from hashinsight.kit.embedded.servers import servers_for_command
    from hashinsight.kit.errors import HashInsightError
    from hashinsight.kit.logs import configure_logs
    from hashinsight.kit.settings import load_settings

    settings = load_settings()
    configure_logs(settings.model_copy(update={"log_level": "ERROR"}), "command")
    async with servers_for_command(settings):
        database = open_database(settings, "command")
        try:
            await _check(database)
            return await work(database, settings)
        except HashInsightError as error:
            raise OperatorError(f"{error.message.rstrip('.')}.") from None
        finally:
            await database.dispose()


async def _check(database: Any) -> None:
    from hashinsight.cli.startup import check_database

    await check_database(database)


def say(result: Any, words: str, *, as_json: bool) -> None:
    """One JSON object for scripts, or a sentence for people."""
    typer.echo(json.dumps(result, default=str) if as_json else words)


def shell_user() -> "Actor":
    """Who acts at a command line: the system, by the hand of a user of this host. Who came by sudo is named by that."""
    from hashinsight.audit.actions import Actor, ActorKind

    return Actor(ActorKind.SYSTEM, f"os:{_os_user()}", address=socket.gethostname())


def _os_user() -> str:
    number = os.getuid()
    by_sudo = os.environ.get("SUDO_USER") if number == 0 else None
    try:
        return by_sudo or pwd.getpwuid(number).pw_name
    except KeyError:  # a container's user has no name
        return str(number)


async def tenant_id_of(session: Any, ref: str | None) -> Any:
    """The tenant that is meant: by name or id, or the only one."""
    from hashinsight.identity import queries
    from hashinsight.kit.errors import NotFound, ValidationFailed

    tenants = await queries.list_tenants(session)
    chosen = [one for one in tenants if ref is None or ref in (one.name, str(one.id))]
    if not chosen:
        raise NotFound(f"there is no tenant {ref}" if ref else "there is no tenant yet: make one with `tenant create`")
    if len(chosen) > 1:
        raise ValidationFailed("there are several tenants: say which with --tenant")
    return chosen[0].id

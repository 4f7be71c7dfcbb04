"""What all commands share: options, one transaction on the installation, and errors as one sentence.

Server packages are imported inside functions, so that `--help` works, and is quick, without them.
"""

import importlib.util
import os
import pwd
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.output import print_refused_lines
from hashinsight.kit.errors import HashInsightError, NotFound, OperatorError, ValidationFailed

if TYPE_CHECKING:
    from uuid import UUID

    from sqlalchemy.ext.asyncio import AsyncSession

    from hashinsight.audit.actions import Actor
    from hashinsight.identity.caller import Caller
    from hashinsight.kit.crypto import Vault

    Place = tuple[UUID, int | None]  # a tenant, and a site of it

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
TenantOption = Annotated[
    str | None, typer.Option("--tenant", help="Tenant name or id; optional if there is only one tenant.")
]
SiteOption = Annotated[str, typer.Option("--site", help="Site code or id.")]
AnySiteOption = Annotated[str | None, typer.Option("--site", help="Only this site, by code or id.")]
ReasonOption = Annotated[str, typer.Option("--reason", help="Why; stored in the audit log.")]
SinceOption = Annotated[
    str | None, typer.Option("--since", help="Created at or after this time: 2026-03-01T12:00:00Z.")
]
LimitOption = Annotated[int, typer.Option("--limit", min=1, max=1000, help="Maximum number of rows.")]
CursorOption = Annotated[str | None, typer.Option("--cursor", help="Next page: next_cursor of the previous page.")]


@dataclass(frozen=True)
class CliContext:
    """A transaction inside one tenant, acting as the system on behalf of the shell's user."""

    session: "AsyncSession"
    settings: Any
    caller: "Caller"
    now: datetime
    site_id: int | None = None

    @property
    def actor(self) -> "Actor":
        return self.caller.actor

    @property
    def vault(self) -> "Vault":
        return open_vault(self.settings)


Work = Callable[[CliContext], Awaitable[Any]]


def run(work: Work, *, tenant: str | None = None, site: str | None = None) -> Any:
    """Run `work` in the tenant that is named, or that owns the site, or in the only one."""
    return run_in(lambda session: find_tenant_and_site(session, tenant, site), work)


def run_for(
    work: Work, find_tenant: "Callable[[AsyncSession, UUID], Awaitable[UUID | None]]", kind: str, ref: str
) -> Any:
    """Run `work` in the tenant that owns the object of this id."""

    async def find_place(session: "AsyncSession") -> "Place":
        tenant_id = await find_tenant(session, parse_id(ref))
        if tenant_id is None:
            raise NotFound(f"there is no {kind} {ref}")
        return tenant_id, None

    return run_in(find_place, work)


def run_in(find_place: "Callable[[AsyncSession], Awaitable[Place]]", work: Work) -> Any:
    """Run `work` in the tenant that `find_place` finds, with the site if there is one."""

    async def work_in_tenant(session: "AsyncSession", settings: Any) -> Any:
        from hashinsight.identity.caller import system_caller
        from hashinsight.identity.queries.sessions import enter_tenant
        from hashinsight.kit.clock import system_clock

        tenant_id, site_id = await find_place(session)
        await enter_tenant(session, tenant_id)
        caller = system_caller(tenant_id, shell_user())
        return await work(CliContext(session, settings, caller, system_clock(), site_id))

    return run_transaction(work_in_tenant)


def run_transaction(work: Callable[[Any, Any], Awaitable[Any]]) -> Any:
    """Run `work(session, settings)` in one transaction of the job role, which sees all tenants."""

    async def work_in_transaction() -> Any:
        from hashinsight.kit.db.context import job_context

        async with _installation() as (database, settings), database.transaction(job_context()) as session:
            return await work(session, settings)

    return _run(work_in_transaction)


def run_with_database(work: Callable[[Any, Any], Awaitable[Any]]) -> Any:
    """Run `work(database, settings)`: for work that takes longer than one transaction may."""

    async def work_with_database() -> Any:
        async with _installation() as (database, settings):
            return await work(database, settings)

    return _run(work_with_database)


def need_server() -> None:
    if importlib.util.find_spec("sqlalchemy") is None:
        raise OperatorError("this command needs the server packages: run `pip install hashinsight[server]`.")


def open_vault(settings: Any) -> "Vault":
    from hashinsight.kit.crypto import Vault
    from hashinsight.kit.secret_key import load_secret_key

    return Vault(load_secret_key(settings))


def _run(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    need_server()
    from hashinsight.kit.process import run as run_async

    return run_async(main())


@asynccontextmanager
async def _installation() -> AsyncIterator[tuple[Any, Any]]:
    """Database and settings; errors become the one sentence that a person sees."""
    from pydantic import ValidationError

    from hashinsight.cli.startup import check_database
    from hashinsight.kit import logs
    from hashinsight.kit.connections import open_database
    from hashinsight.kit.embedded.servers import servers_for_command
    from hashinsight.kit.settings import load_settings

    settings = load_settings()
    logs.configure_logs(settings.model_copy(update={"log_level": "ERROR"}), "command")
    async with servers_for_command(settings):
        database = open_database(settings, "command")
        try:
            await check_database(database)
            yield database, settings
        except HashInsightError as error:
            print_refused_lines(error.details.get("lines", []))
            message = error.message.rstrip(".")
            raise OperatorError(message if message.endswith("?") else f"{message}.") from None
        except ValidationError as error:
            fields = [
                f"{'.'.join(map(str, part['loc']))}: {part['msg'].removeprefix('Value error, ')}"
                for part in error.errors()[:5]
            ]
            raise OperatorError("; ".join(field.removeprefix(": ") for field in fields).rstrip(".") + ".") from None
        finally:
            await database.dispose()


async def find_tenant_and_site(session: "AsyncSession", tenant: str | None, site: str | None) -> "Place":
    if site is None:
        return await find_tenant_id(session, tenant), None
    from hashinsight.identity.caller import system_caller
    from hashinsight.inventory.queries.places import get_site, get_tenant_of_site

    tenant_id: UUID = await get_tenant_of_site(session, site)
    if tenant is not None and await find_tenant_id(session, tenant) != tenant_id:
        raise NotFound(f"there is no site {site}")
    return tenant_id, (await get_site(session, system_caller(tenant_id).seen, site)).id


async def find_tenant_id(session: "AsyncSession", ref: str | None) -> "UUID":
    """The tenant by name or id, or the only one."""
    from hashinsight.identity.queries import accounts

    tenants = [row for row in await accounts.list_tenants(session) if ref is None or ref in (row.name, str(row.id))]
    if not tenants:
        raise NotFound(
            f"there is no tenant {ref}" if ref else "there is no tenant yet: create one with `tenant create`"
        )
    if len(tenants) > 1:
        raise ValidationFailed("there are several tenants: choose one with --tenant")
    return tenants[0].id


def shell_user() -> "Actor":
    """The actor of a command: the system, on behalf of a user of this host (behind sudo, the user who called it)."""
    from hashinsight.audit.actions import Actor, ActorKind

    return Actor(ActorKind.SYSTEM, f"os:{_os_user()}", address=socket.gethostname())


def _os_user() -> str:
    number = os.getuid()
    sudo_user = os.environ.get("SUDO_USER") if number == 0 else None
    try:
        return sudo_user or pwd.getpwuid(number).pw_name
    except KeyError:  # a container's user has no name
        return str(number)


def parse_id(text: str) -> "UUID":
    parsed = find_id(text)
    if parsed is None:
        raise ValidationFailed(f"{text} is not an id: ids look like 0195508a-0000-7000-8000-00000000000b")
    return parsed


def find_id(text: str) -> "UUID | None":
    """None if the text is not an id: a name, perhaps."""
    from uuid import UUID

    try:
        return UUID(text)
    except ValueError:
        return None

"""How a command acts on the inventory: as the system, in one transaction, inside one tenant."""

import importlib.util
import json as json_module
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hashinsight.kit.errors import HashInsightError, Refusal

if TYPE_CHECKING:
    from uuid import UUID

    from sqlalchemy.ext.asyncio import AsyncSession

    from hashinsight.inventory.rights import Rights
    from hashinsight.kit.db.database import Database

PAGE = 1000
_SHOWN_LINES = 50

JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON, for scripts.")]
TenantOption = Annotated[str | None, typer.Option("--tenant", help="Name or id; not needed when there is one.")]
SiteOption = Annotated[str, typer.Option("--site", help="The site's code or integer id.")]
AnySiteOption = Annotated[str | None, typer.Option("--site", help="Only this site.")]
CodeOption = Annotated[str, typer.Option("--code", help="Short and lasting.")]
NameOption = Annotated[str, typer.Option("--name", help="As people call it.")]


@dataclass(frozen=True)
class Acting:
    """What an act gets: a transaction of a job inside the tenant, and rights over all of it."""

    database: "Database"
    session: "AsyncSession"
    rights: "Rights"
    now: datetime


Act = Callable[[Acting], Awaitable[dict[str, Any]]]


def run_act(act: Act, tenant: str | None, site: str | None = None) -> dict[str, Any]:
    """On the servers that run, or on the embedded ones started for a moment; an error becomes one sentence."""
    if importlib.util.find_spec("sqlalchemy") is None:
        raise Refusal("this command needs the server's packages: run `pip install hashinsight[server]`.")
    from pydantic import ValidationError

    from hashinsight.kit.run import run

    try:
        return run(_in_tenant(act, tenant, site))
    except HashInsightError as error:
        _list_refused(error.details.get("lines", []))
        raise Refusal(f"{error.message}.") from error
    except ValidationError as error:
        told = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5])
        raise Refusal(f"{told}.") from error


def say(answer: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json_module.dumps(answer))
        return
    for name, value in answer.items():
        if name == "lines":
            _list_refused(value)
        elif isinstance(value, list):
            Console().print(_table(value) if value else f"no {name}")
        else:
            typer.echo(f"{name}: {'' if value is None else value}")


async def _in_tenant(act: Act, tenant: str | None, site: str | None) -> dict[str, Any]:
    from hashinsight.audit.actions import SYSTEM
    from hashinsight.identity.queries import enter_tenant
    from hashinsight.identity.scope import Reach, make_scope
    from hashinsight.inventory.rights import Rights
    from hashinsight.kit.clock import system_clock
    from hashinsight.kit.db.context import job_context
    from hashinsight.kit.embedded.servers import servers_for_a_command
    from hashinsight.kit.logs import configure_logs
    from hashinsight.kit.places import open_database
    from hashinsight.kit.settings import load_settings

    settings = load_settings()
    configure_logs(settings.model_copy(update={"log_level": "ERROR"}), "inventory")
    async with servers_for_a_command(settings):
        database = open_database(settings, "inventory")
        try:
            async with database.transaction(job_context()) as session:
                tenant_id = await _tenant(session, tenant, site)
                await enter_tenant(session, tenant_id)
                scope = make_scope(tenant_id, SYSTEM, [Reach()])
                return await act(Acting(database, session, Rights(scope, scope), system_clock()))
        finally:
            await database.dispose()


async def _tenant(session: "AsyncSession", named: str | None, site: str | None) -> "UUID":
    """By name or id; else the tenant of the site, whose code is unique; else the only one that there is."""
    from sqlalchemy import String, cast, or_, select

    from hashinsight.identity.models import Tenant
    from hashinsight.inventory.models import Site

    query = select(Tenant.id)
    if named is not None:
        query = query.where(or_(Tenant.name == named, cast(Tenant.id, String) == named.lower()))
    elif site is not None:
        query = select(Site.tenant_id).where(or_(Site.code == site, cast(Site.id, String) == site))
    found = list((await session.execute(query.limit(2))).scalars())
    if len(found) == 1:
        return found[0]
    if named is None and site is not None:
        raise Refusal(f"there is no site {site}.")
    if named is not None:
        raise Refusal(f"there is no tenant {named}.")
    raise Refusal(
        "there are several tenants: say which by --tenant."
        if found
        else "there is no tenant yet: run `hashinsight tenant create --name NAME`."
    )


def _list_refused(lines: list[dict[str, Any]]) -> None:
    """Refused lines go to standard error, the first of them."""
    if not lines:
        return
    console = Console(stderr=True)
    console.print(_table(lines[:_SHOWN_LINES]))
    if len(lines) > _SHOWN_LINES:
        console.print(f"… and {len(lines) - _SHOWN_LINES} more: --json lists them")


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row.values()))
    return table

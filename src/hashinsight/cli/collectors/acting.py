"""How a command acts on collectors: as the system, with the time of the process, inside a tenant where it lists."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.acting import act, say, shell_user, tenant_id_of
from hashinsight.cli.output import print_list

if TYPE_CHECKING:
    from uuid import UUID

    from sqlalchemy.ext.asyncio import AsyncSession

    from hashinsight.collectors.models import Collector
    from hashinsight.identity.scope import Scope
    from hashinsight.inventory.queries.tables import Site

JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON, for scripts.")]
SiteOption = Annotated[str, typer.Option("--site", help="The site's code or integer id.")]
AnySiteOption = Annotated[str | None, typer.Option("--site", help="Only this site, by its code or integer id.")]
TenantOption = Annotated[str | None, typer.Option("--tenant", help="Name or id; not needed when there is one.")]
LimitOption = Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many at the most.")]
CursorOption = Annotated[str | None, typer.Option("--cursor", help="Where the page before ended: its next_cursor.")]
CollectorArgument = Annotated[str, typer.Argument(metavar="COLLECTOR", help="The collector's id, or its name.")]


def run(work: "Callable[[AsyncSession, datetime], Awaitable[dict[str, Any]]]") -> dict[str, Any]:
    """Do it with the time of the process; what does not fit is told in a sentence."""

    async def timed(session: Any, _settings: Any) -> dict[str, Any]:
        from pydantic import ValidationError

        import hashinsight.identity.models
        import hashinsight.inventory.queries.tables  # noqa: F401 - tables that collectors' tables refer to
        from hashinsight.kit.clock import system_clock
        from hashinsight.kit.errors import ValidationFailed

        try:
            return await work(session, system_clock())
        except ValidationError as error:
            told = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}".removeprefix(": ") for one in error.errors()[:5])
            raise ValidationFailed("; ".join(told)) from error

    answer: dict[str, Any] = act(timed)
    return answer


async def get_collector(session: "AsyncSession", named: str) -> "Collector":
    from sqlalchemy import select

    from hashinsight.collectors.models import Collector
    from hashinsight.kit.errors import Conflict, NotFound

    collector_id = as_id(named)
    by = Collector.name == named if collector_id is None else Collector.id == collector_id
    found = (await session.execute(select(Collector).where(by))).scalars().all()
    if not found:
        raise NotFound(f"there is no collector {named}")
    if len(found) > 1:
        raise Conflict(f"several sites have a collector named {named}: give its id")
    return found[0]


async def get_site(session: "AsyncSession", named: str) -> "tuple[Site, Scope]":
    """The site, whose code is unique in the installation, and the whole of its tenant."""
    from sqlalchemy import select

    from hashinsight.inventory.queries import places
    from hashinsight.inventory.queries.tables import Site
    from hashinsight.kit.errors import NotFound

    tenant_id = (await session.execute(select(Site.tenant_id).where(places.site_matches(named.strip())))).scalar()
    if tenant_id is None:
        raise NotFound(f"there is no site {named}")
    scope = whole(tenant_id)
    return await places.get_site(session, scope, named), scope


async def get_scope(session: "AsyncSession", tenant: str | None) -> "Scope":
    """The whole of the named tenant, or of the only one that there is."""
    return whole(await tenant_id_of(session, tenant))


async def get_place(session: "AsyncSession", tenant: str | None, site: str | None) -> "tuple[Scope, int | None]":
    """For lists: the tenant, which a site decides where one is given, and the site's id."""
    if site is None:
        return await get_scope(session, tenant), None
    found, scope = await get_site(session, site)
    if tenant is not None and (await get_scope(session, tenant)).tenant_id != scope.tenant_id:
        from hashinsight.kit.errors import NotFound

        raise NotFound(f"there is no site {site}")
    return scope, found.id


def whole(tenant_id: "UUID") -> "Scope":
    from hashinsight.identity.scope import WHOLE_TENANT, make_scope

    return make_scope(tenant_id, shell_user(), [WHOLE_TENANT])


def as_id(named: str) -> "UUID | None":
    from uuid import UUID

    try:
        return UUID(named)
    except ValueError:
        return None


def brief(collector: "Collector") -> dict[str, Any]:
    return {
        "id": collector.id,
        "name": collector.name,
        "site_id": collector.site_id,
        "status": collector.status,
        "last_seen_at": collector.last_seen_at,
    }


def say_one(answer: Mapping[str, Any], *, as_json: bool) -> None:
    words = "\n".join(f"{name}: {'' if value is None else value}" for name, value in answer.items())
    say(answer, words, as_json=as_json)


_HEADINGS = {"site_code": "site", "at": "time (UTC)", "last_seen_at": "last seen (UTC)"}


def say_rows(answer: Mapping[str, Any], name: str, fields: Sequence[str], *, as_json: bool) -> None:
    """A table with headings, and how to get the next page."""
    columns = {_HEADINGS.get(field, field.replace("_", " ")): field for field in fields}
    print_list(answer, name, columns, as_json=as_json)

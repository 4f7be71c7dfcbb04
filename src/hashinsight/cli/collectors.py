"""`hashinsight collector …`: the registry from the machine itself, as the system. Server packages are imported late."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.acting import act, say

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from hashinsight.collectors.models import Collector

collector_app = typer.Typer(help="Collectors: create, list, approve, disable, and their tokens.", no_args_is_help=True)

JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON, for scripts.")]
SiteOption = Annotated[str, typer.Option("--site", help="The site's code or integer id.")]
NameOption = Annotated[str, typer.Option("--name", help="The collector's name, unique in its site.")]


@collector_app.command()
def create(
    site: SiteOption,
    name: NameOption,
    *,
    zone: Annotated[str | None, typer.Option(help="The zone's code or integer id.")] = None,
    enrol: Annotated[bool, typer.Option("--enrol", help="Print a one-time code instead of the token.")] = False,
    json: JsonOption = False,
) -> None:
    """Create a collector and print its token, or the code by which it enrols itself. It is shown only here."""

    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from hashinsight.audit.actions import SYSTEM
        from hashinsight.collectors.acting import get_zone_id
        from hashinsight.collectors.queries import registry
        from hashinsight.collectors.service.registry import Credential, NewCollector
        from hashinsight.collectors.service.registry import create as create_collector
        from hashinsight.kit.errors import NotFound

        found = await registry.find_site(session, site)
        if found is None:
            raise NotFound(f"there is no site {site}")
        new = NewCollector(name, await get_zone_id(session, found.id, zone))
        credential = Credential.ENROLMENT_CODE if enrol else Credential.TOKEN
        collector, secret = await create_collector(session, SYSTEM, found, new, credential, now=now)
        shown = {} if secret is None else {secret.field: secret.value, "expires_at": secret.expires_at}
        return _shown(collector) | shown

    _say(_run(work), as_json=json)


@collector_app.command("list")
def list_collectors(
    *, site: Annotated[str | None, typer.Option("--site", help="Only this site.")] = None, json: JsonOption = False
) -> None:
    """List the collectors of the installation."""

    async def work(session: "AsyncSession", _now: datetime) -> dict[str, Any]:
        from sqlalchemy import select

        from hashinsight.collectors.models import Collector
        from hashinsight.collectors.queries import registry
        from hashinsight.kit.errors import NotFound

        query = select(Collector).order_by(Collector.site_id, Collector.name)
        if site is not None:
            found = await registry.find_site(session, site)
            if found is None:
                raise NotFound(f"there is no site {site}")
            query = query.where(Collector.site_id == found.id)
        rows = (await session.execute(query)).scalars()
        return {"collectors": [_shown(row) for row in rows]}

    answer = _run(work)
    lines = [f"{row['id']}  {row['status']:<8}  {row['site_id']:>5}  {row['name']}" for row in answer["collectors"]]
    say(answer, "\n".join(lines), as_json=json)


CollectorArgument = Annotated[str, typer.Argument(metavar="COLLECTOR", help="The collector's id, or its name.")]


@collector_app.command()
def rotate(
    collector: CollectorArgument,
    *,
    overlap_sec: Annotated[int, typer.Option(min=0, max=604_800, help="How long the old token stays good.")] = 3600,
    json: JsonOption = False,
) -> None:
    """Print a new token; the old ones are good for the overlap and not longer."""

    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from datetime import timedelta

        from hashinsight.audit.actions import SYSTEM
        from hashinsight.collectors.service.tokens import rotate as rotate_token

        found = await _get(session, collector)
        secret = await rotate_token(session, SYSTEM, found, overlap=timedelta(seconds=overlap_sec), now=now)
        return _shown(found) | {secret.field: secret.value, "expires_at": secret.expires_at}

    _say(_run(work), as_json=json)


@collector_app.command()
def revoke(collector: CollectorArgument, *, json: JsonOption = False) -> None:
    """Revoke all its tokens and unused codes at once."""

    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from hashinsight.audit.actions import SYSTEM
        from hashinsight.collectors.service.tokens import revoke as revoke_tokens

        found = await _get(session, collector)
        return _shown(found) | {"revoked": await revoke_tokens(session, SYSTEM, found, now=now)}

    _say(_run(work), as_json=json)


@collector_app.command()
def approve(collector: CollectorArgument, *, json: JsonOption = False) -> None:
    """Let a pending collector in."""
    _move(collector, "approve", as_json=json)


@collector_app.command()
def disable(collector: CollectorArgument, *, json: JsonOption = False) -> None:
    """Refuse every call of this collector from the next one on."""
    _move(collector, "disable", as_json=json)


@collector_app.command()
def enable(collector: CollectorArgument, *, json: JsonOption = False) -> None:
    """Let a disabled collector in again."""
    _move(collector, "enable", as_json=json)


def _move(named: str, verb: str, *, as_json: bool) -> None:
    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from hashinsight.audit.actions import SYSTEM
        from hashinsight.collectors.queries import registry
        from hashinsight.collectors.service import registry as service

        found = await _get(session, named)
        await getattr(service, verb)(session, SYSTEM, found, now=now)
        moved = await registry.find_collector(session, found.id)
        return _shown(moved or found)

    _say(_run(work), as_json=as_json)


async def _get(session: "AsyncSession", named: str) -> "Collector":
    from uuid import UUID

    from sqlalchemy import select

    from hashinsight.collectors.models import Collector
    from hashinsight.kit.errors import Conflict, NotFound

    try:
        by = Collector.id == UUID(named)
    except ValueError:
        by = Collector.name == named
    found = (await session.execute(select(Collector).where(by))).scalars().all()
    if not found:
        raise NotFound(f"there is no collector {named}")
    if len(found) > 1:
        raise Conflict(f"several sites have a collector named {named}: give its id")
    return found[0]


def _run(work: "Callable[[AsyncSession, datetime], Awaitable[dict[str, Any]]]") -> dict[str, Any]:
    """Do it with the time of the process."""

    async def timed(session: Any, _settings: Any) -> dict[str, Any]:
        from hashinsight.kit.clock import system_clock

        return await work(session, system_clock())

    answer: dict[str, Any] = act(timed)
    return answer


def _shown(collector: "Collector") -> dict[str, Any]:
    return {
        "id": collector.id,
        "name": collector.name,
        "site_id": collector.site_id,
        "status": collector.status,
        "last_seen_at": collector.last_seen_at,
    }


def _say(answer: dict[str, Any], *, as_json: bool) -> None:
    words = "\n".join(f"{name}: {'' if value is None else value}" for name, value in answer.items())
    say(answer, words, as_json=as_json)

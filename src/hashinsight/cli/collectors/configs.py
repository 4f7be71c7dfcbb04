"""`hashinsight collector configs …`: list, create, activate, deprecate, difference."""

import json as json_module
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.acting import shell_user
from hashinsight.cli.collectors.acting import (
    AnySiteOption,
    CursorOption,
    JsonOption,
    LimitOption,
    TenantOption,
    as_id,
    get_collector,
    get_place,
    get_scope,
    run,
    say_one,
    say_rows,
    whole,
)
from hashinsight.kit.errors import OperatorError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from hashinsight.collectors.models import CollectorConfig

configs_app = typer.Typer(help="Configuration versions and their rollout.", no_args_is_help=True)

ConfigArgument = Annotated[str, typer.Argument(metavar="CONFIG", help="The configuration's id, or its version.")]


@configs_app.command("list")
def list_configs(
    *, tenant: TenantOption = None, limit: LimitOption = 100, cursor: CursorOption = None, json: JsonOption = False
) -> None:
    """List configuration versions, oldest first."""

    async def work(session: "AsyncSession", _now: datetime) -> dict[str, Any]:
        from sqlalchemy import select

        from hashinsight.collectors.models import CollectorConfig
        from hashinsight.collectors.queries import configs
        from hashinsight.collectors.schemas import show_config
        from hashinsight.kit.paging import page

        query = select(CollectorConfig).where(configs.visible(await get_scope(session, tenant)))
        found = await page(session, query, [CollectorConfig.id], limit=limit, cursor=cursor)
        return {"configs": [show_config(one, None) for one in found.rows], "next_cursor": found.next_cursor}

    say_rows(run(work), "configs", ("id", "status", "version", "change_summary"), as_json=json)


@configs_app.command()
def create(
    version: Annotated[str, typer.Option("--version", help="The name of the version, unique in the tenant.")],
    data: Annotated[typer.FileText, typer.Option("--data", help="A file with the settings in JSON; - to read them.")],
    *,
    collector: Annotated[list[str] | None, typer.Option("--collector", help="Only for this one; repeat it.")] = None,
    default: Annotated[bool, typer.Option("--default", help="What to fall back on.")] = False,
    summary: Annotated[str, typer.Option("--summary", help="What it changes.")] = "",
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Create a draft version; collectors use it after `activate`."""
    try:
        given = json_module.load(data)
    except ValueError:
        raise OperatorError("the settings are not JSON: give a file that holds one object.") from None

    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from hashinsight.collectors.schemas import NewConfigBody, show_config
        from hashinsight.collectors.service.configs import NewConfig, draft
        from hashinsight.kit.errors import Conflict

        listed = [await get_collector(session, named) for named in collector or ()]
        scope = whole(listed[0].tenant_id) if listed and tenant is None else await get_scope(session, tenant)
        if any(one.tenant_id != scope.tenant_id for one in listed):
            raise Conflict("these collectors are not of one tenant")
        ids = [one.id for one in listed] or None
        body = NewConfigBody(version=version, data=given, collector_ids=ids, is_default=default, change_summary=summary)
        new = NewConfig(body.version, body.data, tuple(ids) if ids else None, body.is_default, body.change_summary)
        by = shell_user()
        config = await draft(session, by, scope.tenant_id, new, by.id or by.kind.value, now=now)
        await session.refresh(config)
        return show_config(config, None)

    say_one(run(work), as_json=json)


@configs_app.command()
def activate(config: ConfigArgument, *, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """Activate a draft: collectors fetch it from now on."""
    _move(config, tenant, "activate", as_json=json)


@configs_app.command()
def deprecate(config: ConfigArgument, *, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """Withdraw a version: its collectors fall back to the version that applies otherwise."""
    _move(config, tenant, "deprecate", as_json=json)


@configs_app.command()
def difference(
    *,
    site: AnySiteOption = None,
    every: Annotated[bool, typer.Option("--all", help="Also collectors that are up to date.")] = False,
    tenant: TenantOption = None,
    limit: LimitOption = 100,
    cursor: CursorOption = None,
    json: JsonOption = False,
) -> None:
    """List collectors that do not run the intended version."""

    async def work(session: "AsyncSession", _now: datetime) -> dict[str, Any]:
        from hashinsight.collectors.models import Collector
        from hashinsight.collectors.queries import configs
        from hashinsight.collectors.schemas import show_rollout
        from hashinsight.kit.paging import page

        scope, site_id = await get_place(session, tenant, site)
        query = configs.select_rollout(scope)
        query = query if site_id is None else query.where(Collector.site_id == site_id)
        query = query if every else query.where(configs.is_behind())
        found = await page(session, query, [Collector.id], limit=limit, cursor=cursor)
        return {"collectors": [show_rollout(*row) for row in found.rows], "next_cursor": found.next_cursor}

    fields = ("collector_id", "site_code", "name", "wanted_version", "applied_version")
    say_rows(run(work), "collectors", fields, as_json=json)


def _move(named: str, tenant: str | None, verb: str, *, as_json: bool) -> None:
    async def work(session: "AsyncSession", now: datetime) -> dict[str, Any]:
        from hashinsight.collectors.schemas import show_config
        from hashinsight.collectors.service import configs as service

        config = await _get(session, named, tenant)
        by = shell_user()
        await getattr(service, verb)(session, by, config, by.id or by.kind.value, now=now)
        await session.refresh(config)
        return show_config(config, None)

    say_one(run(work), as_json=as_json)


async def _get(session: "AsyncSession", named: str, tenant: str | None) -> "CollectorConfig":
    from hashinsight.collectors.models import CollectorConfig
    from hashinsight.collectors.queries import configs
    from hashinsight.kit.errors import NotFound

    config_id = as_id(named)
    if config_id is not None:
        found = await session.get(CollectorConfig, config_id)
    else:
        found = await configs.find_version(session, (await get_scope(session, tenant)).tenant_id, named)
    if found is None:
        raise NotFound(f"there is no configuration {named}")
    return found

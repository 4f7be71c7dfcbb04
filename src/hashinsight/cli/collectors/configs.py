"""`hashinsight collector configs …`: list, create, activate, deprecate, difference."""

import json as json_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.collectors.refs import get_collector
from hashinsight.cli.context import (
    AnySiteOption,
    CliContext,
    CursorOption,
    JsonOption,
    LimitOption,
    TenantOption,
    find_id,
    find_tenant_and_site,
    run,
    run_in,
)
from hashinsight.cli.output import print_fields, print_list
from hashinsight.kit.errors import Conflict, NotFound, OperatorError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from hashinsight.cli.context import Place
    from hashinsight.collectors.models import CollectorConfig

configs_app = typer.Typer(help="Configuration versions of collectors and their rollout.", no_args_is_help=True)

ConfigArgument = Annotated[str, typer.Argument(metavar="CONFIG", help="Configuration id or version.")]


@configs_app.command("list")
def list_configs(
    *, tenant: TenantOption = None, limit: LimitOption = 100, cursor: CursorOption = None, json: JsonOption = False
) -> None:
    """List configuration versions, oldest first."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.collectors.queries import configs
        from hashinsight.collectors.schemas.configs import show_config

        page = await configs.list_configs(context.session, context.caller.seen, limit=limit, cursor=cursor)
        return {"configs": [show_config(config, None) for config in page.rows], "next_cursor": page.next_cursor}

    columns = {
        "id": "id",
        "version": "version",
        "status": "status",
        "default": "is_default",
        "activated (UTC)": "activated_at",
        "change": "change_summary",
    }
    print_list(run(work, tenant=tenant), "configs", columns, as_json=json)


@configs_app.command()
def create(
    version: Annotated[str, typer.Option("--version", help="Name of the version; unique in the tenant.")],
    data: Annotated[typer.FileText, typer.Option("--data", help="JSON file with the settings; - for standard input.")],
    *,
    collector: Annotated[
        list[str] | None, typer.Option("--collector", help="Only for this collector; repeat for more.")
    ] = None,
    default: Annotated[bool, typer.Option("--default", help="Collectors fall back to this version.")] = False,
    summary: Annotated[str, typer.Option("--summary", help="What changes.")] = "",
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Create a draft version; collectors use it after `activate`."""
    try:
        settings = json_module.load(data)
    except ValueError:
        raise OperatorError("the settings are not JSON: the file must contain one JSON object.") from None

    async def find_place(session: "AsyncSession") -> "Place":
        if collector and tenant is None:
            return (await get_collector(session, collector[0])).tenant_id, None
        return await find_tenant_and_site(session, tenant, None)

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.collectors.schemas.configs import show_config
        from hashinsight.collectors.schemas.requests import NewConfigBody
        from hashinsight.collectors.service.configs import NewConfig, draft

        listed = [await get_collector(context.session, ref) for ref in collector or ()]
        if any(item.tenant_id != context.caller.tenant_id for item in listed):
            raise Conflict("these collectors belong to different tenants")
        ids = [item.id for item in listed] or None
        body = NewConfigBody(
            version=version, data=settings, collector_ids=ids, is_default=default, change_summary=summary
        )
        new = NewConfig(body.version, body.data, tuple(ids) if ids else None, body.is_default, body.change_summary)
        config = await draft(context.session, context.actor, context.caller.tenant_id, new, now=context.now)
        await context.session.refresh(config)
        return show_config(config, None)

    print_fields(run_in(find_place, work), as_json=json)


@configs_app.command()
def activate(config: ConfigArgument, *, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """Activate a draft: collectors fetch it from now on."""
    _move(config, tenant, "activate", as_json=json)


@configs_app.command()
def deprecate(config: ConfigArgument, *, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """Withdraw a version: its collectors fall back to the next version that applies."""
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

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.collectors.queries import configs
        from hashinsight.collectors.schemas.configs import show_rollout

        page = await configs.list_rollout(
            context.session,
            context.caller.seen,
            site_id=context.site_id,
            only_behind=not every,
            limit=limit,
            cursor=cursor,
        )
        return {"collectors": [show_rollout(*row) for row in page.rows], "next_cursor": page.next_cursor}

    columns = {
        "collector": "name",
        "site": "site_code",
        "intended": "wanted_version",
        "running": "applied_version",
        "id": "collector_id",
    }
    print_list(run(work, tenant=tenant, site=site), "collectors", columns, as_json=json)


def _move(ref: str, tenant: str | None, verb: str, *, as_json: bool) -> None:
    async def find_place(session: "AsyncSession") -> "Place":
        config = await _find_by_id(session, ref)
        return await find_tenant_and_site(session, tenant, None) if config is None else (config.tenant_id, None)

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.collectors.queries.configs import find_version
        from hashinsight.collectors.schemas.configs import show_config
        from hashinsight.collectors.service import configs as service

        config = await _find_by_id(context.session, ref)
        config = config or await find_version(context.session, context.caller.tenant_id, ref)
        if config is None:
            raise NotFound(f"there is no configuration {ref}")
        move = {"activate": service.activate, "deprecate": service.deprecate}[verb]
        await move(context.session, context.actor, config, now=context.now)
        await context.session.refresh(config)
        return show_config(config, None)

    print_fields(run_in(find_place, work), as_json=as_json)


async def _find_by_id(session: "AsyncSession", ref: str) -> "CollectorConfig | None":
    from hashinsight.collectors.models import CollectorConfig

    config_id = find_id(ref)
    return None if config_id is None else await session.get(CollectorConfig, config_id)

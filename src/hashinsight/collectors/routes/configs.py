"""Configuration versions, and who runs what."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request
from sqlalchemy import select

from hashinsight.collectors.models import Collector, CollectorConfig
from hashinsight.collectors.operators import NOT_PERMITTED, Operator, get_site, operator
from hashinsight.collectors.queries import configs
from hashinsight.collectors.routes import examples
from hashinsight.collectors.routes.collectors import Cursor, Limit, SiteParam
from hashinsight.collectors.schemas import NewConfigBody, show_config, show_rollout
from hashinsight.collectors.service import configs as service
from hashinsight.collectors.states import ConfigStatus
from hashinsight.identity.access import ReadSession, Session, allowed, now_of
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.kit.errors import Forbidden, NotFound
from hashinsight.kit.paging import page
from hashinsight.kit.web.examples import answers

router = APIRouter()

Kept = Annotated[Scope, allowed(Permission.INVENTORY)]
Keeper = Annotated[Operator, operator(Permission.INVENTORY)]
Activator = Annotated[Operator, operator(Permission.INVENTORY, step_up=True)]


@router.get("/collector-configs", responses=answers({"configs": [examples.CONFIG], "next_cursor": None}))
async def list_configs(
    scope: Kept, session: ReadSession, *, status: ConfigStatus | None = None, limit: Limit = 100, cursor: Cursor = None
) -> dict[str, Any]:
    """Configuration versions, oldest first: those for all, and those for collectors in one's scope."""
    query = select(CollectorConfig).where(configs.visible(scope))
    if status is not None:
        query = query.where(CollectorConfig.status == status.value)
    found = await page(session, query, [CollectorConfig.id], limit=limit, cursor=cursor)
    listed = [one for config in found.rows for one in config.collector_ids or ()]
    seen = None if scope.is_whole else await configs.list_visible_ids(session, scope, listed)
    return {"configs": [show_config(config, seen) for config in found.rows], "next_cursor": found.next_cursor}


@router.get("/collector-configs/rollout", responses=answers({"collectors": [examples.ROLLOUT], "next_cursor": None}))
async def rollout(
    scope: Kept,
    session: ReadSession,
    *,
    site_id: SiteParam = None,
    only_behind: Annotated[bool, Query(description="Only those that do not run what they should.")] = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """Which version each collector should run, which it says it runs, and whether they are the same."""
    query = configs.select_rollout(scope)
    if site_id is not None:
        query = query.where(Collector.site_id == (await get_site(session, scope, site_id)).id)
    if only_behind:
        query = query.where(configs.is_behind())
    found = await page(session, query, [Collector.id], limit=limit, cursor=cursor)
    rows = [show_rollout(*row) for row in found.rows]
    return {"collectors": rows, "next_cursor": found.next_cursor}


@router.post("/collector-configs", status_code=201, responses=answers(examples.CONFIG | {"status": "draft"}, 201))
async def draft_config(request: Request, keeper: Keeper, session: Session, body: NewConfigBody) -> dict[str, Any]:
    """A draft: nobody runs it before it is activated. Without `collector_ids` it is for all collectors."""
    ids = None if body.collector_ids is None else tuple(body.collector_ids)
    if ids is not None and await configs.list_visible_ids(session, keeper.seen, list(ids)) != set(ids):
        raise NotFound("some of these collectors do not exist")
    await _check_holds(session, keeper.scope, ids)
    new = service.NewConfig(body.version, body.data, ids, body.is_default, body.change_summary)
    tenant_id = keeper.scope.tenant_id
    config = await service.draft(session, keeper.actor, tenant_id, new, keeper.by, now=now_of(request))
    return await _shown(session, keeper.scope, config)


@router.get("/collector-configs/{config_id}", responses=answers(examples.CONFIG))
async def read_config(scope: Kept, session: ReadSession, config_id: UUID) -> dict[str, Any]:
    """One configuration version."""
    return await _shown(session, scope, await _get(session, scope, config_id))


@router.post("/collector-configs/{config_id}/activate", responses=answers(examples.CONFIG))
async def activate_config(request: Request, keeper: Activator, session: Session, config_id: UUID) -> dict[str, Any]:
    """Roll it out: collectors fetch it from now on. One for listed collectors goes before one for all.

    By a person with a step-up: what reads machines once a day, or takes no commands, protects nothing.
    """
    config = await _get(session, keeper.scope, config_id)
    await _check_holds(session, keeper.scope, config.collector_ids)
    await service.activate(session, keeper.actor, config, keeper.by, now=now_of(request))
    return await _shown(session, keeper.scope, await _get(session, keeper.scope, config_id))


@router.post("/collector-configs/{config_id}/deprecate", responses=answers(examples.CONFIG | {"status": "deprecated"}))
async def deprecate_config(request: Request, keeper: Keeper, session: Session, config_id: UUID) -> dict[str, Any]:
    """Take it back: its collectors fall back to what applies to them otherwise. The default cannot be taken back."""
    config = await _get(session, keeper.scope, config_id)
    await _check_holds(session, keeper.scope, config.collector_ids)
    await service.deprecate(session, keeper.actor, config, keeper.by, now=now_of(request))
    return await _shown(session, keeper.scope, await _get(session, keeper.scope, config_id))


async def _get(session: Session, scope: Scope, config_id: UUID) -> CollectorConfig:
    config = await configs.find_config(session, scope, config_id)
    if config is None:
        raise NotFound("no such configuration")
    return config


async def _check_holds(session: Session, scope: Scope, ids: tuple[UUID, ...] | list[UUID] | None) -> None:
    """What is for all is for those who hold the whole tenant; otherwise every listed collector must be one's own."""
    if scope.is_whole:
        return
    if ids is None or await configs.list_visible_ids(session, scope, list(ids)) != set(ids):
        raise Forbidden(NOT_PERMITTED)


async def _shown(session: Session, scope: Scope, config: CollectorConfig) -> dict[str, Any]:
    if scope.is_whole or config.collector_ids is None:
        return show_config(config, None)
    return show_config(config, await configs.list_visible_ids(session, scope, config.collector_ids))

"""Configuration versions, and which collector runs which."""

from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query

from hashinsight.collectors.models import CollectorConfig
from hashinsight.collectors.operators import NOT_PERMITTED, Operator, operator
from hashinsight.collectors.queries import configs as queries
from hashinsight.collectors.schemas.configs import ConfigList, ConfigOut, RolloutList, show_config, show_rollout
from hashinsight.collectors.schemas.requests import NewConfigBody
from hashinsight.collectors.service import configs as service
from hashinsight.collectors.states import ConfigStatus
from hashinsight.identity.access import ReadSession, Session, allowed
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.inventory.parameters import Cursor, Limit, Now, SiteQuery
from hashinsight.inventory.queries import places
from hashinsight.kit.errors import Forbidden, NotFound
from hashinsight.kit.web.responses import errors

router = APIRouter(prefix="/collector-configs")

ManagedScope = Annotated[Scope, allowed(Permission.INVENTORY)]
Manager = Annotated[Operator, operator(Permission.INVENTORY)]
Activator = Annotated[Operator, operator(Permission.INVENTORY, step_up=True)]


@router.get("", response_model=ConfigList)
async def list_configs(
    scope: ManagedScope,
    session: ReadSession,
    *,
    status: ConfigStatus | None = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Any:
    """Configuration versions, oldest first: for all collectors, and for collectors within the caller's scope."""
    page = await queries.list_configs(session, scope, status=status, limit=limit, cursor=cursor)
    listed = [collector_id for config in page.rows for collector_id in config.collector_ids or ()]
    visible = None if scope.is_whole else await queries.list_visible_ids(session, scope, listed)
    return {"configs": [show_config(config, visible) for config in page.rows], "next_cursor": page.next_cursor}


@router.get("/rollout", response_model=RolloutList, responses=errors(404))
async def list_config_rollout(
    scope: ManagedScope,
    session: ReadSession,
    *,
    site_id: SiteQuery = None,
    only_behind: Annotated[bool, Query(description="Only collectors that run another version.")] = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Any:
    """The version that each collector should run, and the one that it reports."""
    site = None if site_id is None else (await places.get_site(session, scope, site_id)).id
    page = await queries.list_rollout(session, scope, site_id=site, only_behind=only_behind, limit=limit, cursor=cursor)
    return {"collectors": [show_rollout(*row) for row in page.rows], "next_cursor": page.next_cursor}


@router.post("", status_code=201, response_model=ConfigOut, responses=errors(404, 409))
async def draft_config(manager: Manager, session: Session, now: Now, body: NewConfigBody) -> Any:
    """A draft: used only after it is activated. Without `collector_ids` it applies to all collectors."""
    ids = None if body.collector_ids is None else tuple(body.collector_ids)
    if ids is not None and await queries.list_visible_ids(session, manager.seen, list(ids)) != set(ids):
        raise NotFound("some of these collectors do not exist")
    await _check_covers(session, manager.scope, ids)
    new = service.NewConfig(body.version, body.data, ids, body.is_default, body.change_summary)
    config = await service.draft(session, manager.actor, manager.scope.tenant_id, new, now=now)
    return await _show(session, manager.scope, config)


@router.get("/{config_id}", response_model=ConfigOut, responses=errors(404))
async def get_config(scope: ManagedScope, session: ReadSession, config_id: UUID) -> Any:
    """One configuration version."""
    return await _show(session, scope, await _get(session, scope, config_id))


@router.post("/{config_id}/activate", response_model=ConfigOut, responses=errors(404, 409))
async def activate_config(activator: Activator, session: Session, now: Now, config_id: UUID) -> Any:
    """Roll it out: collectors fetch it from now on. One for listed collectors goes before one for all.

    Needs a step-up: a configuration can stop collection or the execution of commands.
    """
    config = await _get(session, activator.scope, config_id)
    await _check_covers(session, activator.scope, config.collector_ids)
    await service.activate(session, activator.actor, config, now=now)
    return await _show(session, activator.scope, await _get(session, activator.scope, config_id))


@router.post("/{config_id}/deprecate", response_model=ConfigOut, responses=errors(404, 409))
async def deprecate_config(manager: Manager, session: Session, now: Now, config_id: UUID) -> Any:
    """Withdraw it: its collectors fall back to the next one that applies. Not possible for the default."""
    config = await _get(session, manager.scope, config_id)
    await _check_covers(session, manager.scope, config.collector_ids)
    await service.deprecate(session, manager.actor, config, now=now)
    return await _show(session, manager.scope, await _get(session, manager.scope, config_id))


async def _get(session: Session, scope: Scope, config_id: UUID) -> CollectorConfig:
    config = await queries.find_config(session, scope, config_id)
    if config is None:
        raise NotFound("no such configuration")
    return config


async def _check_covers(session: Session, scope: Scope, ids: Sequence[UUID] | None) -> None:
    """A configuration for all collectors needs the whole tenant; else every listed collector must be in the scope."""
    if scope.is_whole:
        return
    if ids is None or await queries.list_visible_ids(session, scope, list(ids)) != set(ids):
        raise Forbidden(NOT_PERMITTED)


async def _show(session: Session, scope: Scope, config: CollectorConfig) -> dict[str, Any]:
    if scope.is_whole or config.collector_ids is None:
        return show_config(config, None)
    return show_config(config, await queries.list_visible_ids(session, scope, config.collector_ids))

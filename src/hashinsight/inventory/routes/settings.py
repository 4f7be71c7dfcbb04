"""The settings of the tenant."""

from fastapi import APIRouter

from hashinsight.identity.access import AuthenticateFirst, CurrentCaller, ReadSession, Session
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.inventory.parameters import Now, ViewScope
from hashinsight.inventory.schemas.settings import SettingsChange, SettingsOut
from hashinsight.inventory.service import settings as service
from hashinsight.kit.errors import Forbidden
from hashinsight.kit.web.responses import errors

router = APIRouter(route_class=AuthenticateFirst)

_WITHOUT_STEP_UP = {"prices"}  # every other section protects something: commands, pools, limits, alerts
_PERMISSIONS = {"thresholds": Permission.GOVERN, "rules": Permission.GOVERN}  # every other section is the owner's


@router.get("/settings")
async def get_settings(scope: ViewScope, session: ReadSession) -> SettingsOut:
    """The tenant's settings with their version; needs a scope for the whole tenant."""
    _check_whole(scope)
    return SettingsOut.model_validate(await service.get_settings(session, scope.tenant_id))


@router.patch("/settings", responses=errors(409))
async def change_settings(change: SettingsChange, caller: CurrentCaller, session: Session, now: Now) -> SettingsOut:
    """Change sections of the settings. 409 SETTINGS_CHANGED when `version` is not the newest.

    Thresholds and rules need the right to set rules and policy, all else an owner. All sections but `prices` need a
    step-up: 403 `STEP_UP_REQUIRED`, and `PERSON_REQUIRED` for an API key.
    """
    _check_whole(caller.seen)
    old = await service.get_settings(session, caller.tenant_id)
    new = change.applied_to(old.settings)
    sections = change.model_fields_set - {"version"}
    for section in sorted(sections) or ["thresholds"]:
        _check_whole(caller.scope_for(_PERMISSIONS.get(section, Permission.ADMIN)))
    if sections - _WITHOUT_STEP_UP:
        caller.check_step_up(now=now)
    changed = await service.change_settings(
        session, caller.actor, caller.tenant_id, new, version=change.version, now=now
    )
    return SettingsOut.model_validate(changed)


def _check_whole(scope: Scope) -> None:
    if not scope.is_whole:
        raise Forbidden("settings need a scope for the whole tenant")

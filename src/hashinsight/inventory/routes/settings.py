"""The settings of the tenant."""

from fastapi import APIRouter

from hashinsight.identity.access import AuthenticateFirst, CurrentCaller, ReadSession, Session, check_step_up
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.inventory.parameters import Now, ViewScope
from hashinsight.inventory.schemas.settings import SettingsChange, SettingsOut
from hashinsight.inventory.service import settings as service
from hashinsight.kit.errors import Forbidden

router = APIRouter(route_class=AuthenticateFirst)

_HARMLESS = {"prices"}  # every other section holds back somebody: commands, pools, limits, alarms
_NEEDED = {"thresholds": Permission.GOVERN, "rules": Permission.GOVERN}  # every other section is the owner's


@router.get("/settings")
async def read_settings(scope: ViewScope, session: ReadSession) -> SettingsOut:
    """The tenant's settings with their version; for those whose scope is the whole tenant."""
    _check_whole(scope)
    return SettingsOut.of(await service.get_settings(session, scope.tenant_id))


@router.patch("/settings")
async def change_settings(change: SettingsChange, principal: CurrentCaller, session: Session, now: Now) -> SettingsOut:
    """Change sections of the settings. 409 SETTINGS_CHANGED when `version` is not the newest any more.

    Thresholds and rules need the right to govern, everything else that of an owner. What holds commands back or raises
    alarms (all but `prices`) needs a step-up: 403 `STEP_UP_REQUIRED`, and `PERSON_REQUIRED` for an API key.
    """
    _check_whole(principal.scope_for(Permission.SEE))
    old = await service.get_settings(session, principal.tenant_id)
    new = change.applied(old.settings)
    touched = change.model_fields_set - {"version"}
    for section in sorted(touched) or ["thresholds"]:
        _check_whole(principal.scope_for(_NEEDED.get(section, Permission.ADMIN)))
    if touched - _HARMLESS:
        check_step_up(principal, now=now)
    changed = await service.change_settings(
        session, principal.actor, principal.tenant_id, new, version=change.version, now=now
    )
    return SettingsOut.of(changed)


def _check_whole(scope: Scope) -> None:
    if not scope.is_whole:
        raise Forbidden("settings are for those whose scope is the whole tenant")

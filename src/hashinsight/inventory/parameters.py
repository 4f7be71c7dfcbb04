"""Parameters of routes that name what the inventory has; routes of other domains take them from here."""

from datetime import datetime
from typing import Annotated

from fastapi import Depends, Path, Query

from hashinsight.identity.access import CurrentCaller, allowed, now_of
from hashinsight.identity.caller import Caller
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.inventory.filters import MAX_INT, SiteRef
from hashinsight.kit.web.parameters import Cursor, Limit

__all__ = ["Cursor", "Editor", "IdPath", "Limit", "Now", "SitePath", "SiteQuery", "ViewScope"]


def _check_editor(caller: CurrentCaller) -> Caller:
    """403 before the body is looked at."""
    caller.scope_for(Permission.SEE)
    caller.scope_for(Permission.INVENTORY)
    return caller


_SITE = "The site's integer id or its code."

ViewScope = Annotated[Scope, allowed(Permission.SEE)]
Editor = Annotated[Caller, Depends(_check_editor)]
Now = Annotated[datetime, Depends(now_of)]
SiteQuery = Annotated[SiteRef | None, Query(description=_SITE)]
SitePath = Annotated[SiteRef, Path(description=_SITE)]
IdPath = Annotated[int, Path(ge=1, le=MAX_INT)]

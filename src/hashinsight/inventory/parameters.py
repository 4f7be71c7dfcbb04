"""What the routes of inventory take: scopes, paging, a site by id or code."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any

from fastapi import Body, Depends, Path, Query, Request
from pydantic import BaseModel

from hashinsight.identity.access import CurrentCaller, allowed, check_step_up, now_of
from hashinsight.identity.permissions import Permission, may
from hashinsight.identity.scope import Scope
from hashinsight.inventory.filters import MAX_INT, SiteRef
from hashinsight.inventory.rights import Rights
from hashinsight.inventory.schemas import example_of
from hashinsight.kit.paging import MAX_LIMIT
from hashinsight.kit.web.examples import answers


def _rights(request: Request, principal: CurrentCaller) -> Rights:
    gives_rights = any(may(role, Permission.ADMIN) and reach.is_whole for role, reach in principal.grants)
    return Rights(
        principal.scope_for(Permission.SEE),
        principal.scope_for(Permission.INVENTORY),
        gives_rights=gives_rights,
        check_step_up=partial(check_step_up, principal, now=now_of(request)),
    )


ViewScope = Annotated[Scope, allowed(Permission.SEE)]
Write = Annotated[Rights, Depends(_rights)]
Now = Annotated[datetime, Depends(now_of)]
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT)]
Cursor = Annotated[str | None, Query(max_length=1024)]
SiteQuery = Annotated[SiteRef | None, Query(description="The site's integer id or its code.")]
SitePath = Annotated[SiteRef, Path(description="The site's integer id or its code.")]
IdPath = Annotated[int, Path(ge=1, le=MAX_INT)]


def shows(model: type[BaseModel], status: int = 200) -> Any:
    """A route's `responses`, with the model's own example."""
    return answers(example_of(model), status)


def body(model: type[BaseModel]) -> Any:
    """A request's body whose example stands beside it in the document."""
    return Body(openapi_examples={"example": {"value": example_of(model)}})

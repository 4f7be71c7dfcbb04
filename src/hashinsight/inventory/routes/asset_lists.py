"""The asset list as CSV: in and out."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from hashinsight.identity.access import CurrentCaller, Session
from hashinsight.inventory.asset_list import COLUMNS
from hashinsight.inventory.filters import SiteRef
from hashinsight.inventory.parameters import Editor, Now, ViewScope
from hashinsight.inventory.schemas.miners import ImportReport
from hashinsight.inventory.service.asset_lists import begin_export, export_lines, import_miners
from hashinsight.kit.web.state import get_database

router = APIRouter()

_CSV = "text/csv"
_LIST = (
    ",".join(COLUMNS) + "\r\nB2-R14-03,Antminer S19j Pro,HKLN2331A0042,02:1a:2b:3c:4d:5e,B2,R14,03,Aurora Mining,\r\n"
)
SiteOfList = Annotated[SiteRef, Query(description="The site's integer id or its code.")]


@router.post(
    "/miners/import",
    openapi_extra={
        "requestBody": {"required": True, "content": {_CSV: {"schema": {"type": "string"}, "example": _LIST}}}
    },
)
async def import_list(
    *,
    request: Request,
    site_id: SiteOfList,
    caller: Editor,
    principal: CurrentCaller,
    now: Now,
    all_or_nothing: Annotated[bool, Query(description="Load nothing when a line is refused.")] = False,
) -> ImportReport:
    """Load an asset list into a site: CSV in UTF-8, the first line names the columns, only miner_id is needed.

    Good lines are loaded, refused ones listed with their line number and reason. Missing zones and racks are made, an
    empty cell leaves what is there, and the same list again changes nothing.
    """
    raw = await request.body()  # before the transaction: a slow sender holds no connection
    async with get_database(request).transaction(principal.context()) as session:
        return await import_miners(session, caller, site_id, raw, all_or_nothing=all_or_nothing, now=now)


@router.get(
    "/miners/export",
    response_class=StreamingResponse,
    responses={200: {"description": "The asset list", "content": {_CSV: {"example": _LIST}}}},
)
async def export_list(
    request: Request, site_id: SiteOfList, scope: ViewScope, session: Session, now: Now
) -> StreamingResponse:
    """The machines of a site that are in service and in scope, as the list that an import takes."""
    site = await begin_export(session, scope, site_id, now=now)
    lines = export_lines(get_database(request), scope.context(read_only=True), scope, site.id)
    name = {"Content-Disposition": f'attachment; filename="{site.code}-miners.csv"'}
    return StreamingResponse(lines, media_type=f"{_CSV}; charset=utf-8", headers=name)

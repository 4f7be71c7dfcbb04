"""The asset list as CSV: import and export."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from hashinsight.identity.access import Session
from hashinsight.inventory.asset_list import COLUMNS
from hashinsight.inventory.filters import SiteRef
from hashinsight.inventory.parameters import Editor, Now, ViewScope
from hashinsight.inventory.schemas.miners import ImportReport
from hashinsight.inventory.service.asset_lists import begin_export, export_lines, import_miners
from hashinsight.kit.web.responses import errors
from hashinsight.kit.web.state import get_database

router = APIRouter()

_CSV = "text/csv"
_EXAMPLE = (
    ",".join(COLUMNS) + "\r\nB2-R14-03,Antminer S19j Pro,HKLN2331A0042,02:1a:2b:3c:4d:5e,B2,R14,03,Aurora Mining,\r\n"
)
RequiredSite = Annotated[SiteRef, Query(description="The site's integer id or its code.")]


@router.post(
    "/miners/import",
    responses=errors(404, 409, 413),
    openapi_extra={
        "requestBody": {"required": True, "content": {_CSV: {"schema": {"type": "string"}, "example": _EXAMPLE}}}
    },
)
async def import_asset_list(
    *,
    request: Request,
    site_id: RequiredSite,
    caller: Editor,
    now: Now,
    all_or_nothing: Annotated[bool, Query(description="Import nothing when a line is refused.")] = False,
) -> ImportReport:
    """Import an asset list into a site: CSV in UTF-8 with a header; only miner_id is required.

    Valid lines are imported, refused ones are listed with line number and reason. Missing zones and racks are created,
    an empty cell keeps the current value, and importing the same list again changes nothing.
    """
    raw = await request.body()  # before the transaction: a slow sender holds no connection
    async with get_database(request).transaction(caller.context()) as session:
        return await import_miners(session, caller, site_id, raw, all_or_nothing=all_or_nothing, now=now)


@router.get(
    "/miners/export",
    response_class=StreamingResponse,
    responses={
        200: {"description": "The asset list", "content": {_CSV: {"schema": {"type": "string"}, "example": _EXAMPLE}}},
        **errors(404),
    },
)
async def export_asset_list(
    request: Request, site_id: RequiredSite, scope: ViewScope, session: Session, now: Now
) -> StreamingResponse:
    """The machines of a site that are in service and in scope, in the form that an import takes."""
    site = await begin_export(session, scope, site_id, now=now)
    lines = export_lines(get_database(request), scope.context(read_only=True), scope, site.id)
    headers = {"Content-Disposition": f'attachment; filename="{site.code}-miners.csv"'}
    return StreamingResponse(lines, media_type=f"{_CSV}; charset=utf-8", headers=headers)

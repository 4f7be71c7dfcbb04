"""That the check of the routes notices what it is there for: routes that forget something, planted one by one."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

import pytest
import pytest_asyncio
from fastapi import APIRouter, Request
from sqlalchemy import text

from hashinsight.identity.access import CurrentCaller, Session, allowed
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import places
from hashinsight.kit.db.context import Context, job_context
from hashinsight.kit.errors import Forbidden, NotFound
from hashinsight.kit.web.state import get_database
from tests.isolation.document import operations, undocumented
from tests.isolation.hidden_data import Prober
from tests.isolation.probe import probe
from tests.isolation.requests import EXAMPLES, Ask, Example
from tests.isolation.world import World

pytestmark = pytest.mark.asyncio(loop_scope="module")
router = APIRouter(prefix="/planted")
See = Annotated[Scope, allowed(Permission.SEE)]
_ZONES = "select id, code, name, tenant_id, site_id from zones"


def _rows(result: Any) -> list[dict[str, Any]]:
    return [dict(row) for row in result.mappings()]


@router.get("/zones-of-all")
async def zones_of_all(request: Request, _scope: See) -> list[dict[str, Any]]:
    """Reads as a job."""
    async with get_database(request).transaction(job_context()) as session:
        return _rows(await session.execute(text(_ZONES)))


@router.get("/zones-of-the-tenant")
async def zones_of_the_tenant(request: Request, scope: See) -> list[dict[str, Any]]:
    """Forgets the sites."""
    async with get_database(request).transaction(Context(tenant=str(scope.tenant_id))) as session:
        return _rows(await session.execute(text(_ZONES)))


@router.get("/zones-of-the-site")
async def zones_of_the_site(session: Session, _scope: See) -> list[dict[str, Any]]:
    """Leaves it to row-level security, which does not know zones."""
    return _rows(await session.execute(text(_ZONES)))


@router.get("/zones-for-strangers")
async def zones_for_strangers(request: Request) -> list[dict[str, Any]]:
    """Forgets to ask who is calling."""
    async with get_database(request).transaction(job_context()) as session:
        return _rows(await session.execute(text(_ZONES)))


@router.get("/zones/{zone_id}")
async def zone_of_all(request: Request, _scope: See, zone_id: int) -> dict[str, Any]:
    """Looks up by id alone."""
    async with get_database(request).transaction(job_context()) as session:
        rows = _rows(await session.execute(text(f"{_ZONES} where id = :id"), {"id": zone_id}))
    if not rows:
        raise NotFound("no such zone")
    return rows[0]


@router.post("/zones/{zone_id}/told")
async def zone_told(request: Request, scope: See, zone_id: int) -> dict[str, Any]:
    """Tells what is another's from what is not there."""
    async with get_database(request).transaction(job_context()) as session:
        rows = _rows(await session.execute(text(f"{_ZONES} where id = :id"), {"id": zone_id}))
    if not rows:
        raise NotFound("no such zone")
    if rows[0]["tenant_id"] != scope.tenant_id or not scope.holds_site(rows[0]["site_id"]):
        raise Forbidden("this zone is somebody else's")
    return {}


@router.post("/zones/{zone_id}/renamed")
async def zone_renamed(request: Request, _known: CurrentCaller, zone_id: int) -> dict[str, Any]:
    """Writes as a job, and then refuses as it should."""
    async with get_database(request).transaction(job_context()) as session:
        await session.execute(text("update zones set name = name || '+' where id = :id"), {"id": zone_id})
    return {}


@router.post("/racks-of-others")
async def racks_of_others(session: Session, scope: See, body: dict[str, Any]) -> dict[str, Any]:
    """Checks the place, and not what is put there."""
    site = await places.get_site(session, scope, body["site_id"])
    return {"site": site.code, "zone_id": body["zone_id"]}


@router.get("/hidden", include_in_schema=False)
async def hidden() -> None:
    """Is not in the document."""


@router.get("/broken")
async def broken(_known: CurrentCaller) -> None:
    """Answers nobody."""
    raise NotFound("never there")


@pytest_asyncio.fixture(scope="module", loop_scope="module", autouse=True)
async def planted(world: World) -> AsyncIterator[None]:
    world.app.include_router(router)
    world.app.openapi_schema = None
    yield


async def nothing(_world: World, _mark: str) -> Ask:
    return Ask()


async def a_zone_at_the_site(world: World, mark: str) -> Ask:
    return Ask(body={"site_id": world.site, "zone_id": await world.zone(mark)})


async def a_zone(world: World, mark: str) -> Ask:
    return Ask(path={"zone_id": await world.zone(mark)})


@pytest.mark.parametrize(
    ("operation", "example", "expected"),
    [
        ("GET /planted/zones-of-all", nothing, ["another tenant was told", "a narrower scope was told"]),
        ("GET /planted/zones-of-the-tenant", nothing, ["a narrower scope was told"]),
        ("GET /planted/zones-of-the-site", nothing, ["a zone was told", "a group was told"]),
        ("GET /planted/zones-for-strangers", nothing, ["anonymous was answered 200", "anonymous was told"]),
        ("GET /planted/zones/{zone_id}", a_zone, ["another tenant was answered 200", "another tenant can tell"]),
        ("POST /planted/zones/{zone_id}/told", a_zone, ["another tenant was answered 403", "narrower scope can tell"]),
        ("POST /planted/zones/{zone_id}/renamed", a_zone, ["another tenant changed zones", "a zone changed zones"]),
        ("POST /planted/racks-of-others", a_zone_at_the_site, ["another tenant at home was answered 200"]),
        ("GET /planted/broken", nothing, ["who may was answered 404"]),
    ],
)
async def test_a_route_that_forgets_something_is_found(
    world: World, probers: dict[str, list[Prober]], operation: str, example: Example, expected: list[str]
) -> None:
    findings = await probe(world, probers["people"], operation, example)
    for what in expected:
        assert any(what in finding for finding in findings), (what, findings)


async def test_tables_protected_by_the_session_are_not_reported(world: World, probers: dict[str, list[Prober]]) -> None:
    findings = await probe(world, probers["people"], "GET /planted/zones-of-the-site", nothing)
    assert {finding.split(": ", 1)[1].split(" was ")[0] for finding in findings} == {"a zone", "a group"}


async def test_an_operation_without_an_example_is_found(world: World) -> None:
    assert "GET /planted/zones-of-all" in operations(world) - set(EXAMPLES)


async def test_a_route_that_is_kept_out_of_the_document_is_found(world: World) -> None:
    assert "GET /planted/hidden" in undocumented(world)

"""Every operation of the OpenAPI document, put through everybody who may not; and that a leak would be noticed."""

import pytest
from sqlalchemy import QueuePool, text

from hashinsight.kit.db.context import Context, job_context
from tests.isolation.document import operations, undocumented
from tests.isolation.examples import EXAMPLES
from tests.isolation.exceptions import OF_NOBODY, OPEN, UNDOCUMENTED
from tests.isolation.hidden_data import Prober, Watch, hidden_from_strangers
from tests.isolation.probe import probe
from tests.isolation.requests import Ask, Example, send, shown, tokens
from tests.isolation.world import World, is_for_collectors

pytestmark = pytest.mark.asyncio(loop_scope="module")

_CHAPTER = 24  # operations that share a world
_PAIRS = [(operation, example) for operation, examples in EXAMPLES.items() for example in examples]
ALL = [pytest.param(number // _CHAPTER, pair, id=f"{pair[0]} {pair[1].__name__}") for number, pair in enumerate(_PAIRS)]


async def test_every_operation_has_an_example_and_every_example_its_operation(world: World) -> None:
    assert operations(world) - set(EXAMPLES) == set(), "add an example to tests/isolation/examples"
    assert set(EXAMPLES) - operations(world) == set(), "these are gone: take their examples away"
    assert set(OPEN) | set(OF_NOBODY) <= operations(world)


async def test_no_route_is_kept_out_of_the_document(world: World) -> None:
    assert undocumented(world) == set(UNDOCUMENTED)
    hidden = Watch(world).hidden_from(Prober("anonymous", {}, hidden_from_strangers(world)))
    assert len(hidden) > 50
    for operation in UNDOCUMENTED:
        assert tokens(shown(await send(world.api, operation, Ask(), {}))) & hidden == set(), operation


async def test_the_application_has_one_connection_that_all_callers_share(world: World) -> None:
    assert isinstance(world.database._engine.pool, QueuePool)
    assert world.database._engine.pool.size() == 1
    pids = set()
    for context in (Context(tenant=str(world.a)), job_context(), Context()):
        async with world.database.transaction(context) as session:
            pids.add((await session.execute(text("select pg_backend_pid()"))).scalar_one())
    assert len(pids) == 1


# one value for both: shared ones would be brought together, and the order of the operations lost
@pytest.mark.parametrize(("chapter", "case"), ALL, indirect=["chapter"], scope="module")
async def test_an_operation_answers_only_callers_with_access(
    world: World, probers: dict[str, list[Prober]], case: tuple[str, Example]
) -> None:
    operation, example = case
    kind = "collectors" if is_for_collectors(operation) else "people"
    assert await probe(world, probers[kind], operation, example) == []

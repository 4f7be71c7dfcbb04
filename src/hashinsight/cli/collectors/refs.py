"""A collector on the command line: by id, or by a name that only one collector of the installation has."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.context import CliContext, find_id, run_in
from hashinsight.kit.errors import Conflict, NotFound

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from hashinsight.cli.context import Place
    from hashinsight.collectors.models import Collector

CollectorArgument = Annotated[str, typer.Argument(metavar="COLLECTOR", help="Collector id or name.")]


def run_for_collector(work: "Callable[[CliContext, Collector], Awaitable[Any]]", ref: str) -> Any:
    """Run `work` in the collector's tenant."""

    async def find_place(session: "AsyncSession") -> "Place":
        collector = await get_collector(session, ref)
        return collector.tenant_id, collector.site_id

    async def work_on_collector(context: CliContext) -> Any:
        return await work(context, await get_collector(context.session, ref))

    return run_in(find_place, work_on_collector)


async def get_collector(session: "AsyncSession", ref: str) -> "Collector":
    from hashinsight.collectors.queries import registry

    collector_id = find_id(ref)
    if collector_id is None:
        collectors = list(await registry.list_by_name(session, ref))
    else:
        collector = await registry.find_collector(session, collector_id)
        collectors = [] if collector is None else [collector]
    if not collectors:
        raise NotFound(f"there is no collector {ref}")
    if len(collectors) > 1:
        raise Conflict(f"several sites have a collector named {ref}: give its id")
    return collectors[0]


def show_identity(collector: "Collector") -> dict[str, Any]:
    return {
        "id": collector.id,
        "name": collector.name,
        "site_id": collector.site_id,
        "status": collector.status,
        "last_seen_at": collector.last_seen_at,
    }

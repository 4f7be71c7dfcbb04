"""What EXPLAIN ANALYZE says about a query of ours, in the role and scope in which it is asked."""

from typing import Any

from sqlalchemy import Select, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.telemetry.queries.live import _PLAIN


class QueryPlan:
    """What EXPLAIN ANALYZE says, as a list of its nodes."""

    def __init__(self, explained: Any) -> None:
        self.nodes: list[dict[str, Any]] = []
        self._walk(explained[0]["Plan"])
        self.blocks = explained[0]["Plan"]["Shared Hit Blocks"] + explained[0]["Plan"]["Shared Read Blocks"]

    def _walk(self, node: dict[str, Any]) -> None:
        self.nodes.append(node)
        for below in node.get("Plans", []):
            self._walk(below)

    def scans(self, table: str) -> list[dict[str, Any]]:
        """The nodes that read a table or its partitions and were run at all."""
        names = (table, f"{table}_2")  # a partition's name begins with its day
        return [
            node
            for node in self.nodes
            if node.get("Relation Name", "").startswith(names) and node.get("Actual Loops", 1) > 0
        ]

    def partitions(self, table: str) -> set[str]:
        return {node["Relation Name"] for node in self.scans(table)}

    def kinds(self, table: str) -> set[str]:
        """How the table is read; an empty partition is read anyhow."""
        return {node["Node Type"] for node in self.scans(table) if _looked_at(node)}

    def rows_read(self, table: str) -> float:
        return sum(map(_looked_at, self.scans(table)))


def _looked_at(node: dict[str, Any]) -> float:
    """The rows that a node looked at, those that it threw away included."""
    thrown = sum(node.get(name, 0) for name in ("Rows Removed by Filter", "Rows Removed by Index Recheck"))
    return float(node["Actual Loops"] * (node["Actual Rows"] + thrown))


async def explain(
    database: Database,
    context: Context,
    query: Select[Any] | str,
    values: dict[str, Any] | None = None,
    *,
    without_indexes: bool = False,
) -> QueryPlan:
    how = "explain (analyze, buffers, timing off, format json) "
    async with database.transaction(context) as session:
        assert await _role(session) == context.role
        for kind in ("indexscan", "bitmapscan") if without_indexes else ():
            await session.execute(text(f"set local enable_{kind} = off"))
        if isinstance(query, str):
            plan = (await session.execute(text(how + query), values or {})).scalar_one()
        else:
            literal = str(query.compile(dialect=_PLAIN, compile_kwargs={"literal_binds": True}))
            plan = (await (await session.connection()).exec_driver_sql(how + literal)).scalar_one()
        await session.rollback()
    return QueryPlan(plan)


async def _role(session: AsyncSession) -> str:
    return str((await session.execute(text("select current_user"))).scalar_one())

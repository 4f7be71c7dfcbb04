"""People by their e-mail, collectors by their name, sites by their code: a story of ids is none."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

Names = Mapping[str, str]


async def names_in(session: "AsyncSession", told: Mapping[str, Any]) -> Names:
    """Of everybody in a command's or a batch's story."""
    from sqlalchemy import select

    from hashinsight.collectors.models import Collector
    from hashinsight.identity.models import User

    said = [(told["created_by_kind"], told["created_by"])]
    said += [(one["actor_kind"], one["actor_id"]) for one in told.get("history", ())]
    said += [(one["by_kind"], one["by_id"]) for one in told["approvals"]]
    said += [("collector", str(one["collector_id"])) for one in told.get("attempts", ())]
    ids = {kind: {key for of, key in said if of == kind and key} for kind in ("user", "collector")}
    people = await session.execute(select(User.id, User.email).where(User.id.in_(ids["user"])))
    collectors = await session.execute(select(Collector.id, Collector.name).where(Collector.id.in_(ids["collector"])))
    return {str(key): name for key, name in [*people.all(), *collectors.all()]}


async def with_site_codes(session: "AsyncSession", rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """`site_code` beside each row's `site_id`."""
    from hashinsight.inventory.queries.places import list_site_codes

    codes = await list_site_codes(session, {row["site_id"] for row in rows})
    return [{**row, "site_code": codes[row["site_id"]]} for row in rows]


def who(kind: str, key: str | None, names: Names) -> str:
    if kind == "system":
        return "system" if key is None else f"{key} (command line)"
    return names.get(key or "", f"{kind} {key or ''}".strip())

"""Names for ids in output: code of a site, e-mail of a user, name of a collector."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

Names = Mapping[str, str]


async def with_site_codes(session: "AsyncSession", rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each row with the `site_code` of its `site_id`."""
    from hashinsight.inventory.queries.places import list_site_codes

    codes = await list_site_codes(session, {row["site_id"] for row in rows})
    return [{**row, "site_code": codes[row["site_id"]]} for row in rows]


async def list_story_names(session: "AsyncSession", story: Mapping[str, Any]) -> Names:
    """Of all users and collectors in the story of a command or batch."""
    from hashinsight.collectors.queries.registry import list_names
    from hashinsight.identity.queries.accounts import list_user_emails

    actors = [(story["created_by_kind"], story["created_by"])]
    actors += [(move["actor_kind"], move["actor_id"]) for move in story.get("history", ())]
    actors += [(approval["by_kind"], approval["by_id"]) for approval in story["approvals"]]
    actors += [("collector", attempt["collector_id"]) for attempt in story.get("attempts", ())]
    ids = {kind: {UUID(str(key)) for of, key in actors if of == kind and key} for kind in ("user", "collector")}
    names = await list_user_emails(session, list(ids["user"])) | await list_names(session, list(ids["collector"]))
    return {str(key): name for key, name in names.items()}


def show_actor(kind: str, key: str | None, names: Names) -> str:
    if kind == "system":
        return "system" if key is None else f"{key} (command line)"
    return names.get(key or "", f"{kind} {key or ''}".strip())

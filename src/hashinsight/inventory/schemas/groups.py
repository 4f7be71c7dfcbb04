"""Groups: listed or by filter."""

from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel, model_validator

from hashinsight.inventory.fields import MinerIds, Name, SiteIdOrCode
from hashinsight.inventory.filters import MinerFilter
from hashinsight.inventory.models import Group
from hashinsight.inventory.schemas import WHEN, example

_GROUP = {
    "id": 5,
    "name": "Aurora, S19j Pro",
    "kind": "filter",
    "filter": {"model": "Antminer S19j Pro", "owner": "Aurora Mining"},
    "members": 812,
    "created_at": WHEN,
    "refreshed_at": WHEN,
    "to_join": None,
    "to_leave": None,
}


def _within(chosen: MinerFilter | None, site_id: SiteIdOrCode | None) -> MinerFilter | None:
    """The filter with the site that stands beside it; two different ones contradict each other."""
    if chosen is None or site_id is None or chosen.site_id == site_id:
        return chosen
    if chosen.site_id is not None:
        raise ValueError(f"the filter is for the site {chosen.site_id}, and {site_id} is named beside it")
    return chosen.model_copy(update={"site_id": site_id})


class NewGroup(BaseModel):
    """Either `filter`, or `miner_ids` (of `site_id`, where an id is at more than one site).

    With a filter, `site_id` is the filter's own.
    """

    model_config = example(name="Aurora, S19j Pro", filter={"model": "S19j Pro", "owner": "Aurora Mining"})

    name: Name
    filter: MinerFilter | None = None
    site_id: SiteIdOrCode | None = None
    miner_ids: MinerIds | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.filter is None) == (self.miner_ids is None):
            raise ValueError("give either filter or miner_ids")
        self.filter = _within(self.filter, self.site_id)
        return self


class GroupChange(BaseModel):
    """A filter group takes another `filter` (of `site_id`); a listed one takes `add` and `remove`."""

    model_config = example(add=["B2-R14-03"], remove=["B2-R14-09"], site_id="tx-midland-1")

    name: Name | None = None
    filter: MinerFilter | None = None
    site_id: SiteIdOrCode | None = None
    add: MinerIds | None = None
    remove: MinerIds | None = None

    @model_validator(mode="after")
    def _of_site(self) -> Self:
        self.filter = _within(self.filter, self.site_id)
        return self


class GroupOut(BaseModel):
    """`members` are the machines of the group that the caller sees.

    While rights rest on a filter group it is refreshed only by those who give rights: `to_join` and `to_leave` say how
    many machines that would add and remove. Null: nothing is held back, or the caller's scope is not the whole tenant.
    """

    model_config = example(**_GROUP)

    id: int
    name: str
    kind: str
    filter: dict[str, Any] | None
    members: int
    created_at: datetime
    refreshed_at: datetime | None
    to_join: int | None
    to_leave: int | None

    @classmethod
    def of(cls, group: Group, members: int, *, is_whole: bool) -> Self:
        own = {name: getattr(group, name) for name in GroupOut.model_fields if name != "members"}
        if not is_whole:  # machines that the caller does not see are not counted to them either
            own |= {"to_join": None, "to_leave": None}
        return cls(**own, members=members)


class GroupList(BaseModel):
    model_config = example(groups=[_GROUP], next_cursor=None)

    groups: list[GroupOut]
    next_cursor: str | None

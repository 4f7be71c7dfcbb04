"""Groups of machines: listed, or by filter."""

from datetime import datetime
from typing import Literal, Self

from pydantic import BaseModel, Field, model_validator
from typing_extensions import TypedDict

from hashinsight.inventory.fields import MinerIds, Name, SiteIdOrCode
from hashinsight.inventory.filters import MinerFilter
from hashinsight.inventory.models import Group
from hashinsight.inventory.schemas import Body
from hashinsight.kit.web.bodies import example


def _with_site(filters: MinerFilter | None, site_id: SiteIdOrCode | None) -> MinerFilter | None:
    """The filter with the body's own `site_id`; an error when the filter has another one."""
    if filters is None or site_id is None or filters.site_id == site_id:
        return filters
    if filters.site_id is not None:
        raise ValueError(f"site_id is {site_id} but filter.site_id is {filters.site_id}")
    return filters.model_copy(update={"site_id": site_id})


class NewGroup(Body):
    """Either `filter`, or `miner_ids` (with `site_id`, where more than one site has an id).

    With a filter, `site_id` is the filter's own.
    """

    model_config = example(name="Aurora, S19j Pro", filter={"model": "S19j Pro", "owner": "Aurora Mining"})

    name: Name
    filter: MinerFilter | None = None
    site_id: SiteIdOrCode | None = None
    miner_ids: MinerIds | None = None

    @model_validator(mode="after")
    def _filter_or_list(self) -> Self:
        if (self.filter is None) == (self.miner_ids is None):
            raise ValueError("send either filter or miner_ids")
        self.filter = _with_site(self.filter, self.site_id)
        return self


class GroupChange(Body):
    """A filter group takes another `filter` (with `site_id`); a listed one takes `add` and `remove`."""

    model_config = example(add=["B2-R14-03"], remove=["B2-R14-09"], site_id="tx-midland-1")

    name: Name | None = None
    filter: MinerFilter | None = None
    site_id: SiteIdOrCode | None = None
    add: MinerIds | None = None
    remove: MinerIds | None = None

    @model_validator(mode="after")
    def _of_site(self) -> Self:
        self.filter = _with_site(self.filter, self.site_id)
        return self


class GroupFilter(TypedDict, total=False):
    """The keys that the filter sets."""

    site_id: int
    model: str
    firmware: str
    zone: str
    rack: str
    owner: str
    group_id: int
    state: Literal["in_service", "retired", "any"]
    text: str


class GroupOut(BaseModel):
    """A filter group with a grant over it is refreshed by owners only: `to_join` and `to_leave` are pending."""

    id: int
    name: str
    kind: Literal["listed", "filter"]
    filter: GroupFilter | None
    members: int = Field(description="Machines of the group that the caller sees.")
    created_at: datetime
    refreshed_at: datetime | None
    to_join: int | None = Field(
        description="Machines that a refresh would add; null: none pending, or not the whole tenant in scope."
    )
    to_leave: int | None = Field(description="Machines that a refresh would remove; null as for `to_join`.")

    @classmethod
    def of(cls, group: Group, members: int, *, is_whole: bool) -> Self:
        own = {name: getattr(group, name) for name in GroupOut.model_fields if name != "members"}
        if not is_whole:  # these counts include machines that the caller does not see
            own |= {"to_join": None, "to_leave": None}
        return cls(**own, members=members)


class GroupList(BaseModel):
    groups: list[GroupOut]
    next_cursor: str | None

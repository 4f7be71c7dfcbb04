"""The filter of machines, with the same keys in lists, groups and commands. Pure."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Word = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"^[^\x00]*$")]
SiteRef = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=63, pattern=r"^[0-9A-Za-z][0-9A-Za-z._-]*$")
]
MAX_INT = 2**31 - 1
Id = Annotated[int, Field(ge=1, le=MAX_INT)]


class MinerFilter(BaseModel):
    """Every key that is set must match. `zone` and `rack` are codes; `text` is the start of an id, serial or MAC."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={"examples": [{"site_id": "tx-midland-1", "model": "S19j Pro", "zone": "B2"}]},
    )

    site_id: SiteRef | Id | None = None
    model: Word | None = None
    firmware: Word | None = None
    zone: Word | None = None
    rack: Word | None = None
    owner: Word | None = None
    group_id: Id | None = None
    state: Literal["in_service", "retired", "any"] = "in_service"
    text: Word | None = None

    def given(self) -> dict[str, object]:
        """The keys that are set, as a group stores them."""
        return self.model_dump(exclude_none=True, exclude_defaults=True)

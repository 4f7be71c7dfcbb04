"""What people send about problems. The service judges what it means; here is only its form."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from fastapi import Body
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from hashinsight.inventory.fields import MINER_ID_CHARS
from hashinsight.inventory.filters import Id, SiteRef
from hashinsight.problems.actions import MAX_BULK_PROBLEMS, ActionInput, ProblemAction, ResolutionCause
from hashinsight.problems.service.suppressions import SuppressionRequest

_PLAIN = r"^[^\x00]*$"
_LATEST_YEAR = 2200
_ID = "01980f80-0000-7000-8000-0000000000e1"


def _in_utc(at: datetime) -> datetime:
    """A time without a zone is UTC, as in everything that collectors send."""
    if not 1970 <= at.year < _LATEST_YEAR:  # noqa: PLR2004 - when computers' time begins
        raise ValueError(f"a time between 1970 and {_LATEST_YEAR}")
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


Instant = Annotated[datetime, AfterValidator(_in_utc)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000, pattern=_PLAIN)]
MinerId = Annotated[str, StringConstraints(min_length=1, max_length=MINER_ID_CHARS, pattern=_PLAIN)]
Code = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=_PLAIN)]
Who = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=254, pattern=_PLAIN)]


def _form(**example: Any) -> ConfigDict:
    return ConfigDict(extra="forbid", hide_input_in_errors=True, json_schema_extra={"examples": [example]})


def body(model: type[BaseModel]) -> Any:
    """A request's body, with its example beside it in the document."""
    extra = model.model_config["json_schema_extra"]
    if not isinstance(extra, dict) or not isinstance(extra["examples"], list):
        raise TypeError(f"{model.__name__} has no example")
    return Body(openapi_examples={"example": {"value": extra["examples"][0]}})


class Remark(BaseModel):
    """With an act, where somebody wants to say why."""

    model_config = _form(comment="on my way to the aisle")

    comment: Text | None = None

    def said(self) -> ActionInput:
        return ActionInput(comment=self.comment)


class Comment(BaseModel):
    model_config = _form(comment="board 2 is cold to the touch")

    comment: Text

    def said(self) -> ActionInput:
        return ActionInput(comment=self.comment)


class Assignment(BaseModel):
    """`assignee` is a user's id or e-mail; null takes it away from whoever has it."""

    model_config = _form(assignee="kim@example.com", comment="your aisle")

    assignee: Who | None
    comment: Text | None = None

    def said(self) -> ActionInput:
        return ActionInput(comment=self.comment, assignee=self.assignee)


class Resolution(BaseModel):
    """Why it is over and what was done. After `repaired` and `replaced` the machine's baseline begins anew."""

    model_config = _form(cause="repaired", action="hashboard 2 swapped", comment="old board goes to the maker")

    cause: ResolutionCause
    action: Text | None = None
    comment: Text | None = None

    def said(self) -> ActionInput:
        return ActionInput(self.comment, cause=self.cause, action=self.action)


class Bulk(BaseModel):
    """One act on up to 1,000 problems; the other fields are those of the act."""

    model_config = _form(act="acknowledge", ids=[_ID], comment="all of rack 14: its breaker is out")

    act: ProblemAction
    ids: Annotated[list[UUID], Field(min_length=1, max_length=MAX_BULK_PROBLEMS, fail_fast=True)]
    comment: Text | None = None
    assignee: Who | None = None
    cause: ResolutionCause | None = None
    action: Text | None = None

    @model_validator(mode="after")
    def _fits_the_act(self) -> Self:
        if (self.cause is not None) != (self.act is ProblemAction.RESOLVE):
            raise ValueError("a cause belongs to resolve, and resolve needs one")
        if self.act is ProblemAction.COMMENT and self.comment is None:
            raise ValueError("a comment needs its text")
        if self.act is ProblemAction.ASSIGN and "assignee" not in self.model_fields_set:
            raise ValueError("assign needs an assignee; null takes it away")
        return self

    def said(self) -> ActionInput:
        return ActionInput(self.comment, self.assignee, self.cause, self.action)


class Suppress(BaseModel):
    """Until a time, or (null) until it is lifted. `maintenance`: somebody works on it."""

    model_config = _form(until="2026-03-01T18:00:00Z", maintenance=True, reason="new fans")

    until: Instant | None = None
    maintenance: bool = False
    reason: Text

    def wish(self) -> SuppressionRequest:
        return SuppressionRequest(self.reason, self.until, maintenance=self.maintenance)


class Lift(BaseModel):
    """Why a suppression ends, where somebody says so."""

    model_config = _form(reason="fans are in")

    reason: Text | None = None


class NewSuppression(BaseModel):
    """`kind` says which of `miner_id`, `zone` (its code) and `group_id` is given; a group needs no site."""

    model_config = _form(
        kind="zone",
        site_id="tx-midland-1",
        zone="B2",
        until="2026-03-01T18:00:00Z",
        maintenance=True,
        reason="rewiring",
    )

    kind: Literal["miner", "zone", "group", "site"]
    site_id: SiteRef | Id | None = None
    miner_id: MinerId | None = None
    zone: Code | None = None
    group_id: Id | None = None
    from_at: Instant | None = Field(None, alias="from", description="Now, where nothing is said.")
    until: Instant | None = None
    maintenance: bool = False
    reason: Text

    @model_validator(mode="after")
    def _fits_the_kind(self) -> Self:
        given = {name for name in ("miner_id", "zone", "group_id") if getattr(self, name) is not None}
        wanted = {"miner": {"miner_id"}, "zone": {"zone"}, "group": {"group_id"}, "site": set[str]()}[self.kind]
        if given != wanted:
            raise ValueError(f"for a {self.kind} give {' and '.join(wanted) or 'site_id alone'}")
        if self.kind in ("zone", "site") and self.site_id is None:
            raise ValueError("say site_id")
        return self

    def wish(self) -> SuppressionRequest:
        return SuppressionRequest(self.reason, self.until, self.from_at, maintenance=self.maintenance)

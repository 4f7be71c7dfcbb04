"""Request bodies of the routes of problems."""

from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints, model_validator

from hashinsight.inventory.fields import MINER_ID_CHARS
from hashinsight.inventory.filters import Id, SiteRef
from hashinsight.kit.web.bodies import form
from hashinsight.kit.web.times import Instant
from hashinsight.problems.actions import MAX_BULK_PROBLEMS, ActionInput, ProblemAction, ResolutionCause
from hashinsight.problems.service.suppressions import SuppressionRequest

_PLAIN = r"^[^\x00]*$"
_ID = "01980f80-0000-7000-8000-0000000000e1"


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000, pattern=_PLAIN)]
MinerId = Annotated[str, StringConstraints(min_length=1, max_length=MINER_ID_CHARS, pattern=_PLAIN)]
Code = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=_PLAIN)]
Who = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=254, pattern=_PLAIN)]


class Remark(BaseModel):
    """An optional comment with an action."""

    model_config = form(comment="on my way to the aisle")

    comment: Text | None = None

    def to_input(self) -> ActionInput:
        return ActionInput(comment=self.comment)


class Comment(BaseModel):
    model_config = form(comment="board 2 is cold to the touch")

    comment: Text

    def to_input(self) -> ActionInput:
        return ActionInput(comment=self.comment)


class Assignment(BaseModel):
    """`assignee` is a user's id or e-mail; null unassigns."""

    model_config = form(assignee="kim@example.com", comment="your aisle")

    assignee: Who | None
    comment: Text | None = None

    def to_input(self) -> ActionInput:
        return ActionInput(comment=self.comment, assignee=self.assignee)


class ResolveBody(BaseModel):
    """The cause, and what was done. After `repaired` and `replaced` the machine's baseline starts again."""

    model_config = form(cause="repaired", action="hashboard 2 swapped", comment="old board goes to the maker")

    cause: ResolutionCause
    action: Text | None = None
    comment: Text | None = None

    def to_input(self) -> ActionInput:
        return ActionInput(self.comment, cause=self.cause, action=self.action)


class Bulk(BaseModel):
    """One action on up to 1,000 problems; the other fields are those of the action."""

    model_config = form(act="acknowledge", ids=[_ID], comment="all of rack 14: its breaker is out")

    act: ProblemAction
    ids: Annotated[list[UUID], Field(min_length=1, max_length=MAX_BULK_PROBLEMS, fail_fast=True)]
    comment: Text | None = None
    assignee: Who | None = None
    cause: ResolutionCause | None = None
    action: Text | None = None

    @model_validator(mode="after")
    def _check_action(self) -> Self:
        if (self.cause is not None) != (self.act is ProblemAction.RESOLVE):
            raise ValueError("`cause` is required for resolve and only allowed there")
        if self.act is ProblemAction.COMMENT and self.comment is None:
            raise ValueError("`comment` is required")
        if self.act is ProblemAction.ASSIGN and "assignee" not in self.model_fields_set:
            raise ValueError("`assignee` is required for assign; null unassigns")
        return self

    def to_input(self) -> ActionInput:
        return ActionInput(self.comment, self.assignee, self.cause, self.action)


class Suppress(BaseModel):
    """`until` null: until lifted. `maintenance`: the machine is being worked on."""

    model_config = form(until="2026-03-01T18:00:00Z", maintenance=True, reason="new fans")

    until: Instant | None = None
    maintenance: bool = False
    reason: Text

    def to_request(self) -> SuppressionRequest:
        return SuppressionRequest(self.reason, self.until, maintenance=self.maintenance)


class Lift(BaseModel):
    """An optional reason for lifting a suppression."""

    model_config = form(reason="fans are in")

    reason: Text | None = None


class NewSuppression(BaseModel):
    """`kind` says which of `miner_id`, `zone` (its code) and `group_id` is given; a group needs no site."""

    model_config = form(
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
    from_at: Instant | None = Field(None, alias="from", description="Default: now.")
    until: Instant | None = None
    maintenance: bool = False
    reason: Text

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        given = {name for name in ("miner_id", "zone", "group_id") if getattr(self, name) is not None}
        wanted = {"miner": {"miner_id"}, "zone": {"zone"}, "group": {"group_id"}, "site": set[str]()}[self.kind]
        if given != wanted:
            raise ValueError(f"a suppression of a {self.kind} needs {' and '.join(wanted) or 'only site_id'}")
        if self.kind in ("zone", "site") and self.site_id is None:
            raise ValueError("`site_id` is required")
        return self

    def to_request(self) -> SuppressionRequest:
        return SuppressionRequest(self.reason, self.until, self.from_at, maintenance=self.maintenance)

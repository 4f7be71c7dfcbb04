"""Suppressions of machines, zones, groups and sites."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel
from typing_extensions import TypedDict

from hashinsight.problems.schemas.words import ActorWord, SuppressionKind


class Suppression(TypedDict):
    """`kind` says which of `miner_id`, `zone` and `group` it is of; `until_at` null: until it is lifted."""

    id: UUID
    site_id: int
    kind: SuppressionKind
    miner_no: int | None
    zone_id: int | None
    group_id: int | None
    from_at: datetime
    until_at: datetime | None
    maintenance: bool
    reason: str
    created_at: datetime
    created_by_kind: ActorWord
    created_by: str | None
    lifted_at: datetime | None
    lifted_by: str | None
    site: str
    miner_id: str | None
    zone: str | None
    group: str | None


class SuppressionPage(BaseModel):
    suppressions: list[Suppression]
    next_cursor: str | None


class CreatedSuppressions(BaseModel):
    """One per site."""

    suppressions: list[Suppression]


class MinerSuppressed(BaseModel):
    success: bool
    miner_id: str
    message: str
    until: datetime | None
    maintenance: bool
    reason: str


class MinerUnsuppressed(BaseModel):
    success: bool
    miner_id: str
    message: str
    lifted: int
    still_by: list[SuppressionKind]

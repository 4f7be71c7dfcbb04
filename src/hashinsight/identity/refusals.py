"""A refusal that is recorded: returned, not raised, so that its audit entry is committed before the answer goes out."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Refused:
    status: int
    code: str
    message: str
    retry_after_sec: int | None = None
    reason: str | None = None  # for the record, not for the caller

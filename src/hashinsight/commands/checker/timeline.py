"""A setting over time: which values were in force in some span. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Timeline(Generic[T]):
    """`first` held before every change. Around a change both values count: calls of that moment saw either."""

    first: T
    changes: Sequence[tuple[datetime, T]] = ()

    def between(self, begin: datetime, end: datetime) -> list[T]:
        held = self.first
        found: list[T] = []
        for at, value in self.changes:
            if at > end:
                break
            if at >= begin:
                found.append(held)
            held = value
        return [*found, held]

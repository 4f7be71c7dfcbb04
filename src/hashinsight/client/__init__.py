"""A typed asynchronous client of the public API, for programs and for our own tests. Imports no server code."""

from hashinsight.client.clients import EdgeClient, HashInsight
from hashinsight.client.http import ApiError
from hashinsight.client.types import (
    AckResult,
    BatchDecision,
    Command,
    CommandBatch,
    CommandRequest,
    CommandStory,
    CreatedCommand,
    DryRun,
    RefusedMachine,
    RequestCounts,
    RequestResult,
)

__all__ = [
    "AckResult",
    "ApiError",
    "BatchDecision",
    "Command",
    "CommandBatch",
    "CommandRequest",
    "CommandStory",
    "CreatedCommand",
    "DryRun",
    "EdgeClient",
    "HashInsight",
    "RefusedMachine",
    "RequestCounts",
    "RequestResult",
]

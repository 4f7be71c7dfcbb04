"""A typed client of the public API, for programs and for our own tests. It knows the server only by what it answers.

Asynchronous and nothing else: the tests run it in the application's own loop, without a socket, and a script needs one
`asyncio.run`. A second, synchronous one would be the same text twice.
"""

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

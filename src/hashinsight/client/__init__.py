"""A typed client of the public API, for programs and for our own tests. It knows the server only by what it answers.

Asynchronous and nothing else: the tests run it in the application's own loop, without a socket, and a script needs one
`asyncio.run`. A second, synchronous one would be the same text twice.
"""

from hashinsight.client.edge import Edge
from hashinsight.client.errors import ApiError
from hashinsight.client.people import HashInsight
from hashinsight.client.types import (
    Acked,
    Batch,
    Command,
    Counts,
    Decided,
    DryRun,
    Made,
    NewCommands,
    Refused,
    Requested,
    Story,
)

__all__ = [
    "Acked",
    "ApiError",
    "Batch",
    "Command",
    "Counts",
    "Decided",
    "DryRun",
    "Edge",
    "HashInsight",
    "Made",
    "NewCommands",
    "Refused",
    "Requested",
    "Story",
]

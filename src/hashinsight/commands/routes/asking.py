"""What the routes of commands take and give: who asks, and answers that are encoded once."""

from typing import Annotated, Any

import msgspec
from fastapi import Depends, Response

from hashinsight.commands.requests import CommandCaller, caller_for
from hashinsight.identity.access import CurrentCaller


def _asker(principal: CurrentCaller) -> CommandCaller:
    return caller_for(principal)


Asks = Annotated[CommandCaller, Depends(_asker)]


def told(content: Any, status: int = 200) -> Response:
    """Ten thousand rows in milliseconds; the framework's own way takes a second of the event loop for them."""
    return Response(msgspec.json.encode(content), status, media_type="application/json")

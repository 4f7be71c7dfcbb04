"""Routes that take long bodies: who calls is asked before the body is read.

FastAPI parses a body before it asks the dependencies, so a stranger's would cost as much as anybody's. What is short is
left to it: asking twice costs more than parsing that.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from hashinsight.identity.access import authenticate

_SHORT = 64 * 1024


class KnownFirst(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()

        async def known_first(request: Request) -> Response:
            if not _is_short(request):
                await authenticate(request)
            return await answer(request)

        return known_first


def _is_short(request: Request) -> bool:
    announced = request.headers.get("content-length", "")
    if announced.isascii() and announced.isdecimal():
        return int(announced) <= _SHORT
    return "transfer-encoding" not in request.headers

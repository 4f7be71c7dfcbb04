"""HEAD is answered wherever GET is: the same answer without its body. Uptime monitors ask that way."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HeadAsGet:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        # a stream would go on for as long as its caller does, and this one has nothing to wait for
        await self._app({**scope, "method": "GET", "is_head": True}, receive, without_body)

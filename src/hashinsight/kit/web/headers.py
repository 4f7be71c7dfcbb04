"""Security headers on every answer: nothing foreign is loaded, framed, sniffed or cached."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


_ALWAYS = [
    (name.lower().encode(), value.encode()) for name, value in (_HEADERS | {"Cache-Control": "no-store"}).items()
]
_OVER_TLS = [*_ALWAYS, (b"strict-transport-security", b"max-age=31536000")]


class SecurityHeaders:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                names = {name.lower() for name, _ in given}
                ours = _OVER_TLS if scope.get("scheme") == "https" else _ALWAYS
                message["headers"] = given + [one for one in ours if one[0] not in names]
            await send(message)

        await self._app(scope, receive, with_headers)

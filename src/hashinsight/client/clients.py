"""The client for people and programs: signed in, or by an API key."""

from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self, cast

import httpx

from hashinsight.client.commands import Batches, Commands
from hashinsight.client.http import ApiError, ApiSession
from hashinsight.client.problems import Problems
from hashinsight.client.types import AckResult
from hashinsight.wire.acks import Ack, AckStatus
from hashinsight.wire.commands import Command, read_command

_AUTH = "/api/v1/auth"


class _SignedInSession(ApiSession):
    """Renews a session whose access token ran out, once a call."""

    refresh_token: str | None = None

    async def call(self, method: str, path: str, **more: Any) -> Any:
        try:
            return await super().call(method, path, **more)
        except ApiError as error:
            if error.code != "TOKEN_EXPIRED" or self.refresh_token is None:
                raise
        given, self.refresh_token = self.refresh_token, None  # good for once: a second use would end the session
        self.take(await super().call("POST", f"{_AUTH}/refresh", body={"refresh_token": given}))
        return await super().call(method, path, **more)

    def take(self, tokens: dict[str, Any]) -> None:
        self.headers["Authorization"] = f"Bearer {tokens['access_token']}"
        self.refresh_token = tokens.get("refresh_token", self.refresh_token)


class HashInsight:
    """`async with await HashInsight.sign_in(url, email, password) as hi: await hi.commands.request(…)`."""

    def __init__(self, http: httpx.AsyncClient | str, *, api_key: str | None = None, token: str | None = None) -> None:
        headers = {} if api_key is None else {"X-API-Key": api_key}
        headers |= {} if token is None else {"Authorization": f"Bearer {token}"}
        self._caller = _SignedInSession(http, headers)
        self.commands = Commands(self._caller)
        self.batches = Batches(self._caller)
        self.problems = Problems(self._caller)

    @classmethod
    async def sign_in(
        cls, http: httpx.AsyncClient | str, email: str, password: str, *, totp_code: str | None = None
    ) -> Self:
        made = cls(http)
        body = {"email": email, "password": password} | ({} if totp_code is None else {"totp_code": totp_code})
        try:
            made._caller.take(await made._caller.call("POST", f"{_AUTH}/login", body=body))
        except BaseException:
            await made.aclose()
            raise
        return made

    async def step_up(self, totp_code: str | None = None, *, password: str | None = None) -> None:
        """Show a code of the second factor, or the password of whoever has none.

        For five minutes then nothing is refused with `STEP_UP_REQUIRED`.
        """
        body = {"code": totp_code} if password is None else {"password": password}
        self._caller.take(await self._caller.call("POST", f"{_AUTH}/step-up", body=body))

    async def aclose(self) -> None:
        await self._caller.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


_COMMANDS = "/api/edge/v1/commands"


class EdgeClient:
    """A device of a collector: leases belong to both."""

    def __init__(self, http: httpx.AsyncClient | str, token: str, *, device_id: str | None = None) -> None:
        device = {} if device_id is None else {"X-Device-ID": device_id}
        self._caller = ApiSession(http, {"Authorization": f"Bearer {token}", **device})

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._caller.aclose()

    async def poll(self, limit: int | None = None) -> list[Command]:
        answer = await self._caller.call("GET", f"{_COMMANDS}/poll", query={"limit": limit})
        return [] if answer is None else [read_command(one) for one in answer["commands"]]

    async def ack(self, command_id: str, status: str = "succeeded", **more: Any) -> AckResult:
        """`command_id` as it was handed out: the id of the dispatch."""
        said = Ack(command_id, AckStatus(status), **more).to_wire()
        return cast("AckResult", await self._caller.call("POST", f"{_COMMANDS}/{command_id}/ack", body=said))

    async def ack_many(self, acks: Iterable[Ack]) -> list[AckResult]:
        body = {"acks": [one.to_wire() for one in acks]}
        answer = await self._caller.call("POST", f"{_COMMANDS}/ack/batch", body=body)
        return cast("list[AckResult]", answer["results"])

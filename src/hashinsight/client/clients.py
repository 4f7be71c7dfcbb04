"""The two clients: `HashInsight` for people and programs, `EdgeClient` for collectors."""

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
    """Refreshes an expired access token, once per call."""

    refresh_token: str | None = None

    async def call(self, method: str, path: str, **options: Any) -> Any:
        try:
            return await super().call(method, path, **options)
        except ApiError as error:
            if error.code != "TOKEN_EXPIRED" or self.refresh_token is None:
                raise
        used, self.refresh_token = self.refresh_token, None  # single use: a second use would end the session
        self.use_tokens(await super().call("POST", f"{_AUTH}/refresh", body={"refresh_token": used}))
        return await super().call(method, path, **options)

    def use_tokens(self, tokens: dict[str, Any]) -> None:
        self.headers["Authorization"] = f"Bearer {tokens['access_token']}"
        self.refresh_token = tokens.get("refresh_token", self.refresh_token)


class HashInsight:
    """`async with await HashInsight.sign_in(url, email, password) as hi: await hi.commands.request(…)`."""

    def __init__(self, http: httpx.AsyncClient | str, *, api_key: str | None = None, token: str | None = None) -> None:
        headers = {} if api_key is None else {"X-API-Key": api_key}
        headers |= {} if token is None else {"Authorization": f"Bearer {token}"}
        self._session = _SignedInSession(http, headers)
        self.commands = Commands(self._session)
        self.batches = Batches(self._session)
        self.problems = Problems(self._session)

    @classmethod
    async def sign_in(
        cls, http: httpx.AsyncClient | str, email: str, password: str, *, totp_code: str | None = None
    ) -> Self:
        client = cls(http)
        body = {"email": email, "password": password} | ({} if totp_code is None else {"totp_code": totp_code})
        try:
            client._session.use_tokens(await client._session.call("POST", f"{_AUTH}/login", body=body))
        except BaseException:
            await client.aclose()
            raise
        return client

    async def step_up(self, totp_code: str | None = None, *, password: str | None = None) -> None:
        """Confirm with a one-time code, or with the password if there is no second factor. Lasts five minutes."""
        body = {"code": totp_code} if password is None else {"password": password}
        self._session.use_tokens(await self._session.call("POST", f"{_AUTH}/step-up", body=body))

    async def aclose(self) -> None:
        await self._session.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


_COMMANDS = "/api/edge/v1/commands"


class EdgeClient:
    """A device of a collector, for tests and tools; leases belong to collector and device."""

    def __init__(self, http: httpx.AsyncClient | str, token: str, *, device_id: str | None = None) -> None:
        device = {} if device_id is None else {"X-Device-ID": device_id}
        self._session = ApiSession(http, {"Authorization": f"Bearer {token}", **device})

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.aclose()

    async def poll(self, limit: int | None = None) -> list[Command]:
        response = await self._session.call("GET", f"{_COMMANDS}/poll", query={"limit": limit})
        return [] if response is None else [read_command(message) for message in response["commands"]]

    async def ack(self, command_id: str, status: str = "succeeded", **options: Any) -> AckResult:
        """`command_id` is the dispatch id from the poll."""
        ack = Ack(command_id, AckStatus(status), **options).to_wire()
        return cast("AckResult", await self._session.call("POST", f"{_COMMANDS}/{command_id}/ack", body=ack))

    async def ack_many(self, acks: Iterable[Ack]) -> list[AckResult]:
        body = {"acks": [ack.to_wire() for ack in acks]}
        response = await self._session.call("POST", f"{_COMMANDS}/ack/batch", body=body)
        return cast("list[AckResult]", response["results"])

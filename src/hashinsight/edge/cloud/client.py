"""The line to the cloud: one client, our names on every call, answers instead of exceptions."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import msgspec

from hashinsight import __version__
from hashinsight.edge.cloud.answers import Answer, Kind, judge, no_answer
from hashinsight.edge.fault_log import Say
from hashinsight.edge.settings import Settings, SettingsError
from hashinsight.edge.settings_file import read_token

BASE = "/api/edge/v1"
_MOST_ANSWER = 8 * 1024 * 1024


class Line:
    def __init__(
        self,
        settings: Settings,
        device_id: str,
        say: Say,
        *,
        incarnation: int | None = None,
        token: str | None = None,  # else the one of the token file; empty for whoever has none yet
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings, self._say, self._clock = settings, say, clock
        place, cloud = settings.place, settings.cloud
        names = {
            "X-Device-ID": device_id,
            "X-Device-Incarnation": str(incarnation or ""),
            "X-Site-ID": place.site or "",
            "X-Zone-ID": place.zone or "",
        }
        self._token = read_token(settings) if token is None else token
        self._back = asyncio.Event()
        self.is_up: bool | None = None
        self.last_ok_at: float | None = None
        self._http = httpx.AsyncClient(
            base_url=cloud.url.rstrip("/") + BASE,
            headers={name: value for name, value in names.items() if value}
            | {"User-Agent": f"hashinsight-edge/{__version__}"},
            timeout=httpx.Timeout(cloud.timeout_sec, connect=min(cloud.timeout_sec, 10.0)),
            limits=httpx.Limits(max_connections=8, max_keepalive_connections=4),
            verify=_trusted(settings),
            follow_redirects=False,  # a token is not carried to wherever somebody points
            trust_env=True,
        )

    async def aclose(self) -> None:
        await self._http.aclose()

    async def get(self, path: str, **query: Any) -> Answer:
        return await self._call("GET", path, params=query)

    async def post(self, path: str, body: Any) -> Answer:
        return await self._call(
            "POST", path, content=msgspec.json.encode(body), headers={"Content-Type": "application/json"}
        )

    async def post_bytes(self, path: str, content: bytes, headers: Mapping[str, str]) -> Answer:
        return await self._call("POST", path, content=content, headers=dict(headers))

    async def rest(self, seconds: float, *, until_back: bool = True) -> None:
        """Wait; where nothing forbids it, only until another call has found the cloud back."""
        if not until_back:
            await asyncio.sleep(seconds)
            return
        try:
            await asyncio.wait_for(self._back.wait(), seconds)
        except TimeoutError:
            return

    async def _call(self, method: str, path: str, **more: Any) -> Answer:
        answer = await self._once(method, path, **more)
        if answer.kind is Kind.NOT_LET_IN and self._token and self._has_new_token():
            answer = await self._once(method, path, **more)
        self._note(answer)
        return answer

    async def _once(self, method: str, path: str, **more: Any) -> Answer:
        headers = {**more.pop("headers", {}), **({"Authorization": f"Bearer {self._token}"} if self._token else {})}
        try:
            async with self._http.stream(method, path, headers=headers, **more) as response:
                content = b""
                async for part in response.aiter_bytes():
                    content += part
                    if len(content) > _MOST_ANSWER:
                        return no_answer("the answer is too long to be the cloud's")
        except httpx.TimeoutException:
            return no_answer("no answer in time")
        except httpx.ConnectError as problem:
            return no_answer(f"no connection ({str(problem)[:120]})")
        except httpx.HTTPError as problem:
            return no_answer(f"the connection broke off ({type(problem).__name__})")
        return judge(response.status_code, content, response.headers, now=self._clock())

    def _has_new_token(self) -> bool:
        """A token that was rotated lies in the same file."""
        try:
            token = read_token(self._settings)
        except SettingsError as problem:
            self._say.bad("token", str(problem))
            return False
        changed, self._token = token != self._token, token
        return changed

    def _note(self, answer: Answer) -> None:
        if not self._token:  # whoever asks without one says himself what came of it
            return
        if answer.status == 0 or answer.status >= 500:  # noqa: PLR2004 - the server's own troubles
            self.is_up = False
            if not self._say.is_bad("cloud"):  # an outage is one line, however many ways it finds to fail
                self._say.bad("cloud", f"not reachable: {answer.reason}")
            return
        if answer.kind is Kind.NOT_LET_IN:
            self._say.bad("token", f"not let in: {answer.code or answer.status} {answer.reason}")
        else:
            self._say.good("token", "let in")
        if answer.kind is Kind.DELIVERED:
            self.last_ok_at = self._clock()
        self._say.good("cloud", "reachable again")
        if self.is_up is False:
            self._back.set()
            self._back = asyncio.Event()
        self.is_up = True


def _trusted(settings: Settings) -> Any:
    if settings.cloud.ca_file is None:
        return True
    import ssl

    try:
        return ssl.create_default_context(cafile=str(settings.cloud.ca_file))
    except OSError as problem:
        raise SettingsError(f"cloud.ca_file {settings.cloud.ca_file} cannot be used: {problem}") from None

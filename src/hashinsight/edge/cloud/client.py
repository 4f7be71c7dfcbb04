"""HTTP client of the cloud: device headers on every call, answers instead of exceptions."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import msgspec

from hashinsight import __version__
from hashinsight.edge.cloud.answers import Answer, AnswerKind, classify, no_answer
from hashinsight.edge.fault_log import FaultLog
from hashinsight.edge.settings import Settings, SettingsError
from hashinsight.edge.settings_file import read_token

BASE = "/api/edge/v1"
_MAX_ANSWER = 8 * 1024 * 1024


class CloudClient:
    def __init__(
        self,
        settings: Settings,
        device_id: str,
        faults: FaultLog,
        *,
        incarnation: int | None = None,
        token: str | None = None,  # None: from the token file; empty: enrolment, which has none yet
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings, self._faults, self._clock = settings, faults, clock
        place, cloud = settings.place, settings.cloud
        headers = {
            "X-Device-ID": device_id,
            "X-Device-Incarnation": str(incarnation or ""),
            "X-Site-ID": place.site or "",
            "X-Zone-ID": place.zone or "",
        }
        self._token = read_token(settings) if token is None else token
        self._online = asyncio.Event()
        self.is_up: bool | None = None
        self.last_ok_at: float | None = None
        self._http = httpx.AsyncClient(
            base_url=cloud.url.rstrip("/") + BASE,
            headers={name: value for name, value in headers.items() if value}
            | {"User-Agent": f"hashinsight-edge/{__version__}"},
            timeout=httpx.Timeout(cloud.timeout_sec, connect=min(cloud.timeout_sec, 10.0)),
            limits=httpx.Limits(max_connections=8, max_keepalive_connections=4),
            verify=_tls_verify(settings),
            follow_redirects=False,  # a redirect must not carry the token elsewhere
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

    async def wait(self, seconds: float, *, until_online: bool = True) -> None:
        """Sleep; with `until_online`, only until another call reaches the cloud again."""
        if not until_online:
            await asyncio.sleep(seconds)
            return
        try:
            async with asyncio.timeout(seconds):
                await self._online.wait()
        except TimeoutError:
            return

    async def _call(self, method: str, path: str, **options: Any) -> Answer:
        answer = await self._once(method, path, **options)
        if answer.kind is AnswerKind.DENIED and self._token and self._has_new_token():
            answer = await self._once(method, path, **options)
        self._note(answer)
        return answer

    async def _once(self, method: str, path: str, **options: Any) -> Answer:
        headers = {**options.pop("headers", {}), **({"Authorization": f"Bearer {self._token}"} if self._token else {})}
        try:
            async with self._http.stream(method, path, headers=headers, **options) as response:
                content = b""
                async for part in response.aiter_bytes():
                    content += part
                    if len(content) > _MAX_ANSWER:
                        return no_answer("answer too long")
        except httpx.TimeoutException:
            return no_answer("timeout")
        except httpx.ConnectError as error:
            return no_answer(f"no connection ({str(error)[:120]})")
        except httpx.HTTPError as error:
            return no_answer(f"connection lost ({type(error).__name__})")
        return classify(response.status_code, content, response.headers, now=self._clock())

    def _has_new_token(self) -> bool:
        """A rotated token is put into the same file."""
        try:
            token = read_token(self._settings)
        except SettingsError as error:
            self._faults.open("token", str(error))
            return False
        changed, self._token = token != self._token, token
        return changed

    def _note(self, answer: Answer) -> None:
        if not self._token:  # enrolment reports its own result
            return
        if answer.status == 0 or answer.status >= 500:  # noqa: PLR2004 - server errors
            self.is_up = False
            if not self._faults.is_open("cloud"):  # one line per outage, however many errors it shows
                self._faults.open("cloud", f"not reachable: {answer.reason}")
            return
        if answer.kind is AnswerKind.DENIED:
            self._faults.open("token", f"access denied: {answer.code or answer.status} {answer.reason}")
        else:
            self._faults.close("token", "accepted")
        if answer.kind is AnswerKind.DELIVERED:
            self.last_ok_at = self._clock()
        self._faults.close("cloud", "reachable again")
        if self.is_up is False:
            self._online.set()
            self._online = asyncio.Event()
        self.is_up = True


def _tls_verify(settings: Settings) -> Any:
    if settings.cloud.ca_file is None:
        return True
    import ssl

    try:
        return ssl.create_default_context(cafile=str(settings.cloud.ca_file))
    except OSError as error:
        raise SettingsError(f"cloud.ca_file {settings.cloud.ca_file} cannot be used: {error}") from None

"""One machine as its sockets see it: who it is, what it shows, what may be done to it."""

import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from hashinsight.facts.models import MinerModel
from hashinsight.sim.acts import Act, Pool, Refused
from hashinsight.sim.sockets.screen import Screen


class Driver(Protocol):
    """What drives the world behind the sockets."""

    @property
    def answers(self) -> dict[int, dict[tuple[str, str], bytes]]:
        """What was rendered since the last step, by machine; it goes with the step, so that it stays small."""

    def screen(self, no: int) -> Screen: ...

    def pools(self, no: int) -> tuple[Pool, ...]: ...

    async def act(self, no: int, act: Act) -> Refused | None: ...

    def act_later(self, no: int, act: Act, delay_sec: float) -> None: ...


@dataclass(frozen=True)
class Identity:
    no: int
    machine_id: str
    model: MinerModel
    model_said: str  # its own name for its model; an update of the firmware may change it
    firmware: str
    serial: str
    mac: str
    address: str
    chips: int  # fitted on a board

    @cached_property
    def version(self) -> str:
        """The firmware as the machine itself says it: a number, without the words that people put before it."""
        return re.sub(r"^(?:[A-Za-z]++ )++", "", self.firmware)


@dataclass
class Machine:
    """`memory` is what a firmware keeps between requests: sessions, tokens, half-made pool lists."""

    who: Identity
    driver: Driver
    memory: dict[str, Any] = field(default_factory=dict)

    @property
    def screen(self) -> Screen:
        return self.driver.screen(self.who.no)

    @property
    def pools(self) -> tuple[Pool, ...]:
        return self.driver.pools(self.who.no)

    async def act(self, act: Act) -> Refused | None:
        return await self.driver.act(self.who.no, act)

    def rendered(self, key: tuple[str, str], render: Callable[[], bytes]) -> bytes:
        """Nothing changes between two steps, so an answer is rendered once a step."""
        known = self.driver.answers.setdefault(self.who.no, {})
        if key not in known:
            known[key] = render()
        return known[key]

    def forget(self) -> None:
        """What was rendered no longer holds: a command changed something that the readings do not carry."""
        self.driver.answers.pop(self.who.no, None)


Dialect = Callable[[Machine, bytes], Coroutine[Any, Any, bytes]]

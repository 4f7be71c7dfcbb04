"""A request of an example: what it says, and the tokens (ids, marked words) that it and its answer hold."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import httpx

from hashinsight.kit.ids import new_id

if TYPE_CHECKING:
    from tests.isolation.world import World

# ids of the world are uuids or large numbers; every name of tenant A begins with this word
MARK = "canary"
_TOKENS = re.compile(
    rf"[0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}|\b[1-9]\d{{7,9}}\b|{MARK}[0-9a-z]*(?:-[0-9a-z]+)*"
)
# in a body: a word that is another one each time that the request is sent
FRESH = "freshword"


def tokens(text: str) -> set[str]:
    return set(_TOKENS.findall(text))


@dataclass(frozen=True)
class Ask:
    """What an operation is asked with. `headers`: of whoever may; without them the owner of tenant A."""

    path: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    csv: str | None = None
    more: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] | None = None
    about_oneself: bool = False
    by_words: bool = False  # the body holds words to look for, not ids: one finds nothing, and can tell nothing from it

    @property
    def named_in_path(self) -> set[str]:
        return tokens(" ".join(map(str, self.path.values())))

    @property
    def named(self) -> set[str]:
        return tokens(" ".join([*map(str, self.path.values()), self._rest()]))

    @property
    def named_to_change(self) -> set[str]:
        """What the body names: nobody may do something with it."""
        return tokens(json.dumps([self.query, self.body, self.more], default=str))

    def at(self, home: str, *sites: str) -> "Ask":
        """The same at another site: one's own place, and somebody else's things."""
        words = json.dumps([self.query, self.body, self.more], default=str)
        for site in sites:
            words = re.sub(rf'"?\b{site}\b"?', f'"{home}"', words)
        query, body, more = json.loads(words)
        return replace(self, query=query, body=body, more=more)

    def of_nobody(self, hidden: set[str]) -> "Ask":
        """The same about something that never was."""
        path = {name: _of_nobody(str(value), hidden) for name, value in self.path.items()}
        if not self.by_words:
            return replace(self, path=path)
        words = json.dumps(self.body)
        for word in tokens(words) & hidden:
            words = words.replace(word, _of_nobody(word, hidden))
        return replace(self, path=path, body=json.loads(words))

    def _rest(self) -> str:
        return json.dumps([self.query, self.body, self.csv, self.more], default=str)


def _of_nobody(value: str, hidden: set[str]) -> str:
    if not tokens(value) & hidden:
        return value
    if "-" in value and len(value) == len(str(new_id())):
        return str(new_id())
    return "99999999" if value.isdecimal() else f"{MARK}-that-never-was"


async def send(api: httpx.AsyncClient, operation: str, ask: Ask, headers: Mapping[str, str]) -> httpx.Response:
    method, template = operation.split(" ", 1)
    path = re.sub(r"\{([^}]+)\}", lambda match: str(ask.path[match[1]]), template)
    more: dict[str, Any] = {}
    word = f"w{new_id().hex}"
    if ask.csv is not None:
        more = {"content": ask.csv.replace(FRESH, word)}
    elif ask.body is not None:
        more = {"content": json.dumps(ask.body).replace(FRESH, word)}
        headers = {**headers, "Content-Type": "application/json"}
    return await api.request(method, path, params=dict(ask.query), headers={**headers, **ask.more}, **more)


def shown(answer: httpx.Response) -> str:
    """Everything that an answer tells."""
    return f"{answer.headers} {answer.text}"


def error_code(answer: httpx.Response) -> tuple[int, str | None]:
    try:
        body = answer.json()
    except ValueError:
        return answer.status_code, None
    return answer.status_code, body.get("error_code") if isinstance(body, dict) else None


Example = Callable[["World", str], Awaitable[Ask]]
EXAMPLES: dict[str, list[Example]] = {}


def example(operation: str) -> Callable[[Example], Example]:
    """Register a function that makes what the request needs, marked, in tenant A at its first site."""

    def register(made: Example) -> Example:
        EXAMPLES.setdefault(operation, []).append(made)
        return made

    return register


def plain(*operations: str, **query: str) -> None:
    """Operations that need nothing but a caller."""
    for operation in operations:

        async def ask(_world: "World", _mark: str) -> Ask:
            return Ask(query=query)

        example(operation)(ask)

"""Half a surrogate pair, which JSON lets through and UTF-8 does not, in every text that a request carries."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from tests.isolation.examples import EXAMPLES
from tests.isolation.exceptions import OPEN
from tests.isolation.requests import Ask, Example, send
from tests.isolation.world import World, bearer, is_for_collectors, new_mark

pytestmark = pytest.mark.asyncio(loop_scope="module")

HALF = "\ud800"
BYTES = b"\xed\xa0\x80"  # the same as somebody would write it into a header
WITH_BODY = [
    pytest.param(operation, example, id=f"{operation} {example.__name__}")
    for operation, examples in EXAMPLES.items()
    for example in examples
    if not operation.startswith("GET ")
]
ALL = [pytest.param(operation, examples[0], id=operation) for operation, examples in EXAMPLES.items()]


def with_half(value: Any) -> Iterator[Any]:
    """The body again and again, with half a character in one of its texts or names each time."""
    if isinstance(value, str):
        yield HALF
        yield value + HALF
    elif isinstance(value, dict):
        for name in value:
            for changed in with_half(value[name]):
                yield {**deepcopy(value), name: changed}
        yield {**deepcopy(value), HALF: "x"}
    elif isinstance(value, list):
        for place, part in enumerate(value):
            for changed in with_half(part):
                yield [*value[:place], changed, *value[place + 1 :]]


def headers_of(world: World, operation: str, ask: Ask) -> dict[str, str]:
    if ask.headers is not None:
        return dict(ask.headers)
    if operation in OPEN:
        return {}
    return bearer(world.token) if is_for_collectors(operation) else dict(world.owner.headers)


@pytest.mark.parametrize(("operation", "example"), WITH_BODY)
async def test_half_a_character_in_a_body_is_refused_and_never_a_fault_of_ours(
    world: World, operation: str, example: Example
) -> None:
    ask = await example(world, new_mark())
    headers = headers_of(world, operation, ask)
    method, template = operation.split(" ", 1)
    path = template.format(**{name: str(value) for name, value in ask.path.items()})
    for body in with_half(ask.body):
        content = json.dumps(body)
        sent = headers | {"Content-Type": "application/json"} | dict(ask.more)
        answer = await world.api.request(method, path, params=dict(ask.query), content=content, headers=sent)
        assert answer.status_code < 500, (content, answer.text)
        answer.json()


@pytest.mark.parametrize(("operation", "example"), ALL)
async def test_half_a_character_in_a_path_a_query_or_a_header_is_never_a_fault_of_ours(
    world: World, operation: str, example: Example
) -> None:
    ask = await example(world, new_mark())
    headers = headers_of(world, operation, ask)
    for name in ask.path:
        answer = await send(world.api, operation, Ask({**ask.path, name: "%ED%A0%80"}, ask.query, ask.body), headers)
        assert answer.status_code < 500, answer.text
    for name in ask.query:
        method, template = operation.split(" ", 1)
        path = template.format(**{name: str(value) for name, value in ask.path.items()})
        answer = await world.api.request(method, f"{path}?{name}=%ED%A0%80", headers=headers)
        assert answer.status_code < 500, answer.text
    strange: list[dict[bytes, bytes]] = [
        {b"Authorization": b"Bearer " + BYTES},
        {b"X-API-Key": BYTES},
        {b"X-Collector-Key": BYTES},
        {b"Cookie": b"hi_access=" + BYTES + b"; hi_refresh=" + BYTES},
    ]
    more = [{name.encode(): BYTES} for name in ("X-Site-ID", "X-Device-ID", "Idempotency-Key", "User-Agent")]
    known = {name.encode(): value.encode() for name, value in headers.items()}
    method, template = operation.split(" ", 1)
    path = template.format(**{name: str(value) for name, value in ask.path.items()})
    for sent in [*strange, *(known | extra for extra in more)]:
        answer = await world.api.request(method, path, params=dict(ask.query), json=ask.body, headers=sent)
        assert answer.status_code < 500, (sent, answer.text)

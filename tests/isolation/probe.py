"""Puts one operation through every caller who may not: anonymous, forged, of another tenant, of a narrower scope."""

import re
from collections.abc import AsyncIterator, Mapping

import httpx
from sqlalchemy import text

from hashinsight.kit.db.context import Context
from tests.isolation.exceptions import NEVER_404, OF_NOBODY, OPEN
from tests.isolation.hidden_data import Prober, Watch, hidden_from_strangers
from tests.isolation.requests import MARK, Ask, Example, error_code, send, shown, tokens
from tests.isolation.world import World, bearer, is_for_collectors, new_mark
from tests.isolation.world_setup import newcomer

FORGED: dict[str, dict[str, str]] = {
    "anonymous": {},
    "a forged token": {"Authorization": "Bearer forged"},
    "a forged key": {"X-API-Key": "hi_api_forged"},
    "a forged collector key": {"X-Collector-Key": "hi_collector_forged"},
    "a forged cookie": {"Cookie": "hi_access=forged"},
}


async def probe(world: World, probers: list[Prober], operation: str, example: Example) -> list[str]:
    """What is wrong with the operation, one line each; empty when it is isolated and answered who may."""
    findings: list[str] = []
    first = await example(world, new_mark())
    answer = await _rightful(world, operation, first)
    if not answer.is_success:
        findings.append(f"who may was answered {_told(answer)}")
    second = first if operation in OPEN else await example(world, new_mark())
    watch = Watch(world)
    stranger = Prober("", {}, hidden_from_strangers(world))
    of_a = tokens(shown(answer)) & watch.hidden_from(stranger)
    if operation in OPEN:
        if of_a and first.body is None:
            findings.append(f"tells strangers {sorted(of_a)[:5]}")
        return [f"{operation}: {what}" for what in findings]
    shows_something = operation.startswith("GET ") and operation not in OF_NOBODY and not first.about_oneself
    if shows_something and not of_a:
        findings.append("the answer to who may holds nothing of theirs, so that nothing could leak")
    findings += [what async for what in _at_the_door(world, watch, operation, second, stranger)]
    for known in probers:
        prober = await newcomer(world, known) if second.about_oneself else known
        findings += [f"{known.name} {what}" async for what in _in_scope(world, watch, operation, second, prober)]
        if prober.home and (moved := second.at(prober.home, world.site, str(world.site_id))) != second:
            findings += [
                f"{known.name} at home {what}" async for what in _at_home(world, watch, operation, moved, prober)
            ]
    answer = await _rightful(world, operation, second)
    if not answer.is_success:
        findings.append(f"after the probes, who may was answered {_told(answer)}")
    return [f"{operation}: {what}" for what in findings]


async def _rightful(world: World, operation: str, ask: Ask) -> httpx.Response:
    usual = {} if operation in OPEN else world.owner.headers
    return await send(world.api, operation, ask, usual if ask.headers is None else ask.headers)


async def _at_the_door(world: World, watch: Watch, operation: str, ask: Ask, stranger: Prober) -> AsyncIterator[str]:
    watch.look(stranger)
    of_another_kind = world.owner.headers if is_for_collectors(operation) else bearer(world.token)
    for name, headers in (FORGED | {"a credential of another kind": dict(of_another_kind)}).items():
        answer = await _after_another(world, operation, ask, headers)
        if answer.status_code != 401:
            yield f"{name} was answered {_told(answer)}, not 401"
        if leaked := tokens(shown(answer)) & watch.hidden_from(stranger) - ask.named:
            yield f"{name} was told {sorted(leaked)[:5]}"
    if changed := watch.changed_by(stranger):
        yield f"somebody at the door changed {', '.join(changed)}"


async def _in_scope(world: World, watch: Watch, operation: str, ask: Ask, prober: Prober) -> AsyncIterator[str]:
    hidden = watch.hidden_from(prober)
    watch.look(prober)
    answer = await _after_another(world, operation, ask, prober.headers)
    if answer.status_code >= 500:
        yield f"was answered {_told(answer)}"
    if leaked := tokens(shown(answer)) & hidden - ask.named:
        yield f"was told {sorted(leaked)[:5]}"
    if changed := watch.changed_by(prober):
        yield f"changed {', '.join(changed)}, answered {answer.status_code}"
    by_path, by_body = ask.named_in_path & hidden, ask.named_to_change & hidden
    hides = {404} if prober.is_stranger and operation not in NEVER_404 else {403, 404}
    is_for_persons = error_code(answer) == (403, "PERSON_REQUIRED")  # whatever is named; the look below compares
    if by_path and answer.status_code not in hides and not is_for_persons:
        yield f"was answered {_told(answer)} about something that is not theirs"
    elif by_body and not ask.by_words and answer.is_success and not operation.startswith("GET "):
        yield f"was answered {answer.status_code} to a body that names what is not theirs"
    if by_path or (by_body and ask.by_words):
        of_nobody = ask.of_nobody(hidden)
        nobodys = await _after_another(world, operation, of_nobody, prober.headers)
        if _kind(answer, ask) != _kind(nobodys, of_nobody):
            yield f"can tell {_told(answer)} from what does not exist: {_told(nobodys)}"


async def _at_home(world: World, watch: Watch, operation: str, ask: Ask, prober: Prober) -> AsyncIterator[str]:
    """One's own site with somebody else's things; words to look for aside, which find nothing there."""
    if (ask.named_in_path | ask.named_to_change) & watch.hidden_from(prober) and not ask.by_words:
        async for what in _in_scope(world, watch, operation, ask, prober):
            yield what


def _kind(answer: httpx.Response, ask: Ask) -> tuple[object, ...]:
    """What tells two answers apart: status and code of an error, everything of another, the words asked for aside."""
    if not answer.is_success:
        return error_code(answer)
    asked_for = "|".join([rf"{MARK}[0-9a-z-]*", *map(re.escape, sorted(ask.named))])
    return answer.status_code, re.sub(asked_for, "", answer.text)


def _told(answer: httpx.Response) -> str:
    return f"{answer.status_code} {answer.text[:150]}"


async def _after_another(world: World, operation: str, ask: Ask, headers: Mapping[str, str]) -> httpx.Response:
    """On the connection that has just shown the whole tenant to whoever may see it."""
    async with world.database.transaction(Context(tenant=str(world.a))) as session:
        assert (await session.execute(text("select count(*) from miners"))).scalar_one() > 0
    return await send(world.api, operation, ask, headers)

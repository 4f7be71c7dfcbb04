"""Every answer that a test gets from the application is validated against the OpenAPI document."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.protocols import Validator
from starlette.types import Message, Receive, Scope, Send

from hashinsight.app import Application

Schema = dict[str, Any]

_NOT_DOCUMENTED = (405, 499)  # another method, and a caller who went away
_NO_BODY = (204, 304)
_MAX_SHOWN = 20
_NEARLY_ALL = 100  # operations: fewer in a run of some of the tests
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?")
_SCHEMA, _RESPONSE = "#/components/schemas/", "#/components/responses/"
_formats = FormatChecker(["uuid", "date", "ipv4"])
_serve = Application.__call__
faults: list[str] = []
answers: Counter[tuple[str, str]] = Counter()  # by operation and status


def _is_time_in_utc(value: object) -> bool:
    return not isinstance(value, str) or (value.endswith("Z") and _TIME.fullmatch(value[:-1]) is not None)


_formats.checks("date-time")(_is_time_in_utc)


class Operation(NamedTuple):
    name: str
    path: re.Pattern[str]
    responses: dict[str, Any]


@cache
def document() -> dict[str, Any]:
    return Application().openapi()


def responses_of(operation: dict[str, Any]) -> dict[str, Any]:
    """By status, without references."""
    shared = document()["components"]["responses"]
    return {
        status: shared[response["$ref"].removeprefix(_RESPONSE)] if "$ref" in response else response
        for status, response in operation["responses"].items()
    }


@cache
def operations(method: str) -> list[Operation]:
    return [
        Operation(f"{method} {path}", _pattern(path), responses_of(operation))
        for path, item in document()["paths"].items()
        if (operation := item.get(method.lower()))
    ]


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile("[^/]+".join(re.escape(part) for part in re.split(r"{\w+}", path)))


@cache
def validator(name: str, status: str) -> Validator | None:
    """Of the JSON answer of an operation; None where it is documented in other media types alone."""
    operation = next(known for known in operations(name.partition(" ")[0]) if known.name == name)
    content = operation.responses[status].get("content", {}).get("application/json")
    return content and Draft202012Validator(_closed(content["schema"]), format_checker=_formats)


def _closed(schema: Schema, inside: frozenset[str] = frozenset()) -> Schema:
    """The schema without references, in which an object has no properties but those that it names.

    `inside`: the named schemas around it. One that contains itself is checked once.
    """
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_SCHEMA)
        return {} if name in inside else _named(name, inside)
    closed = dict(schema)
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            closed[word] = [_closed(part, inside) for part in schema[word]]
    for word in ("items", "additionalProperties", "propertyNames"):
        if isinstance(schema.get(word), dict):
            closed[word] = _closed(schema[word], inside)
    if "properties" in schema:
        closed["properties"] = {name: _closed(part, inside) for name, part in schema["properties"].items()}
        closed.setdefault("additionalProperties", False)
    return closed


@cache
def _named(name: str, inside: frozenset[str]) -> Schema:
    return _closed(document()["components"]["schemas"][name], inside | {name})


def check(method: str, path: str, status: int, media_type: str, body: bytes) -> Iterator[str]:
    """What is wrong with an answer."""
    operation = next((known for known in operations(method) if known.path.fullmatch(path)), None)
    if operation is None or status in _NOT_DOCUMENTED:
        return
    answers[operation.name, str(status)] += 1
    response = operation.responses.get(str(status))
    if response is None:
        yield f"{operation.name} answered {status}, which is not documented: {body[:200]!r}"
    elif status in _NO_BODY:
        if body:
            yield f"{operation.name} answered {status} with a body"
    elif media_type not in response["content"]:
        yield f"{operation.name} answered {status} as {media_type}, which is not documented"
    elif validates := validator(operation.name, str(status)) if media_type == "application/json" else None:
        for error in validates.iter_errors(json.loads(body)):
            yield f"{operation.name} {status} {error.json_path}: {error.message[:300]}"


async def _serve_checked(app: Application, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] != "http":
        await _serve(app, scope, receive, send)
        return
    status, media_type, parts = 0, "", list[bytes]()

    async def watched(message: Message) -> None:
        nonlocal status, media_type
        if message["type"] == "http.response.start":
            status = message["status"]
            media_type = dict(message["headers"]).get(b"content-type", b"").decode().partition(";")[0]
        elif message["type"] == "http.response.body":
            if media_type == "application/json":
                parts.append(message.get("body", b""))
            if not message.get("more_body"):
                faults.extend(check(scope["method"], scope["path"], status, media_type, b"".join(parts)))
        await send(message)

    await _serve(app, scope, receive, watched)


class AnswerCheck:
    """Fails the test that got an answer which is not as documented; at the end, says which operations had no call."""

    def pytest_configure(self) -> None:
        Application.__call__ = _serve_checked  # type: ignore[method-assign, assignment]

    @pytest.fixture(autouse=True)
    def _answers_are_as_documented(self) -> Iterator[None]:
        yield
        wrong = list(dict.fromkeys(faults))
        faults.clear()
        if wrong:
            pytest.fail("\n".join(("answers that are not as documented:", *wrong[:_MAX_SHOWN])))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["answers"] = [[*key, count] for key, count in answers.items()]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        for name, status, count in getattr(node, "workeroutput", {}).get("answers", []):
            answers[name, status] += count

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        called = {name for name, _ in answers}
        every = {f"{method.upper()} {path}" for path, item in document()["paths"].items() for method in item}
        terminalreporter.write_line(f"{answers.total()} answers of {len(called)} of {len(every)} operations validated")
        if _NEARLY_ALL < len(called) < len(every):
            terminalreporter.write_line(f"operations that no test called: {', '.join(sorted(every - called))}")

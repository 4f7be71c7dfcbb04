"""The OpenAPI document: who may call each route, and every error that it can answer.

`python -m hashinsight.app.openapi` prints it without a running installation, for the console's types.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.routing import BaseRoute

from hashinsight.collectors.access import collector_caller
from hashinsight.identity.access import ACCESS_COOKIE, CSRF_HEADER, authenticate
from hashinsight.kit.web.error_handlers import COLLECTOR_PATHS
from hashinsight.kit.web.responses import CollectorErrorAnswer, ErrorAnswer, errors

_PERSON_TOKEN, _API_KEY, _COOKIE, _CSRF = "person_token", "api_key", "console_cookie", "csrf_token"
_COLLECTOR_TOKEN, _COLLECTOR_KEY, _METRICS_TOKEN = "collector_token", "collector_key", "metrics_token"
_SCHEMES = {
    _PERSON_TOKEN: {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "Access token of a signed-in person, from `POST /api/v1/auth/login`",
    },
    _API_KEY: {
        "type": "apiKey",
        "in": "header",
        "name": "X-API-Key",
        "description": "API key of an integration. Routes reserved for people return 403 `PERSON_REQUIRED`",
    },
    _COOKIE: {
        "type": "apiKey",
        "in": "cookie",
        "name": ACCESS_COOKIE,
        "description": "Access token in the console's cookie. Write requests also need `csrf_token`",
    },
    _CSRF: {
        "type": "apiKey",
        "in": "header",
        "name": CSRF_HEADER,
        "description": "Sent with `console_cookie`; returned by login",
    },
    _COLLECTOR_TOKEN: {
        "type": "http",
        "scheme": "bearer",
        "description": "Token of a collector, from `POST /api/edge/v1/register`",
    },
    _COLLECTOR_KEY: {
        "type": "apiKey",
        "in": "header",
        "name": "X-Collector-Key",
        "description": "The collector's token, for collectors that send it in this header",
    },
    _METRICS_TOKEN: {
        "type": "http",
        "scheme": "bearer",
        "description": "HASHINSIGHT_METRICS_TOKEN. Without it, metrics are available on this machine only",
    },
}
_SAFE = ("get", "head", "options")
_WITHOUT_RATE_LIMIT = ("/healthz", "/readyz")
_SCHEMA, _RESPONSE = "#/components/schemas/", "#/components/responses/"
_ERRORS = (ErrorAnswer, CollectorErrorAnswer)
_GENERATED = ("HTTPValidationError", "ValidationError")  # FastAPI's error format, which is never sent


def describe(document: dict[str, Any], routes: Sequence[BaseRoute]) -> dict[str, Any]:
    """Complete FastAPI's document: security, common errors, our error format."""
    for route in iter_route_contexts(routes):
        endpoint = route.original_route
        if isinstance(endpoint, APIRoute) and endpoint.include_in_schema:
            for method in map(str.lower, route.methods or ()):
                operation = document["paths"][route.path_format][method]
                statuses = set() if method in _SAFE else {413}  # also where no body is expected
                if endpoint.body_field:
                    statuses |= {400}
                _describe_operation(operation, route.path_format or "", _security(endpoint, method), statuses)
    components = document["components"]
    components["securitySchemes"] = _SCHEMES
    components["responses"] = _share_errors(document["paths"])
    for model in _ERRORS:
        components["schemas"][model.__name__] = model.model_json_schema(ref_template=_SCHEMA + "{model}")
    for name in _GENERATED:
        components["schemas"].pop(name, None)
    components["schemas"] = dict(sorted(components["schemas"].items()))
    return document


def _describe_operation(
    operation: dict[str, Any], path: str, security: list[dict[str, list[str]]], statuses: set[int]
) -> None:
    statuses |= {500}
    if path not in _WITHOUT_RATE_LIMIT:
        statuses |= {429, 503}
    if security:
        operation["security"] = security
        statuses |= {401, 403}
    # a collector's call may be refused for its headers
    if "requestBody" in operation or "422" in operation["responses"] or path.startswith(COLLECTOR_PATHS):
        statuses |= {422}
    model = CollectorErrorAnswer if path.startswith(COLLECTOR_PATHS) else ErrorAnswer
    added = errors(*(statuses - {int(status) for status in operation["responses"] if status != "422"}))
    for status, response in added.items():
        operation["responses"][str(status)] = {"description": response["description"]}
    for status, response in operation["responses"].items():
        if (status.isdecimal() and int(status) in added) or _is_error(response):
            response["content"] = {"application/json": {"schema": {"$ref": _SCHEMA + model.__name__}}}
    operation["responses"] = dict(sorted(operation["responses"].items()))


def _share_errors(paths: dict[str, Any]) -> dict[str, Any]:
    """Put a reference in place of every error response; returns the responses: `Error404`, `CollectorError404` …"""
    shared: dict[str, Any] = {}
    for item in paths.values():
        for operation in item.values():
            for status, response in operation["responses"].items():
                for model in _ERRORS:
                    name = f"{model.__name__.removesuffix('Answer')}{status}"
                    if _is_error(response, model) and shared.setdefault(name, response) == response:
                        operation["responses"][status] = {"$ref": _RESPONSE + name}
    return dict(sorted(shared.items()))


def _is_error(response: dict[str, Any], model: type[ErrorAnswer] = ErrorAnswer) -> bool:
    schema = response.get("content", {}).get("application/json", {}).get("schema", {})
    return bool(schema.get("$ref") == _SCHEMA + model.__name__)


def _security(route: APIRoute, method: str) -> list[dict[str, list[str]]]:
    """Alternatives: any one of these is enough."""
    calls = set(_dependencies(route.dependant))
    if authenticate in calls:
        cookie: dict[str, list[str]] = {_COOKIE: []} if method in _SAFE else {_COOKIE: [], _CSRF: []}
        return [{_PERSON_TOKEN: []}, {_API_KEY: []}, cookie]
    if collector_caller in calls:
        return [{_COLLECTOR_TOKEN: []}, {_COLLECTOR_KEY: []}]
    return [{_METRICS_TOKEN: []}, {}] if route.path == "/metrics" else []


def _dependencies(dependant: Dependant) -> Iterator[Callable[..., Any] | None]:
    yield dependant.call
    for dependency in dependant.dependencies:
        yield from _dependencies(dependency)


if __name__ == "__main__":
    from hashinsight.app import Application

    # without the version, so that a release changes no types
    json.dump(Application().openapi() | {"info": {"title": "HashInsight", "version": "0"}}, sys.stdout)

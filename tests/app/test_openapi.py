"""The OpenAPI document: valid, complete about errors and security, and stable for client generators."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.routing import iter_route_contexts
from openapi_spec_validator import OpenAPIV31SpecValidator

from hashinsight.app import Application
from tests.answers import document, responses_of
from tests.isolation.exceptions import OPEN

Operation = tuple[str, str, dict[str, Any]]
COLLECTORS = ("/api/edge/", "/api/collector/", "/hosting/api/")
# routes that read their body themselves, and answer 422 about it
READ_BY_HAND = (
    "/api/edge/v1/telemetry/batch",
    "/api/collector/upload",
    "/api/edge/v1/commands/ack/batch",
    "/api/edge/v1/commands/{command_id}/ack",
    "/api/collector/commands/{command_id}/result",
    "/api/collector/commands/ack",
    "/api/admin/v1/miners/import",
)


def operations() -> Iterator[Operation]:
    for path, item in document()["paths"].items():
        for method, operation in item.items():
            yield method.upper(), path, operation


def documented_errors() -> Iterator[tuple[str, dict[str, Any], list[str]]]:
    """Path, operation and its error statuses; `/readyz` answers 503 with its own model."""
    for _, path, operation in operations():
        own = {"503"} if path == "/readyz" else set()
        yield path, operation, [status for status in operation["responses"] if int(status) >= 400 and status not in own]


def schema_of(response: dict[str, Any]) -> Any:
    return response["content"]["application/json"]["schema"].get("$ref", "").rpartition("/")[2]


def test_the_document_is_valid() -> None:
    OpenAPIV31SpecValidator(document()).validate()


def test_operation_ids_are_the_names_of_the_functions_and_unique() -> None:
    names = {(method, route.path): route.name for route in iter_route_contexts(Application().routes)
             for method in route.methods or ()}  # fmt: skip
    ids = [operation["operationId"] for _, _, operation in operations()]
    assert len(ids) == len(set(ids)) > 100
    for method, path, operation in operations():
        prefix = "hosting_" if path.startswith("/hosting/") else ""  # the same functions by their older paths
        assert operation["operationId"] == f"{prefix}{names[method, path]}"


def test_every_operation_has_a_description() -> None:
    assert [path for _, path, operation in operations() if not operation.get("description")] == []


def test_every_operation_documents_its_credentials() -> None:
    schemes = document()["components"]["securitySchemes"]
    for method, path, operation in operations():
        accepted = [set(requirement) for requirement in operation.get("security", [])]
        assert set().union(*accepted) <= schemes.keys()
        if f"{method} {path}" in OPEN and path != "/metrics":
            assert accepted == []
        elif path == "/metrics":
            assert accepted == [{"metrics_token"}, set()], "without the token, for callers on the same machine"
        elif path.startswith(("/api/edge/", "/api/collector/")):
            assert accepted == [{"collector_token"}, {"collector_key"}]
        else:
            cookie = {"console_cookie"} if method == "GET" else {"console_cookie", "csrf_token"}
            assert accepted == [{"person_token"}, {"api_key"}, cookie], path


@pytest.mark.parametrize("status", ["400", "401", "403", "413", "422", "429", "500", "503"])
def test_common_errors_are_documented_wherever_they_can_occur(status: str) -> None:
    for method, path, operation in operations():
        can_occur = {
            "400": "requestBody" in operation and path not in READ_BY_HAND,
            "401": "security" in operation,
            "403": "security" in operation,
            "413": method not in ("GET", "HEAD"),
            "422": "requestBody" in operation or bool(operation.get("parameters")),
            "500": True,
            "429": path not in ("/healthz", "/readyz"),
            "503": path not in ("/healthz", "/readyz"),
        }[status]
        assert not can_occur or status in operation["responses"], path


def test_every_error_is_documented_in_the_form_in_which_it_is_sent() -> None:
    assert "HTTPValidationError" not in document()["components"]["schemas"]
    for path, operation, statuses in documented_errors():
        model = "CollectorErrorAnswer" if path.startswith(COLLECTORS) else "ErrorAnswer"
        assert {schema_of(responses_of(operation)[status]) for status in statuses} == {model}, path


def test_every_error_stands_once_and_is_referred_to_by_its_status() -> None:
    referred = set()
    for path, operation, statuses in documented_errors():
        for status in statuses:
            name = f"{'CollectorError' if path.startswith(COLLECTORS) else 'Error'}{status}"
            assert operation["responses"][status] == {"$ref": f"#/components/responses/{name}"}, path
            referred.add(name)
    assert list(document()["components"]["responses"]) == sorted(referred)


def test_buckets_of_the_history_have_the_efficiency_and_evidence_has_its_own_fields() -> None:
    schemas = document()["components"]["schemas"]
    assert "efficiency_j_th" in schemas["BucketPoint"]["required"]
    evidence = schemas["Problem"]["properties"]["evidence_json"]["items"]
    assert evidence["required"] == ["rule_code"]
    assert {"metric", "threshold", "baseline", "sensor", "limit_source", "robust_z", "peers"} <= evidence[
        "properties"
    ].keys()
    assert "unit" in schemas["ParamProperty"]["properties"]

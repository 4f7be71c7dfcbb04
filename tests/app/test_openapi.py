from typing import Any

import httpx


def has_example(document: dict[str, Any], content: dict[str, Any]) -> bool:
    """An example on the content itself, or on the schema that it refers to."""
    for kind in content.values():
        schema = kind.get("schema", {})
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
        if {"example", "examples"} & (kind.keys() | schema.keys()):
            return True
    return False


async def test_every_route_of_the_document_has_examples_and_a_description(client: httpx.AsyncClient) -> None:
    document = (await client.get("/openapi.json")).json()
    operations = [
        (f"{method} {path}", operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]
    assert len(operations) > 20
    for name, operation in operations:
        good = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
        shown = [answer.get("content", {}) for answer in good]
        assert any(not content or has_example(document, content) for content in shown), name
        if "requestBody" in operation:
            assert has_example(document, operation["requestBody"]["content"]), name
        assert operation.get("description"), name

from typing import Any

import httpx


def has_example(content: dict[str, Any]) -> bool:
    return any("example" in kind or "examples" in kind for kind in content.values())


async def test_every_route_of_the_document_has_an_example_answer_and_a_description(client: httpx.AsyncClient) -> None:
    document = (await client.get("/openapi.json")).json()
    operations = [
        (f"{method} {path}", operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]
    assert operations
    for name, operation in operations:
        good = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
        assert any(has_example(answer.get("content", {})) or not answer.get("content") for answer in good), name
        if "requestBody" in operation:
            assert has_example(operation["requestBody"]["content"]), name
        assert operation.get("description"), name

"""Examples for the OpenAPI document: what an operation answers when all is well."""

from typing import Any


def answers(example: Any, status: int = 200, description: str = "") -> dict[int | str, dict[str, Any]]:
    """For a route's `responses`: the good answer with its example."""
    content = {"application/json": {"example": example}}
    return {status: {"description": description or "As asked", "content": content}}

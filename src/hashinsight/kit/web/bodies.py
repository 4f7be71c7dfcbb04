"""Request bodies: unknown fields are refused; each has an example in the OpenAPI document."""

from typing import Any

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """A body from a person: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


def example(**fields: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [fields]})


def form(**fields: Any) -> ConfigDict:
    """For a body whose route uses `body`. Errors do not repeat the input."""
    return ConfigDict(extra="forbid", hide_input_in_errors=True, json_schema_extra={"examples": [fields]})

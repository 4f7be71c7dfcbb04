"""What goes over the wire about the inventory, one file a subject."""

from typing import Any

from pydantic import BaseModel, ConfigDict

WHEN = "2026-03-01T12:00:00Z"


def example(**fields: Any) -> ConfigDict:
    return ConfigDict(
        extra="forbid", allow_inf_nan=False, str_strip_whitespace=True, json_schema_extra={"examples": [fields]}
    )


def example_of(model: type[BaseModel]) -> Any:
    extra = model.model_config["json_schema_extra"]
    if not isinstance(extra, dict) or not isinstance(extra["examples"], list):
        raise TypeError(f"{model.__name__} has no example")
    return extra["examples"][0]

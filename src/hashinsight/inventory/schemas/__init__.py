"""Bodies and answers of the routes, one file a subject."""

from typing import Any

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """A request's body: unknown fields are errors, numbers are finite, texts are stripped."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, str_strip_whitespace=True)


def example(**fields: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [fields]})

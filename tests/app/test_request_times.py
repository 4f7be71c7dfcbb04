"""Every time in a request body is checked before it is used: the calendar's ends in another zone are no time in UTC."""

from typing import Any, get_args

from fastapi.routing import iter_route_contexts
from pydantic import BaseModel

from hashinsight.app import Application


def models_in(given: Any) -> set[type[BaseModel]]:
    """The model and all that it contains."""
    found: set[type[BaseModel]] = set()
    open_types = [given]
    while open_types:
        kind = open_types.pop()
        if isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in found:
            found.add(kind)
            open_types += [field.annotation for field in kind.model_fields.values()]
        open_types += get_args(kind)
    return found


def test_every_time_in_a_request_body_has_a_check_of_its_range() -> None:
    bodies = [getattr(context, "body_field", None) for context in iter_route_contexts(Application().routes)]
    models = {model for body in bodies if body is not None for model in models_in(body.field_info.annotation)}
    times = {
        f"{model.__name__}.{name}": f"{field.annotation} {field.metadata}"
        for model in models
        for name, field in model.model_fields.items()
        if "datetime" in f"{field.annotation} {field.metadata}".lower()
    }
    assert {"SetMaintenance.from_at", "NewKeyBody.expires_at", "HeartbeatBody.sent_at"} <= set(times)
    assert {name for name, text in times.items() if "AfterValidator" not in text} == set()

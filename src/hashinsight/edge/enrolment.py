"""Enrol: a one-time code becomes this box's token, which passes through nobody's hands."""

import os

from hashinsight import __version__
from hashinsight.edge.cloud.answers import Answer, Kind
from hashinsight.edge.cloud.client import Line
from hashinsight.edge.fault_log import Say
from hashinsight.edge.settings import Settings, SettingsError
from hashinsight.edge.settings_file import device_id, make_state_dir
from hashinsight.edge.storage.disk import write_durably


async def enrol(settings: Settings, code: str) -> dict[str, str]:
    """How the collector stands, as the cloud tells it. A code is good once: what can be wrong is looked at before."""
    if not settings.cloud.url:
        raise SettingsError("the edge needs to know its cloud: set HASHINSIGHT_EDGE_CLOUD_URL, or url of [cloud]")
    if not code or not code.isascii() or not code.isprintable():
        raise SettingsError("an enrolment code is needed, as `hashinsight collector create … --enrol` prints it")
    _check_place(settings)
    answer = await _register(settings, code)
    if answer.kind is not Kind.DELIVERED:
        raise SettingsError(f"not enrolled: {answer.code or settings.cloud.url}, {answer.reason}")
    token = answer.body.get("token")
    if not isinstance(token, str) or not token:
        raise SettingsError("not enrolled: the cloud's answer holds no token; ask for a new code")
    try:
        write_durably(settings.token_path, f"{token}\n".encode())
    except OSError as problem:
        raise SettingsError(
            f"the token could not be written to {settings.token_path} ({problem.strerror}): ask for a new code"
        ) from None
    return {name: str(answer.body.get(name)) for name in ("collector_id", "status", "site_id", "token_expires_at")}


def _check_place(settings: Settings) -> None:
    make_state_dir(settings)
    path = settings.token_path
    if path.exists():
        raise SettingsError(f"there is a token in {path} already: to enrol this box anew, remove it first")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise SettingsError(f"this user may not write the token to {path}")


async def _register(settings: Settings, code: str) -> Answer:
    name = device_id(settings)
    line = Line(settings, name, Say(lambda: 0.0), token="")
    try:
        return await line.post("/register", {"enrolment_code": code, "version": __version__, "device_id": name})
    finally:
        await line.aclose()

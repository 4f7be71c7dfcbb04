"""Enrolment: a one-time code becomes this collector's token; nobody has to copy a token by hand."""

import os

from hashinsight import __version__
from hashinsight.edge.cloud.answers import Answer, AnswerKind
from hashinsight.edge.cloud.client import CloudClient
from hashinsight.edge.fault_log import FaultLog
from hashinsight.edge.settings import Settings, SettingsError
from hashinsight.edge.settings_file import get_device_id, make_state_dir
from hashinsight.edge.storage.disk import replace_file


async def enrol(settings: Settings, code: str) -> dict[str, str]:
    """Returns the collector's state in the cloud. A code works once, so everything else is checked first."""
    if not settings.cloud.url:
        raise SettingsError("no cloud address: set HASHINSIGHT_EDGE_CLOUD_URL, or url in [cloud]")
    if not code or not code.isascii() or not code.isprintable():
        raise SettingsError("no enrolment code: `hashinsight collector create … --enrol` prints one")
    _check_token_path(settings)
    answer = await _register(settings, code)
    if answer.kind is not AnswerKind.DELIVERED:
        raise SettingsError(f"not enrolled: {answer.code or settings.cloud.url}, {answer.reason}")
    token = answer.body.get("token")
    if not isinstance(token, str) or not token:
        raise SettingsError("not enrolled: the cloud's answer has no token; request a new code")
    try:
        replace_file(settings.token_path, f"{token}\n".encode(), durably=True)
    except OSError as error:
        raise SettingsError(
            f"cannot write the token to {settings.token_path} ({error.strerror}): request a new code"
        ) from None
    return {name: str(answer.body.get(name)) for name in ("collector_id", "status", "site_id", "token_expires_at")}


def _check_token_path(settings: Settings) -> None:
    make_state_dir(settings)
    path = settings.token_path
    if path.exists():
        raise SettingsError(f"there is already a token in {path}: to enrol this device again, remove it first")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise SettingsError(f"this user may not write the token file {path}")


async def _register(settings: Settings, code: str) -> Answer:
    device_id = get_device_id(settings)
    client = CloudClient(settings, device_id, FaultLog(lambda: 0.0), token="")
    try:
        return await client.post("/register", {"enrolment_code": code, "version": __version__, "device_id": device_id})
    finally:
        await client.aclose()

"""Every operation of the OpenAPI document, whoever adds it: nobody enters without credentials, or with forged ones."""

import re

import httpx
import pytest

from hashinsight.kit.ids import new_id

# what a stranger may call, each with its reason
OPEN = {
    "GET /healthz": "liveness",
    "GET /readyz": "readiness",
    "GET /metrics": "has a guard of its own",
    "POST /api/v1/auth/login": "the door itself",
    "POST /api/v1/auth/refresh": "the token is in the body",
    "POST /api/edge/v1/register": "the enrolment code is in the body",
}


def filled(path: str) -> str:
    """A path with something plausible in place of each parameter."""
    path = re.sub(r"\{(site_id|zone_id|rack_id|node_id|group_id)\}", "1", path)
    return re.sub(r"\{[^}]+\}", str(new_id()), path)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer forged"},
        {"X-API-Key": "hi_api_forged"},
        {"X-Collector-Key": "hi_collector_forged"},
        {"Cookie": "hi_access=forged"},
    ],
    ids=["anonymous", "forged token", "forged key", "forged collector key", "forged cookie"],
)
async def test_no_operation_is_open_to_strangers(api: httpx.AsyncClient, headers: dict[str, str]) -> None:
    document = (await api.get("/openapi.json")).json()
    operations = [(method.upper(), path) for path, item in document["paths"].items() for method in item]
    assert len(operations) > 80
    assert set(OPEN) <= {f"{method} {path}" for method, path in operations}
    wrong = []
    for method, path in operations:
        if f"{method} {path}" in OPEN:
            continue
        answer = await api.request(method, filled(path), headers=headers)
        if answer.status_code != 401:
            wrong.append((method, path, answer.status_code))
    assert wrong == []

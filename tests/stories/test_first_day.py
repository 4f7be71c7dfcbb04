"""The first day of an installation: the owner signs in, people and machines are added, and no secret is in any log."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.forked_cli import hashinsight
from tests.installation import HANG_TIMEOUT_SEC, PLAIN, Installation, new_folder


@pytest.fixture(scope="module")
def up() -> Iterator[Installation]:
    with new_folder() as place, Installation(place, log_level="DEBUG", log_format="json") as up:
        up.wait_ready()
        yield up


def command(up: Installation, *words: str, stdin: str = "") -> Any:
    """A command against the running installation; its JSON answer."""
    done = hashinsight(*words, "--json", stdin=stdin, data_dir=up.folder.path, port=up.port)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def sign_in(up: Installation, email: str, password: str) -> dict[str, Any]:
    answer = httpx.post(
        f"{up.url}/api/v1/auth/login",
        json={"email": email, "password": password},
        timeout=HANG_TIMEOUT_SEC,
        verify=PLAIN,
    )
    assert answer.status_code == 200, answer.text
    tokens: dict[str, Any] = answer.json()
    return tokens


def secrets_in(up: Installation, canaries: list[str]) -> list[str]:
    """Which of these appear in what any process said or wrote to a log."""
    logs = [file.read_text(errors="replace") for file in up.folder.logs.rglob("*.log")]
    assert len(logs) >= 2
    output = "\n".join([up.output, *logs])
    return [canary for canary in canaries if canary in output]


def first_login(up: Installation) -> tuple[str, str]:
    match = re.search(r"sign in as (\S+) with the password (\S+) \(shown once\)", up.output)
    assert match is not None, up.output
    return match[1], match[2]


def test_the_first_start_tells_how_to_sign_in_and_a_later_one_does_not(up: Installation) -> None:
    email, password = first_login(up)
    tokens = sign_in(up, email, password)
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    me = httpx.get(f"{up.url}/api/v1/auth/me", headers=headers, timeout=HANG_TIMEOUT_SEC, verify=PLAIN).json()
    (grant,) = me["grants"]
    assert grant.pop("may") == me["may"]
    assert grant == {"role": "Owner", "site_ids": None, "zone_ids": None, "group_ids": None, "touches": None}
    assert up.output.count("shown once") == 1


def test_tenants_users_and_keys_are_made_from_the_command_line(up: Installation) -> None:
    tenant = command(up, "tenant", "create", "--name", "Second")
    assert {one["name"] for one in command(up, "tenant", "list")} == {"My fleet", "Second"}
    words = ("--tenant", "Second", "--email", "noc@second.example", "--role", "NOC")
    user = command(up, "user", "create", *words, stdin="a phrase for the shift\n")
    assert user["tenant_id"] == tenant["id"]
    sign_in(up, "noc@second.example", "a phrase for the shift")
    who = ("--email", "noc@second.example")
    command(up, "user", "disable", *who)
    refused = httpx.post(
        f"{up.url}/api/v1/auth/login",
        json={"email": "noc@second.example", "password": "a phrase for the shift"},
        timeout=HANG_TIMEOUT_SEC,
        verify=PLAIN,
    )
    assert refused.status_code == 401
    command(up, "user", "enable", *who)
    command(up, "user", "unlock", *who)
    more = command(up, "grant", "create", *who, "--role", "OpsManager")
    assert {one["role"] for one in command(up, "grant", "list", *who)} == {"NOC", "OpsManager"}
    command(up, "grant", "delete", more["id"])
    assert command(up, "user", "reset-totp", *who)["has_totp"] is False
    assert command(up, "tenant", "change", "--tenant", "Second", "--require-totp")["require_totp"] is True
    assert command(up, "tenant", "change", "--tenant", "Second", "--no-require-totp")["require_totp"] is False
    command(up, "user", "password", "--email", "noc@second.example", stdin="another phrase for it\n")
    sign_in(up, "noc@second.example", "another phrase for it")
    key = command(up, "key", "create", "--tenant", "Second", "--name", "grafana", "--role", "Owner")
    users = f"{up.url}/api/admin/v1/users"
    assert (
        httpx.get(users, headers={"X-API-Key": key["key"]}, timeout=HANG_TIMEOUT_SEC, verify=PLAIN).status_code == 200
    )
    command(up, "key", "revoke", key["id"])
    assert [one["revoked_at"] is None for one in command(up, "key", "list", "--tenant", "Second")] == [False]
    assert (
        httpx.get(users, headers={"X-API-Key": key["key"]}, timeout=HANG_TIMEOUT_SEC, verify=PLAIN).status_code == 401
    )


def test_no_secret_and_no_machines_address_is_in_any_log_of_any_process_at_debug(
    up: Installation, tmp_path: Path
) -> None:
    email, first_password = first_login(up)
    tokens = sign_in(up, email, first_password)
    owner = {"Authorization": f"Bearer {tokens['access_token']}"}

    def ask(method: str, path: str, headers: dict[str, str], **more: Any) -> httpx.Response:
        return httpx.request(method, up.url + path, headers=headers, timeout=HANG_TIMEOUT_SEC, verify=PLAIN, **more)

    site = command(up, "site", "create", "--tenant", "My fleet", "--code", "tx-canary", "--name", "Canary")
    collector = command(up, "collector", "create", "--site", "tx-canary", "--name", "edge-canary")
    assets = tmp_path / "assets.csv"
    assets.write_text("miner_id,mac\nm1,02:42:CA:4A:41:51\n")
    assert command(up, "miner", "import", "--site", "tx-canary", str(assets))["created"] == 1
    key = command(up, "key", "create", "--tenant", "My fleet", "--name", "c", "--role", "Owner")["key"]
    wrong = "wrong-CANARY-password"
    ask("POST", "/api/v1/auth/login", {}, json={"email": email, "password": wrong})
    ask("GET", "/api/v1/auth/me", {"Authorization": "Bearer forged-CANARY-token"})
    ask("GET", "/api/v1/auth/me", {"X-API-Key": "hi_api_CANARYCANARYCANARYCANARY"})
    ask("GET", "/api/admin/v1/users", {"X-API-Key": key})
    ask("GET", "/nothing?token=url-CANARY-token", owner)
    ask("GET", "/api/v1/miners/10.7.6.5/192.168.77.66", owner)
    edge = {"Authorization": f"Bearer {collector['token']}"}
    beat = {"status": "online", "extra_data": {"pool_password": "pool-CANARY-password", "miner_ip": "10.7.6.5"}}
    assert ask("POST", "/api/edge/v1/heartbeat", edge, json=beat).status_code == 200
    event = {"events": [{"kind": "miner_error", "message": "stratum+tcp://w:pool-CANARY-password@p:1 at 10.7.6.5"}]}
    assert ask("POST", "/api/edge/v1/events", edge, json=event).status_code == 200
    ask("POST", "/api/edge/v1/heartbeat", {"X-Collector-Key": "collector-CANARY-key"}, json=beat)
    body = {"email": "c@example.com", "password": "new-CANARY-password", "role": "NOC"}
    assert ask("POST", "/api/admin/v1/users", owner, json=body).status_code == 201
    ask("POST", "/api/v1/auth/refresh", {}, json={"refresh_token": tokens["refresh_token"]})

    canaries = [
        wrong,
        "forged-CANARY-token",
        "CANARYCANARY",
        "url-CANARY-token",
        "pool-CANARY-password",
        "collector-CANARY-key",
        "new-CANARY-password",
        "10.7.6.5",
        "192.168.77.66",
        "02:42:CA:4A:41:51",
        "02:42:ca:4a:41:51",
        tokens["access_token"],
        tokens["refresh_token"],
        collector["token"],
        key,
    ]
    planted = up.folder.logs / "planted.log"
    planted.write_text(f"an unscrubbed line with {canaries[4]}")
    assert secrets_in(up, canaries) == [canaries[4]], "it finds one that is there"
    planted.unlink()
    assert secrets_in(up, canaries) == []
    assert '"level": "debug"' in up.output
    assert site["code"] == "tx-canary"

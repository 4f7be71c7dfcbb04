"""Signing keys: who may add and revoke them, what is shown, what is kept, and that the switch needs one."""

from base64 import b64decode, b64encode
from typing import Any

import httpx
from sqlalchemy import text

from hashinsight.kit.db.context import job_context
from hashinsight.kit.errors import EXIT_REFUSED
from hashinsight.kit.settings import Settings
from hashinsight.wire.keys import Ed25519Key
from tests.collectors.collector_site import ADMIN, CollectorSite
from tests.collectors.test_cli import answer, command

RAW = bytes(range(32))
KEY = b64encode(RAW).decode()


async def collector_path_of(collector_site: CollectorSite) -> str:
    return f"collectors/{(await collector_site.collector())[0]}"


async def turn(collector_site: CollectorSite, collector_path: str, *, on: bool) -> httpx.Response:
    return await collector_site.api.put(
        f"{ADMIN}/{collector_path}/signing", json={"on": on}, headers=collector_site.owner
    )


async def revoke(collector_site: CollectorSite, collector_path: str, key_id: str) -> httpx.Response:
    return await collector_site.api.delete(
        f"{ADMIN}/{collector_path}/signing-keys/{key_id}", headers=collector_site.owner
    )


async def rows(collector_site: CollectorSite, query: str = "select * from collector_signing_keys") -> list[Any]:
    async with collector_site.database.transaction(job_context()) as session:
        return list((await session.execute(text(query))).all())


async def test_configs_need_the_permission_to_see_or_change_them(collector_site: CollectorSite) -> None:
    collector_path = await collector_path_of(collector_site)
    calls: list[tuple[str, str, Any]] = [
        ("GET", "signing-keys", None),
        ("POST", "signing-keys", {}),
        ("DELETE", "signing-keys/x", None),
        ("PUT", "signing", {"on": True}),
    ]
    stranger = await collector_site.people.headers("Owner", "b")
    technician = await collector_site.people.headers("Technician", "a")
    for method, path, body in calls:
        for headers, status in (({}, 401), (stranger, 404), (technician, 403)):
            made = await collector_site.api.request(
                method, f"{ADMIN}/{collector_path}/{path}", json=body, headers=headers
            )
            assert made.status_code == status, (method, path, status)
    assert await rows(collector_site) == []


async def test_of_an_ed25519_key_the_public_half_is_shown_and_the_secret_never(collector_site: CollectorSite) -> None:
    collector_path = await collector_path_of(collector_site)
    made = (await collector_site.post(f"{collector_path}/signing-keys", {"key_b64": KEY, "key_id": "cloud-1"})).json()
    public = b64encode(Ed25519Key("x", RAW).public).decode()
    assert (made["algorithm"], made["public_key"], made["secret"]) == ("ed25519", public, None)
    listed = (await collector_site.get(f"{collector_path}/signing-keys")).json()
    assert listed["signs_commands"] is False
    assert [(key["key_id"], key["public_key"]) for key in listed["keys"]] == [("cloud-1", public)]
    (stored,) = await rows(collector_site)
    (entry,) = await collector_site.audited("collector_signing_key_added")
    assert RAW not in stored.sealed
    for shown in (made, listed, entry):
        assert KEY not in str(shown)


async def test_an_hmac_secret_that_we_make_is_shown_once(collector_site: CollectorSite) -> None:
    collector_path = await collector_path_of(collector_site)
    made = (await collector_site.post(f"{collector_path}/signing-keys", {"algorithm": "hmac-sha256"})).json()
    assert len(b64decode(made["secret"])) == 32
    assert made["public_key"] is None
    given = (
        await collector_site.post(f"{collector_path}/signing-keys", {"algorithm": "hmac-sha256", "key_b64": KEY})
    ).json()
    assert given["secret"] is None
    everything = (await collector_site.get(f"{collector_path}/signing-keys")).text + str(
        await collector_site.audited("collector_signing_key_added")
    )
    assert made["secret"] not in everything
    assert KEY not in everything


async def test_a_malformed_key_is_refused_by_a_code_and_nothing_is_stored(collector_site: CollectorSite) -> None:
    collector_path = await collector_path_of(collector_site)
    bad: list[dict[str, Any]] = [
        {"key_b64": ""},
        {"key_b64": "CANARY!!"},
        {"key_b64": b64encode(bytes(31)).decode()},
        {"key_b64": b64encode(RAW + b"x").decode()},
        {"key_b64": b64encode(bytes(32)).decode()},
        {"key_id": ""},
        {"key_id": "a b"},
        {"key_id": "../x"},
        {"key_id": "x" * 65},
        {"algorithm": "rsa"},
        {"algorithm": "none"},
    ]
    for body in bad:
        refused = await collector_site.post(f"{collector_path}/signing-keys", body)
        assert (refused.status_code, refused.json()["error_code"]) == (422, "BAD_SIGNING_KEY"), body
        assert "CANARY" not in refused.text
    for body in ({"key_b64": "x" * 300}, {"algorithm": 7}, {"signs_after_sec": -1}, {"unknown": 1}):
        assert (await collector_site.post(f"{collector_path}/signing-keys", body)).status_code == 422
    assert await rows(collector_site) == []
    assert await collector_site.audited("collector_signing_key_added") == []


async def test_the_first_key_signs_at_once_and_a_later_one_after_an_hour(collector_site: CollectorSite) -> None:
    collector_path = await collector_path_of(collector_site)
    made = [(await collector_site.post(f"{collector_path}/signing-keys", {})).json() for _ in range(2)]
    stored = {row.key_id: row.signs_from for row in await rows(collector_site)}
    waits = [(stored[key["key_id"]] - collector_site.now).total_seconds() for key in made]
    assert waits == [0, 3600]


async def test_a_key_id_never_comes_again_and_there_are_at_most_ten(collector_site: CollectorSite) -> None:
    collector_path = await collector_path_of(collector_site)
    await collector_site.post(f"{collector_path}/signing-keys", {"key_id": "k"})
    assert (await revoke(collector_site, collector_path, "k")).status_code == 200
    taken = await collector_site.post(f"{collector_path}/signing-keys", {"key_id": "k"})
    assert (taken.status_code, taken.json()["error_code"]) == (409, "KEY_ID_TAKEN")
    for _ in range(10):
        assert (await collector_site.post(f"{collector_path}/signing-keys", {})).status_code == 201
    many = await collector_site.post(f"{collector_path}/signing-keys", {})
    assert (many.status_code, many.json()["error_code"]) == (409, "TOO_MANY_KEYS")


async def test_the_switch_needs_a_key_that_signs_and_keeps_its_last_one(collector_site: CollectorSite) -> None:
    collector_path = await collector_path_of(collector_site)
    assert (await turn(collector_site, collector_path, on=True)).json()["error_code"] == "NO_SIGNING_KEY"
    await collector_site.post(f"{collector_path}/signing-keys", {"key_id": "later", "signs_after_sec": 60})
    assert (await turn(collector_site, collector_path, on=True)).json()["error_code"] == "NO_SIGNING_KEY"
    await collector_site.post(f"{collector_path}/signing-keys", {"key_id": "now", "signs_after_sec": 0})
    assert (await turn(collector_site, collector_path, on=True)).json() == {"signs_commands": True}
    assert (await collector_site.shown(collector_path.split("/")[1]))["signs_commands"] is True
    last = await revoke(collector_site, collector_path, "now")
    assert (last.status_code, last.json()["error_code"]) == (409, "LAST_SIGNING_KEY")
    assert {row.revoked_at for row in await rows(collector_site)} == {None}
    collector_site.at(61)
    assert (await revoke(collector_site, collector_path, "now")).status_code == 200
    assert (await turn(collector_site, collector_path, on=False)).status_code == 200
    assert (await revoke(collector_site, collector_path, "later")).status_code == 200
    assert (await turn(collector_site, collector_path, on=False)).status_code == 200
    turned = await collector_site.audited("collector_signing_turned")
    assert [entry.after["signs_commands"] for entry in turned] == [True, False]


async def test_of_a_revoked_key_the_secret_is_gone_and_the_public_half_stays(collector_site: CollectorSite) -> None:
    collector_path = await collector_path_of(collector_site)
    await collector_site.post(f"{collector_path}/signing-keys", {"key_id": "k"})
    (key,) = (await revoke(collector_site, collector_path, "k")).json()["keys"]
    assert key["public_key"]
    assert key["revoked_at"]
    (stored,) = await rows(collector_site)
    assert stored.sealed is None
    again = await revoke(collector_site, collector_path, "k")
    assert (again.status_code, again.json()["error_code"]) == (404, "NOT_FOUND")
    assert len(await collector_site.audited("collector_signing_key_revoked")) == 1


def test_the_command_line_adds_lists_revokes_and_turns(collector_site: CollectorSite, settings: Settings) -> None:
    assert collector_site.site_id
    answer(settings, "create", "--site", "tx-1", "--name", "north")
    made = answer(settings, "signing-key", "north", "--key-id", "one")
    assert len(b64decode(made["public_key"])) == 32
    assert "secret" not in made
    shared = answer(settings, "signing-key", "north", "--algorithm", "hmac-sha256", "--signs-after-sec", "0")
    assert len(b64decode(shared["secret"])) == 32
    given = command(settings, "signing-key", "north", "--stdin", "--json", stdin=KEY + "\n")
    assert given.returncode == 0, given.stderr
    assert KEY not in given.stdout
    bad = command(settings, "signing-key", "north", "--stdin", stdin="CANARY")
    assert (bad.returncode, "CANARY" in bad.stderr) == (EXIT_REFUSED, False)
    assert answer(settings, "signing", "north", "on")["signs_commands"] is True
    assert answer(settings, "signing-key", "north", "--revoke", "one")["revoked"] == "one"
    listed = answer(settings, "signing-keys", "north")
    assert len([key for key in listed["keys"] if key["revoked_at"] is None]) == 2
    assert "hmac-sha256" in command(settings, "signing-keys", "north").stdout
    assert answer(settings, "signing", "north", "off")["signs_commands"] is False

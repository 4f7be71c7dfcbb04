"""`hashinsight collector …`, as a process of its own on the database of the test."""

import json
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hashinsight.cli.context import shell_user
from hashinsight.kit.errors import EXIT_REFUSED
from hashinsight.kit.settings import Settings
from tests.collectors.collector_site import EDGE, CollectorSite
from tests.forked_cli import hashinsight


def command(settings: Settings, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    assert settings.database_url is not None
    place = {"database_url": settings.database_url.get_secret_value(), "data_dir": settings.data_dir}
    return hashinsight("collector", *arguments, stdin=stdin, **place)


def answer(settings: Settings, *arguments: str) -> Any:
    done = command(settings, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def test_a_life_of_a_collector_from_the_command_line(collector_site: CollectorSite, settings: Settings) -> None:
    made = answer(settings, "create", "--site", "tx-1", "--name", "north")
    assert (await collector_site.call(made["token"])).status_code == 200
    rotated = answer(settings, "rotate", "north", "--overlap-sec", "0")
    collector_site.at(900)  # the command line goes by the real clock, which a busy machine stretches
    assert (await collector_site.call(made["token"])).status_code == 401
    assert (await collector_site.call(rotated["token"])).status_code == 200
    assert answer(settings, "disable", made["id"])["status"] == "disabled"
    assert (await collector_site.call(rotated["token"])).status_code == 403
    assert answer(settings, "enable", "north")["status"] == "active"
    assert answer(settings, "revoke", "north")["revoked"] == 2
    assert (await collector_site.call(rotated["token"])).status_code == 401
    (row,) = answer(settings, "list")["collectors"]
    assert (row["id"], row["name"]) == (made["id"], "north")
    assert (row["site_id"], row["site_code"]) == (collector_site.site_id, "tx-1")
    (entry,) = await collector_site.audited("collector_created")
    assert (entry.actor_kind, entry.tenant_id) == ("system", await collector_site.people.tenant_id("a"))


async def test_enrolment_from_the_command_line(collector_site: CollectorSite, settings: Settings) -> None:
    await collector_site.zone("hall")
    made = answer(settings, "create", "--site", "tx-1", "--name", "north", "--zone", "hall", "--enrol")
    assert made["status"] == "pending"
    body = {"enrolment_code": made["enrolment_code"]}
    token = (await collector_site.api.post(f"{EDGE}/register", json=body)).json()["token"]
    assert answer(settings, "approve", "north")["status"] == "active"
    assert (await collector_site.call(token)).status_code == 200


async def test_for_people_it_prints_lines_and_refuses_in_a_sentence(
    collector_site: CollectorSite, settings: Settings
) -> None:
    made = command(settings, "create", "--site", str(collector_site.site_id), "--name", "north")
    assert "token: hi_collector_" in made.stdout
    head, row = command(settings, "list", "--site", "tx-1").stdout.splitlines()
    assert head.split()[:4] == ["id", "site", "name", "status"]
    assert row.split()[1:4] == ["tx-1", "north", "active"]
    for arguments, sentence in (
        (("create", "--site", "tx-9", "--name", "x"), "there is no site tx-9."),
        (("create", "--site", "tx-1", "--name", "north"), "the site already has a collector named north."),
        (("approve", "north"), "the collector is not pending."),
        (("revoke", "nobody"), "there is no collector nobody."),
        (("list", "--site", "tx-9"), "there is no site tx-9."),
    ):
        refused = command(settings, *arguments)
        assert (refused.returncode, refused.stderr) == (EXIT_REFUSED, f"hashinsight: {sentence}\n"), arguments


async def test_a_collector_is_shown_and_changed_from_the_command_line(
    collector_site: CollectorSite, settings: Settings
) -> None:
    hall = await collector_site.zone("hall")
    collector_id, token = await collector_site.collector("north", notes="old")
    await collector_site.beat(token, {"cpu_usage": 5, "miners_online": 7, "miners_total": 8})
    changes = ("--zone", "hall", "--notes", "", "--permission", "read", "--heartbeat-interval-sec", "120")
    changed = answer(settings, "change", "north", "--name", "south", "--settings", '{"a": 1}', *changes)
    assert (changed["name"], changed["zone_id"], changed["notes"]) == ("south", hall, None)
    assert (changed["permissions"], changed["settings"]) == (["read"], {"a": 1})
    shown = answer(settings, "show", "south")
    assert (shown["id"], shown["heartbeat_interval_sec"], shown["cpu_usage"]) == (collector_id, 120, 5)
    assert shown["token"]["revoked_at"] is None
    assert answer(settings, "change", collector_id, "--zone", "")["zone_id"] is None
    assert len(await collector_site.audited("collector_changed")) == 2
    (row,) = answer(settings, "summary", "--site", "tx-1")["collectors"]
    assert (row["name"], row["active_miners"], row["pending_commands"]) == ("south", 7, 0)
    (beat,) = answer(settings, "heartbeats", "south", "--since", "2026-01-01T00:00:00")["heartbeats"]
    assert (beat["cpu_usage"], beat["miners_total"]) == (5, 8)


async def test_registration_is_opened_and_closed_from_the_command_line(
    collector_site: CollectorSite, settings: Settings
) -> None:
    await collector_site.collector("north")
    until = (datetime.now(UTC) + timedelta(hours=6)).replace(microsecond=0)
    opened = answer(settings, "change", "north", "--registration-open-until", until.isoformat())
    assert datetime.fromisoformat(opened["registration_open_until"]) == until
    closed = answer(settings, "change", "north", "--registration-open-until", "")
    assert closed["registration_open_until"] is None


async def test_a_code_for_an_existing_collector_from_the_command_line(
    collector_site: CollectorSite, settings: Settings
) -> None:
    await collector_site.collector("north", credential="nothing")
    code = answer(settings, "enrol-code", "north", "--life-hours", "2")["enrolment_code"]
    made = await collector_site.api.post(f"{EDGE}/register", json={"enrolment_code": code})
    assert made.status_code == 200, made.text


async def test_events_are_settled_from_the_command_line(collector_site: CollectorSite, settings: Settings) -> None:
    collector_id, token = await collector_site.collector("north")
    await collector_site.call(token)
    (event,) = answer(settings, "events", "list", "--collector", "north", "--kind", "registered")["events"]
    assert event["collector_id"] == collector_id
    assert answer(settings, "events", "ack", event["id"])["status"] == "acknowledged"
    assert answer(settings, "events", "resolve", event["id"])["resolved_by"] == shell_user().id
    assert answer(settings, "events", "list", "--status", "open", "--site", "tx-1")["events"] == []
    assert len(await collector_site.audited("collector_event_resolved")) == 1


async def test_configurations_are_rolled_out_from_the_command_line(
    collector_site: CollectorSite, settings: Settings, tmp_path: Path
) -> None:
    collector_id, token = await collector_site.collector("north")
    data = tmp_path / "config.json"
    data.write_text('{"collection_interval": 20}')
    made = answer(settings, "configs", "create", "--version", "v2", "--data", str(data), "--collector", "north")
    assert (made["status"], made["collector_ids"]) == ("draft", [collector_id])
    assert answer(settings, "configs", "activate", "v2")["status"] == "active"
    (row,) = answer(settings, "configs", "difference", "--site", "tx-1")["collectors"]
    assert (row["wanted_version"], row["applied_version"]) == ("v2", None)
    assert (await collector_site.call(token)).json()["version"] == "v2"
    assert answer(settings, "configs", "deprecate", made["id"])["status"] == "deprecated"
    assert {config["version"] for config in answer(settings, "configs", "list")["configs"]} == {"v1.0.0", "v2"}


async def test_the_new_commands_print_lines_and_refuse_in_a_sentence(
    collector_site: CollectorSite, settings: Settings, tmp_path: Path
) -> None:
    _, token = await collector_site.collector("north")
    await collector_site.beat(token)
    for arguments in (
        ("show", "north"),
        ("summary",),
        ("events", "list"),
        ("configs", "list"),
        ("heartbeats", "north"),
    ):
        done = command(settings, *arguments)
        assert (done.returncode, done.stderr) == (0, ""), arguments
        assert done.stdout.strip()
    data = tmp_path / "config.json"
    data.write_text("no JSON")
    for words, sentence in (
        ("show nobody", "there is no collector nobody."),
        ("summary --site tx-9", "there is no site tx-9."),
        ("summary --tenant z", "there is no tenant z."),
        ("events ack x", "x is not an id: ids look like 0195508a-0000-7000-8000-00000000000b."),
        ("events list --status shut", "shut: status is one of open, acknowledged, resolved."),
        ("configs activate v9", "there is no configuration v9."),
        ("enrol-code north", "not pending: rotate its token instead."),
        (
            f"configs create --version v2 --data {data}",
            "the settings are not JSON: the file must contain one JSON object.",
        ),
    ):
        refused = command(settings, *words.split())
        assert (refused.returncode, refused.stderr) == (EXIT_REFUSED, f"hashinsight: {sentence}\n"), words
    for words in ("change north --settings {", "heartbeats north --since soon"):
        refused = command(settings, *words.split())
        assert (refused.returncode, refused.stderr.count("\n")) == (EXIT_REFUSED, 1), refused.stderr

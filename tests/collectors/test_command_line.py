"""`hashinsight collector …`, as a process of its own on the database of the test."""

import json
import subprocess
import sys
from typing import Any

from hashinsight.kit.errors import EXIT_REFUSED
from hashinsight.kit.settings import Settings
from tests.collectors.scene import EDGE, Scene

# as __main__ does it, with the one group of commands
PROGRAM = """
import sys
from hashinsight.cli.collectors import collector_app
from hashinsight.kit.errors import EXIT_REFUSED, Refusal
try:
    collector_app()
except Refusal as refusal:
    sys.stderr.write(f"hashinsight: {refusal}\\n")
    sys.exit(EXIT_REFUSED)
"""


def command(settings: Settings, *arguments: str) -> subprocess.CompletedProcess[str]:
    assert settings.database_url is not None
    environment = {
        "HASHINSIGHT_DATABASE_URL": settings.database_url.get_secret_value(),
        "HASHINSIGHT_DATA_DIR": str(settings.data_dir),
        "PATH": "",
    }
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], env=environment, capture_output=True, text=True, check=False
    )


def answer(settings: Settings, *arguments: str) -> Any:
    done = command(settings, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def test_a_life_of_a_collector_from_the_command_line(scene: Scene, settings: Settings) -> None:
    made = answer(settings, "create", "--site", "tx-1", "--name", "north")
    assert (await scene.call(made["token"])).status_code == 200
    rotated = answer(settings, "rotate", "north", "--overlap-sec", "0")
    scene.at(60)
    assert (await scene.call(made["token"])).status_code == 401
    assert (await scene.call(rotated["token"])).status_code == 200
    assert answer(settings, "disable", made["id"])["status"] == "disabled"
    assert (await scene.call(rotated["token"])).status_code == 403
    assert answer(settings, "enable", "north")["status"] == "active"
    assert answer(settings, "revoke", "north")["revoked"] == 2
    assert (await scene.call(rotated["token"])).status_code == 401
    (row,) = answer(settings, "list")["collectors"]
    assert (row["id"], row["name"]) == (made["id"], "north")
    (entry,) = await scene.audited("collector_created")
    assert (entry.actor_kind, entry.tenant_id) == ("system", await scene.people.tenant_id("a"))


async def test_enrolment_from_the_command_line(scene: Scene, settings: Settings) -> None:
    await scene.zone("hall")
    made = answer(settings, "create", "--site", "tx-1", "--name", "north", "--zone", "hall", "--enrol")
    assert made["status"] == "pending"
    body = {"enrolment_code": made["enrolment_code"]}
    token = (await scene.api.post(f"{EDGE}/register", json=body)).json()["token"]
    assert answer(settings, "approve", "north")["status"] == "active"
    assert (await scene.call(token)).status_code == 200


async def test_for_people_it_prints_lines_and_refuses_in_a_sentence(scene: Scene, settings: Settings) -> None:
    made = command(settings, "create", "--site", str(scene.site_id), "--name", "north")
    assert "token: hi_collector_" in made.stdout
    assert "north" in command(settings, "list", "--site", "tx-1").stdout
    for arguments, sentence in (
        (("create", "--site", "tx-9", "--name", "x"), "there is no site tx-9."),
        (("create", "--site", "tx-1", "--name", "north"), "the site has a collector named north already."),
        (("approve", "north"), "the collector is not pending."),
        (("revoke", "nobody"), "there is no collector nobody."),
        (("list", "--site", "tx-9"), "there is no site tx-9."),
    ):
        refused = command(settings, *arguments)
        assert (refused.returncode, refused.stderr) == (EXIT_REFUSED, f"hashinsight: {sentence}\n"), arguments

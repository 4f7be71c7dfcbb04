"""`hashinsight command check`, as an operator runs it."""

import json
from typing import Any

from hashinsight.kit.settings import Settings
from tests.commands.command_site import CommandSite
from tests.forked_cli import hashinsight


def _check(settings: Settings, *more: str) -> Any:
    assert settings.database_url is not None
    assert settings.redis_url is not None
    return hashinsight(
        *("command", "check", *more),
        data_dir=settings.data_dir,
        database_url=settings.database_url.get_secret_value(),
        redis_url=settings.redis_url.get_secret_value(),
    )


async def test_the_check_prints_its_counts_and_its_exit_code_is_the_result(
    fleet: CommandSite, settings: Settings
) -> None:
    command_id = await fleet.make_command("set_fan", 1, params={"speed": 60})
    await fleet.ack_one((await fleet.lease_one()).dispatch_id)
    fine = _check(settings)
    assert fine.returncode == 0, fine.stderr
    assert fine.stdout == "1 command, 1 machine, 3 transitions, 0 open: all guarantees held\n"
    fleet.write("update commands set state = 'failed' where command_id = %s", command_id)
    broken = _check(settings, "--json", "--tenant", "a")
    assert broken.returncode == 1
    report = json.loads(broken.stdout)
    assert (report["ok"], report["found"]) == (False, 1)
    assert report["findings"][0] == {
        "name": "ROW_DIFFERS",
        "command_id": str(command_id),
        "message": "state differs from the last transition",
        "evidence": {"row": "failed", "last_move": "succeeded"},
    }

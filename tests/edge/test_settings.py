"""Settings: every error is one sentence that names the setting."""

import fcntl
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from hashinsight.edge.settings import SettingsError, count_addresses, range_bounds
from hashinsight.edge.settings_file import get_device_id, load_settings, read_token
from hashinsight.edge.status import check
from hashinsight.edge.storage.disk import FolderLock
from tests.edge.factories import settings_in
from tests.installation import hashinsight

GOOD = """
state_dir = "state"
[cloud]
url = "https://cloud.example.com"
[place]
site = 3
[miners]
ranges = ["10.1.0.0/22", "10.1.4.10-99"]
credentials = [{ make = "whatsminer", username = "admin", password = "very-secret" }]
[limits]
types = ["reboot_device", "fault_light"]
per_minute = 10
"""


def written(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "edge.toml"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_the_environment_overrides_the_file(tmp_path: Path) -> None:
    settings = load_settings(written(tmp_path, GOOD), {"HASHINSIGHT_EDGE_LIMITS_PER_MINUTE": "5"})
    assert settings.state_dir == tmp_path / "state"
    assert settings.place.site == "3"
    assert settings.limits.per_minute == 5
    assert settings.limits.types == ("reboot_device", "fault_light")
    assert settings.miners.credentials[0].password == "very-secret"
    assert "very-secret" not in repr(settings)
    assert not settings.signing.is_on


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("[cloud]\nurl = 'ftp://x'", "cloud.url must be an address such as https://cloud.example.com"),
        ("[cloud]\nurl = 'https://u:p@x'", "cloud.url may only have scheme, host, port and path"),
        ("[cloud]\nurls = 'https://x'", "cloud: there is no setting `urls`"),
        ("[miners]\nranges = ['10.0.0.0/33']", "miners.ranges: '10.0.0.0/33' is not a range such as"),
        ("[miners]\nranges = ['10.0.0.9-3']", "miners.ranges: '10.0.0.9-3' ends before it starts"),
        ("[miners]\nranges = ['10.0.0.0/8']", "miners.ranges has more than 1048576 addresses"),
        ("[miners]\ninterval_sec = 0", "miners.interval_sec: expected `int` >= 1"),
        ("[limits]\ntypes = ['format_disk']", "limits.types: format_disk is not one of reboot_device"),
        ("[signing]\nverify = true", "signing.verify needs signing.keys"),
        ("[signing]\nkeys = [{ key_id = 'a', key = 'AAAA' }]", "signing.keys: a key must be 32 bytes"),
        ("[place]\nsite = 'ä'", "place.site: expected `str` matching regex"),
        ("[miners]\nidentity = 'file'", 'miners.identity = "file" needs miners.id_file'),
        ("x = ", "is not TOML"),
        ("[spool]\nmax_mb = 'much'", "spool.max_mb: expected `int`, got `str`"),
    ],
)
def test_an_invalid_setting_is_reported_in_one_sentence(tmp_path: Path, line: str, sentence: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(written(tmp_path, line), {})
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_secrets_readable_by_others_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="chmod 600"):
        load_settings(written(tmp_path, GOOD, 0o644), {})
    settings = settings_in(tmp_path)
    settings.token_path.chmod(0o640)
    with pytest.raises(SettingsError, match="chmod 600"):
        read_token(settings)


def test_a_device_id_is_generated_once(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    name = get_device_id(settings)
    assert name.startswith("edge-")
    assert get_device_id(settings) == name
    assert get_device_id(settings_in(tmp_path, place_device_id="box-7")) == "box-7"


@pytest.mark.parametrize(
    ("text", "first", "last", "count"),
    [
        ("10.0.0.7", "10.0.0.7", "10.0.0.7", 1),
        ("10.0.0.0/24", "10.0.0.1", "10.0.0.254", 254),
        ("10.0.0.8/31", "10.0.0.8", "10.0.0.9", 2),
        ("10.0.0.250-10.0.1.5", "10.0.0.250", "10.0.1.5", 12),
        ("10.0.0.10-99", "10.0.0.10", "10.0.0.99", 90),
    ],
)
def test_ranges(text: str, first: str, last: str, count: int) -> None:
    assert tuple(map(str, range_bounds(text))) == (first, last)
    assert count_addresses(text) == count


def test_the_command_line_refuses_with_one_sentence(tmp_path: Path) -> None:
    done = hashinsight("edge", "run", "--config", str(written(tmp_path, "[cloud]\nurl = 'ftp://x'")))
    assert done.returncode == 78
    assert done.stderr == "hashinsight: cloud.url must be an address such as https://cloud.example.com.\n"


def test_a_bad_asset_list_and_an_unusable_state_folder_are_reported_in_one_sentence_each(tmp_path: Path) -> None:
    """The first needs people; the second may pass, so a supervisor tries again."""
    (tmp_path / "list.csv").write_text("name,serial\nA1,SN000001\n")
    chosen = {"state_dir": tmp_path, "miners_identity": "file", "miners_id_file": tmp_path / "list.csv"}
    settings_in(tmp_path)
    given: dict[str, Any] = {f"edge_{name}": value for name, value in chosen.items()}
    listed = hashinsight("edge", "run", edge_cloud_url="http://127.0.0.1:1", **given)
    assert (listed.returncode, listed.stderr) == (
        78,
        "hashinsight: the asset list has no column miner_id.\n",
    )
    other = tmp_path / "other"
    settings_in(other)
    (other / "spool.db").mkdir()
    full = hashinsight("edge", "run", edge_cloud_url="http://127.0.0.1:1", edge_state_dir=other)
    assert full.returncode == 75
    assert full.stderr.startswith(f"hashinsight: cannot use {other}: ")
    assert full.stderr.count("\n") == 1


def test_reading_the_status_does_not_block_the_start_of_a_collector(tmp_path: Path) -> None:
    FolderLock(tmp_path).release()
    with (tmp_path / "lock").open("rb") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        threading.Timer(0.2, lambda: fcntl.flock(looking, fcntl.LOCK_UN)).start()
        lock = FolderLock(tmp_path)
    lock.release()


@pytest.mark.parametrize("reason", ["No module named 'pyasic_rs'", "wrong ELF class: ELFCLASS32"])
def test_a_collector_that_cannot_load_the_library_says_what_to_install_and_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    """Missing, or built for another platform: it is loaded, not only looked for."""
    (tmp_path / "pyasic_rs.py").write_text(f"raise ImportError({reason!r})\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    settings_in(tmp_path / "state")
    chosen: dict[str, Any] = {"edge_state_dir": tmp_path / "state", "edge_cloud_url": "http://127.0.0.1:1"}
    sentence = f"pyasic_rs cannot be loaded (ImportError: {reason}): run `pip install 'hashinsight[edge]'`"
    checked = hashinsight("edge", "check", edge_miners_ranges="127.0.0.1", **chosen)
    assert (checked.returncode, checked.stdout.splitlines()[0]) == (1, f"FAIL library: {sentence}")
    started = hashinsight("edge", "run", **chosen)
    assert (started.returncode, started.stderr) == (78, f"hashinsight: {sentence}.\n")


async def test_a_check_names_the_library_that_was_loaded(tmp_path: Path) -> None:
    matter, is_fine, text = (await check(settings_in(tmp_path)))[0]
    assert (matter, is_fine) == ("library", True)
    assert text.startswith("pyasic_rs 0.")

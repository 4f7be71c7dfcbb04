"""The system's own Chromium: found, or installed from Debian's packages where that is possible."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

MISSING = "no Chromium here, and none can be installed: the browser tests are skipped"
LOG = Path(sys.prefix) / "chromium.log"
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_PACKAGES = ("chromium", "fonts-noto-cjk")
_SHOWN_LINES = 10


def is_left_out() -> bool:
    """On a machine of one's own; a run of the continuous integration does not listen to that."""
    return os.environ.get("HI_BROWSER") == "no" and not os.environ.get("CI")


@cache
def find_chromium() -> str | None:
    """Before the tests begin: in one of them an installation would take its time, and meet that of another process."""
    path = _installed()
    if path is None and os.geteuid() == 0 and shutil.which("apt-get"):
        _say("installing Chromium from Debian's packages, for the tests of the console (a minute or two)")
        if not _install():
            lines = LOG.read_text(errors="replace").splitlines()[-_SHOWN_LINES:]
            _say("\n".join((f"failed; last lines of {LOG}:", *lines)))
        path = _installed()
    return path


def _install() -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with LOG.open("wb") as log:
        for words in (("update",), ("install", "--yes", "--no-install-recommends", *_PACKAGES)):
            done = subprocess.run(
                ["apt-get", *words],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                check=False,
            )
    return done.returncode == 0  # where the list could not be read anew, the old one may do


def _installed() -> str | None:
    return next((path for path in map(shutil.which, _NAMES) if path), None)


def _say(what: str) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def need_chromium() -> str:
    path = find_chromium()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail(f"{MISSING}, which CI does not allow")
        pytest.skip(MISSING)
    return path

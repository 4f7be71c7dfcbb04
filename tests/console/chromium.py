"""The system's own Chromium: found, or installed from Debian's packages where that is possible."""

import os
import shutil
import subprocess
from functools import cache

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome")


@cache
def find_chromium() -> str | None:
    """Before the tests begin: in one of them an installation would take its time, and meet that of another process."""
    found = _installed()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        packages = ["chromium", "fonts-noto-cjk"]
        for words in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
            subprocess.run(["apt-get", *words], env=environment, capture_output=True, check=False, timeout=600)
        found = _installed()
    return found


def _installed() -> str | None:
    return next((path for path in map(shutil.which, _NAMES) if path), None)


def need_chromium() -> str:
    found = find_chromium()
    if found is None:
        said = "no Chromium here, and none can be installed: the browser tests are skipped"
        if os.environ.get("CI"):
            pytest.fail(f"{said}, which CI does not allow")
        pytest.skip(said)
    return found

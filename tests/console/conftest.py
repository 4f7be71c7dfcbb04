"""The console in a real browser is part of the suite, wherever a Chromium is or can be installed.

`HI_BROWSER=no` leaves it out on a machine of one's own; a run of the continuous integration does not listen to that.
"""

import os

import pytest

_LEFT_OUT = os.environ.get("HI_BROWSER") == "no" and not os.environ.get("CI")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if _LEFT_OUT:
        left_out = pytest.mark.skip(reason="HI_BROWSER=no: the browser tests were left out")
        for item in items:
            if "browser" in getattr(item, "fixturenames", ()):
                item.add_marker(left_out)

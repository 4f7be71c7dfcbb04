"""The console in a real browser is part of the suite, wherever a Chromium is or can be installed."""

import pytest

from tests.console.chromium import is_left_out


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if is_left_out():
        left_out = pytest.mark.skip(reason="HI_BROWSER=no: the browser tests were left out")
        for item in items:
            if "browser" in getattr(item, "fixturenames", ()):
                item.add_marker(left_out)

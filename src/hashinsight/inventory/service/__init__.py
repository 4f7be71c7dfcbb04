"""One function per action; one file per subject."""

from hashinsight.inventory.service.discovery import update_reported_identity
from hashinsight.inventory.service.expected_states import (
    ExpectedInterval,
    end_causes,
    end_expected,
    end_states,
    expect,
    expect_each,
    expected_frame,
)
from hashinsight.inventory.service.groups import refresh_groups
from hashinsight.inventory.service.settings import get_settings

__all__ = [
    "ExpectedInterval",
    "end_causes",
    "end_expected",
    "end_states",
    "expect",
    "expect_each",
    "expected_frame",
    "get_settings",
    "refresh_groups",
    "update_reported_identity",
]

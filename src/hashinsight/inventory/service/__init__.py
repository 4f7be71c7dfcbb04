"""Acts on the inventory, one file a verb's family; those above use these names."""

from hashinsight.inventory.service.expected import (
    Expected,
    end_causes,
    end_expected,
    end_states,
    expect,
    expect_each,
    expected_frame,
)
from hashinsight.inventory.service.groups import refresh_groups
from hashinsight.inventory.service.report import report_identity
from hashinsight.inventory.service.settings import read_settings

__all__ = [
    "Expected",
    "end_causes",
    "end_expected",
    "end_states",
    "expect",
    "expect_each",
    "expected_frame",
    "read_settings",
    "refresh_groups",
    "report_identity",
]

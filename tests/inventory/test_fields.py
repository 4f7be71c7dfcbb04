"""MAC addresses in requests, lists and reports."""

import polars as pl
import pytest

from hashinsight.inventory.asset_list import clean_reported, parse_asset_list, validate_lines
from hashinsight.inventory.fields import normalize_mac


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("02-1A-2B-3C-4D-5E", "02:1a:2b:3c:4d:5e"),
        ("021a.2b3c.4d5e", "02:1a:2b:3c:4d:5e"),
        ("02 1a 2b 3c 4d 5e", "02:1a:2b:3c:4d:5e"),
        ("021a2b3c4d5", None),
        ("02:1a:2b:3c:4d:5e:6f", None),
        ("02:1a:2b:3c:4d:5g", None),
        ("00:00:00:00:00:00", None),
        ("ff-ff-ff-ff-ff-ff", None),
    ],
)
def test_a_mac_is_normalized_the_same_way_everywhere(text: str, plain: str | None) -> None:
    good, refused = validate_lines(parse_asset_list(f"miner_id,mac\nm1,{text}".encode()))
    reported = pl.DataFrame({"miner_id": ["m1"], "model": ["x"], "serial": ["x"], "mac": [text], "firmware": ["x"]})
    assert normalize_mac(text) == plain
    assert good["mac"].to_list() == ([] if plain is None else [plain])
    assert refused["error_code"].to_list() == (["BAD_MAC"] if plain is None else [])
    assert clean_reported(reported)["mac"].to_list() == [plain]

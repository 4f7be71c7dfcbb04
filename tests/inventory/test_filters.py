"""The filter of machines finds what it says."""

import random
from typing import Any

from hashinsight.facts.models import find_model
from hashinsight.inventory.filters import MinerFilter
from tests.inventory.admin_client import AdminClient

MODELS = ["S19j Pro", "antminer_s21", "home made"]
PARTS: dict[str, list[str]] = {
    "model": [*MODELS, "Antminer S21", "M30S++"],
    "owner": ["Aurora", "Bo", "nobody"],
    "zone": ["A", "B", "1", "none"],
    "rack": ["1", "2", "none"],
    "text": ["m0", "m01", "M", "02:00", "SN00", "%", "_"],
    "site_id": ["one", "two"],
    "state": ["in_service", "retired", "any"],
}


def holds(miner: dict[str, Any], chosen: dict[str, str]) -> bool:
    """The same filter in Python, on what the API shows."""
    known = find_model(chosen.get("model", ""))
    model = known.name if known else chosen.get("model")
    begins = chosen.get("text")
    texts = [miner["miner_id"], miner["serial"] or "", miner["mac"] or ""]
    state = chosen.get("state", "in_service")
    return (
        (model is None or miner["model"] == model)
        and all(miner[name] == chosen[name] for name in ("owner", "zone", "rack") if name in chosen)
        and ("site_id" not in chosen or miner["site"] == chosen["site_id"])
        and (begins is None or any(text.startswith(begins) for text in texts))
        and (state == "any" or miner["state"] == state)
    )


async def test_every_combination_of_filters_finds_the_matching_machines(owner: AdminClient) -> None:
    dice = random.Random(11)
    header = "miner_id,serial,mac,model,owner,zone,rack"
    for site, start in (("one", 0), ("two", 40)):
        lines = [
            f"m{n:03d},SN{n:04d},0200000000{n:02x},{dice.choice(MODELS)},{dice.choice(['Aurora', 'Bo', ''])},"
            f"{dice.choice(['A', 'B', '1', ''])},{dice.choice(['1', '2', ''])}"
            for n in range(start, start + 40)
        ]
        await owner.load(site, *lines, header=header)
    for n in range(0, 80, 9):
        await owner.ok("POST", f"/miners/m{n:03d}/retire", json={"reason": "test"})
    everything = (await owner.ok("GET", "/miners", params={"state": "any", "limit": 1000}))["miners"]
    assert len(everything) == 80
    for _ in range(150):
        names = dice.sample(sorted(PARTS), dice.randint(0, 3))
        chosen = {name: dice.choice(PARTS[name]) for name in names}
        expected = [miner["miner_id"] for miner in everything if holds(miner, chosen)]
        assert await owner.miners(limit=1000, **chosen) == expected, chosen


def test_a_stored_filter_reads_back_unchanged() -> None:
    dice = random.Random(12)
    for _ in range(200):
        names = dice.sample(sorted(PARTS), dice.randint(0, len(PARTS)))
        chosen = MinerFilter.model_validate({name: dice.choice(PARTS[name]) for name in names})
        assert MinerFilter.model_validate(chosen.given()) == chosen


async def test_unknown_filters_and_impossible_values_are_refused(owner: AdminClient) -> None:
    for query in ({"state": "gone"}, {"group_id": 2**31}, {"group_id": 0}, {"site_id": "a b"}, {"limit": 1001}):
        assert await owner.refused("GET", "/miners", params=query) == (422, "VALIDATION_FAILED"), query
    assert await owner.refused("GET", "/miners", params={"cursor": "x"}) == (422, "VALIDATION_FAILED")
    assert await owner.miners(group_id=77) == []

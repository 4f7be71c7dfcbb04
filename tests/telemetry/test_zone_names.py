"""How a collector names its zone: by the code, or by the id; a text that could be both is one of them, always."""

from typing import Any

import httpx
import pytest

from tests.telemetry.zoned_site import ADMIN, EDGE, ZonedSite


class NumericZones:
    """A site with the zones `10` and `<the id of 10>`: the code of the second is the id of the first."""

    def __init__(self, zoned_site: ZonedSite) -> None:
        self.zoned_site = zoned_site
        self.ids: dict[str, int] = {}
        self.both = ""  # the id of the zone `10`, and the code of another
        self.of_10: dict[str, str] = {}
        self.of_both: dict[str, str] = {}

    async def open(self) -> None:
        self.ids["10"] = (await self.zoned_site.act("POST", "/zones", site_id="tx-1", code="10"))["id"]
        self.both = str(self.ids["10"])
        self.ids["both"] = (await self.zoned_site.act("POST", "/zones", site_id="tx-1", code=self.both))["id"]
        self.of_10 = await self.zoned_site.site.add_collector("of 10", "tx-1", zone_id="10")
        self.of_both = await self.zoned_site.site.add_collector("of both", "tx-1", zone_id=self.both)

    async def named(self, token: dict[str, str], zone: str) -> tuple[int, Any]:
        answer = await self.zoned_site.site.api.post(f"{EDGE}/heartbeat", json={}, headers=token | {"X-Zone-ID": zone})
        return answer.status_code, answer.json().get("error_code")

    async def upload(self, token: dict[str, str], miner_id: str, zone: Any, *, header: bool) -> httpx.Response:
        records = [{"miner_id": miner_id, "ts": self.zoned_site.fleet.at(0)}]
        body = records if header else {"zone_id": zone, "records": records}
        named = {"X-Zone-ID": zone} if header else {}
        return await self.zoned_site.site.api.post(f"{EDGE}/telemetry/batch", json=body, headers=token | named)


@pytest.fixture
async def numeric_zones(zoned_site: ZonedSite) -> NumericZones:
    made = NumericZones(zoned_site)
    await made.open()
    return made


async def test_a_zones_token_may_name_its_own_zone_by_code_and_by_id_also_where_another_zone_has_that_code(
    numeric_zones: NumericZones,
) -> None:
    for zone in ("10", numeric_zones.both, f" {numeric_zones.both} "):
        assert await numeric_zones.named(numeric_zones.of_10, zone) == (200, None)
    for zone in (numeric_zones.both, str(numeric_zones.ids["both"])):
        assert await numeric_zones.named(numeric_zones.of_both, zone) == (200, None)
    for token, zone in ((numeric_zones.of_both, "10"), (numeric_zones.of_10, str(numeric_zones.ids["both"]))):
        assert await numeric_zones.named(token, zone) == (403, "ZONE_MISMATCH")


async def test_naming_a_zone_by_id_opens_no_other_zone(numeric_zones: NumericZones) -> None:
    """Neither for samples nor for commands, though the text is another zone's code."""
    zoned_site = numeric_zones.zoned_site
    for miner_id, zone in (("m10", "10"), ("mboth", numeric_zones.both)):
        await zoned_site.act("POST", "/miners", site_id="tx-1", miner_id=miner_id, zone=zone)
        order = {"site_id": "tx-1", "miner_ids": [miner_id], "command_type": "set_fan", "params": {"speed": 60}}
        await zoned_site.act("POST", "/commands", **order)
    for header in (True, False):
        body = (await numeric_zones.upload(numeric_zones.of_10, "mboth", numeric_zones.both, header=header)).json()
        assert [error["error_code"] for error in body["errors"]] == ["ZONE_MISMATCH"]
        new = await numeric_zones.upload(numeric_zones.of_10, f"new-{header}", numeric_zones.both, header=header)
        assert new.json()["accepted"] == 1
        assert zoned_site.zone_of(f"new-{header}") == "10"
    polled = await zoned_site.site.api.get(
        f"{EDGE}/commands/poll", headers=numeric_zones.of_10 | {"X-Zone-ID": numeric_zones.both}
    )
    (command,) = polled.json()["commands"]
    assert (command["miner_id"], command["zone_id"]) == ("m10", numeric_zones.both), "as the collector writes it"


async def test_of_a_whole_sites_token_digits_are_a_code_first_and_an_id_only_where_no_zone_has_that_code(
    numeric_zones: NumericZones,
) -> None:
    whole = numeric_zones.zoned_site.whole
    ways: list[tuple[str, Any, bool]] = [("h", numeric_zones.both, True), ("e", numeric_zones.both, False)]
    ways.append(("n", int(numeric_zones.both), False))
    for miner_id, zone, header in ways:
        assert (await numeric_zones.upload(whole, miner_id, zone, header=header)).json()["accepted"] == 1
        assert numeric_zones.zoned_site.zone_of(miner_id) == numeric_zones.both
    of_a = numeric_zones.zoned_site.site.rows("select id from zones where code = 'hall-a'")[0][0]
    assert (await numeric_zones.upload(whole, "by-id", str(of_a), header=True)).json()["accepted"] == 1
    assert numeric_zones.zoned_site.zone_of("by-id") == "hall-a"


async def test_a_zone_of_another_site_cannot_be_named(numeric_zones: NumericZones) -> None:
    zoned_site = numeric_zones.zoned_site
    await zoned_site.act("POST", "/sites", code="tx-2", name="Two")
    foreign = (await zoned_site.act("POST", "/zones", site_id="tx-2", code="far"))["id"]
    for token in (zoned_site.whole, zoned_site.a, numeric_zones.of_10):
        for zone in (str(foreign), "far", "99999999", "9" * 30):
            assert await numeric_zones.named(token, zone) == (403, "ZONE_MISMATCH"), zone
            answer = await numeric_zones.upload(token, "x", zone, header=False)
            assert (answer.status_code, answer.json()["error_code"]) == (403, "ZONE_MISMATCH")
    poll = await zoned_site.site.api.get(
        f"{EDGE}/commands/poll", headers=zoned_site.whole | {"X-Zone-ID": str(foreign)}
    )
    assert poll.status_code == 403


async def test_for_people_a_number_is_the_id_and_a_text_of_digits_the_code_first(numeric_zones: NumericZones) -> None:
    zoned_site = numeric_zones.zoned_site
    for name, zone, wanted in (("x", numeric_zones.ids["10"], "10"), ("y", numeric_zones.both, "both")):
        body = {"site_id": "tx-1", "name": name, "zone_id": zone}
        made = await zoned_site.site.api.post(f"{ADMIN}/collectors", json=body, headers=zoned_site.site.owner)
        assert made.json()["collector"]["zone_id"] == numeric_zones.ids[wanted], made.text
    changed = await zoned_site.act(
        "PATCH", f"/collectors/{await zoned_site.collector_id('y')}", zone_id=numeric_zones.ids["10"]
    )
    assert changed["zone_id"] == numeric_zones.ids["10"]

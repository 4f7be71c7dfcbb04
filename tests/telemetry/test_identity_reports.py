"""What machines say of themselves reaches the inventory: once, behind the answer, and never at the batch's cost."""

from typing import Any

import psycopg
import pytest
from prometheus_client import REGISTRY
from sqlalchemy import event

from hashinsight.telemetry.service.identity_reports import IdentityReports
from tests.telemetry.site_with_collector import SiteWithCollector


def identity_sample(site: SiteWithCollector, seconds: float, miner_id: str = "m1", **fields: Any) -> dict[str, Any]:
    return {"miner_id": miner_id, "ts": site.at(seconds), **fields}


def reports(site: SiteWithCollector) -> IdentityReports:
    store_reports: IdentityReports = site.api.app.state.store.reports  # type: ignore[attr-defined] # the fixture's
    return store_reports


def inventory(site: SiteWithCollector) -> list[tuple[Any, ...]]:
    return site.rows("select miner_id, model, firmware, mac, serial from miners order by 1")


async def test_model_firmware_mac_and_serial_reach_the_inventory(site: SiteWithCollector) -> None:
    fields = {
        "miner_type": "Own make 1",
        "firmware_version": "2.1",
        "mac_address": "AA-BB-CC-DD-EE-01",
        "serial_number": "SN1",
    }
    assert (await site.post([identity_sample(site, 0, **fields)])).json()["accepted"] == 1
    await reports(site).settle()
    assert inventory(site) == [("m1", "Own make 1", "2.1", "aa:bb:cc:dd:ee:01", "SN1")]
    assert site.rows("select count(*) from miner_changes") == [(4,)]


async def test_only_changes_of_identity_are_reported(site: SiteWithCollector) -> None:
    transactions = []
    engine = site.api.app.state.database._engine.sync_engine  # type: ignore[attr-defined]
    event.listen(engine, "before_cursor_execute", lambda *arguments: transactions.append(str(arguments[2])))

    def change_count() -> int:
        count = sum("for no key update" in statement.lower() for statement in transactions)  # a report holds its site
        transactions.clear()
        return count

    for firmware, news in (("1", True), ("1", False), ("2", True), ("2", False), ("1", True), ("1", False)):
        site.now = site.now.replace(microsecond=site.now.microsecond + 1)
        await site.post([identity_sample(site, 0, firmware=firmware), identity_sample(site, 0, "m2", firmware="7")])
        await reports(site).settle()
        assert (change_count() > 0) is news, firmware
        assert inventory(site)[0][2] == firmware
    assert site.rows("select count(*) from miner_changes") == [(4,)]


async def test_fields_that_a_sample_omits_stay(site: SiteWithCollector) -> None:
    await site.post([identity_sample(site, 0, firmware="1", model="Own make 1")])
    await site.post([identity_sample(site, -1, firmware="2")])
    await site.post([identity_sample(site, -2, model="Own make 1")])
    await reports(site).settle()
    assert inventory(site) == [("m1", "Own make 1", "2", None, None)]


async def test_empty_values_are_not_reported(site: SiteWithCollector) -> None:
    await site.post([identity_sample(site, 0, mac_address="00:00:00:00:00:00", serial_number="", firmware="2")])
    await reports(site).settle()
    assert inventory(site) == [("m1", None, "2", None, None)]


async def test_a_rejected_sample_reports_nothing(site: SiteWithCollector) -> None:
    await site.post([identity_sample(site, 0, firmware="1")])
    await site.post([identity_sample(site, -1, firmware="9", power_w=-1)])
    await reports(site).settle()
    assert inventory(site)[0][2] == "1"


async def test_a_failed_report_costs_no_batch_and_is_repeated(site: SiteWithCollector, superuser_url: str) -> None:
    await site.post([identity_sample(site, 0)])
    with psycopg.connect(superuser_url, autocommit=True) as db:
        db.execute("alter table miner_changes rename to hidden_changes")
    before = REGISTRY.get_sample_value("hashinsight_telemetry_identity_failed_total") or 0.0
    answer = await site.post([identity_sample(site, -1, firmware="2")])
    assert (answer.status_code, answer.json()["accepted"]) == (200, 1)
    await reports(site).settle()
    assert REGISTRY.get_sample_value("hashinsight_telemetry_identity_failed_total") == before + 1
    assert inventory(site)[0][2] is None
    with psycopg.connect(superuser_url, autocommit=True) as db:
        db.execute("alter table hidden_changes rename to miner_changes")
    await site.post([identity_sample(site, -2, firmware="2")])
    await reports(site).settle()
    assert inventory(site)[0][2] == "2"


@pytest.mark.parametrize("register", [True, False])
async def test_machines_are_registered_unless_that_is_turned_off(site: SiteWithCollector, *, register: bool) -> None:
    site.api.app.state.store.machines.auto_register = register  # type: ignore[attr-defined] # the fixture's
    body = (await site.post([identity_sample(site, 0), identity_sample(site, 0, "m2")])).json()
    assert body["accepted"] == (2 if register else 0)
    assert {error["error_code"] for error in body["errors"]} == (set() if register else {"MINER_UNKNOWN"})
    entries = site.rows("select actor_kind, after from audit_log where action = 'miners_registered'")
    wanted = [("collector", {"machines": 2, "miner_ids": ["m1", "m2"]})]
    assert entries == (wanted if register else [])

"""Machines with their own password: read and controlled with the site's credentials, or refused with the reason."""

import asyncio
import logging
from pathlib import Path

import pytest

from hashinsight.edge.commands.outcomes import Outcome
from hashinsight.edge.library_process.logins import logins_for
from hashinsight.edge.local_site import LocalSite
from hashinsight.edge.settings import Credential
from tests.edge.makes.catalogue import NAMES, machines_of
from tests.edge.makes.unit import Unit
from tests.edge.one_machine import run_verb, site_with

CHANGED = "changed-by-the-farm"
# makes with a password that can be checked, with the credential's make and user
LOCKED = {
    name: who
    for name, who in {
        "Antminer S9, stock": ("antminer", "root"),
        "Antminer S19, stock": ("antminer", "root"),
        "Antminer S21, stock": ("antminer", "root"),
        "Antminer S19, VNish": ("vnish", ""),
        "Antminer S19j Pro, Braiins 25.07": ("braiins", "root"),
        "Whatsminer M30S++, API 2": ("whatsminer", "admin"),
    }.items()
    if name in NAMES
}
WHO = tuple(dict.fromkeys(LOCKED.values()))


def credentials(password: str) -> tuple[Credential, ...]:
    return tuple(Credential(make, user, password) for make, user in WHO)


async def order_all(local_site: LocalSite, units: list[Unit], verb: str) -> dict[str, Outcome]:
    done = await asyncio.gather(*(run_verb(local_site, unit, verb) for unit in units))
    return dict(zip(LOCKED, done, strict=True))


def answers(done: dict[str, Outcome]) -> dict[str, tuple[str, str | None]]:
    return {name: (outcome.status.value, outcome.error_code) for name, outcome in done.items()}


SUCCEEDED = dict.fromkeys(LOCKED, ("succeeded", None))


async def test_a_machine_with_a_changed_password_accepts_the_configured_credentials(tmp_path: Path) -> None:
    with machines_of(*LOCKED) as units:
        for unit in units:
            unit.password = CHANGED
        async with site_with(tmp_path, *units, credentials=credentials(CHANGED)) as local_site:
            assert answers(await order_all(local_site, units, "disable")) == SUCCEEDED
            assert local_site.counts().by_reader == {"pyasic_rs": len(units)}
        assert all(unit.is_stopped for unit in units)


async def test_a_wrong_password_is_reported_as_the_reason(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Rejected: no retry before people have fixed it. The password appears nowhere."""
    with machines_of(*LOCKED) as units, caplog.at_level(logging.DEBUG):
        for unit in units:
            unit.password = CHANGED
        async with site_with(tmp_path, *units, credentials=credentials("no-longer-right")) as local_site:
            for verb in ("disable", "reboot"):
                refused = await order_all(local_site, units, verb)
                assert answers(refused) == dict.fromkeys(LOCKED, ("rejected", "AUTH_FAILED"))
                assert all("refused the password" in str(outcome.message) for outcome in refused.values())
                assert "no-longer-right" not in repr(refused)
        assert [unit.actions for unit in units] == [[]] * len(units)
    assert "no-longer-right" not in caplog.text


async def test_without_credentials_the_default_password_is_reported_as_refused(tmp_path: Path) -> None:
    with machines_of("Whatsminer M30S++, API 2") as (unit,):
        unit.password = CHANGED
        async with site_with(tmp_path, unit) as local_site:
            refused = await run_verb(local_site, unit, "disable")
    assert (refused.status, refused.error_code) == ("rejected", "AUTH_FAILED")
    assert "this site has no credentials for it" in str(refused.message)


async def test_the_fitting_one_of_several_credentials_is_found(tmp_path: Path) -> None:
    listed = (*credentials("of-hall-1"), *credentials(CHANGED), Credential("", "root", "of-any"))
    with machines_of(*LOCKED) as units:
        for unit in units:
            unit.password = CHANGED
        async with site_with(tmp_path, *units, credentials=listed) as local_site:
            assert answers(await order_all(local_site, units, "disable")) == SUCCEEDED
            assert local_site.counts().by_reader == {"pyasic_rs": len(units)}


async def test_the_default_password_is_tried_last_and_a_changed_one_is_found_with_the_next_action(
    tmp_path: Path,
) -> None:
    with machines_of(*LOCKED) as units:
        async with site_with(tmp_path, *units, credentials=credentials(CHANGED)) as local_site:
            assert answers(await order_all(local_site, units, "disable")) == SUCCEEDED
            for unit in units:
                unit.password = CHANGED
            assert answers(await order_all(local_site, units, "enable")) == SUCCEEDED
        assert not any(unit.is_stopped for unit in units)


async def test_a_machine_without_a_password_accepts_actions_whatever_is_configured(tmp_path: Path) -> None:
    with machines_of("Antminer S19k Pro, LuxOS") as (unit,):
        async with site_with(tmp_path, unit, credentials=(Credential("", "root", CHANGED),)) as local_site:
            assert (await run_verb(local_site, unit, "disable")).status == "succeeded"


async def test_a_machine_unknown_to_the_library_is_unsupported_and_not_a_wrong_password(tmp_path: Path) -> None:
    with machines_of("Antminer S19, stock, web page locked") as (unit,):
        async with site_with(tmp_path, unit, credentials=(Credential("antminer", "root", CHANGED),)) as local_site:
            refused = await run_verb(local_site, unit, "disable")
    assert (refused.status, refused.error_code) == ("rejected", "UNSUPPORTED")


def test_credentials_for_the_firmware_go_before_those_for_the_make_and_those_before_general_ones() -> None:
    listed = (("", "any", "1"), ("Antminer", "make", "2"), ("vnish", "firmware", "3"), ("whatsminer", "other", "4"))
    assert logins_for(listed, "VNish", "Antminer") == [("firmware", "3"), ("make", "2"), ("any", "1"), None]
    assert logins_for(listed, "WhatsMiner Stock", "Whatsminer") == [("other", "4"), ("any", "1"), None]
    assert logins_for((), "VNish", "Antminer") == [None]

"""The box of a demo's edge: it reads its own machines, by the names of the inventory, and its token is closed."""

import csv
import stat
from pathlib import Path

from hashinsight.demo.runner import SCENARIO, SEED, asset_list, ranges_of, write_edge_config
from hashinsight.demo.setup import asset_lists
from hashinsight.edge.discovery import list_addresses
from hashinsight.edge.miner_ids import read_asset_list
from hashinsight.edge.settings_file import load_settings, read_token
from hashinsight.sim.fleet import Fleet, build_fleet
from hashinsight.sim.scenario import from_library, with_luxos
from hashinsight.sim.sockets.nets import address_of

NET = 77


def fleet_of(machines: int) -> Fleet:
    return build_fleet(with_luxos(from_library(SCENARIO).resized(machines)), SEED)


def test_the_ranges_are_its_machines_and_no_others() -> None:
    assert ranges_of([0, 1, 2], NET) == ["127.77.0.1-3"]
    some = list(range(240, 760))
    assert list(list_addresses(ranges_of(some, NET))) == [address_of(NET, no) for no in some]


def test_a_box_is_enrolled_with_what_an_edge_needs_and_again_after_a_restart(tmp_path: Path) -> None:
    fleet = fleet_of(600)
    folder = tmp_path / "north"
    for token in ("hi_first", "hi_second"):
        config = write_edge_config(folder, fleet, "north", token, net=NET, url="http://127.0.0.1:8700")
        settings = load_settings(config, environ={})
        assert read_token(settings) == token
        assert stat.S_IMODE(settings.token_path.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "machines.json").write_text("{}")
    assert settings.state_dir == folder
    assert (settings.place.site, settings.cloud.url) == ("demo-north", "http://127.0.0.1:8700")
    mine = [no for no in range(fleet.n) if fleet.site[no] == "north"]
    assert list(list_addresses(settings.miners.ranges)) == [address_of(NET, no) for no in mine]
    assert settings.miners.id_file is not None
    assert set(read_asset_list(settings.miners.id_file).values()) == {fleet.machine_id[no] for no in mine}


def test_the_edges_names_are_those_of_the_inventory() -> None:
    fleet = fleet_of(60)
    for site, lines in asset_lists(fleet).items():
        mine = [no for no in range(fleet.n) if fleet.site[no] == site]
        stored = [row["miner_id"] for row in csv.DictReader(lines.decode().splitlines())]
        assert [row["miner_id"] for row in csv.DictReader(asset_list(fleet, mine, NET).splitlines())] == stored

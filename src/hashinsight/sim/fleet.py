"""The fleet: where each machine is and how it differs from its nameplate; constant during a run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hashinsight.facts.models import MinerModel
from hashinsight.facts.temperatures import SensorKind, sensor_kind
from hashinsight.sim.models import CHIPS_PER_BOARD, FAN_COUNT, FAULTS_PER_YEAR, SIMULATED, THS_SPREAD, WATT_SPREAD
from hashinsight.sim.plan import Batch, Pool, Scenario
from hashinsight.sim.random_streams import stream_of
from hashinsight.sim.readings import BOARDS, FANS, MODES, Counts, Flags, Floats

_MODEL_NO = {model.name: number for number, model in enumerate(SIMULATED)}


@dataclass(frozen=True)
class Names:
    """A name for every machine: `no` is an index into `of`."""

    of: tuple[str, ...]
    no: Counts

    def __getitem__(self, machine: int) -> str:
        return self.of[int(self.no[machine])]

    def __len__(self) -> int:
        return len(self.no)

    def __iter__(self) -> Iterator[str]:
        return (self.of[number] for number in self.no.tolist())


@dataclass(frozen=True)
class Fleet:
    n: int
    machine_id: list[str]
    site: Names
    zone: Names
    rack: Names
    switch: Names
    pdu: Names
    lot: Names
    position: Counts  # within the rack, from the floor up
    models: tuple[MinerModel, ...]
    model: Counts  # index into models
    firmware: Names  # at the start; World.firmware_of has the current one
    firmware_no: Counts
    serial: list[str]
    mac: list[str]
    site_pools: tuple[tuple[Pool, ...], ...]  # by site
    says_offline: Flags
    mode: NDArray[np.int8]
    board_chips: Counts
    chip_sensor: Flags  # its firmware reports the chip, else the board
    inlet_add_c: Floats  # row, rack and height
    ths_gain: Floats  # (n, BOARDS)
    watt_gain: Floats
    rise_gain: Floats  # (n, BOARDS)
    fan_gain: Floats  # (n, FANS), 0 where there is none
    boot_sec: Floats
    faults_per_year: Floats

    def pools_of(self, machine: int) -> tuple[Pool, ...]:
        return self.site_pools[self.site.no[machine]]


def build_fleet(scenario: Scenario, seed: int) -> Fleet:
    """Builds the fleet of a scenario. Part of the deviation from the nameplate is common to a lot, part is per unit."""
    places = [(site, zone, batch) for site in scenario.sites for zone in site.zones for batch in zone.batches]
    counts = np.array([batch.count for _, _, batch in places], dtype=np.int64)
    n = int(counts.sum())

    def each(values: Sequence[float]) -> NDArray[np.float64]:
        return np.repeat(np.array(values, dtype=np.float64), counts)

    def named(texts: list[str]) -> Names:
        of = tuple(dict.fromkeys(texts))
        return Names(of, np.repeat(np.array([of.index(text) for text in texts], dtype=np.int64), counts))

    site = named([site.name for site, _, _ in places])
    zone = named([f"{site.name}/{zone.name}" for site, zone, _ in places])
    in_zone, in_site = _ordinal(zone.no), _ordinal(site.no)
    rack_size = each([zone.rack_size for _, zone, _ in places]).astype(np.int64)
    rack_in_zone = in_zone // rack_size
    model = each([_MODEL_NO[batch.model] for _, _, batch in places]).astype(np.int64)
    lot = named([f"{batch.model} {batch.lot or batch.firmware}" for _, _, batch in places])
    firmware = named([batch.firmware for _, _, batch in places])
    rng = stream_of(seed, "layout")
    rack = _split(zone, rack_in_zone, "rack")
    return Fleet(
        n=n,
        machine_id=[f"{site.of[no]}-{place + 1:05d}" for no, place in zip(site.no, in_site.tolist(), strict=True)],
        site=site,
        zone=Names(tuple(name.split("/", 1)[1] for name in zone.of), zone.no),
        rack=rack,
        switch=_split(zone, in_zone // each([zone.switch_size for _, zone, _ in places]).astype(np.int64), "sw"),
        pdu=_split(zone, in_zone // each([zone.pdu_size for _, zone, _ in places]).astype(np.int64), "pdu"),
        lot=lot,
        position=in_zone % rack_size,
        models=SIMULATED,
        model=model,
        firmware=firmware,
        firmware_no=firmware.no,
        serial=[f"SN{seed % 1000:03d}{number:08d}" for number in range(n)],
        mac=[
            f"02:{seed % 256:02x}:{m >> 24 & 255:02x}:{m >> 16 & 255:02x}:{m >> 8 & 255:02x}:{m & 255:02x}"
            for m in range(n)
        ],
        site_pools=tuple(site.pools for site in scenario.sites),
        says_offline=each([site.says_offline for site, _, _ in places]).astype(np.bool_),
        mode=each([MODES.index(batch.mode) for _, _, batch in places]).astype(np.int8),
        board_chips=_chips(model, lot.no, rng),
        chip_sensor=each([sensor_kind(batch.firmware) is SensorKind.CHIP for _, _, batch in places]).astype(np.bool_),
        inlet_add_c=each([zone.hotter_c for _, zone, _ in places])
        + np.clip(rng.normal(0, 0.7, len(rack.of)), -1.5, 1.5)[rack.no]
        + 1.5 * (in_zone % rack_size) / rack_size
        + np.clip(rng.normal(0, 0.4, n), -1, 1),
        ths_gain=_gain(rng, THS_SPREAD[model], lot, BOARDS),
        watt_gain=_gain(rng, WATT_SPREAD[model], lot, 0),
        rise_gain=_gain(rng, np.full(n, 0.04), lot, BOARDS),
        fan_gain=_gain(rng, np.full(n, 0.02), lot, FANS) * (np.arange(FANS) < FAN_COUNT[model][:, None]),
        boot_sec=rng.uniform(150, 300, n),
        faults_per_year=each([_per_year(scenario, batch) for _, _, batch in places]),
    )


def _per_year(scenario: Scenario, batch: Batch) -> float:
    usual = (
        float(FAULTS_PER_YEAR[_MODEL_NO[batch.model]]) if scenario.rates.per_year is None else scenario.rates.per_year
    )
    return usual if batch.faults_per_year is None else batch.faults_per_year


def _ordinal(group: Counts) -> Counts:
    """Position of each machine within its group, from 0 in fleet order."""
    order = np.argsort(group, kind="stable")
    sorted_group = group[order]
    first = np.searchsorted(sorted_group, sorted_group, side="left")
    place = np.empty_like(group)
    place[order] = np.arange(len(group)) - first
    return place


def _split(zone: Names, number: Counts, word: str) -> Names:
    pairs, no = np.unique(np.stack([zone.no, number]), axis=1, return_inverse=True)
    return Names(tuple(f"{zone.of[z]}/{word}-{k + 1:02d}" for z, k in pairs.T.tolist()), no.reshape(-1))


def _gain(rng: np.random.Generator, spread: Floats, lot: Names, width: int) -> Floats:
    """Factors around 1: half of the spread belongs to the lot, most of the rest to the unit, some to its parts."""
    shape = (len(spread), max(width, 1))
    lots, units = rng.normal(0, 0.5, len(lot.of))[lot.no], rng.normal(0, 0.8, len(spread))
    gains = 1 + spread[:, None] * np.clip((lots + units)[:, None] + rng.normal(0, 0.5, shape), -2.5, 2.5)
    return gains if width else gains[:, 0]


def _chips(model: Counts, lot: Counts, rng: np.random.Generator) -> Counts:
    """Makers sell different chip counts under one model name; a lot has one count."""
    low, high = np.array([CHIPS_PER_BOARD.get(known.name, known.chips_per_board) for known in SIMULATED])[model].T
    fitted: Counts = low + np.floor((high - low + 1) * rng.random(int(lot.max(initial=0)) + 1)[lot]).astype(np.int64)
    return fitted

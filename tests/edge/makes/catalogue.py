"""Every make and firmware served on loopback, each as a healthy machine that a test may then break."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.edge.makes.antminer import STOCK, STOCK_WITHOUT_PAGE
from tests.edge.makes.avalon import AVALON
from tests.edge.makes.braiins import BRAIINS
from tests.edge.makes.luxos import LUXOS
from tests.edge.makes.sockets import may_serve_web, served
from tests.edge.makes.unit import Make, Unit, unit_of
from tests.edge.makes.vnish import VNISH
from tests.edge.makes.whatsminer import WHATSMINER, WHATSMINER_V3

Built = Callable[[], Unit]


def _antminer(model: str, generation: str, **figures: float) -> Built:
    def build() -> Unit:
        unit = unit_of(model, password="root", **figures)  # type: ignore[arg-type]
        unit.memory["generation"] = generation
        return unit

    return build


def _braiins(version: str, password: str) -> Built:
    def build() -> Unit:
        unit = unit_of(
            "Antminer S19j Pro",
            ths=104,
            boards=3,
            chips=126,
            fans=4,
            power_w=3050,
            password=password,
            chip_c=72,
            pcb_c=57,
        )
        unit.memory["version"] = version
        return unit

    return build


def _whatsminer(model: str, api: int, *, chips_in_summary_only: bool = False, **figures: float) -> Built:
    def build() -> Unit:
        unit = unit_of(model, password="super" if api == 3 else "admin", **figures)  # type: ignore[arg-type]
        unit.memory |= {"api": api, "chips_in_summary_only": chips_in_summary_only}
        return unit

    return build


def _luxos() -> Unit:
    return unit_of(
        "Antminer S19k Pro", ths=120, boards=3, chips=77, fans=4, power_w=2760, password="", pcb_c=56, sensor="board"
    )


def _vnish() -> Unit:
    return unit_of("Antminer S19", ths=95, boards=3, chips=76, fans=4, power_w=3250, password="admin")


def _avalon(number: str, **figures: float) -> Built:
    return lambda: unit_of(f"Avalon {number}", password="", **figures)  # type: ignore[arg-type]


_S19 = {"ths": 95, "boards": 3, "chips": 76, "fans": 4, "power_w": 3250}
MAKES: dict[str, tuple[Make, Built]] = {
    "Antminer S9, stock": (
        STOCK,
        _antminer("Antminer S9", "S9", ths=13.5, boards=3, chips=63, fans=2, power_w=1323, chip_c=89, pcb_c=70),
    ),
    "Antminer S19, stock": (STOCK, _antminer("Antminer S19", "old", chip_c=78, pcb_c=73, **_S19)),
    "Antminer S19, stock, web page locked": (STOCK_WITHOUT_PAGE, _antminer("Antminer S19", "old", **_S19)),
    "Antminer S19 XP, stock": (
        STOCK,
        _antminer("Antminer S19 XP", "new", ths=140, boards=3, chips=110, fans=4, power_w=3010),
    ),
    "Antminer S21, stock": (
        STOCK,
        _antminer("Antminer S21", "new", ths=200, boards=3, chips=108, fans=4, power_w=3500, chip_c=92, pcb_c=72),
    ),
    "Antminer S19k Pro, LuxOS": (LUXOS, _luxos),
    "Antminer S19j Pro, Braiins 24.09": (BRAIINS, _braiins("2024-10-17-0-75912fc7-24.09-plus", "")),
    "Antminer S19j Pro, Braiins 25.05": (BRAIINS, _braiins("2025-06-20-0-0a1b2c3d-25.05-plus", "")),
    "Antminer S19j Pro, Braiins 25.07": (BRAIINS, _braiins("2025-07-30-0-1a2b3c4d-25.07-plus", "root")),
    "Antminer S19, VNish": (VNISH, _vnish),
    "Whatsminer M20S, API 1": (
        WHATSMINER,
        _whatsminer("M20S_V10", 1, ths=68.8, boards=3, chips=105, fans=2, power_w=3417, chip_c=92.5, pcb_c=71.5),
    ),
    "Whatsminer M30S++, API 2": (
        WHATSMINER,
        _whatsminer("M30S++_VE40", 2, ths=112, boards=3, chips=225, fans=2, power_w=3470, chip_c=81, pcb_c=66),
    ),
    "Whatsminer M60S, API 2": (
        WHATSMINER,
        _whatsminer(
            "M60S_VK30",
            2,
            chips_in_summary_only=True,
            ths=186,
            boards=3,
            chips=245,
            fans=2,
            power_w=3440,
            chip_c=78,
            pcb_c=67,
        ),
    ),
    "Whatsminer M60S, API 3": (
        WHATSMINER_V3,
        _whatsminer("M60S_VK30", 3, ths=186, boards=3, chips=245, fans=2, power_w=3440, chip_c=82, pcb_c=41),
    ),
    "Avalon A1047": (AVALON, _avalon("1047", ths=37, boards=3, chips=80, fans=2, power_w=2380, chip_c=83)),
    "Avalon A1246": (AVALON, _avalon("1246", ths=83, boards=3, chips=120, fans=4, power_w=3420, chip_c=77)),
    "Avalon A1366": (AVALON, _avalon("1366", ths=130, boards=3, chips=120, fans=2, power_w=3250, chip_c=80)),
}
# a user who may not listen on port 80 cannot serve web pages: the makes on port 4028 are left
# without port 80 some makes are left out, but never in CI: there they fail
HAS_WEB = may_serve_web() or "CI" in os.environ
NAMES = tuple(name for name, (make, _) in MAKES.items() if make.web is None or HAS_WEB)


@contextmanager
def machines_of(*names: str) -> Iterator[list[Unit]]:
    """Healthy machines of these makes in this order, served until the end of the block."""
    with served([(MAKES[name][0], MAKES[name][1]()) for name in names]) as units:
        yield units

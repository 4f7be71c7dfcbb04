"""The model catalogue: rated figures of the machines that we know, from public sheets; `~` in a note: approximate.

Many models were sold in several ratings under one name. The figure here is the common one; what a machine reports, or
what an operator enters, goes before it.
"""

from dataclasses import dataclass, replace

from hashinsight.facts.antminers import ANTMINERS
from hashinsight.facts.avalons import AVALONS
from hashinsight.facts.other_makes import OTHER_MAKES
from hashinsight.facts.whatsminers import WHATSMINERS


@dataclass(frozen=True)
class MinerModel:
    """One model. `chips_per_board` is a range where a maker fits different numbers under one name, None: not known."""

    make: str
    name: str
    rated_ths: float
    power_w: float
    efficiency_j_th: float
    boards: int
    chips_per_board: tuple[int, int] | None
    fans: int
    cooling: str = "air"
    notes: str = ""
    ths_tolerance: float = 0.0
    power_tolerance: float = 0.0
    has_pic: bool = True  # without one, a single dead board stops the whole machine
    max_fan_rpm: int | None = None
    derates_above_ambient_c: float | None = None
    stops_above_ambient_c: float | None = None

    @property
    def is_approximate(self) -> bool:
        return "~" in self.notes


def _model(make: str, row: str) -> MinerModel:
    name, ths, watts, j_th, boards, chips, fans, cooling, notes = (cell.strip() for cell in row.split("|"))
    least, _, most = chips.partition("-")
    fitted = None if chips == "?" else (int(least), int(most or least))
    figures = float(ths), float(watts), float(j_th)
    return MinerModel(make, name, *figures, int(boards), fitted, int(fans), cooling, notes)


def _read(tables: dict[str, str]) -> list[MinerModel]:
    return [_model(make, row) for make, table in tables.items() for row in table.strip().splitlines()]


_MORE: dict[str, dict[str, object]] = {
    "Antminer S19 Pro": {"ths_tolerance": 0.03, "power_tolerance": 0.05, "max_fan_rpm": 6150},
    "Antminer S19 XP": {"has_pic": False},
    "Antminer S21": {"derates_above_ambient_c": 40, "stops_above_ambient_c": 47},
}
MODELS: tuple[MinerModel, ...] = tuple(
    replace(model, **_MORE.get(model.name, {}))  # type: ignore[arg-type] # by the fields' own names
    for model in _read({"Bitmain": ANTMINERS, "MicroBT": WHATSMINERS, "Canaan": AVALONS, **OTHER_MAKES})
)

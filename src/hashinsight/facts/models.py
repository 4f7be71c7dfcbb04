"""The model catalogue: rated figures of the machines that we know, from public sources; `~` in a note: approximate."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MinerModel:
    """One model. `chips_per_board` is a range where a maker fits different numbers under one name."""

    make: str
    name: str
    rated_ths: float
    power_w: float
    efficiency_j_th: float
    boards: int
    chips_per_board: tuple[int, int]
    fans: int
    cooling: str = "air"
    ths_tolerance: float = 0.0
    power_tolerance: float = 0.0
    has_pic: bool = True  # without one, a single dead board stops the whole machine
    max_fan_rpm: int | None = None
    derates_above_ambient_c: float | None = None
    stops_above_ambient_c: float | None = None
    notes: str = ""


MODELS: tuple[MinerModel, ...] = (
    MinerModel("Bitmain", "Antminer S19", 95, 3250, 34, 3, (76, 76), 4),
    MinerModel(
        "Bitmain",
        "Antminer S19 Pro",
        110,
        3250,
        29.5,
        3,
        (114, 114),
        4,
        ths_tolerance=0.03,
        power_tolerance=0.05,
        max_fan_rpm=6150,
        notes="fans to 6150 rpm",
    ),
    MinerModel("Bitmain", "Antminer S19j Pro", 104, 3050, 30, 3, (126, 126), 4, notes="~3050 W, ~30 J/TH"),
    MinerModel(
        "Bitmain",
        "Antminer S19 XP",
        140,
        3010,
        21.5,
        3,
        (110, 110),
        4,
        has_pic=False,
        notes="no PIC: one dead board stops the unit",
    ),
    MinerModel(
        "Bitmain",
        "Antminer S21",
        200,
        3500,
        17.5,
        3,
        (108, 108),
        4,
        derates_above_ambient_c=40,
        stops_above_ambient_c=47,
        notes="490 → 440 MHz above 40 °C ambient, stops above 47 °C",
    ),
    MinerModel("Bitmain", "Antminer S21 Pro", 234, 3510, 15, 3, (65, 65), 4),
    MinerModel(
        "Bitmain",
        "Antminer T21",
        190,
        3400,
        19,
        3,
        (108, 108),
        4,
        notes="~3400 W; power swings 7 % between day and night",
    ),
    MinerModel("MicroBT", "Whatsminer M30S++", 112, 3470, 31, 3, (215, 255), 2, notes="~3470 W"),
    MinerModel("MicroBT", "Whatsminer M50S", 126, 3280, 26, 3, (135, 156), 2, notes="~3280 W"),
    MinerModel("MicroBT", "Whatsminer M60S", 186, 3440, 18.5, 3, (215, 245), 2, notes="~3440 W"),
    MinerModel("Canaan", "Avalon A1366", 130, 3250, 25, 3, (120, 120), 2, notes="~120 chips a board"),
)

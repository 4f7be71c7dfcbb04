"""One machine as a test sees it: the values of its sensors, and the faults that a test sets."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

CORNERS = 4


@dataclass
class Board:
    """`chip_c` and `pcb_c` are its corner sensors: intake, intake, exhaust, exhaust."""

    ths: float
    nominal_ths: float
    chips: int
    chips_fitted: int
    chip_c: list[float]
    pcb_c: list[float]
    is_dead: bool = False


@dataclass
class Pool:
    url: str
    user: str
    password: str = "x"
    is_alive: bool = True
    is_active: bool = False
    accepted: int = 0
    rejected: int = 0


@dataclass
class Request:
    """One call of its web page."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Response:
    body: Any = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Unit:
    """Tests change it while it is served: the next answer reflects it."""

    model: str  # as its own firmware spells it
    boards: list[Board]
    fans: list[int]
    power_w: float
    rated_ths: float  # of the nameplate
    pools: list[Pool]
    password: str
    address: str = ""
    mac: str = ""
    uptime_sec: int = 86_400
    hw_errors: int = 12
    frequency_mhz: float = 500.0
    is_stopped: bool = False
    preset: str = ""  # the name of a tuned profile, if one is set
    sensor: str = "chip"  # kind of its hottest sensor
    actions: list[str] = field(default_factory=list)  # actions it received, in the make's own protocol
    memory: dict[str, Any] = field(default_factory=dict)
    queries: list[str] = field(default_factory=list)

    @property
    def ths(self) -> float:
        return sum(board.ths for board in self.boards)

    @property
    def nominal_ths(self) -> float:
        """As it is tuned now: the preset's figure, not the nameplate's."""
        return sum(board.nominal_ths for board in self.boards)

    @property
    def hottest_c(self) -> float:
        return max(temp for board in self.boards if not board.is_dead for temp in self.sensors_of(board))

    def sensors_of(self, board: Board) -> list[float]:
        """Those of its hottest kind."""
        return board.chip_c if self.sensor == "chip" else board.pcb_c

    def heat(self, temp_c: float, *, board: int = 0, corner: int = 2) -> None:
        """One sensor of its hottest kind; the others stay as they are."""
        self.sensors_of(self.boards[board])[corner] = temp_c

    def break_sensor(self, says_c: float, *, board: int = 0, corner: int = 0) -> None:
        self.boards[board].chip_c[corner] = self.boards[board].pcb_c[corner] = says_c

    def lose_board(self, no: int) -> None:
        """As when a hashboard dies: no chip answers, no hashrate, no sensor readings."""
        board = self.boards[no]
        board.is_dead, board.ths, board.chips = True, 0.0, 0
        board.chip_c, board.pcb_c = [0.0] * len(board.chip_c), [0.0] * len(board.pcb_c)
        self.power_w *= 1 - 1 / len(self.boards)

    def stop_fans(self, *numbers: int) -> None:
        """All fans, or the given ones."""
        for no in numbers or range(len(self.fans)):
            self.fans[no] = 0

    def stop(self, order: str) -> None:
        """It sleeps: the effect of a stop on every make."""
        self.actions.append(order)
        self.is_stopped = True
        for board in self.boards:
            board.ths = 0.0
        self.power_w = 30.0

    def start(self, order: str) -> None:
        self.actions.append(order)
        self.is_stopped = False
        for board in self.boards:
            board.ths = 0.0 if board.is_dead else board.nominal_ths

    def reboot(self, order: str) -> None:
        """The whole machine: its uptime starts again."""
        self.actions.append(order)
        self.uptime_sec = 0

    def set_pools(self, order: str, pools: list[tuple[str, str, str]]) -> None:
        """Those with an address, the first of them active."""
        self.actions.append(order)
        self.pools = [Pool(url, user, password) for url, user, password in pools if url]
        self.pools[0].is_active = True


Rpc = Callable[[Unit, str, str], dict[str, Any] | None]
Web = Callable[[Unit, Request], Response]


@dataclass(frozen=True)
class Make:
    """How one make and firmware answers: on port 4028, on its web page, on the newer Whatsminer port."""

    rpc: Rpc
    web: Web | None = None
    rpc_v3: Callable[[Unit, dict[str, Any]], dict[str, Any]] | None = None
    raw: Callable[[Unit, bytes], bytes | None] | None = None  # encrypted commands


def unit_of(
    model: str,
    *,
    ths: float,
    boards: int,
    chips: int,
    fans: int,
    power_w: float,
    password: str,
    chip_c: float = 70.0,
    pcb_c: float = 55.0,
    sensor: str = "chip",
) -> Unit:
    """A healthy machine: exhaust corners are hotter than intake corners, boards differ a little."""
    each = ths / boards
    return Unit(
        model=model,
        boards=[
            Board(
                ths=round(each * (1 + 0.004 * (no - 1)), 3),
                nominal_ths=round(each, 3),
                chips=chips,
                chips_fitted=chips,
                chip_c=_corners(chip_c - no),
                pcb_c=_corners(pcb_c - no),
            )
            for no in range(boards)
        ],
        fans=[5880 - 60 * no for no in range(fans)],
        power_w=power_w,
        rated_ths=ths,
        pools=[
            Pool("stratum+tcp://main.pool.example:3333", "farm.worker", is_active=True, accepted=4057, rejected=11),
            Pool("stratum+tcp://backup.pool.example:3333", "farm.worker", "secret-of-the-backup"),
        ],
        password=password,
        sensor=sensor,
    )


def _corners(hottest_c: float) -> list[float]:
    return [hottest_c - 17, hottest_c - 15, hottest_c, hottest_c - 1]


def corners(values: list[float]) -> str:
    """As Antminers write them: `53-55-70-69`."""
    return "-".join(f"{value:g}" for value in values)

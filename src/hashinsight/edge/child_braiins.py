"""The hottest chip of each board from Braiins OS 25.05: the library gives the board's outlet for it. In the child."""

from collections.abc import Mapping
from typing import Any

from hashinsight.edge import child_web
from hashinsight.edge.child_plain import Trouble

_VERSION = "-25.05"
_QUERY = "{ bosminer { info { workSolver { childSolvers { name temperatures { name degreesC } } } } } }"
_OK = 200
_MOST_BOARDS = 16
_KINDS = {"max_board": "Board", "max_chip": "Chip"}
Rows = list[dict[str, Any]]


def is_misread(data: Mapping[str, Any]) -> bool:
    return _VERSION in str(data.get("firmware_version") or "")


async def temperatures(address: str) -> Rows:
    """As the table `temps` has them, board by board; none where its page does not answer."""
    try:
        status, answer = await child_web.ask(address, "POST", "/graphql", body={"query": _QUERY})
    except Trouble:
        return []
    found: Any = answer if status == _OK else None
    for name in ("data", "bosminer", "info", "workSolver", "childSolvers"):
        found = found.get(name) if isinstance(found, dict) else None
    rows = [_row(board) for board in found[:_MOST_BOARDS]] if isinstance(found, list) else []
    return rows if any(rows) else []


def _row(board: Any) -> dict[str, Any]:
    told = board.get("temperatures") if isinstance(board, dict) else None
    by_name = {
        str(one.get("name")).lower().replace(" ", "_"): one.get("degreesC")
        for one in told or []
        if isinstance(one, dict)
    }
    return {column: by_name[name] for name, column in _KINDS.items() if name in by_name}

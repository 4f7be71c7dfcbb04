"""No test passes or fails by how fast the machine is: a wait has the one bound that ends what hangs."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
_WAITS = {"wait", "wait_for", "wait_ready", "until", "join", "communicate", "timeout"}
_LONG = 60.0


def short_bounds(source: str) -> list[str]:
    """Waits with a number of seconds of their own, but for those that are to run out, or whose end nobody judges."""
    tree = ast.parse(source)
    meant = {id(node) for block in ast.walk(tree) if _runs_out(block) for node in ast.walk(block)}
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and id(node) not in meant)
    return [ast.unparse(call) for call in calls if any(bound < _LONG for bound in _bounds(call))]


def _runs_out(node: ast.AST) -> bool:
    return isinstance(node, ast.With) and any("raises(TimeoutError)" in ast.unparse(item) for item in node.items)


def _bounds(call: ast.Call) -> Iterator[float]:
    name = ast.unparse(call.func)
    if name == "asyncio.wait":  # it raises nothing: what is done after it is looked at
        return
    values = [keyword.value for keyword in call.keywords if keyword.arg == "timeout"]
    values += call.args if name.rpartition(".")[2] in _WAITS else []
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, int | float):
            yield float(value.value) / (1000.0 if name.rpartition(".")[2].startswith("to_") else 1.0)


def test_no_wait_of_a_test_is_cut_short_on_a_slow_machine() -> None:
    findings = {str(file): short for file in sorted(TESTS.rglob("*.py")) if (short := short_bounds(file.read_text()))}
    assert findings == {}, "use tests.installation.HANG_TIMEOUT_SEC"


@pytest.mark.parametrize(
    ("source", "is_short"),
    [
        ("process.wait(20)", True),
        ("wait_for(condition, 'it', 10)", True),
        ("asyncio.timeout(10)", True),
        ("httpx.get(url, timeout=5)", True),
        ("expect(row).to_be_visible(timeout=10_000)", True),
        ("process.wait(HANG_TIMEOUT_SEC)", False),
        ("wait_for(condition, 'it')", False),
        ("asyncio.wait([task], timeout=0.5)", False),
        ("with pytest.raises(TimeoutError):\n    socket.create_connection(where, timeout=0.7)", False),
    ],
)
def test_a_wait_that_is_cut_short_is_found(source: str, *, is_short: bool) -> None:
    assert bool(short_bounds(source)) is is_short

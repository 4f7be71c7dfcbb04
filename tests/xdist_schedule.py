"""How tests go to the parallel processes: one by one, but those of a module that share what it makes go together.

pytest-xdist has marks for that (`--dist=loadgroup`), which pytest 9.2 leaves without effect: pytest-xdist, issue 1386.
"""

from functools import cache
from pathlib import Path

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped] # it ships none

_ROOT = Path(__file__).parents[1]


class ModuleScheduler(LoadScopeScheduling):  # type: ignore[misc] # untyped
    """The largest modules first, then single tests in the order in which they were collected."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        folder = path.rpartition("/")[0]
        return folder if keeps_together(folder) else path if shares(path) else nodeid


@cache
def shares(path: str) -> bool:
    """Whether the module itself makes something for all of its tests; what its folder offers is cheap to repeat."""
    return 'scope="module"' in (_ROOT / path).read_text()


@cache
def keeps_together(folder: str) -> bool:
    """Whether a folder offers something to its modules that is too dear to be made twice."""
    offers = _ROOT / folder / "conftest.py"
    return offers.is_file() and 'scope="package"' in offers.read_text()

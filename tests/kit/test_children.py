"""What a supervisor says of a child that it cannot keep."""

import asyncio
import sys
from pathlib import Path

import pytest

from hashinsight.kit.children import Child, Supervisor
from hashinsight.kit.errors import OperatorError
from tests.installation import HANG_TIMEOUT_SEC

REFUSES = "import sys, time; time.sleep(0.2); print('hashinsight: the line is taken.'); sys.exit(78)"


async def test_a_child_refusing_to_start_is_logged_with_its_reason(tmp_path: Path) -> None:
    supervisor = Supervisor()
    await supervisor.start(Child("a-child", [sys.executable, "-c", REFUSES], output=tmp_path / "log"))
    with pytest.raises(OperatorError, match=r"^a-child refused to start: hashinsight: the line is taken \(logs in "):
        await asyncio.wait_for(supervisor.run_until(), HANG_TIMEOUT_SEC)
    await supervisor.stop()

"""A wheel without the console would install, start and show nothing: building one fails before it is made."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = Path("src") / "hashinsight" / "app" / "console_files" / "index.html"


class ConsoleIsBuilt(BuildHookInterface[Any]):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del build_data
        if version != "editable" and not (Path(self.root) / PAGE).is_file():
            raise RuntimeError("the console is not built: run `make console` first")

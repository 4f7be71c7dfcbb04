"""The OpenAPI document without a running installation: `python -m hashinsight.app.openapi` prints it."""

import json
import sys
from typing import Any

from fastapi import FastAPI

from hashinsight import __version__
from hashinsight.app import offered


def document() -> dict[str, Any]:
    """What the console's types are made of; the version is left out, so that a release changes no types."""
    made: dict[str, Any] = FastAPI(title="HashInsight", version=__version__, routes=offered()).openapi()
    return made | {"info": {"title": "HashInsight", "version": "0"}}


if __name__ == "__main__":
    json.dump(document(), sys.stdout)

"""The real application with one slow route more, served by the same code as `hashinsight serve`."""

import asyncio
import sys

from fastapi import FastAPI

from hashinsight.app import create_app
from hashinsight.cli.serve import _serve_one, listen
from hashinsight.cli.startup import prepare


def make() -> FastAPI:
    app = create_app()

    @app.get("/slow", include_in_schema=False)
    async def slow() -> str:
        sys.stdout.write("asked\n")
        sys.stdout.flush()
        await asyncio.sleep(2)
        return "done"

    return app


if __name__ == "__main__":
    settings = prepare("slow-api")
    with listen(settings) as listening:
        _serve_one(settings, listening, "tests.stories.slow_api:make")

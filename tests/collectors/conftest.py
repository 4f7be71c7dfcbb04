from typing import cast

import httpx
import pytest
from fastapi import FastAPI

from hashinsight.kit.db.database import Database
from tests.collectors.collector_site import CollectorSite
from tests.people import People


@pytest.fixture
async def collector_site(api: httpx.AsyncClient, people: People, database: Database) -> CollectorSite:
    app = cast("FastAPI", api.app)  # type: ignore[attr-defined] # the fixture hangs it there
    made = CollectorSite(api, app, people, database)
    await made.open()
    return made

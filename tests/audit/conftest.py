"""What the tests of the record share."""

import pytest

from hashinsight.kit.db.database import Database
from tests.audit.log import Log


@pytest.fixture
def log(database: Database, superuser_url: str) -> Log:
    return Log(database, superuser_url)

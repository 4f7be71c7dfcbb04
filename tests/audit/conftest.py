"""Fixtures: an audit log."""

import pytest

from hashinsight.kit.db.database import Database
from tests.audit.audit_log import AuditLog


@pytest.fixture
def log(database: Database, superuser_url: str) -> AuditLog:
    return AuditLog(database, superuser_url)

"""The registry of all tables: every domain's `models.py` uses it, and the drift check compares it."""

from datetime import datetime

from sqlalchemy import DateTime, MetaData, Text
from sqlalchemy.orm import DeclarativeBase

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Model(DeclarativeBase):
    metadata = metadata
    type_annotation_map = {datetime: DateTime(timezone=True), str: Text}  # noqa: RUF012 - SQLAlchemy reads it once

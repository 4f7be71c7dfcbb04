"""Every table of every domain, for the comparison of models and migrations."""

import importlib
import pkgutil

from sqlalchemy import MetaData

import hashinsight
from hashinsight.kit.db.metadata import metadata


def all_tables() -> MetaData:
    """Import each `models` module of the package, so that its tables are in the registry."""
    for module in pkgutil.walk_packages(hashinsight.__path__, "hashinsight."):
        if module.name.rsplit(".", 1)[-1] == "models":
            importlib.import_module(module.name)
    return metadata

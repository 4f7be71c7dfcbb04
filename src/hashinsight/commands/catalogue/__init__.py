"""The catalogue of commands: what there is, what each takes and risks, and the one door into it. Pure."""

from hashinsight.commands.catalogue.entries import (
    CATALOGUE,
    LEGACY_NAMES,
    RESTARTS,
    SETTINGS,
    TAKES_DOWN,
    CommandType,
    Downtime,
    Effect,
    Risk,
)
from hashinsight.commands.catalogue.resolving import resolve
from hashinsight.commands.catalogue.table import catalogue_table

__all__ = [
    "CATALOGUE",
    "LEGACY_NAMES",
    "RESTARTS",
    "SETTINGS",
    "TAKES_DOWN",
    "CommandType",
    "Downtime",
    "Effect",
    "Risk",
    "catalogue_table",
    "resolve",
]

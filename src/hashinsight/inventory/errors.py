"""Unique keys of the inventory's tables as errors."""

from collections.abc import Iterator
from contextlib import contextmanager

from psycopg import errors as pg
from sqlalchemy.exc import IntegrityError

from hashinsight.kit.errors import Conflict

_CONFLICTS = {
    "uq_sites_code_key": ("SITE_EXISTS", "this code is taken: codes are unique in the installation"),
    "uq_zones_site_id_code": ("ZONE_EXISTS", "the site already has a zone with this code"),
    "uq_racks_site_id_zone_id_code": ("RACK_EXISTS", "the zone already has a rack with this code"),
    "uq_nodes_site_id_kind_code": ("NODE_EXISTS", "the site already has a node of this kind with this code"),
    "uq_miners_site_id_miner_id": ("MINER_EXISTS", "the site already has a miner with this id"),
    "uq_miners_serial": ("SERIAL_HELD", "another miner of the tenant has this serial"),
    "uq_groups_tenant_id_name": ("GROUP_EXISTS", "a group with this name already exists"),
}


@contextmanager
def conflict_errors() -> Iterator[None]:
    """A violated unique key becomes a 409 with a code of its own; other errors pass."""
    try:
        yield
    except (IntegrityError, pg.UniqueViolation) as error:
        cause = error.orig if isinstance(error, IntegrityError) else error
        name = cause.diag.constraint_name if isinstance(cause, pg.UniqueViolation) else None
        if name not in _CONFLICTS:
            raise
        code, message = _CONFLICTS[name]
        raise Conflict(message, code=code) from None

"""What a broken unique key means to the caller."""

from collections.abc import Iterator
from contextlib import contextmanager

from psycopg import errors as pg
from sqlalchemy.exc import IntegrityError

from hashinsight.kit.errors import Conflict

_MEANING = {
    "uq_sites_code_key": ("SITE_EXISTS", "this code cannot be used: codes are unique in the installation"),
    "uq_zones_site_id_code": ("ZONE_EXISTS", "the site has a zone of this code"),
    "uq_racks_site_id_zone_id_code": ("RACK_EXISTS", "the zone has a rack of this code"),
    "uq_nodes_site_id_kind_code": ("NODE_EXISTS", "the site has a node of this kind and code"),
    "uq_miners_site_id_miner_id": ("MINER_EXISTS", "the site has a miner of this id"),
    "uq_miners_serial": ("SERIAL_HELD", "another miner of the tenant has this serial"),
    "uq_groups_tenant_id_name": ("GROUP_EXISTS", "a group of this name exists"),
}


@contextmanager
def conflict_errors() -> Iterator[None]:
    """409 with a code of its own in place of a broken key; anything else goes on."""
    try:
        yield
    except (IntegrityError, pg.UniqueViolation) as error:
        cause = error.orig if isinstance(error, IntegrityError) else error
        name = cause.diag.constraint_name if isinstance(cause, pg.UniqueViolation) else None
        if name not in _MEANING:
            raise
        code, message = _MEANING[name]
        raise Conflict(message, code=code) from None

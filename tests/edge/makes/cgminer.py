"""What all makes have in common on port 4028."""

from typing import Any

from tests.edge.makes.unit import Unit

Body = dict[str, Any]


def table(section: str, rows: list[Body], *, program: str = "cgminer 4.11.1") -> Body:
    state = {"STATUS": "S", "When": 1_800_000_000, "Code": 11, "Msg": section.title(), "Description": program}
    return {"STATUS": [state], section: rows, "id": 1}


def pool_rows(unit: Unit) -> list[Body]:
    return [
        {
            "POOL": no,
            "URL": pool.url,
            "Status": "Alive" if pool.is_alive else "Dead",
            "Priority": no,
            "User": pool.user,
            "Accepted": pool.accepted,
            "Rejected": pool.rejected,
            "Stratum Active": pool.is_active,
        }
        for no, pool in enumerate(unit.pools)
    ]

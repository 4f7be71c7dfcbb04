"""The report of an import."""

from pydantic import BaseModel

from hashinsight.inventory.schemas import example

SHOWN_LINES = 10_000


class RefusedLine(BaseModel):
    line: int
    miner_id: str | None
    error_code: str
    reason: str


class ImportReport(BaseModel):
    """`refused` counts all refused lines; `lines` lists the first 10,000 of them."""

    model_config = example(
        created=4118,
        changed=1,
        unchanged=0,
        refused=1,
        zones_created=4,
        racks_created=96,
        lines=[
            {
                "line": 17,
                "miner_id": "B2-R14-03",
                "error_code": "BAD_MAC",
                "reason": "mac is no address of 12 hexadecimal digits",
            }
        ],
    )

    created: int
    changed: int
    unchanged: int
    refused: int
    zones_created: int
    racks_created: int
    lines: list[RefusedLine]

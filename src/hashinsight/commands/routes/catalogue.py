"""The catalogue, as a form needs it."""

from typing import Any

from fastapi import APIRouter

from hashinsight.commands.answer_schemas import show_catalogue
from hashinsight.commands.routes import examples
from hashinsight.identity.access import allowed
from hashinsight.identity.permissions import Permission
from hashinsight.kit.web.examples import answers

router = APIRouter()


@router.get("/commands/catalogue", responses=answers(examples.CATALOGUE), dependencies=[allowed(Permission.SEE)])
async def read_catalogue() -> dict[str, Any]:
    """Every type of command: its parameters (as JSON Schema, with units), its risk, and what it does to a machine."""
    return show_catalogue()

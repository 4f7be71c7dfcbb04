"""Routes about commands, for people."""

from fastapi import APIRouter

from hashinsight.commands.routes import batches, commands

router = APIRouter(prefix="/api/admin/v1", tags=["commands"])
router.include_router(commands.router)
router.include_router(batches.router)

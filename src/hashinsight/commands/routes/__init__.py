"""What people do with commands: ask for them, follow them, decide about them."""

from fastapi import APIRouter

from hashinsight.commands.routes import batches, catalogue, deciding, reading, requesting

router = APIRouter(prefix="/api/admin/v1", tags=["commands"])
# the path with a word of its own goes before those with a command's id
for part in (catalogue, requesting, reading, deciding, batches):
    router.include_router(part.router)

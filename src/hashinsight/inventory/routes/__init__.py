"""The routes of inventory: everything under one router."""

from fastapi import APIRouter

from hashinsight.inventory.routes import asset_lists, groups, maintenance, miners, places, settings

router = APIRouter(prefix="/api/admin/v1", tags=["inventory"])
# the paths with a word of their own go before those with a machine's id
for part in (places, groups, settings, asset_lists, maintenance, miners):
    router.include_router(part.router)

"""The routes of inventory: everything under one router."""

from fastapi import APIRouter

from hashinsight.inventory.routes import asset_lists, groups, miners, places, settings

router = APIRouter(prefix="/api/admin/v1", tags=["inventory"])
# /miners/import and /miners/export before /miners/{miner_id}
for part in (places, groups, settings, asset_lists, miners):
    router.include_router(part.router)

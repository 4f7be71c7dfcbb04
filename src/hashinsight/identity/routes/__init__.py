"""The routes of identity."""

from fastapi import APIRouter

from hashinsight.identity.routes import admin, auth, keys, second_factor

router = APIRouter()
for part in (auth, second_factor, admin, keys):
    router.include_router(part.router)

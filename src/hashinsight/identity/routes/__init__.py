"""The routes of identity."""

from fastapi import APIRouter

from hashinsight.identity.routes import admin, audit, auth, second_factor

router = APIRouter()
for part in (auth, second_factor, admin, audit):
    router.include_router(part.router)

"""Routes about collectors, for people."""

from fastapi import APIRouter

from hashinsight.collectors.routes import collectors, configs, credentials, events

router = APIRouter(prefix="/api/admin/v1", tags=["collectors"])
for part in (collectors, credentials, configs, events):
    router.include_router(part.router)

"""What people do with collectors."""

from fastapi import APIRouter

from hashinsight.collectors.routes import collectors, configs, events, payload_keys, signing_keys, tokens

router = APIRouter(prefix="/api/admin/v1", tags=["collectors"])
for part in (collectors, tokens, payload_keys, signing_keys, configs, events):
    router.include_router(part.router)

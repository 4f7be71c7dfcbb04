"""The routes of problems. Those of `legacy` also answer under their older paths."""

from fastapi import APIRouter

from hashinsight.problems.routes import actions, legacy, problems, stream, suppressions

router = APIRouter(tags=["problems"])
# paths with a fixed word come before those with a problem's id
for part in (legacy, problems, actions, suppressions, stream):
    router.include_router(part.router, prefix="/api/v1")
router.include_router(
    legacy.router, prefix="/hosting/api", generate_unique_id_function=lambda route: f"hosting_{route.name}"
)

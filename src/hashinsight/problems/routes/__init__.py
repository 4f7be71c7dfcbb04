"""The routes of problems, for people and programs; five of them also by their older paths."""

from fastapi import APIRouter

from hashinsight.problems.routes import actions, legacy, problems, stream, suppressions

router = APIRouter(tags=["problems"])
# the paths with a word of their own go before those with a problem's id
for part in (legacy, problems, actions, suppressions, stream):
    router.include_router(part.router, prefix="/api/v1")
router.include_router(
    legacy.router, prefix="/hosting/api", generate_unique_id_function=lambda route: f"hosting_{route.name}"
)

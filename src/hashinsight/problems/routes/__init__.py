"""The routes of problems, for people and programs; five of them also by their older paths."""

from fastapi import APIRouter

from hashinsight.problems.routes import acting, five, reading, streaming, suppressing

router = APIRouter(tags=["problems"])
# the paths with a word of their own go before those with a problem's id
for part in (five, reading, acting, suppressing, streaming):
    router.include_router(part.router, prefix="/api/v1")
router.include_router(five.router, prefix="/hosting/api")

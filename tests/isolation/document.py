"""What the application serves, and what its OpenAPI document says that it serves."""

from fastapi.routing import iter_route_contexts

from tests.isolation.world import World


def operations(world: World) -> set[str]:
    paths = world.app.openapi()["paths"]
    return {f"{method.upper()} {path}" for path, item in paths.items() for method in item}


def undocumented(world: World) -> set[str]:
    """What the document does not name, the suite would not try."""
    routes = iter_route_contexts(world.app.routes)
    served = {f"{method} {route.path}" for route in routes for method in route.methods or ["CONNECT"]}
    return {operation for operation in served if not operation.startswith("HEAD ")} - operations(world)

"""Routes as decorated functions.

Lives here: collecting the routes of one module. Lives elsewhere: calling the
function behind a route (endpoint.py), describing it (schemas/operations.py).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from starlette.routing import Route

from voxpilot.web.routing.endpoint import Endpoint

Function = TypeVar("Function", bound=Callable[..., Awaitable[Any]])


class Router:
    """The routes of one area, all below one path."""

    def __init__(self, prefix: str, tag: str) -> None:
        self.routes: list[Route] = []
        self._prefix = prefix
        self._tag = tag

    def get(self, path: str, **how: Any) -> Callable[[Function], Function]:
        return self._adding("GET", path, **how)

    def post(self, path: str, **how: Any) -> Callable[[Function], Function]:
        return self._adding("POST", path, **how)

    def put(self, path: str, **how: Any) -> Callable[[Function], Function]:
        return self._adding("PUT", path, **how)

    def patch(self, path: str, **how: Any) -> Callable[[Function], Function]:
        return self._adding("PATCH", path, **how)

    def delete(self, path: str, **how: Any) -> Callable[[Function], Function]:
        return self._adding("DELETE", path, **how)

    def _adding(
        self,
        method: str,
        path: str,
        *,
        model: Any = None,
        status: int = 200,
        described: Mapping[str, Any] | None = None,
    ) -> Callable[[Function], Function]:
        """`model` is the shape of the answer; `described` describes an answer that has no model."""

        def add(function: Function) -> Function:
            whole = f"{self._prefix}{path}"
            endpoint = Endpoint(function, status, model, described, whole, self._tag)
            route = Route(whole, endpoint, methods=[method], name=function.__name__)
            assert route.methods is not None
            route.methods.discard("HEAD")
            self.routes.append(route)
            return function

        return add

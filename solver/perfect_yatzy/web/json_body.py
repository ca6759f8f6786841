"""The body of a request as JSON: no key twice in an object, where the last one would win in silence."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.routing import APIRoute

from .._messages import _
from ..errors import shown


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON text."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise HTTPException(422, _("{name} is there twice in one object of the body", name=shown(twice)))
    return found


class JSONRequest(Request):
    """A request whose body is checked when it is read."""

    async def json(self) -> Any:
        """The value of the body."""
        if not hasattr(self, "_json"):
            self._json = json.loads(await self.body(), object_pairs_hook=unique_keys)
        return self._json


class JSONRoute(APIRoute):
    """A route whose handler gets a :class:`JSONRequest`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of FastAPI, called with the checked request."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return await handler(JSONRequest(request.scope, request.receive))

        return handle

"""What stands before the API: known hosts, small requests, not too many; headers that keep the page to itself."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from ipaddress import ip_address
from typing import Any

from .._version import ANSWER_SCHEMA

MAX_BODY = 256 << 10
RATE, BURST = 1000.0, 2000.0  # requests a second of one client, and how many at once
HEADERS = {
    b"content-security-policy": b"default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; "
    b"form-action 'self'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class TooLarge(Exception):
    """The body outgrew MAX_BODY."""


class RequestFilter:
    """ASGI middleware.

    Parameters
    ----------
    app
        What it guards.
    hosts
        Host names (without port) that a request may name, in small letters.
    addresses
        Whether it may name any IP address: a foreign page can only get here by a name of its own.
    """

    def __init__(self, app: Any, hosts: frozenset[str], addresses: bool = False) -> None:
        self.app, self.hosts, self.addresses = app, hosts, addresses
        self.tokens: dict[str, tuple[float, float]] = {}

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        host = headers.get(b"host", b"").decode("latin-1")
        if not self.known(host_name(host)):
            why = "this server is for its own machine; open it as http://127.0.0.1, or serve --allow-host NAME"
            await refuse(send, 421, why)
            return
        if not self.allowed(scope["client"][0] if scope.get("client") else ""):
            await refuse(send, 429, "too many requests; wait a moment")
            return
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > MAX_BODY:
            await refuse(send, 413, f"the request is larger than {MAX_BODY} bytes")
            return
        size, refused = 0, False

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > MAX_BODY:
                raise TooLarge
            return message

        async def headed(message: Message) -> None:
            nonlocal refused
            if refused:
                return
            if message["type"] == "http.response.start":
                if size > MAX_BODY:  # whatever the application made of the torn body
                    refused = True
                    await refuse(send, 413, f"the request is larger than {MAX_BODY} bytes")
                    return
                message["headers"] = [*message.get("headers", []), *HEADERS.items()]
            await send(message)

        with suppress(TooLarge):
            await self.app(scope, counted, headed)

    def known(self, name: str) -> bool:
        """Whether a request may call this server so."""
        return name in self.hosts or (self.addresses and is_address(name))

    def allowed(self, client: str) -> bool:
        """Whether this client may ask now (a token bucket each)."""
        now = time.monotonic()
        tokens, last = self.tokens.get(client, (BURST, now))
        tokens = min(BURST, tokens + (now - last) * RATE)
        if len(self.tokens) > 10_000:
            self.tokens.clear()
        self.tokens[client] = (max(0.0, tokens - 1), now)
        return tokens >= 1


def host_name(host: str) -> str:
    """The name in a Host header, without port."""
    if host.startswith("["):
        return host.partition("]")[0].lower() + "]"
    return host.partition(":")[0].lower()


def is_address(name: str) -> bool:
    """Whether a host is an IP address, not a name."""
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


async def refuse(send: Send, status: int, why: str) -> None:
    """An answer in the shape of the API's errors."""
    body = json.dumps({"schema": ANSWER_SCHEMA, "error": why}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *HEADERS.items()]})
    await send({"type": "http.response.body", "body": body})

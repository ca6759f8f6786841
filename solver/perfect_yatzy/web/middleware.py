"""ASGI middleware in front of the API: host and origin, size and time of bodies, security headers.

A page on another site can reach this server under a host name of that site (DNS rebinding), so a
request must name a known host; or under its own name, which a browser says in Sec-Fetch-Site: then
only links to the page are followed.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from ipaddress import ip_address
from typing import Any

import anyio
from h11 import LocalProtocolError
from starlette.requests import ClientDisconnect, Request

from .._version import ANSWER_SCHEMA
from ..words import ENGLISH, _, language_accepted, language_scope
from .limits import MAX_BODY_BYTES, MAX_BODY_SECONDS, MAX_VALUES

SECURITY_HEADERS = {  # the page loads and sends nothing elsewhere
    b"content-security-policy": b"default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; "
    b"form-action 'self'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
}
NO_STORE = b"cache-control", b"no-store"  # answers that do not say otherwise

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class BodyTooLarge(Exception):
    """The body exceeds MAX_BODY_BYTES."""


class RequestFilter:
    """ASGI middleware that refuses unknown hosts, other sites, and too large or too slow bodies."""

    def __init__(self, app: Any, hosts: frozenset[str], addresses: bool = False) -> None:
        self.app, self.hosts, self.addresses = app, hosts, addresses

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Pass a request to the application, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        accepted = headers.get(b"accept-language", b"").decode("latin-1")
        # uvicorn has answered what is no HTTP request; then nothing more can be sent
        with (
            language_scope(language_accepted(accepted) or ENGLISH),
            suppress(LocalProtocolError),
        ):
            await self.respond(scope, headers, receive, send)

    async def respond(
        self,
        scope: MutableMapping[str, Any],
        headers: dict[bytes, bytes],
        receive: Receive,
        send: Send,
    ) -> None:
        """Pass a request to the application, or refuse it, in the language of the request."""
        host = headers.get(b"host", b"").decode("latin-1")
        if not self.is_known_host(host_name(host)):
            message = _(
                "unknown host name; open http://127.0.0.1, or start the server with: yatzy serve --allow-host NAME"
            )
            await send_error(send, 421, "unknown-host", message)
            return
        if is_cross_site(scope, headers):
            await send_error(
                send, 403, "cross-site", _("requests from pages of other sites are refused")
            )
            return
        try:
            body = await read_body(scope, headers, receive)
        except BodyTooLarge:
            message = _("the request is larger than {bytes} bytes", bytes=MAX_BODY_BYTES)
            await send_error(send, 413, "body-too-large", message)
            return
        except TimeoutError:
            message = _(
                "the request was not complete after {seconds} seconds",
                seconds=f"{MAX_BODY_SECONDS:g}",
            )
            await send_error(send, 408, "request-timeout", message, close=True)
            return
        except ClientDisconnect:
            return
        if sum(map(body.count, (b",", b"[", b"{"))) > MAX_VALUES:
            message = _("the body has more than {count} values", count=MAX_VALUES)
            await send_error(send, 422, "invalid-request", message)
            return
        unread: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_again() -> Message:  # the application gets the body that was read
            return unread.pop() if unread else await receive()

        await self.app(without_head(scope), receive_again, with_headers(send))

    def is_known_host(self, name: str) -> bool:
        """Whether a request may address this server by a host name."""
        with suppress(ValueError):  # no address
            if self.addresses and ip_address(name.strip("[]")):
                return True
        return name in self.hosts


def with_headers(send: Send) -> Send:
    """A function that sends messages as `send` does, and adds the headers of every answer."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [*message.get("headers", [])]
            if b"cache-control" not in dict(headers):
                headers.append(NO_STORE)
            message["headers"] = [*headers, *SECURITY_HEADERS.items()]
        await send(message)

    return send_with_headers


def without_head(scope: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A request for headers of the API as one of GET, whose body uvicorn leaves out."""
    if scope["method"] == "HEAD" and scope["path"].startswith("/api/"):
        return {**scope, "method": "GET"}
    return scope


async def read_body(
    scope: MutableMapping[str, Any], headers: dict[bytes, bytes], receive: Receive
) -> bytes:
    """The body of a request. Raises BodyTooLarge, TimeoutError, or ClientDisconnect."""
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or len(length) > 15 or int(length) > MAX_BODY_BYTES:
        raise BodyTooLarge
    body = bytearray()
    with anyio.fail_after(MAX_BODY_SECONDS):
        async for part in Request(scope, receive).stream():
            body += part
            if len(body) > MAX_BODY_BYTES:
                raise BodyTooLarge
    return bytes(body)


def is_cross_site(scope: MutableMapping[str, Any], headers: dict[bytes, bytes]) -> bool:
    """Whether a page of another site sends a request, other than a link to the page that a
    person follows.
    """
    if headers.get(b"sec-fetch-site", b"none") in (b"none", b"same-origin"):
        return False
    follows_link = (
        headers.get(b"sec-fetch-mode") == b"navigate"
        and headers.get(b"sec-fetch-dest") == b"document"
    )
    is_page = scope["method"] in ("GET", "HEAD") and not scope["path"].startswith("/api/")
    return not (follows_link and is_page)


def host_name(host: str) -> str:
    """The name in a Host header, in lower case, without port."""
    if host.startswith("["):
        return host.partition("]")[0].lower() + "]"
    return host.partition(":")[0].lower()


async def send_error(send: Send, status: int, code: str, message: str, close: bool = False) -> None:
    """Send an error in the format of the API. With `close` the connection ends."""
    body = json.dumps({"schema": ANSWER_SCHEMA, "error": message, "code": code}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(b"connection", b"close")] if close else []
    headers += [NO_STORE, *SECURITY_HEADERS.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

"""`yatzy serve`: the local page."""

from __future__ import annotations

import errno
import os
import socket
from contextlib import suppress
from ipaddress import ip_address

import click

from ...errors import MissingPackage
from ..console import table_options


@click.command()
@click.option("--port", "-p", type=click.IntRange(1, 65535), default=8765, show_default=True, help="Where to listen.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0: the network.")
@click.option("--allow-host", "names", multiple=True, metavar="NAME", help="Answer to this host name as well.")
@click.option("--open", "browser", is_flag=True, help="Open the page in the browser.")
@table_options
def serve(
    port: int, host: str, names: tuple[str, ...], browser: bool, tables: str | None, threads: int | None
) -> None:
    """A page in the browser: cards, dice, advice, reviews.

    It is served to this machine alone (unless --host opens it to the network) and asks nothing of others. The JSON
    API behind it is described at /api/openapi.json.
    """
    try:
        import uvicorn

        from ...web.app import LOCAL_HOSTS, create_app
    except ImportError as error:
        raise MissingPackage("serve", "fastapi", "uvicorn") from error
    host = host.strip("[]")
    listening = listen(host, port)  # first of all: a port that is taken is said at once
    opened = not is_loopback(host)
    own = {host, *names, *({socket.gethostname(), socket.getfqdn()} if opened else ())}
    shown = "localhost" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    app = create_app(tables, threads, LOCAL_HOSTS | {in_header(name) for name in own}, addresses=opened)
    address = f"http://{shown}:{port}/"
    click.echo(f"Serving {address} (Ctrl+C ends it)", err=True)
    if opened:
        click.echo(f"It is open to everybody who can reach this machine, as {socket.gethostname()}:{port}.", err=True)
    if browser:
        click.launch(address)
    config = uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listening])
    os._exit(0)  # a solve under way would keep the process to its end; what it wrote is taken up again


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there.

    Raises
    ------
    ClickException
        If that is not possible.
    """
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, protocol)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(place)
        made.listen(128)
    except OSError as error:
        why = "another program listens there" if error.errno == errno.EADDRINUSE else error.strerror or str(error)
        what = f"cannot serve on {host}, port {port}: {why}"
        raise click.ClickException(f"{what}; choose with --host and --port") from error
    return made


def is_loopback(host: str) -> bool:
    """Whether only this machine can come that way."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def in_header(name: str) -> str:
    """A host as a request names it."""
    return f"[{name}]".lower() if ":" in name else name.lower()

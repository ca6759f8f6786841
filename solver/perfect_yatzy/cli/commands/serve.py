"""`yatzy serve`: the web page and its JSON API."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from ..._messages import _
from ...errors import MissingPackage
from ..options import number_option, table_options

if TYPE_CHECKING:
    from socket import socket


@click.command()
@number_option("--port", "-p", low=1, high=65535, default=8765, text="Port to listen on.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0 for the network.")
@click.option("--allow-host", "names", multiple=True, metavar="NAME", help="Also accept requests for this host name.")
@click.option("--open", "browser", is_flag=True, help="Open the page in a browser.")
@table_options
def serve(
    port: int, host: str, names: tuple[str, ...], browser: bool, tables: str | None, threads: int | None
) -> None:
    """Serve the web page and its JSON API.

    Only this machine can connect, unless --host opens the server to the network. The page loads nothing from other
    servers. The API is documented at /api/openapi.json.
    """
    import gc
    from socket import getfqdn, gethostname

    try:
        from ...web.app import LOCAL_HOSTS, create_app
        from ...web.connections import LimitedServer
    except ImportError as error:
        raise MissingPackage("serve", "fastapi", "uvicorn", extra="web") from error
    host = host.strip("[]")
    listening = listen(host, port)  # before anything else, so that a port in use is reported at once
    on_network = not is_loopback(host)
    machine_names = {gethostname(), getfqdn()} if on_network else set()
    host_headers = {in_header(name) for name in {host, *names, *machine_names}}
    url_host = "localhost" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    app = create_app(tables, threads, LOCAL_HOSTS | host_headers, addresses=on_network)
    url = f"http://{url_host}:{port}/"
    click.echo(_("Serving {url} (stop with Ctrl+C)", url=url), err=True)
    if on_network:
        click.echo(_("Everyone on the network can open it at {host}:{port}", host=gethostname(), port=port), err=True)
    if browser:
        click.launch(url)
    server = LimitedServer(app)
    gc.freeze()  # a search for garbage among the modules, which a request can cause, would delay other requests
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listening])
    os._exit(0)  # do not wait for the thread of a running solve; its finished layers are stored and resumed


def listen(host: str, port: int) -> socket:
    """A listening socket; ClickException if the address or port cannot be used."""
    import errno
    import socket

    listening = None
    try:
        family, kind, protocol, _unused, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except OSError as error:
        if listening is not None:
            listening.close()
        in_use = error.errno == errno.EADDRINUSE
        reason = _("another program uses this port") if in_use else error.strerror or str(error)
        text = _("cannot serve on {host}, port {port}: {reason}; choose another with --host and --port")
        raise click.ClickException(text.format(host=host, port=port, reason=reason)) from error
    return listening


def is_loopback(host: str) -> bool:
    """Whether an address can only be reached from this machine."""
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def in_header(name: str) -> str:
    """A host as it appears in the Host header of a request."""
    return f"[{name}]".lower() if ":" in name else name.lower()

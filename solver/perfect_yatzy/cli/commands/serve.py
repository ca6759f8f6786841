"""The commands `yatzy serve`, `yatzy site` and `yatzy mcp`.

The first is the server of the page, the second writes the page as a folder for any static host, and
the third answers agents.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import MissingPackage
from ...words import _
from ..console import cannot_write, echo_lines
from ..options import RULES, YatzyCommand, number_option, service_options, table_options

CACHED_MEGABYTES = 2048  # as in perfect_yatzy.service.queries, which is imported later

if TYPE_CHECKING:
    from socket import socket

    from ...service.queries import QueryService


@click.command(cls=YatzyCommand)
@number_option(
    "--port",
    "-p",
    low=0,
    high=65535,
    default=8765,
    text="Port to listen on; 0 for any that is free.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; 0.0.0.0 for the network.",
)
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="Also accept requests for this host name.",
)
@number_option(
    "--memory",
    low=0,
    high=1 << 20,
    default=CACHED_MEGABYTES,
    text="Megabytes of tables that stay in memory between requests.",
)
@click.option("--open", "browser", is_flag=True, help="Open the page in a browser.")
@table_options
def serve(
    port: int,
    host: str,
    names: tuple[str, ...],
    memory: int,
    browser: bool,
    tables: str | None,
    threads: int | None,
) -> None:
    """Serve the web page and its JSON API.

    Only this machine can connect, unless --host opens the server to the network. The page loads
    nothing from other servers. The API is documented at /api/openapi.json.
    """
    import gc
    from threading import Thread

    try:
        import uvicorn

        from ...web.app import LOCAL_HOSTS, create_app
    except ImportError as error:
        raise MissingPackage("serve", "fastapi", "uvicorn", extra="web") from error
    host = host.strip("[]")
    # This comes before anything else, so that a port in use is reported at once.
    listening = listen(host, port)
    port = listening.getsockname()[1]  # the one that the system chose for 0
    app = create_app(
        tables,
        threads,
        LOCAL_HOSTS | host_headers(host, names),
        addresses=not is_loopback(host),
        cached_bytes=memory << 20,
    )
    announce(host, port, memory)
    if browser:
        # The socket listens already, so the browser waits until the server runs.
        click.launch(url_of(host, port))
    config = uvicorn.Config(
        app, http="h11", log_level="error", server_header=False, timeout_graceful_shutdown=1
    )
    # Compiled code is loaded in a thread; until then NumPy answers.
    Thread(target=app.state.service.prepare, args=("yatzy",), daemon=True).start()
    # A search for garbage among the modules, which a request can cause, would delay other requests.
    gc.freeze()
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])
    # There is no need to wait for the thread of a running solve, whose finished layers are stored.
    os._exit(0)


def listen(host: str, port: int) -> socket:
    """Return a listening socket. Raises ClickException if the address or port cannot be used."""
    import errno

    try:
        return listening_socket(host, port)
    except OSError as error:
        in_use = error.errno == errno.EADDRINUSE
        reason = _("another program uses this port") if in_use else error.strerror or str(error)
        text = _(
            "cannot serve on {host}, port {port}: {reason}; choose another with --host and --port",
            host=host,
            port=port,
            reason=reason,
        )
        raise click.ClickException(text) from error


def listening_socket(host: str, port: int) -> socket:
    """Return a socket that listens. Raises OSError if it cannot, and leaves none open."""
    import socket

    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    family, kind, protocol, _unused, address = addresses[0]
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except OSError:
        listening.close()
        raise
    return listening


def is_loopback(host: str) -> bool:
    """Return whether an address can only be reached from this machine."""
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def in_header(name: str) -> str:
    """Return a host as it appears in the Host header of a request."""
    return f"[{name}]".lower() if ":" in name else name.lower()


def host_headers(host: str, names: tuple[str, ...]) -> set[str]:
    """Return the Host headers that a server on `host` accepts, besides those of this machine."""
    from socket import getfqdn, gethostname

    accepted = {host, *names}
    if not is_loopback(host):
        accepted |= {gethostname(), getfqdn()}
    return {in_header(name) for name in accepted}


def url_of(host: str, port: int) -> str:
    """Return the address of the page of a server on `host`, for a browser on this machine."""
    if host in ("0.0.0.0", "::"):  # all addresses
        return f"http://localhost:{port}/"
    if ":" in host:
        return f"http://[{host}]:{port}/"
    return f"http://{host}:{port}/"


def announce(host: str, port: int, memory: int) -> None:
    """Print where the page is and how many megabytes of tables stay in memory."""
    from socket import gethostname

    click.echo(_("Serving {url} (stop with Ctrl+C)", url=url_of(host, port)), err=True)
    text = _("Up to {size} MB of tables stay in memory between requests (--memory)", size=memory)
    click.echo(text, err=True)
    if not is_loopback(host):
        text = _(
            "Everyone on the network can open it at {host}:{port}", host=gethostname(), port=port
        )
        click.echo(text, err=True)


@click.command(cls=YatzyCommand)
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.argument("rules", nargs=-1, type=RULES)
@number_option(
    "--puzzles",
    high=10_000,
    default=100,
    text="Puzzles of each difficulty, one a day from today on.",
)
@click.option("--force", is_flag=True, help="Write into a folder that has other files.")
@service_options
def site(
    folder: Path, rules: tuple[str, ...], puzzles: int, force: bool, service: QueryService
) -> None:
    """Write the page as a folder for a static host.

    The visitor's browser computes the answers; after the first visit it needs no network. Without
    RULES the site has Yatzy and the other small games that are solved. Tables of large games are
    read in parts, by HTTP Range. Writing into the folder of a site updates it.

    \b
      yatzy site public
      yatzy site public yatzy yahtzee maxi-unsaved
    """
    from ...web.site.folder import SiteOptions, check_folder, data_folder, default_rules, write_site
    from ..text_width import columns
    from ..views.wording import size_text

    check_folder(folder, force)
    chosen = [service.rules(name) for name in dict.fromkeys(rules)] or default_rules(service)
    report = lambda line: click.echo(f"yatzy: {line}", err=True)  # noqa: E731
    try:
        sizes = write_site(folder, chosen, service, SiteOptions(puzzles, date.today(), report))
    except OSError as error:
        raise cannot_write(error.filename or folder, error) from error
    total = sum(sizes.values())
    of_games = dict[str, int]()
    for name in map(data_folder, chosen):
        files = [file for file in sizes if file.startswith(f"data/{name}/")]
        of_games[name] = sum(sizes[file] for file in files)
    parts = {_("page"): total - sum(of_games.values())} | of_games
    click.echo(_("Wrote {folder}, {size}", folder=folder, size=size_text(total)))
    echo_lines(columns([(name, size_text(size)) for name, size in parts.items()], "<", ">9"))


@click.command(cls=YatzyCommand)
@service_options
def mcp(service: QueryService) -> None:
    """Answer agents as tools of the Model Context Protocol.

    The tools hold, score, expect, odds, review and rules take the requests of the JSON API and give
    its answers, on standard input and output. A program that uses tools starts this command itself;
    in its settings:

    \b
      {"mcpServers": {"yatzy": {"command": "yatzy", "args": ["mcp"]}}}
    """
    try:
        from ...web.agent_tools import serve_tools
    except ImportError as error:
        raise MissingPackage("mcp", "mcp", extra="mcp") from error
    with suppress(KeyboardInterrupt):
        serve_tools(service)

"""`yatzy serve`: the local page."""

from __future__ import annotations

import click

from ..console import table_options
from ..errors import MissingPackage


@click.command()
@click.option("--port", "-p", type=click.IntRange(1, 65535), default=8765, show_default=True, help="Where to listen.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--open", "browser", is_flag=True, help="Open the page in the browser.")
@table_options
def serve(port: int, host: str, browser: bool, tables: str | None, threads: int | None) -> None:
    """A page in the browser: cards, dice, advice, reviews.

    It is served to this machine alone and asks nothing of others. The JSON API behind it is described at
    /api/openapi.json.
    """
    try:
        import uvicorn

        from ..web.app import LOCAL, create_app
    except ImportError as error:
        raise MissingPackage("serve", "fastapi", "uvicorn") from error
    app = create_app(tables, threads, LOCAL | {host})
    address = f"http://{host}:{port}/"
    click.echo(f"Serving {address} (Ctrl+C ends it)", err=True)
    if browser:
        click.launch(address)
    uvicorn.run(app, host=host, port=port, log_level="warning", server_header=False)

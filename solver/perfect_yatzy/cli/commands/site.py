"""`yatzy site` writes the page as a folder for any static host, with the engine in the browser."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from ..._messages import _
from ...errors import MissingPackage
from ..console import query_service
from ..options import RULES, table_options


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.argument("rules", nargs=-1, type=RULES)
@click.option(
    "--puzzles", type=click.IntRange(0, 10_000), default=100, show_default=True, metavar="N",
    help="Puzzles of each difficulty, one a day from today on.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Write into a folder that has other files.")
@table_options
def site(
    folder: Path, rules: tuple[str, ...], puzzles: int, force: bool, tables: str | None, threads: int | None
) -> None:
    """Write the page as a folder for a static host.

    The visitor's browser computes the answers; after the first visit it needs no network. Without RULES the site has
    Yatzy and the other small games that are solved. Tables of large games are read in parts, by HTTP Range. Writing
    into the folder of a site updates it.

    \b
      yatzy site public
      yatzy site public yatzy yahtzee maxi-unsaved
    """
    try:
        from ...web.site.content import SiteOptions, data_folder
        from ...web.site.folder import check_folder, default_rules, write_site
    except ImportError as error:
        raise MissingPackage("site", "fastapi", "pydantic", extra="web") from error
    from ..views.site import site_lines

    check_folder(folder, force)
    service = query_service(tables, threads, "en")
    chosen = [service.rules(name) for name in dict.fromkeys(rules)] or default_rules(service)
    report = lambda line: click.echo(f"yatzy: {line}", err=True)  # noqa: E731
    options = SiteOptions(puzzles, date.today(), tables, threads, report)
    try:
        sizes = write_site(folder, chosen, service, options)
    except OSError as error:
        raise click.ClickException(
            _("cannot write {path}: {reason}").format(path=error.filename or folder, reason=error.strerror)
        ) from error
    click.echo("\n".join(site_lines(folder, [data_folder(rules) for rules in chosen], sizes)))

"""`yatzy site` writes the page as a folder for any static host, with the engine in the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..._messages import _
from ..console import cannot_write, echo_lines
from ..options import RULES, number_option, service_options

if TYPE_CHECKING:
    from ...service.queries import QueryService


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.argument("rules", nargs=-1, type=RULES)
@number_option("--puzzles", high=10_000, default=100, text="Puzzles of each difficulty, one a day from today on.")
@click.option("--force", is_flag=True, help="Write into a folder that has other files.")
@service_options
def site(folder: Path, rules: tuple[str, ...], puzzles: int, force: bool, service: QueryService) -> None:
    """Write the page as a folder for a static host.

    The visitor's browser computes the answers; after the first visit it needs no network. Without RULES the site has
    Yatzy and the other small games that are solved. Tables of large games are read in parts, by HTTP Range. Writing
    into the folder of a site updates it.

    \b
      yatzy site public
      yatzy site public yatzy yahtzee maxi-unsaved
    """
    from ...web.site.content import SiteOptions, data_folder
    from ...web.site.folder import check_folder, default_rules, write_site

    check_folder(folder, force)
    chosen = [service.rules(name) for name in dict.fromkeys(rules)] or default_rules(service)
    report = lambda line: click.echo(f"yatzy: {line}", err=True)  # noqa: E731
    options = SiteOptions(puzzles, date.today(), service.tables, service.threads, report)
    try:
        sizes = write_site(folder, chosen, service, options)
    except OSError as error:
        raise cannot_write(error.filename or folder, error) from error
    echo_lines(site_lines(folder, [data_folder(rules) for rules in chosen], sizes))


def site_lines(folder: Path, games: Sequence[str], sizes: Mapping[str, int]) -> list[str]:
    """What is written: the sizes of the page and of the data of each game, by its folder, from those of all files."""
    from ..views.wording import size_text

    rows = [(name, sum(size for file, size in sizes.items() if file.startswith(f"data/{name}/"))) for name in games]
    rows.insert(0, (_("page"), sum(sizes.values()) - sum(size for _, size in rows)))
    width = max(len(name) for name, _ in rows)
    written = _("Wrote {folder}, {size}", folder=folder, size=size_text(sum(sizes.values())))
    return [written, *(f"  {name:<{width}}  {size_text(size):>9}" for name, size in rows)]

"""`yatzy rate`: how well players play, over many recorded games, with luck removed."""

from __future__ import annotations

import json
import os

import click

from ..._messages import _
from ..console import check_overwrite, output_file, query_service, rating_progress
from ..options import force_option, json_option, language_option, table_options
from ..user_files import finished_games


@click.command()
@click.argument("files", nargs=-1, type=click.Path(), metavar="[FILE]...")
@click.option("--player", help="Name of a player [all players].")
@click.option("--compare", nargs=2, multiple=True, metavar="ANN BO", help="Two players to compare [the only two].")
@click.option(
    "--block", type=click.IntRange(1), metavar="N", help="Games in a block of the list over time [a tenth of them]."
)
@click.option(
    "--confidence", type=click.FloatRange(50, 100, max_open=True), metavar="PERCENT", default=95.0, show_default=True,
    help="Confidence of the intervals.",
)  # fmt: skip
@click.option("--csv", "csv_path", type=click.Path(dir_okay=False), metavar="FILE", help="File for a row per game.")
@click.option(
    "--plot", "plot_path", type=click.Path(dir_okay=False), metavar="FILE",
    help="Draw the points lost over time and by kind of decision: .png, .svg or .pdf.",
)  # fmt: skip
@force_option
@json_option
@language_option
@table_options
def rate(
    files: tuple[str, ...],
    player: str | None,
    compare: tuple[tuple[str, str], ...],
    block: int | None,
    confidence: float,
    csv_path: str | None,
    plot_path: str | None,
    force: bool,
    as_json: bool,
    lang: str,
    tables: str | None,
    threads: int | None,
) -> None:
    """Rate players by their recorded games, with luck removed.

    FILE is a record of `yatzy play` or `yatzy simulate -o games.jsonl`; without one, that of the games you finished
    with `yatzy play`. Every decision is compared with perfect play; the points lost a game say how well somebody
    plays, whatever the dice were. Each rule set is rated apart.

    A game that is wrong, unfinished or given twice is left out and listed. If a line is wrong, the exit code is 1.

    \b
      yatzy rate games.jsonl
      yatzy rate ann.jsonl bo.jsonl --csv ratings.csv --plot ratings.png
    """
    from ...game.translations import localized
    from ...play.rating import Ratings
    from ...play.rating import rate as rate_games
    from ...service.ratings import comparisons_of, ratings_json
    from ..views.charts import PlotError, check_picture
    from ..views.rating import comparison_lines, rating_lines, results_lines, skipped_lines
    from ..views.rating_files import plot_ratings, write_csv

    if plot_path:
        check_picture(plot_path)
    for path in filter(None, (csv_path, plot_path)):
        check_overwrite(path, force)
    files = files or (finished_games(),)
    service = query_service(tables, threads, lang)
    progress = rating_progress(sum(os.path.getsize(file) for file in files if os.path.isfile(file)))
    found = rate_games(
        files, strategies=service.strategy, confidence=confidence / 100, threads=threads, progress=progress
    )
    comparisons = [found.of(first).versus(found.of(second)) for first, second in compare]
    if player:
        found = Ratings((found.of(player),), found.skipped, {})
    elif not compare:
        comparisons = comparisons_of(found)
    if csv_path:
        with output_file(csv_path) as file:
            write_csv(file, found.ratings)
    if plot_path:
        if not found.ratings:
            raise PlotError(_("there is no rated game to draw"))
        plot_ratings(plot_path, found.ratings, block)
    if as_json:
        click.echo(json.dumps(ratings_json(found, comparisons, block, confidence / 100)))
    else:
        parts = [rating_lines(rating, localized(rating.rules, lang), block) for rating in found.ratings]
        parts += [results_lines(found, confidence / 100), *map(comparison_lines, comparisons), skipped_lines(found)]
        click.echo("\n\n".join("\n".join(lines) for lines in parts if lines))
    if any(skipped.fault in ("wrong", "rules") for skipped in found.skipped):
        click.get_current_context().exit(1)

"""`yatzy rate`: how well players play, over many recorded games, with luck removed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from ..._messages import _
from ..console import check_overwrite, echo_json, output_file
from ..options import Number, force_option, json_option, language_option, number_option, service_options
from ..user_files import finished_games

if TYPE_CHECKING:
    from ...service.queries import QueryService


@click.command()
@click.argument("files", nargs=-1, type=click.Path(), metavar="[FILE]...")
@click.option("--player", help="Name of a player [all players].")
@click.option("--compare", nargs=2, multiple=True, metavar="ANN BO", help="Two players to compare [the only two].")
@number_option("--block", low=1, text="Games in a block of the list over time [a tenth of them].")
@click.option(
    "--confidence", type=Number(50, 100, max_open=True), metavar="PERCENT", default=95.0, show_default=True,
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
@service_options
def rate(
    files: tuple[str, ...], player: str | None, compare: tuple[tuple[str, str], ...], block: int | None,
    confidence: float, csv_path: str | None, plot_path: str | None, force: bool, as_json: bool, service: QueryService,
) -> None:  # fmt: skip
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
    from ..progress import rating_progress
    from ..views.charts import PlotError, check_picture
    from ..views.rating import comparison_lines, rating_lines, results_lines, skipped_lines
    from ..views.rating_files import plot_ratings, write_csv

    if plot_path:
        check_picture(plot_path)
    for path in filter(None, (csv_path, plot_path)):
        check_overwrite(path, force)
    files = files or (finished_games(),)
    share, progress = confidence / 100, rating_progress(sum(map(os.path.getsize, filter(os.path.isfile, files))))
    found = rate_games(
        files, strategies=service.strategy, confidence=share, threads=service.threads, progress=progress
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
        echo_json(ratings_json(found, comparisons, block, share))
    else:
        parts = [rating_lines(rating, localized(rating.rules, service.language), block) for rating in found.ratings]
        parts += [results_lines(found, share), *map(comparison_lines, comparisons), skipped_lines(found)]
        click.echo("\n\n".join("\n".join(lines) for lines in parts if lines))
    if any(skipped.fault in ("wrong", "rules") for skipped in found.skipped):
        click.get_current_context().exit(1)

"""The command `yatzy rate`, which says how well players play, by their recorded games."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from ...words import _
from .. import options
from ..console import (
    check_overwrite,
    echo_answer,
    finished_games,
    output_file,
    write_output,
)

if TYPE_CHECKING:
    from ...play.rating import Ratings
    from ...service.queries import QueryService


@click.command(cls=options.YatzyCommand)
@click.argument("files", nargs=-1, type=click.Path(), metavar="[FILE]...")
@click.option("--player", help="Name of a player [all players].")
@click.option(
    "--compare",
    nargs=2,
    multiple=True,
    metavar="ANN BO",
    help="Two players to compare [the only two].",
)
@options.number_option(
    "--block", low=1, text="Games in a block of the list over time [a tenth of them]."
)
@click.option(
    "--confidence",
    type=options.Number(50, 100, max_open=True),
    metavar="PERCENT",
    default=95.0,
    show_default=True,
    help="Confidence of the intervals.",
)
@click.option(
    "--csv",
    "csv_path",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="File for a row per game.",
)
@click.option(
    "--plot",
    "plot_path",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Draw the points lost over time and by kind of decision: .png, .svg or .pdf.",
)
@click.option(
    "--prices",
    is_flag=True,
    help="Also say what each player thinks that open boxes and the upper bonus are worth.",
)
@click.option(
    "--cards",
    "cards_path",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="File for your worst decisions as cards to learn, which Anki imports.",
)
@options.rules_option
@options.force_option
@options.json_option
@options.language_option
@options.service_options
def rate(
    files: tuple[str, ...],
    player: str | None,
    compare: tuple[tuple[str, str], ...],
    block: int | None,
    confidence: float,
    csv_path: str | None,
    plot_path: str | None,
    prices: bool,
    cards_path: str | None,
    rules: str,
    force: bool,
    as_json: bool,
    service: QueryService,
) -> None:
    """Rate players by their recorded games, with luck removed.

    FILE is a record of `yatzy play` or `yatzy simulate -o games.jsonl`; without one, that of the
    games you finished with `yatzy play`. Every decision is compared with perfect play; the points
    lost a game say how well somebody plays, whatever the dice were. Each rule set is rated apart.

    A FILE that ends in .csv has scores only: columns player and score, or a column for each player;
    --rules names their game. They are compared with the scores of perfect play.

    A game that is wrong, unfinished or given twice is left out and listed. If a line is wrong, the
    exit code is 1.

    \b
      yatzy rate games.jsonl
      yatzy rate ann.jsonl bo.jsonl --csv ratings.csv --plot ratings.png
      yatzy rate games.jsonl --prices
      yatzy rate games.jsonl --player Ann --cards ann.txt
    """
    from ...game.translations import localized
    from ...play.rating import Ratings
    from ...play.rating import rate as rate_games
    from ...service.ratings import comparisons_of, ratings_json
    from ..progress import LONG_RECORD, progress_if_long
    from ..views.exercises import anki_text
    from ..views.rating_text import (
        comparison_lines,
        plot_ratings,
        results_lines,
        skipped_lines,
        write_csv,
    )
    from ..views.results import check_picture

    if plot_path:
        check_picture(plot_path)
    check_overwrite(force, csv_path, plot_path, cards_path)
    files = files or (finished_games(),)
    share = confidence / 100
    # Progress is measured by the bytes read.
    size = sum(map(os.path.getsize, filter(os.path.isfile, files)))
    report = progress_if_long(_("Rating games"), size >= LONG_RECORD)
    everyone = rate_games(
        files,
        strategies=service.strategy,
        confidence=share,
        threads=service.settings.threads,
        progress=lambda read: report(min(read, size), size),
        rules=rules,
        tables=service.settings.tables,
    )
    comparisons = [everyone.of(first).versus(everyone.of(second)) for first, second in compare]
    shown = everyone
    if player:
        shown = Ratings((everyone.of(player),), everyone.skipped, {})
    elif not compare:
        comparisons = comparisons_of(everyone)
    if csv_path:
        with output_file(csv_path) as file:
            write_csv(file, shown.ratings)
    if plot_path:
        if not shown.ratings:
            raise click.ClickException(_("there is no rated game to draw"))
        plot_ratings(plot_path, shown.ratings, block)
    if cards_path:
        exercises = []
        for rating in shown.ratings:
            strategy = service.strategy(rating.rules)
            rule_set = localized(rating.rules, service.language)
            exercises.append((strategy, rule_set, rating.worst_decisions(strategy)))
        write_output(cards_path, anki_text(exercises))
    parts = rating_parts(shown, service.language, block, prices)
    parts += [
        results_lines(shown, share),
        *map(comparison_lines, comparisons),
        skipped_lines(shown),
    ]
    text = "\n\n".join("\n".join(lines) for lines in parts if lines)
    echo_answer([text], as_json, ratings_json(shown, comparisons, block, share, prices))
    if any(skipped.fault in ("wrong", "rules") for skipped in shown.skipped):
        click.get_current_context().exit(1)


def rating_parts(
    ratings: Ratings, language: str, block: int | None, prices: bool
) -> list[list[str]]:
    """Return the lines of each rating and, if wanted, of the player's prices."""
    from ...game.translations import localized
    from ..views.rating_text import rating_lines

    parts = []
    for rating in ratings.ratings:
        rules = localized(rating.rules, language)
        parts.append(rating_lines(rating, rules, block))
        if prices:
            from ..views.prices_text import prices_lines

            parts.append(prices_lines(rating, rules))
    return parts

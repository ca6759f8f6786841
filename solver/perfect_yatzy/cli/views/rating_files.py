"""Ratings as files: one row a game in CSV, and a picture of the points lost over time and by kind of decision."""

from __future__ import annotations

import csv
import io
from typing import IO, Any

import numpy as np

from ..._messages import _, ngettext, number_text
from ...play.rating import Rating
from .charts import picture
from .rating import kind_name
from .wording import decimal_text, grouped

COLOURS = ("#4477aa", "#cc6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")


def kinds_of(ratings: tuple[Rating, ...]) -> list[str]:
    """The kinds of decisions of some ratings, the choice of a category last."""
    kinds = dict.fromkeys(kind for rating in ratings for kind in rating.kinds)
    return sorted(kinds, key=lambda kind: (kind == "category", kind))


def write_csv(file: IO[bytes], ratings: tuple[Rating, ...]) -> None:
    """Write one row for each rated game of each player.

    The columns: ``player``, ``rules``, ``place``, ``date``, ``game`` (number in the order of the rating, from 1),
    ``result``, ``start``, ``luck``, ``points_lost``, ``result_without_luck``, ``decisions``, and for each kind of
    decision ``lost_KIND``. They satisfy result = start + luck - points_lost.
    """
    kinds = kinds_of(ratings)
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    head = ["player", "rules", "place", "date", "game", "result", "start", "luck", "points_lost"]
    writer.writerow([*head, "result_without_luck", "decisions", *(f"lost_{kind}" for kind in kinds)])
    for rating in ratings:
        figures, lost, games = rating.figures, rating.lost_by_game, rating.games
        columns = {kind: figures.lost[:, i].tolist() for i, kind in enumerate(rating.kinds)}
        none: list[Any] = [None] * games
        head_columns = (
            rating.places,
            rating.dates,
            range(1, games + 1),
            figures.results.tolist(),
            [rating.start] * games,
        )
        figure_columns = figures.luck, lost, rating.start - lost, figures.decisions.sum(axis=1)
        lost_columns = (columns.get(kind, none) for kind in kinds)
        rows = zip(*head_columns, *(column.tolist() for column in figure_columns), *lost_columns, strict=True)
        writer.writerows((rating.player, rating.rules.key, *entry) for entry in rows)
    text.detach()  # the caller closes the file


def plot_ratings(path: str, ratings: tuple[Rating, ...], block: int | None = None) -> None:
    """Draw the points lost a game over time, with a band for the interval, and below them by kind of decision.

    `block`: games in a block; see :meth:`perfect_yatzy.play.rating.Rating.blocks`.
    """
    with picture(path) as plt:
        figure, (upper, lower) = plt.subplots(2, 1, figsize=(8, 8), layout="constrained")
        width, kinds = 0.8 / len(ratings), kinds_of(ratings)
        several = len({rating.rules.key for rating in ratings}) > 1
        for number, rating in enumerate(ratings):
            colour = COLOURS[number % len(COLOURS)]
            player = f"{rating.player}, {rating.rules.key}" if several else rating.player
            lost = ngettext(
                "{player}: {points} points lost a game, {count} game",
                "{player}: {points} points lost a game, {count} games",
                rating.games,
            )
            points = number_text(rating.points_lost.value, 2)
            label = lost.format(player=player, points=points, count=grouped(rating.games))
            parts = rating.blocks(block)
            middles = [(part.first + part.last) / 2 for part in parts]
            values = np.array([part.points_lost.value for part in parts])
            half = np.array([part.points_lost.half_width or 0.0 for part in parts])
            upper.plot(middles, values, color=colour, marker="o", markersize=4, label=label)
            upper.fill_between(middles, values - half, values + half, color=colour, alpha=0.2, linewidth=0)
            found = {kind: rating.kind_lost(i)[0] for i, kind in enumerate(rating.kinds)}
            places = [i for i, kind in enumerate(kinds) if kind in found]
            estimates = [found[kinds[i]] for i in places]
            errors = [estimate.half_width or 0.0 for estimate in estimates]
            shifted = np.array(places) + (number - (len(ratings) - 1) / 2) * width
            lower.bar(
                shifted, [estimate.value for estimate in estimates], width, color=colour, yerr=errors, capsize=3
            )
        upper.set(xlabel=_("game"), ylabel=_("points lost a game"), ylim=(0, None))
        upper.legend()
        lower.set(ylabel=_("points lost a game"), ylim=(0, None))
        lower.set_xticks(range(len(kinds)), [kind_name(kind, False) for kind in kinds])
        for axes in (upper, lower):
            axes.grid(alpha=0.3)
        title = _("Points lost a game, with {share} % intervals")
        figure.suptitle(title.format(share=decimal_text(100 * ratings[0].confidence)))

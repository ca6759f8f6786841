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
from .wording import decimal_text

COLOURS = ("#4477aa", "#cc6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")


def write_csv(file: IO[bytes], ratings: tuple[Rating, ...]) -> None:
    """Write one row for each rated game of each player.

    The columns: ``player``, ``rules``, ``place``, ``date``, ``game`` (number in the order of the rating, from 1),
    ``result``, ``start``, ``luck``, ``points_lost``, ``result_without_luck``, ``decisions``, and for each kind of
    decision ``lost_KIND``. They satisfy result = start + luck - points_lost.
    """
    kinds = list(dict.fromkeys(kind for rating in ratings for kind in rating.kinds))
    kinds.sort(key=lambda kind: (kind == "category", kind))
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    head = ["player", "rules", "place", "date", "game", "result", "start", "luck", "points_lost"]
    writer.writerow([*head, "result_without_luck", "decisions", *(f"lost_{kind}" for kind in kinds)])
    for rating in ratings:
        figures, lost = rating.figures, rating.lost_by_game
        columns = {kind: figures.lost[:, i].tolist() for i, kind in enumerate(rating.kinds)}
        none: list[Any] = [None] * rating.games
        rows = zip(
            rating.places,
            rating.dates,
            range(1, rating.games + 1),
            figures.results.tolist(),
            [rating.start] * rating.games,
            figures.luck.tolist(),
            lost.tolist(),
            (rating.start - lost).tolist(),
            figures.decisions.sum(axis=1).tolist(),
            *(columns.get(kind, none) for kind in kinds),
            strict=True,
        )
        writer.writerows((rating.player, rating.rules.key, *entry) for entry in rows)
    text.detach()  # the caller closes the file


def plot_ratings(path: str, ratings: tuple[Rating, ...], block: int | None = None) -> None:
    """Draw the points lost a game over time, with a band for the interval, and below them by kind of decision.

    Parameters
    ----------
    path
        File to write; its suffix selects the format.
    ratings
        At least one.
    block
        Games in a block; see :meth:`perfect_yatzy.play.rating.Rating.blocks`.

    Raises
    ------
    PlotError
        If the file cannot be written.
    MissingPackage
        Without matplotlib.
    """
    with picture(path) as plt:
        figure, (upper, lower) = plt.subplots(2, 1, figsize=(8, 8), layout="constrained")
        width = 0.8 / len(ratings)
        kinds = list(dict.fromkeys(kind for rating in ratings for kind in rating.kinds))
        kinds.sort(key=lambda kind: (kind == "category", kind))
        several = len({rating.rules.key for rating in ratings}) > 1
        for number, rating in enumerate(ratings):
            colour = COLOURS[number % len(COLOURS)]
            label = f"{rating.player}, {rating.rules.key}" if several else rating.player
            lost = ngettext(
                "{player}: {points} points lost a game, {count} game",
                "{player}: {points} points lost a game, {count} games",
                rating.games,
            )
            label = lost.format(
                player=label,
                points=number_text(rating.points_lost.value, 2),
                count=number_text(rating.games, grouped=True),
            )
            parts = rating.blocks(block)
            middles = [(part.first + part.last) / 2 for part in parts]
            values = [part.points_lost.value for part in parts]
            half = [part.points_lost.half_width or 0.0 for part in parts]
            low, high = (np.array(values) + sign * np.array(half) for sign in (-1, 1))
            upper.plot(middles, values, color=colour, marker="o", markersize=4, label=label)
            upper.fill_between(middles, low, high, color=colour, alpha=0.2, linewidth=0)
            found = {kind: rating.kind_lost(i)[0] for i, kind in enumerate(rating.kinds)}
            places = [i for i, kind in enumerate(kinds) if kind in found]
            estimates = [found[kinds[i]] for i in places]
            half = [estimate.half_width or 0.0 for estimate in estimates]
            shifted = np.array(places) + (number - (len(ratings) - 1) / 2) * width
            lower.bar(shifted, [estimate.value for estimate in estimates], width, color=colour, yerr=half, capsize=3)
        upper.set(xlabel=_("game"), ylabel=_("points lost a game"), ylim=(0, None))
        upper.legend()
        lower.set(ylabel=_("points lost a game"), ylim=(0, None))
        lower.set_xticks(range(len(kinds)), [kind_name(kind, False) for kind in kinds])
        for axes in (upper, lower):
            axes.grid(alpha=0.3)
        title = _("Points lost a game, with {share} % intervals")
        figure.suptitle(title.format(share=decimal_text(100 * ratings[0].confidence)))

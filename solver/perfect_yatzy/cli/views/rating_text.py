"""Ratings as text, as CSV and as a picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

import numpy as np

from ...core.rules import RuleSet, leaves_choice
from ...game.notation import spaced
from ...play.rating import GRADE_NAMES, Comparison, GameBlock, Rating, Ratings
from ...play.spots import ANY, KindOfAction
from ...strategy.confidence import Estimate, mean_of
from ...words import N_, _, ngettext, number_text, significant_text
from ..text_width import left, right, shortened, wrap
from .results import bar, picture
from .review_text import grade_word
from .wording import (
    category_name,
    grouped,
    line_width,
)

MAX_SKIPPED = 10  # skipped games that are listed
SHOWN_SPOTS = 5  # kinds of mistakes that are listed
# widths in columns
LABEL = 26
NUMBER = 9
INTERVAL = 22
DECISION = 14  # of the points lost a decision
BAR = 18
COLOURS = ("#4477aa", "#cc6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")
HOLD_KINDS = {  # the second one includes all later rolls
    1: (N_("hold, first roll"), N_("hold, first roll or later")),
    2: (N_("hold, second roll"), N_("hold, second roll or later")),
    3: (N_("hold, third roll"), N_("hold, third roll or later")),
}


def rating_lines(rating: Rating, rules: RuleSet, block: int | None = None) -> list[str]:
    """Return lines for one rating, with the names of `rules`.

    `block` is the number of games in a block of the list over time.
    """
    share = significant_text(100 * rating.confidence, 6)
    interval_head = _("{share} % interval", share=share) if rating.games > 1 else ""
    games = _games_text(rating.games)
    lines = [
        _("{player}, {rules}: {games}", player=rating.player, rules=rating.rules.key, games=games),
        "",
        row("", _("a game"), interval_head),
        _estimate_row(_("Result"), rating.result),
        _estimate_row(_("Luck"), rating.luck),
        _estimate_row(_("Points lost"), rating.points_lost),
        _estimate_row(_("Result without luck"), rating.result_without_luck),
        row(_("Perfect play"), number_text(rating.start, 2)),
        "",
    ]
    for sentence in _rating_sentences(rating):
        lines += wrap(sentence, line_width())
    lines += ["", *_kind_lines(rating, interval_head)]
    if leaves_choice(rules):
        lines += ["", *category_loss_lines(rating, rules)]
    lines += spot_lines(rating, rules)
    parts = rating.blocks(block)
    if len(parts) > 1:
        lines += ["", *block_lines(rating, parts, interval_head)]
    return lines


def _rating_sentences(rating: Rating) -> Iterator[str]:
    """Yield what the figures of a rating say, and what is known of games without decisions."""
    if rating.narrower:
        yield _(
            "Without luck the interval is {factor} times narrower: the results of {games} games would say as much.",
            factor=number_text(rating.narrower, 1),
            # The width of an interval falls with the square root of the number of games.
            games=grouped(rating.narrower**2 * rating.games),
        )
    numbers = rating.figures.errors.mean(axis=0).tolist()  # errors a game of each grade
    first, second, third = (
        f"{number_text(number, 1)} {grade_word(grade, 2)}"
        for grade, number in zip(GRADE_NAMES, numbers, strict=True)
    )
    yield _("A game has {first}, {second} and {third}.", first=first, second=second, third=third)
    name = _(rating.level.name)  # marked elsewhere
    yield _("Plays like level {number}: {name}.", number=rating.level.number, name=name)
    if len(rating.other_results):
        games = _games_text(len(rating.other_results))
        mean = number_text(float(rating.other_results.mean()), 2)
        yield _("{games} without decisions: mean result {mean}.", games=games, mean=mean)


def row(label: str, number: str, interval: str = "", rest: str = "") -> str:
    """Return a line of a table.

    Without an interval, as for a single game, there is no column for it.
    """
    shown = right(interval, INTERVAL) if interval else ""
    return f"{left(label, LABEL)}{right(number, NUMBER)}{shown}{rest}".rstrip()


def interval_text(estimate: Estimate, factor: float = 1.0) -> str:
    """Return the interval of `factor` times an estimate, such as ``1.20 to 3.40``.

    It is empty if there is none.
    """
    if estimate.low is None or estimate.high is None:
        return ""
    low, high = sorted((factor * estimate.low, factor * estimate.high))
    return _("{low} to {high}", low=number_text(low, 2), high=number_text(high, 2))


def _estimate_row(label: str, estimate: Estimate, rest: str = "") -> str:
    return row(label, number_text(estimate.value, 2), interval_text(estimate), rest)


def _games_text(number: int) -> str:
    return ngettext("{count} game", "{count} games", number, count=grouped(number))


def kind_name(kind: str, *, with_later_rolls: bool = False) -> str:
    """Return words for a kind of :func:`perfect_yatzy.play.rating.decision_kinds`.

    The kind may include all later rolls.
    """
    if kind == "category":
        return _("category")
    number = int(kind.removeprefix("hold_"))
    if number in HOLD_KINDS:
        one_roll, or_later = HOLD_KINDS[number]
        return _(or_later if with_later_rolls else one_roll)  # marked elsewhere
    text = _("hold, roll {number} or later") if with_later_rolls else _("hold, roll {number}")
    return text.format(number=number)


def _kind_lines(rating: Rating, interval_head: str) -> list[str]:
    """Return the points lost in a game, and by each decision of it, for each kind of decision."""

    def line(label: str, lost: Estimate, per_decision: Estimate | None) -> str:
        decision = right(number_text(per_decision.value, 3), DECISION) if per_decision else ""
        return _estimate_row(f"  {label}", lost, decision)

    decision_head = right(_("a decision"), DECISION)
    lines = [row(_("Points lost by decision"), _("a game"), interval_head, decision_head)]
    for i, kind in enumerate(rating.kinds):
        # The holds come first, by roll, and the last kind is the category.
        is_last_hold = i == len(rating.kinds) - 2
        label = kind_name(kind, with_later_rolls=rating.rules.saved_rolls and is_last_hold)
        lines.append(line(label, *rating.kind_lost(i)))
    return [*lines, line(_("all"), rating.points_lost, rating.lost_per_decision)]


def category_loss_lines(rating: Rating, rules: RuleSet) -> list[str]:
    """Return the points lost by taking each category, and by leaving it when it was best."""
    heads = right(_("taking it"), 12) + right(_("leaving it"), 12) + right(_("mean points"), 14)
    lines = [left(_("Points lost a game by"), LABEL) + heads]
    for i, category in enumerate(rules.categories):
        taking, leaving = rating.category_lost(i)
        points = number_text(float(rating.figures.category_points[:, i].mean()), 2)
        name = shortened(category_name(rules, category.id), LABEL - 4)
        lost = f"{number_text(taking.value, 2):>12}{number_text(leaving.value, 2):>12}"
        lines.append(f"  {left(name, LABEL - 2)}{lost}{points:>14}")
    return lines


def spot_lines(rating: Rating, rules: RuleSet) -> list[str]:
    """Return the mistakes that the player repeats, the most expensive first."""
    lines = []
    for spot in rating.spots[:SHOWN_SPOTS]:
        template = _(
            "With {roll} you took {done} {count} of {times} times; best is {best}: {points}"
        )
        if not isinstance(spot.done, str):
            template = _(
                "With {roll} you kept {done} {count} of {times} times; best is {best}: {points}"
            )
        sentence = template.format(
            roll=_kind_text(rules, spot.roll),
            done=_kind_text(rules, spot.done),
            best=_kind_text(rules, spot.best),
            count=grouped(spot.times_done),
            times=grouped(spot.times),
            points=number_text(spot.points_lost / rating.games, 2),
        )
        lines += wrap(sentence, line_width(), initial_indent="  ", subsequent_indent="    ")
    head = _("Mistakes made more than once, with the points lost a game")
    return ["", *wrap(head, line_width()), *lines] if lines else []


def _kind_text(rules: RuleSet, kind: KindOfAction) -> str:
    """Return dice, with x for a die of any face, or the name of a category."""
    if isinstance(kind, str):
        return category_name(rules, kind)
    return spaced(["x" if face == ANY else str(face) for face in kind]) or _("nothing")


def _block_label(part: GameBlock) -> str:
    """Return the days of the first and the last game, or their numbers if they have no dates."""
    if part.first_date and part.last_date:
        days = sorted({part.first_date[:10], part.last_date[:10]})
        return _("{low} to {high}", low=days[0], high=days[1]) if len(days) > 1 else days[0]
    if part.last > part.first:
        return _("games {first} to {last}", first=grouped(part.first), last=grouped(part.last))
    return _("game {number}", number=grouped(part.first))


def block_lines(rating: Rating, parts: Sequence[GameBlock], interval_head: str) -> list[str]:
    """Return the points lost over time, with bars, and their trend."""
    most = max(part.points_lost.value for part in parts)
    room = max(1, min(BAR, line_width() - LABEL - NUMBER - INTERVAL - 2))
    lines = [row(_("Points lost over time"), _("a game"), interval_head)]
    for part in parts:
        drawn = bar(part.points_lost.value / most, room) if most > 0 else ""
        lines.append(_estimate_row(f"  {_block_label(part)}", part.points_lost, f"  {drawn}"))
    trend = rating.trend
    if trend is None or trend.low is None or trend.high is None:
        return lines
    text = _("Trend: {change} in 100 games ({interval}).")
    if trend.low <= 0 <= trend.high:
        text = _("No trend is shown: {change} in 100 games ({interval}).")
    change = ("" if trend.value < 0 else "+") + number_text(100 * trend.value, 2)
    return lines + wrap(
        text.format(change=change, interval=interval_text(trend, 100)), line_width()
    )


def comparison_lines(comparison: Comparison) -> list[str]:
    """Return who plays better, by how much, and how sure that is."""
    first = comparison.first
    second = comparison.second
    names = {"first": first.player, "second": second.player, "rules": first.rules.key}
    advantage = comparison.advantage  # of the first player
    if advantage.low is None or advantage.high is None:
        return wrap(
            _("{first} and {second}, {rules}: too few games to compare.", **names), line_width()
        )
    # The figures are shown for the player who is ahead, with this sign.
    sign = -1 if advantage.value < 0 else 1
    ahead, behind = (second, first) if sign < 0 else (first, second)
    sentence = _(
        "{first} and {second}, {rules}: {ahead} plays better than {behind} by {points} points a game "
        "({share} %: {interval}), luck removed; {chance}."
    )
    if advantage.low <= 0 <= advantage.high:
        sentence = _(
            "{first} and {second}, {rules}: no difference is shown. {ahead} plays better by {points} points a game "
            "({share} %: {interval}), luck removed; {chance}."
        )
    verdict = sentence.format(
        **names,
        ahead=ahead.player,
        behind=behind.player,
        points=number_text(sign * advantage.value, 2),
        chance=_p_value_text(advantage.chance),
        share=significant_text(100 * first.confidence, 6),
        interval=interval_text(advantage, sign),
    )
    plain = _(
        "The plain results differ by {points} ({interval}).",
        points=number_text(sign * comparison.results.value, 2),
        interval=interval_text(comparison.results, sign) or _("too few to say"),
    )
    return wrap(f"{verdict} {plain}", line_width())


def _p_value_text(p_value: float | None) -> str:
    if p_value is None:
        return _("too few games for a p value")
    if p_value < 0.0001:
        return f"p < {number_text(0.0001, 4)}"
    return f"p = {number_text(p_value, 4)}"


def skipped_lines(ratings: Ratings) -> list[str]:
    """Return the games without a rating, and why."""
    if not ratings.skipped:
        return []
    lines = [_("Not rated: {games}", games=_games_text(len(ratings.skipped)))]
    for skipped in ratings.skipped[:MAX_SKIPPED]:
        who = f", {skipped.player}" if skipped.player else ""
        text = f"{skipped.place}{who}: {skipped.reason}"
        lines += wrap(text, line_width(), initial_indent="  ", subsequent_indent="    ")
    n_hidden = len(ratings.skipped) - MAX_SKIPPED
    if n_hidden > 0:
        lines.append("  " + _("and {count} more", count=grouped(n_hidden)))
    return lines


def results_lines(ratings: Ratings, confidence: float) -> list[str]:
    """Return lines about the players of whom only results are known."""
    lines = []
    for (rules, player), results in ratings.results_only.items():
        estimate = mean_of(results, confidence)
        mean_text = number_text(estimate.value, 2)
        if estimate.low is not None:
            mean_text = _(
                "{mean} ({share} %: {interval})",
                mean=mean_text,
                share=significant_text(100 * confidence, 6),
                interval=interval_text(estimate),
            )
        sentence = _(
            "{player}, {rules}: {games} without decisions, mean result {mean}. "
            "Results alone show neither mistakes nor luck.",
            player=player,
            rules=rules,
            games=_games_text(len(results)),
            mean=mean_text,
        )
        share_below = ratings.beaten_share(rules, player)
        if share_below is not None:
            sentence += " " + _(
                "Perfect play has a mean of {mean}; on average {share} % of its games end lower than "
                "these (50 % would be as good).",
                mean=number_text(ratings.perfect_play[rules].mean, 2),
                share=number_text(100 * share_below, 1),
            )
        lines += wrap(sentence, line_width())
    return lines


def kinds_of(ratings: tuple[Rating, ...]) -> list[str]:
    """Return the kinds of decisions of some ratings, with the choice of a category last."""
    kinds = dict.fromkeys(kind for rating in ratings for kind in rating.kinds)
    return sorted(kinds, key=lambda kind: (kind == "category", kind))


def write_csv(file: IO[bytes], ratings: tuple[Rating, ...]) -> None:
    """Write one row for each rated game of each player.

    In each row, result = start + luck - points_lost.
    """
    kinds = kinds_of(ratings)
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    head = ["player", "rules", "place", "date", "game", "result", "start", "luck", "points_lost"]
    writer.writerow(
        [*head, "result_without_luck", "decisions", *(f"lost_{kind}" for kind in kinds)]
    )
    for rating in ratings:
        figures = rating.figures
        lost = rating.lost_by_game
        games = rating.games
        lost_by_kind = {kind: figures.lost[:, i].tolist() for i, kind in enumerate(rating.kinds)}
        columns: list[Iterable[Any]] = [  # in the order of the head
            [rating.player] * games,
            [rating.rules.key] * games,
            rating.places,
            rating.dates,
            range(1, games + 1),
            figures.results.tolist(),
            [rating.start] * games,
            figures.luck.tolist(),
            lost.tolist(),
            (rating.start - lost).tolist(),
            figures.decisions.sum(axis=1).tolist(),
            *(lost_by_kind.get(kind, [None] * games) for kind in kinds),
        ]
        writer.writerows(zip(*columns, strict=True))
    text.detach()  # the caller closes the file


def _draw_over_time(axes: Any, parts: Sequence[GameBlock], colour: str, label: str) -> None:
    """Draw the points lost a game in each block of games, with a band of their intervals."""
    middles = [(part.first + part.last) / 2 for part in parts]
    values = np.array([part.points_lost.value for part in parts])
    half = np.array([part.points_lost.half_width or 0.0 for part in parts])
    axes.plot(middles, values, color=colour, marker="o", markersize=4, label=label)
    axes.fill_between(middles, values - half, values + half, color=colour, alpha=0.2, linewidth=0)


def plot_ratings(path: str, ratings: tuple[Rating, ...], block: int | None = None) -> None:
    """Draw the points lost a game over time, and below them by kind of decision.

    Intervals are drawn as a band and as error bars.
    """
    with picture(path) as plt:
        figure, (upper, lower) = plt.subplots(2, 1, figsize=(8, 8), layout="constrained")
        kinds = kinds_of(ratings)
        width = 0.8 / len(ratings)  # the bars of all ratings share 0.8 of the room of a kind
        several_rules = len({rating.rules.key for rating in ratings}) > 1
        for number, rating in enumerate(ratings):
            colour = COLOURS[number % len(COLOURS)]
            label = ngettext(
                "{player}: {points} points lost a game, {count} game",
                "{player}: {points} points lost a game, {count} games",
                rating.games,
                player=f"{rating.player}, {rating.rules.key}" if several_rules else rating.player,
                points=number_text(rating.points_lost.value, 2),
                count=grouped(rating.games),
            )
            _draw_over_time(upper, rating.blocks(block), colour, label)
            by_kind = [rating.kind_lost(i)[0] for i in range(len(rating.kinds))]
            means = [lost.value for lost in by_kind]
            errors = [lost.half_width or 0.0 for lost in by_kind]
            shift = (number - (len(ratings) - 1) / 2) * width  # from the middle of a kind
            places = [kinds.index(kind) + shift for kind in rating.kinds]
            lower.bar(places, means, width, color=colour, yerr=errors, capsize=3)
        upper.set(xlabel=_("game"), ylabel=_("points lost a game"), ylim=(0, None))
        upper.legend()
        lower.set(ylabel=_("points lost a game"), ylim=(0, None))
        lower.set_xticks(range(len(kinds)), [kind_name(kind) for kind in kinds])
        for axes in (upper, lower):
            axes.grid(alpha=0.3)
        title = _("Points lost a game, with {share} % intervals")
        figure.suptitle(title.format(share=significant_text(100 * ratings[0].confidence, 6)))

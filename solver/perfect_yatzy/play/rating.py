"""Ratings, which tell how well players decide, over many games, with luck removed.

The identity of :mod:`.review` holds in every game, and luck has the mean 0 whoever plays. So the
mean of start - points lost is the mean result, with an interval many times narrower.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, partial
from math import ceil
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..approximation.opening import open_strategy
from ..core.dice import Floats, Ints
from ..core.rules import RuleSet
from ..core.state import EMPTY_STATE
from ..errors import SolverError, StateError, positive_number
from ..policies.levels import SkillLevel, level_played
from ..settings import Folder, Settings
from ..strategy.confidence import (
    CONFIDENCE,
    Difference,
    Estimate,
    difference_of,
    mean_of,
    ratio_of,
    slope_of,
)
from ..strategy.distribution import has_distribution, stored_distribution
from ..strategy.played_games import PlayedTurns
from ..strategy.score_distribution import ScoreDistribution
from ..strategy.strategy import Strategy
from ..strategy.tie_rules import clipped
from ..words import _
from .rating_input import Entry, GradedChunk, RatingInput, Skipped, Source
from .record import Game
from .review import GRADES, TIE_TOLERANCE, GradedDecision, GradedGames, graded_decision
from .spots import Decisions, Mistake, Spot

if TYPE_CHECKING:
    from ..prices.fit import Prices

BLOCKS = 10  # parts in which the games are listed over time
SMALLEST_BLOCK = 5  # games
LIMITS = (TIE_TOLERANCE, *(limit for limit, _ in GRADES))  # of inaccuracies, mistakes and blunders
GRADE_NAMES = (*(name for _, name in GRADES), "blunder")


def decision_kinds(rules: RuleSet) -> tuple[str, ...]:
    """Return the kinds of decisions.

    They are ``hold_1`` for a hold (or to stop) after the first roll, and so on, and ``category``
    for a decision without rolls left.
    """
    # With saved rolls the last kind of hold is that after roll `rolls_per_turn` or later.
    last = rules.rolls_per_turn if rules.saved_rolls else rules.rolls_per_turn - 1
    return *(f"hold_{number}" for number in range(1, last + 1)), "category"


@dataclass(frozen=True)
class Figures:
    """Sums over each of n games of one player, in points unless stated otherwise."""

    results: Ints  # (n,): final score
    luck: Floats  # (n,): sum of the luck of all rolls
    lost: Floats  # (n, kinds): points lost by each of :func:`decision_kinds`
    decisions: Ints  # (n, kinds): number of decisions of each kind
    errors: Ints  # (n, 3): number of inaccuracies, mistakes and blunders (:func:`.review.grade`)
    lost_by_turn: Floats  # (n, turns): points lost in each turn
    category_points: Ints  # (n, categories): points of each box
    # (n, categories): points lost by turns that took this category, against the best category for
    # the same dice
    lost_by_taking: Floats
    # (n, categories): points lost by turns that should have taken this category
    lost_by_leaving: Floats

    def of(self, games: npt.NDArray[Any]) -> Figures:
        """Return the figures of some of the games."""
        return Figures(*(column[games] for column in vars(self).values()))


def figures_of(rules: RuleSet, graded: GradedGames) -> Figures:
    """Sum up valued games."""
    games = len(graded.results)
    kinds = len(decision_kinds(rules))
    boxes = len(rules.categories)

    def totals(game: Ints, column: Ints, columns: int, weights: Floats | Ints | None = None) -> Any:
        """Return the sums of `weights`, or counts, by game and column, ``(games, columns)``."""
        flat = np.bincount(game * columns + column, weights, games * columns)
        return flat.reshape(games, columns)

    # These arrays are by roll, since each roll has one decision: its game, its kind and its loss.
    # The last kind is a category, and the last kind of hold includes all later rolls.
    game = graded.card_of_roll
    hold_kind = np.minimum(graded.number_of_roll, kinds - 1) - 1
    kind = np.where(graded.can_reroll, hold_kind, kinds - 1)
    loss = graded.decision_loss
    # place in GRADE_NAMES, or -1 if it is no error
    error = np.searchsorted(LIMITS, loss, side="right") - 1
    is_error = error >= 0
    # These are by turn: its game, what the category loses, and whether another one was better.
    game_of_turn = graded.card_of_turn
    turn_loss = graded.category_loss
    missed = turn_loss > 0
    return Figures(
        results=graded.results,
        luck=np.bincount(game, graded.luck, games).astype(np.float64, copy=False),
        lost=totals(game, kind, kinds, loss),
        decisions=totals(game, kind, kinds),
        errors=totals(game[is_error], error[is_error], len(LIMITS)),
        lost_by_turn=totals(game, graded.turn_number[graded.turn_of_roll], boxes, loss),
        category_points=totals(game_of_turn, graded.category, boxes, graded.points).astype(
            np.int64
        ),
        lost_by_taking=totals(game_of_turn, graded.category, boxes, turn_loss),
        lost_by_leaving=totals(
            game_of_turn[missed], graded.best_category[missed], boxes, turn_loss[missed]
        ),
    )


@dataclass(frozen=True)
class GameBlock:
    """Consecutive games of a rating."""

    first: int  # number of its first game, from 1
    last: int  # number of its last game
    first_date: str | None  # of the first game, if the games are in the order of their dates
    last_date: str | None  # of the last game
    points_lost: Estimate  # points lost a game


@dataclass(frozen=True, repr=False)
class Rating:
    """How well one player plays one rule set.

    Estimates are means of a game, in points, with their intervals.

    Attributes
    ----------
    player : str
    rules : RuleSet
    start : float
        Expected final score under perfect play.
    places : tuple of str
        File and line of each rated game, n in all, in the order of their dates if all have one,
        otherwise as given.
    dates : tuple of str or None
        The field ``date`` of each game.
    figures : Figures
        What each game added up to.
    other_results : (m,) int64
        Results of games without recorded decisions, which are in no other figure.
    confidence : float
        Confidence of all intervals.
    spots : tuple of Spot
        The kinds of decisions that the player has met more than once and that have cost the most,
        the most expensive first.
    mistakes : tuple of Mistake
        The single decisions that have cost the most, the most expensive first.
    find_prices : function or None
        Function that finds :attr:`prices`, or None for a rating without the games.
    """

    player: str
    rules: RuleSet
    start: float
    places: tuple[str, ...]
    dates: tuple[str | None, ...]
    figures: Figures
    other_results: Ints
    confidence: float = CONFIDENCE
    spots: tuple[Spot, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    find_prices: Callable[[], Prices] | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        lost = self.points_lost.value
        half = self.points_lost.half_width
        width = "" if half is None else f" ± {half:.2f}"
        return f"<Rating {self.player}, {self.rules.key}: {self.games} games, {lost:.2f}{width} points lost a game>"

    @property
    def games(self) -> int:
        """Number of rated games."""
        return len(self.places)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of decisions (:func:`decision_kinds`)."""
        return decision_kinds(self.rules)

    @property
    def lost_by_game(self) -> Floats:
        """``(n,)`` float64: points lost in each game."""
        return np.asarray(self.figures.lost.sum(axis=1))

    @cached_property
    def result(self) -> Estimate:
        """Mean result."""
        return self._mean(self.figures.results)

    @cached_property
    def luck(self) -> Estimate:
        """Mean luck, whose expectation is 0."""
        return self._mean(self.figures.luck)

    @cached_property
    def points_lost(self) -> Estimate:
        """Points lost a game."""
        return self._mean(self.lost_by_game)

    @property
    def result_without_luck(self) -> Estimate:
        """Mean result that these decisions earn with average luck: that of start - points lost."""
        return self.points_lost.minus_from(self.start)

    @property
    def level(self) -> SkillLevel:
        """The level of computer players that loses about as many points a game."""
        return level_played(self.rules, self.start, self.points_lost.value)

    def worst_decisions(self, strategy: Strategy) -> list[GradedDecision]:
        """Return the decisions of `mistakes` with their cards, graded by the strategy."""
        decisions = []
        for mistake in self.mistakes:
            turns = [*mistake.entry.game().cards(mistake.player)]
            card, turn = turns[mistake.turn - 1]
            decisions.append(graded_decision(strategy, card, turn, mistake.turn, mistake.roll))
        return decisions

    @cached_property
    def lost_per_decision(self) -> Estimate:
        """Points lost a decision."""
        estimate = ratio_of(self.lost_by_game, self.figures.decisions.sum(axis=1), self.confidence)
        assert estimate is not None  # each game has decisions
        return estimate

    @property
    def narrower(self) -> float | None:
        """How many times narrower the interval without luck is than that of the results.

        None if one of the intervals has the width 0.
        """
        of_results = self.result.half_width
        without_luck = self.points_lost.half_width
        return of_results / without_luck if of_results and without_luck else None

    def kind_lost(self, kind: int) -> tuple[Estimate, Estimate | None]:
        """Return the points lost by a kind of decisions, a game and a decision.

        The kind is given by its position. The second estimate is None if there were no such
        decisions.
        """
        lost = self.figures.lost[:, kind]
        decisions = self.figures.decisions[:, kind]
        return self._mean(lost), ratio_of(lost, decisions, self.confidence)

    def category_lost(self, category: int) -> tuple[Estimate, Estimate]:
        """Return the points lost a game by taking a category, and by leaving it wrongly."""
        by_taking = self._mean(self.figures.lost_by_taking[:, category])
        by_leaving = self._mean(self.figures.lost_by_leaving[:, category])
        return by_taking, by_leaving

    def turn_lost(self, turn: int) -> Estimate:
        """Return the points lost in a turn, from 0."""
        return self._mean(self.figures.lost_by_turn[:, turn])

    def blocks(self, size: int | None = None) -> tuple[GameBlock, ...]:
        """Return the games in their order, in blocks.

        Parameters
        ----------
        size
            Games in a block. The last one may have more, up to twice as many. By default it is a
            tenth of the games, and at least five.
        """
        tenth = max(SMALLEST_BLOCK, ceil(self.games / BLOCKS))
        size = tenth if size is None else positive_number(size, "size")
        # Each block begins where at least `size` games are left, and ends where the next one
        # begins.
        firsts = range(0, max(1, self.games - size + 1), size)
        ends = [*firsts[1:], self.games]
        dates = self.dates if None not in self.dates else (None,) * self.games
        return tuple(
            GameBlock(
                first + 1,
                end,
                dates[first],
                dates[end - 1],
                self._mean(self.lost_by_game[first:end]),
            )
            for first, end in zip(firsts, ends, strict=True)
        )

    @cached_property
    def prices(self) -> Prices:
        """What the player thinks that open boxes and the upper bonus are worth.

        It is computed when it is first read. Raises StateError if it cannot be found for these
        rules.
        """
        if self.find_prices is None:
            raise StateError(_("prices need the games of the rating"))
        return self.find_prices()

    @cached_property
    def trend(self) -> Estimate | None:
        """Change of the points lost a game from one game to the next, by a straight line.

        None for few games.
        """
        return slope_of(self.lost_by_game, self.confidence)

    def versus(self, other: Rating) -> Comparison:
        """Compare with another player. Raises StateError if the rules differ."""
        if self.rules.fingerprint != other.rules.fingerprint:
            text = _("{first} played {first_rules}, {second} played {second_rules}")
            rules = {"first_rules": self.rules.key, "second_rules": other.rules.key}
            raise StateError(text.format(first=self.player, second=other.player, **rules))
        advantage = difference_of(other.lost_by_game, self.lost_by_game, self.confidence)
        results = difference_of(self.figures.results, other.figures.results, self.confidence)
        return Comparison(self, other, advantage, results)

    def _mean(self, values: npt.ArrayLike) -> Estimate:
        return mean_of(values, self.confidence)


@dataclass(frozen=True)
class Comparison:
    """Two players compared, as two independent samples of games (Welch's t test)."""

    first: Rating
    second: Rating
    # points a game that the second loses more than the first, so without luck
    advantage: Difference
    results: Difference  # mean result of the first minus that of the second, luck included


@dataclass(frozen=True, repr=False)
class Ratings:
    """Ratings of all players in some games.

    Attributes
    ----------
    ratings : tuple of Rating
        The ratings by rule set and then by player, in the order in which they first occur.
    skipped : tuple of Skipped
        Games without a rating, and why.
    results_only : dict of (str, str) to (m,) int64 array
        Results of players of whom no decisions are recorded, by key of the rules and player.
    perfect_play : dict of str to ScoreDistribution
        Distribution of perfect play by key of the rules, with which these results are compared.
        Only rules whose distribution takes seconds have one.
    """

    ratings: tuple[Rating, ...]
    skipped: tuple[Skipped, ...]
    results_only: dict[tuple[str, str], Ints]
    perfect_play: dict[str, ScoreDistribution] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"<Ratings: {', '.join(map(repr, self.ratings))}; {len(self.skipped)} games left out>"
        )

    @property
    def prices(self) -> tuple[Prices, ...]:
        """:attr:`Rating.prices` of each of the ratings."""
        return tuple(rating.prices for rating in self.ratings)

    def beaten_share(self, rules: str, player: str) -> float | None:
        """Return the share of games of perfect play that end lower than the results of a player.

        It is a mean over the results of a player without decisions, and half of the games that end
        the same are added, so that it is 0.5 for perfect play. It is None if the distribution of
        the rules is not known.
        """
        perfect = self.perfect_play.get(rules)
        if perfect is None:
            return None
        results = self.results_only[rules, player].tolist()
        # Twice the chance that perfect play ends higher, where half of the equal scores count.
        doubled = [perfect.at_least(score) + perfect.at_least(score + 1) for score in results]
        return clipped(1 - sum(doubled) / (2 * len(results)))

    def of(self, player: str, rules: str | None = None) -> Rating:
        """Return the rating of a player.

        Parameters
        ----------
        player
            The name, in any case.
        rules
            Key of the rule set, if the player has played several.

        Raises
        ------
        StateError
            If there is no such rating, or there are several.
        """
        in_any_case = [
            rating
            for rating in self.ratings
            if rating.player.lower() == player.lower() and rules in (None, rating.rules.key)
        ]
        in_same_case = [rating for rating in in_any_case if rating.player == player]
        candidates = in_same_case or in_any_case
        if len(candidates) == 1:
            return candidates[0]
        names = [f"{rating.player} ({rating.rules.key})" for rating in self.ratings]
        known = ", ".join(names) or _("there are none")
        text = _("there is more than one rating of {player}; the ratings: {known}")
        if not candidates:
            text = _("there is no rating of {player}; the ratings: {known}")
        raise StateError(text.format(player=repr(player), known=known))


@dataclass
class _Collected:
    """What is known of a player so far: the games, and figures of chunks of games."""

    rules: RuleSet
    player: str
    start: float
    entries: list[Entry]
    figures: list[Figures]
    decisions: Decisions
    played: list[PlayedTurns]


def rate(  # noqa: PLR0913 - the published parameters
    games: str | PathLike[str] | Game | Iterable[str | PathLike[str] | Game],
    *,
    strategies: Callable[[RuleSet], Strategy] | None = None,
    confidence: float = CONFIDENCE,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
    rules: RuleSet | str = "yatzy",
    tables: Folder = None,
) -> Ratings:
    """Rate the players of recorded games, each rule set apart.

    Parameters
    ----------
    games
        Files of games (:mod:`perfect_yatzy.play.record`), or games of :func:`.record.read_games`. A
        wrong or unfinished game, or a line that occurs twice, is left out and listed, and does not
        stop the others. A file that ends in ``.csv`` has only scores
        (:mod:`perfect_yatzy.play.score_list`), which are compared with those of perfect play.
    strategies
        Function that opens the strategy of a rule set. By default it is
        :func:`perfect_yatzy.open_strategy`, which solves what no table is stored for.
    confidence
        Confidence of all intervals.
    threads
        Number of threads. By default it is one per processor.
    progress
        Function that is called with the bytes read so far.
    rules
        The game of the scores in CSV files that do not name it.
    tables
        Folder of the tables. :func:`perfect_yatzy.tablebase.store.tables_folder` describes the
        default.

    Returns
    -------
    Ratings
        ``of(player)`` is the rating of a player, ``ratings`` all of them.

    Raises
    ------
    StateError
        If a file cannot be read or is not a record of games, or `confidence` is not between 0 and
        1.
    """
    if not 0 < confidence < 1:
        raise StateError(
            _("confidence is {confidence}; must lie between 0 and 1", confidence=confidence)
        )
    given = [games] if isinstance(games, (str, PathLike, Game)) else games
    sources: Iterable[Source] = (
        source if isinstance(source, Game) else str(source) for source in given
    )
    opened = strategies or partial(open_strategy, tables=tables, threads=threads)
    reader = RatingInput(opened, threads, rules)
    # by fingerprint of the rules and by player, in the order in which they first occur
    collected: defaultdict[str, dict[str, _Collected]] = defaultdict(dict)
    for chunk in reader.graded(sources, progress or (lambda read: None)):
        _collect(collected, chunk)
    # results of games without decisions, by the same, and the rules by their fingerprint
    scores: dict[tuple[str, str], list[int]] = defaultdict(list)
    rules_of: dict[str, RuleSet] = {}
    for result in reader.results:
        scores[result.rules.fingerprint, result.player].append(result.score)
        rules_of[result.rules.fingerprint] = result.rules

    def first_game(players: dict[str, _Collected]) -> int:
        first_player = next(iter(players.values()))
        return first_player.entries[0].number

    ratings = []
    # Chunks have their rule sets in another order than the games.
    for fingerprint, players in sorted(collected.items(), key=lambda item: first_game(item[1])):
        for player, of_player in players.items():
            other_results = scores.pop((fingerprint, player), [])
            rating = _rating(of_player, np.array(other_results, dtype=np.int64), confidence)
            find_prices = partial(_prices, reader, of_player, tables, threads)
            ratings.append(replace(rating, find_prices=find_prices))
    # Those that are left are of players of whom no decisions are recorded.
    results_only = {
        (rules_of[fingerprint].key, player): np.array(of_player)
        for (fingerprint, player), of_player in scores.items()
    }
    unrated = dict.fromkeys(rules_of[fingerprint] for fingerprint, _player in scores)
    perfect_play = _perfect_play(reader, unrated, threads)
    return Ratings(tuple(ratings), reader.skipped, results_only, perfect_play)


def _perfect_play(
    reader: RatingInput, rule_sets: Iterable[RuleSet], threads: int | None
) -> dict[str, ScoreDistribution]:
    """Return :attr:`Ratings.perfect_play` of some rule sets."""
    distributions = {}
    for rules in filter(has_distribution, rule_sets):
        strategy = reader.strategy(rules)
        if not isinstance(strategy, SolverError):
            distributions[rules.key] = stored_distribution(
                Settings(threads=threads), strategy, EMPTY_STATE, store=False
            )
    return distributions


def _collect(collected: defaultdict[str, dict[str, _Collected]], chunk: GradedChunk) -> None:
    """Add the rated games of a chunk to those of their players.

    `collected` is by fingerprint of the rule set and by name of the player.
    """
    figures = figures_of(chunk.rules, chunk.graded)
    cards_of: dict[str, list[int]] = defaultdict(list)  # by name of the player
    for card in np.flatnonzero(chunk.rated).tolist():
        names = chunk.entries[card].players
        cards_of[names[chunk.players[card]]].append(card)
    for name, cards in cards_of.items():
        players = collected[chunk.rules.fingerprint]
        if name not in players:
            decisions = Decisions(chunk.rules)
            players[name] = _Collected(chunk.rules, name, chunk.graded.start, [], [], decisions, [])
        of_player = players[name]
        of_player.entries += [chunk.entries[card] for card in cards]
        of_player.figures.append(figures.of(np.array(cards)))
        of_player.decisions.add(chunk, cards)
        is_of_player = np.zeros(len(chunk.rated), dtype=bool)
        is_of_player[cards] = True
        of_player.played.append(chunk.graded.played.of(is_of_player))


def _rating(collected: _Collected, other_results: Ints, confidence: float) -> Rating:
    """Return the rating of a player, with the games in the order of :func:`_in_order`."""
    # the columns of all chunks
    columns = zip(*(vars(chunk).values() for chunk in collected.figures), strict=True)
    figures = Figures(*map(np.concatenate, columns))
    order, dated = _in_order(collected.entries)
    entries = [collected.entries[i] for i in order]
    places = tuple(entry.place for entry in entries)
    dates = tuple(entry.date if dated else None for entry in entries)
    in_order = figures.of(np.array(order))
    return Rating(
        player=collected.player,
        rules=collected.rules,
        start=collected.start,
        places=places,
        dates=dates,
        figures=in_order,
        other_results=other_results,
        confidence=confidence,
        spots=collected.decisions.spots(),
        mistakes=collected.decisions.mistakes,
    )


def _in_order(entries: Sequence[Entry]) -> tuple[list[int], bool]:
    """Return the positions of some games in order, and whether all have a date.

    They are in the order of their dates if all have one, otherwise as given.
    """
    times = [_time(entry.date) for entry in entries]
    dated = None not in times
    order = list(range(len(times)))
    if dated:
        order.sort(key=lambda i: (times[i], entries[i].number))
    return order, dated


def _prices(
    reader: RatingInput, collected: _Collected, tables: Folder, threads: int | None
) -> Prices:
    """Return the prices of a player, by the last games."""
    from ..prices.fit import MAX_GAMES, fit_prices

    # the columns of all chunks
    played = PlayedTurns(*map(np.concatenate, zip(*collected.played, strict=True)))
    is_recent = np.zeros(len(collected.entries), dtype=bool)
    order, _dated = _in_order(collected.entries)
    is_recent[order[-MAX_GAMES:]] = True
    strategy = reader.strategy(collected.rules)
    assert isinstance(strategy, Strategy)  # it has valued these games
    return fit_prices(strategy, played.of(is_recent), tables, threads)


def _time(date: str | None) -> float | None:
    """Return a date as seconds since 1970, or None without a date in the format of ISO 8601."""
    try:
        return datetime.fromisoformat(date).timestamp() if date is not None else None
    except (ValueError, OverflowError, OSError):
        return None

"""Recorded games on their way into a rating.

They are read, checked and valued in chunks, and it is noted why some cannot be rated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..core.rules import RuleSet
from ..errors import SolverError, StateError, shown
from ..game.card_checks import check_card
from ..game.limits import MAX_CARD_ENTRIES, check_length
from ..game.rule_loader import rules_from_json
from ..game.scorecard import Scorecard
from ..strategy.score_distribution import MAX_FINAL_SCORE
from ..strategy.strategy import Strategy
from ..words import _, number_text
from .record import (
    READABLE_SCHEMAS,
    Game,
    bonus_points_of,
    check_names,
    parse_game_line,
    read_game,
    record_lines,
)
from .review import Bools, GameColumns, GradedGames, grade_games
from .score_list import Result, is_score_list, read_scores

CHUNK = 4096  # games that are valued at the same time, which bounds the memory

Fault = Literal["wrong", "rules", "duplicate", "unfinished", "results"]
Source = str | Path | Game


@dataclass(frozen=True)
class Skipped:
    """A game, or the game of one player, without a rating."""

    place: str  # file and line, or the number of the game among those given
    # ``wrong``: It is not a correct record.
    # ``rules``: Its rules cannot be solved.
    # ``duplicate``: The same game is in an earlier line.
    # ``unfinished``: A box is open.
    # ``results``: No decisions are recorded, and only its result counts.
    fault: Fault
    reason: str  # the same in words
    player: str | None = None  # the player, if it concerns one of several


@dataclass
class Entry:
    """A game that was read."""

    number: int  # among all games, from 1, in the order they were read
    place: str  # file and line, or the number of the game among those given
    content: bytes | Game  # its line, or the game itself
    players: tuple[str, ...] = ()
    date: str | None = None  # its field ``date``, if that is text

    def game(self) -> Game:
        """Return the game, read once more and checked."""
        if isinstance(self.content, Game):
            return read_game(self.content.to_json())
        return read_game(parse_game_line(self.content, self.place, None))


@dataclass(frozen=True)
class GradedChunk:
    """Games of one rule set with their values."""

    rules: RuleSet
    graded: GradedGames
    entries: list[Entry]  # the game of each card
    players: list[int]  # index of the player of each card
    # (cards,) bool: whether the card is finished, and no player of the game broke the rules
    rated: Bools


class _Group(NamedTuple):
    """Games of one rule set that are not valued yet."""

    columns: GameColumns
    entries: list[Entry]


class RatingInput:
    """A reader of games that also values them."""

    def __init__(
        self,
        strategies: Callable[[RuleSet], Strategy],
        threads: int | None = None,
        rules: RuleSet | str = "yatzy",
    ) -> None:
        self._open = strategies
        self._threads = threads
        self._rules_of_scores = rules  # of score lists that name none
        self.results: list[Result] = []  # of games without decisions
        self._strategies: dict[str, Strategy | SolverError] = {}  # by fingerprint of the rules
        self._rules: dict[str, RuleSet] = {}  # by the JSON text of the field ``rules``
        self._groups: dict[str, _Group] = {}  # by fingerprint of the rules
        self._pending = 0  # number of games in these groups
        self._seen: dict[bytes, str] = {}  # place of each line by its hash
        self._skipped: list[tuple[int, Skipped]] = []  # each with the number of its game
        self._numbers = count(1)

    def graded(
        self, sources: Iterable[Source], progress: Callable[[int], None]
    ) -> Iterator[GradedChunk]:
        """Yield all games of some files, or given as such, with their values."""
        read = 0  # bytes
        for number, source in enumerate(sources, start=1):
            if isinstance(source, Game):
                self._add_game(Entry(next(self._numbers), f"game {number}", source), source)
                yield from self._flush(CHUNK)
                continue
            if is_score_list(source):
                self.results += read_scores(source, self._rules_of_scores)
                continue
            is_first = True  # whether no game of the file was read
            for line_number, line in record_lines(source):
                entry = Entry(next(self._numbers), f"{source}:{line_number}", line)
                self._add_line(entry, line, source if is_first else None)
                is_first = False
                read += len(line)
                if self._pending >= CHUNK:
                    yield from self._flush(CHUNK)
                    progress(read)
            if is_first:
                raise StateError(_("{source} contains no games", source=source))
        yield from self._flush(1)
        progress(read)

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Games without a rating, in the order they were read."""
        return tuple(skipped for _, skipped in sorted(self._skipped, key=lambda pair: pair[0]))

    def _skip(self, entry: Entry, fault: Fault, reason: str, player: str | None = None) -> None:
        self._skipped.append((entry.number, Skipped(entry.place, fault, reason, player)))

    def _add_line(self, entry: Entry, line: bytes, first_of: str | Path | None) -> None:
        """Append the game of a line, or note why it is skipped.

        `first_of` is the file if this is its first game.
        """
        digest = hashlib.blake2b(line.strip(), digest_size=16).digest()
        if digest in self._seen:
            self._skip(entry, "duplicate", _("the same game as {place}", place=self._seen[digest]))
            return
        self._seen[digest] = entry.place
        try:
            raw = parse_game_line(line, entry.place, first_of)
        except StateError as error:
            if first_of is not None:
                raise  # the file is something else
            self._skip(entry, "wrong", str(error).removeprefix(f"{entry.place}: "))
            return
        try:
            self._add_raw(entry, raw)
        except ValueError as error:
            self._skip(entry, "wrong", str(error))

    def _add_game(self, entry: Entry, game: Game) -> None:
        if not self._add(entry, game.rules, game.players, game.extra.get("date"), game):
            raise StateError(_("it breaks the rules; games of read_games follow them"))

    def _add(
        self, entry: Entry, rules: RuleSet, players: Iterable[str], date: Any, content: Any
    ) -> bool:
        """Append a game, or its JSON value, to those that are valued next.

        Return False, with nothing appended, if its form is unusual.
        """
        if rules.fingerprint not in self._groups:
            self._groups[rules.fingerprint] = _Group(GameColumns(rules), [])
        group = self._groups[rules.fingerprint]
        if not group.columns.add(len(group.entries), content):
            return False
        entry.players = tuple(players)
        entry.date = date if isinstance(date, str) else None
        group.entries.append(entry)
        self._pending += 1
        return True

    def _add_raw(self, entry: Entry, raw: Any) -> None:
        """Append the JSON value of a game, or note its results if it has no decisions."""
        players = _player_names(raw)
        if players and (raw.get("turns") or _has_only_scores(raw)):
            check_names(players)
            rules = self._rules_of(raw)
            turns = raw.get("turns", [])
            if turns and self._add(entry, rules, players, raw.get("date"), raw):
                return
            if _has_no_decisions(turns):
                self._note_results(entry, rules, players, raw)
                return
        self._add_game(entry, read_game(raw))  # in an unusual form, or wrong: read_game says why

    def _rules_of(self, raw: dict[str, Any]) -> RuleSet:
        """Return the rule set of a game, read once for equal fields ``rules``.

        These fields may be objects.
        """
        text = json.dumps(raw.get("rules"))
        if text not in self._rules:
            self._rules[text] = rules_from_json(raw.get("rules"))
        return self._rules[text]

    def _note_results(
        self, entry: Entry, rules: RuleSet, players: list[str], raw: dict[str, Any]
    ) -> None:
        """Note the final scores of a game without decisions.

        Its ``turns`` are a list, or are missing.
        """
        if _has_only_scores(raw):
            scores = _checked_scores(raw["final_scores"], players)
        else:
            scores = _scores_of_boxes(rules, raw["turns"], players)
        self.results += [
            Result(rules, player, score) for player, score in zip(players, scores, strict=True)
        ]
        self._skip(entry, "results", _("only the result is recorded, without the dice and holds"))

    def strategy(self, rules: RuleSet) -> Strategy | SolverError:
        """Return the strategy of a rule set, which is opened once, or why it cannot be opened.

        The error is not raised, because it is kept. Each time it was raised it would keep in memory
        what the callers hold, such as their games.
        """
        if rules.fingerprint not in self._strategies:
            try:
                self._strategies[rules.fingerprint] = self._open(rules)
            except SolverError as error:
                self._strategies[rules.fingerprint] = error
        return self._strategies[rules.fingerprint]

    def _flush(self, least: int) -> Iterator[GradedChunk]:
        """Yield the games that wait with their values, if there are at least so many."""
        if self._pending < least:
            return
        groups = self._groups.values()
        self._groups = {}
        self._pending = 0
        for columns, entries in groups:
            strategy = self.strategy(columns.rules)
            if isinstance(strategy, SolverError):
                for entry in entries:
                    self._skip(entry, "rules", str(strategy))
            elif entries:  # there are none if all games of these rules were in unusual forms
                yield self._chunk(entries, columns, grade_games(strategy, columns, self._threads))

    def _chunk(
        self, entries: list[Entry], columns: GameColumns, graded: GradedGames
    ) -> GradedChunk:
        """Return valued games, and note wrong games and unfinished cards."""
        # Each card with its first turn that breaks the rules, or -1.
        faults = list(zip(columns.cards, graded.faults.tolist(), strict=True))
        wrong = {game for (game, _player), fault in faults if fault >= 0}
        for game in sorted(wrong):
            self._skip(entries[game], "wrong", _fault_of(entries[game]))
        # Game and player of the cards that `graded` has. Another card of the game may be wrong.
        cards = [card for card, fault in faults if fault < 0]
        for (game, player), is_finished in zip(cards, graded.finished.tolist(), strict=True):
            if not is_finished and game not in wrong:
                name = entries[game].players[player] if len(entries[game].players) > 1 else None
                self._skip(entries[game], "unfinished", _("it is unfinished"), name)
        rated = graded.finished & [game not in wrong for game, _player in cards]
        of_cards = [entries[game] for game, _player in cards]
        return GradedChunk(
            columns.rules, graded, of_cards, [player for _game, player in cards], rated
        )


def _fault_of(entry: Entry) -> str:
    """Return why a game whose turns break the rules is wrong."""
    try:
        entry.game()
    except ValueError as error:
        return str(error)
    raise AssertionError(f"{entry.place} is a correct record, but its turns could not be replayed")


def _player_names(raw: Any) -> list[str]:
    """Return the names in the JSON value of a game of a known schema, or none for another form."""
    if not isinstance(raw, dict) or raw.get("schema") not in READABLE_SCHEMAS:
        return []
    players = raw.get("players")
    if isinstance(players, list) and all(type(name) is str for name in players):
        return players
    return []


def _has_only_scores(raw: dict[str, Any]) -> bool:
    """Return whether a game has final scores and no turns."""
    return raw.get("final_scores") is not None and raw.get("turns", []) == []


def _has_no_decisions(turns: Any) -> bool:
    """Return whether the field ``turns`` is a list of turns without rolls and holds.

    The list may be empty.
    """
    is_list = isinstance(turns, list) and all(isinstance(turn, dict) for turn in turns)
    return is_list and not any(turn.keys() & {"rolls", "holds"} for turn in turns)


def _checked_scores(scores: Any, players: list[str]) -> list[int]:
    """Return the field ``final_scores`` if it has a possible score for each player."""
    if not isinstance(scores, list) or len(scores) != len(players):
        message = _("final_scores is {scores}; must be a list with one number for each player")
        raise StateError(message.format(scores=shown(scores)))
    for score in scores:
        if type(score) is not int or not 0 <= score <= MAX_FINAL_SCORE:
            message = _("final_scores has {value}; must be whole numbers from 0 to {most}")
            raise StateError(
                message.format(value=shown(score), most=number_text(MAX_FINAL_SCORE, grouped=True))
            )
    return scores


def _scores_of_boxes(rules: RuleSet, turns: list[dict[str, Any]], players: list[str]) -> list[int]:
    """Return the final scores of games of which only the boxes are recorded."""
    check_length(turns, MAX_CARD_ENTRIES * len(players), "turns", _("entries"))
    cards = [Scorecard(rules) for _ in players]
    for number, turn in enumerate(turns, start=1):
        player = turn.get("player", 0)
        category = turn.get("category")
        points = turn.get("points")
        bonus_points = bonus_points_of(turn)
        if type(player) is not int or not 0 <= player < len(players):
            message = _("turn {number}: player is {player}; there are {players}")
            raise StateError(
                message.format(number=number, player=shown(player), players=len(players))
            )
        if not isinstance(category, str) or category not in rules.index_of:
            message = _("turn {number}: unknown category {category}")
            raise StateError(
                message.format(number=number, category=shown(category)), code="unknown-category"
            )
        if type(points) is not int or type(bonus_points) is not int:
            message = _("turn {number}: points is {points}; must be a whole number")
            raise StateError(message.format(number=number, points=shown(points)))
        position = rules.index_of[category]
        if position in cards[player].points:
            raise StateError(
                _("turn {number}: {category} is filled already", number=number, category=category)
            )
        cards[player] = cards[player].filled_with(position, points, bonus_points)
    for card in cards:
        check_card(card)
        if card.state.filled != rules.full_mask:
            raise StateError(_("it is unfinished, and its dice and holds are not recorded"))
    return [card.score for card in cards]

"""Records of games, which are JSON Lines with one game per line.

They are checked when they are read. The README of this folder describes the fields.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from unicodedata import category

import numpy as np

from .._files import open_file, open_output
from ..core.dice import Dice, lattice
from ..core.resources import thread_count
from ..core.rules import RuleSet
from ..core.scoring import scoring_options
from ..errors import StateError, game_over, shown
from ..game import limits
from ..game.legal_actions import numbered_action
from ..game.notation import check_dice, counts_of, is_subset, parse_category, spaced
from ..game.rule_loader import rules_from_json, rules_to_json
from ..game.scorecard import Scorecard
from ..objectives.policy_quantities import Policy
from ..strategy.strategy import Strategy, check_position
from ..words import N_, _, number_text

if TYPE_CHECKING:
    from ..policies.named import PlayedSimulation
    from ..strategy.played_games import PlayedDecision
    from ..strategy.rollout import Rollout
    from ..strategy.rollout_kernel import TurnLog

CHUNK = 10_000  # games that are simulated at the same time, which bounds the memory
SCHEMA = 2
READABLE_SCHEMAS = (1, 2)
GAME_FIELDS = {"schema", "rules", "players", "turns"}
TYPE_NAMES = {str: N_("text"), int: N_("a whole number"), list: N_("a list")}


@dataclass(frozen=True)
class RecordedTurn:
    """One turn of a player."""

    player: int  # index of the player, from 0
    dice_history: tuple[Dice, ...]  # all dice after each roll, ascending
    holds: tuple[Dice, ...]  # dice held between the rolls, one hold fewer than rolls
    category: str  # id of the category that took the last dice
    points: int  # points in its box
    bonus_points: int = 0  # joker and first-roll bonuses of the turn


@dataclass(frozen=True)
class Game:
    """One game of one or more players, finished or not."""

    rules: RuleSet
    players: tuple[str, ...]  # their names
    turns: tuple[RecordedTurn, ...]  # in the order they were played
    # other fields of the record (seed, date ...), as JSON values
    extra: dict[str, Any] = field(default_factory=dict)

    def cards(self, player: int) -> Iterator[tuple[Scorecard, RecordedTurn]]:
        """Yield each turn of a player after the card before it, in order."""
        card = Scorecard(self.rules)
        for turn in self.turns:
            if turn.player == player:
                yield card, turn
                card = card_after(card, turn)

    def card(self, player: int) -> Scorecard:
        """Return a player's card at the end of the record."""
        card = Scorecard(self.rules)
        for before, turn in self.cards(player):
            card = card_after(before, turn)
        return card

    def to_json(self) -> dict[str, Any]:
        """Return the game as JSON values of schema 2."""
        turns = []
        for turn in self.turns:
            written = {
                "player": turn.player,
                "rolls": [*map(list, turn.dice_history)],
                "holds": [*map(list, turn.holds)],
                "category": turn.category,
                "points": turn.points,
            }
            if turn.bonus_points:
                written["bonus_points"] = turn.bonus_points
            turns.append(written)
        head = {"schema": SCHEMA, "rules": rules_to_json(self.rules), "players": list(self.players)}
        return head | self.extra | {"turns": turns}


def dated(game: Game) -> Game:
    """Return the game with the present date and time in its field ``date`` (ISO 8601)."""
    return replace(
        game, extra=game.extra | {"date": datetime.now().astimezone().isoformat(timespec="seconds")}
    )


def check_names(players: Sequence[str]) -> None:
    """Raise StateError if there are too many players, or a name is too long or not printable."""
    limits.check_length(players, limits.MAX_PLAYERS, "players", _("names"))
    for name in players:
        limits.check_length(name, limits.MAX_NAME, _("a player name"))
        if any(category(symbol) in ("Cc", "Cs", "Zl", "Zp") for symbol in name):
            message = _(
                "{name} is not a valid player name: it contains characters that cannot be printed"
            )
            raise StateError(message.format(name=shown(name)))


def card_after(card: Scorecard, turn: RecordedTurn) -> Scorecard:
    """Return the card after a turn, without checks."""
    rules = card.rules
    unused = rules.rolls_per_turn + card.saved - len(turn.dice_history)
    saved = unused if rules.saved_rolls else 0
    return card.filled_with(rules.index_of[turn.category], turn.points, turn.bonus_points, saved)


def check_turn(card: Scorecard, turn: RecordedTurn) -> None:
    """Raise StateError unless a turn can be played from a card."""
    _check_rolls(card, turn)
    rules = card.rules
    if turn.category not in rules.index_of:
        raise StateError(
            _("unknown category {category}", category=shown(turn.category)), code="unknown-category"
        )
    state = card.state
    if state.filled == rules.full_mask:
        raise game_over()
    last_dice = sorted(turn.dice_history[-1])
    counts = counts_of(rules, last_dice)
    is_first_roll = len(turn.dice_history) == 1
    allowed = scoring_options(
        rules, state.filled, state.joker_paid, counts, first_roll=is_first_roll
    )
    position = rules.index_of[turn.category]
    if position not in allowed:
        raise StateError(_("{category} cannot be taken", category=turn.category))
    paid_points, paid_bonus = allowed[position]
    if (turn.points, turn.bonus_points) != (paid_points, paid_bonus):
        recorded = shown(turn.points)
        paid = shown(paid_points)
        if turn.bonus_points or paid_bonus:
            recorded = f"{recorded} and {shown(turn.bonus_points)}"
            paid = f"{paid} and {shown(paid_bonus)}"
        text = _("{category} for {points}; {dice} pays {paid}")
        raise StateError(
            text.format(category=turn.category, points=recorded, dice=spaced(last_dice), paid=paid)
        )


def _check_rolls(card: Scorecard, turn: RecordedTurn) -> None:
    """Raise StateError unless the dice of a turn can follow each other."""
    rules = card.rules
    max_rolls = rules.rolls_per_turn + card.saved
    if not 1 <= len(turn.dice_history) <= max_rolls:
        message = _("{count} rolls; a turn from here has 1 to {most}")
        raise StateError(message.format(count=len(turn.dice_history), most=max_rolls))
    if len(turn.holds) != len(turn.dice_history) - 1:
        message = _("{holds} holds between {rolls} rolls")
        raise StateError(message.format(holds=len(turn.holds), rolls=len(turn.dice_history)))
    for dice in turn.dice_history:
        check_dice(rules, dice)
    for held, rolls in zip(turn.holds, pairwise(turn.dice_history), strict=True):
        if len(held) == rules.dice:
            raise StateError(_("all dice were held and none rerolled; leave that roll out"))
        for dice in rolls:
            if not is_subset(held, dice):
                message = _("{held} was held, which is not within {dice}")
                raise StateError(message.format(held=spaced(held), dice=spaced(dice)))


def read_game(raw: Any, rules: RuleSet | None = None) -> Game:
    """Read and check a game from the JSON value of its line.

    Rules that the caller has found take the place of those of the line. Raises StateError, whose
    message names a wrong turn.
    """
    if not isinstance(raw, dict):
        raise StateError(_("a game is a JSON object"))
    if "actions" in raw and "turns" not in raw:
        raise StateError(
            _("this is an unfinished game saved by `yatzy play`; finish the game to record it")
        )
    if raw.get("schema") not in READABLE_SCHEMAS:
        raise StateError(_("the schema is {value}, not 1 or 2", value=shown(raw.get("schema"))))
    rules = rules or rules_from_json(raw.get("rules"))
    names = _of_type(list, raw.get("players"), "players")
    players = tuple(_of_type(str, name, "name") for name in names)
    if not players:
        raise StateError(_("players is empty"))
    check_names(players)
    turns = []
    cards = [Scorecard(rules) for _ in players]
    for number, entry in enumerate(_of_type(list, raw.get("turns"), "turns"), start=1):
        try:
            turn = _read_turn(entry)
            if not 0 <= turn.player < len(players):
                message = _("player is {player}; there are {players}")
                raise StateError(message.format(player=shown(turn.player), players=len(players)))
            turn = _with_id(cards[turn.player], turn)
            check_turn(cards[turn.player], turn)
        except StateError as error:
            raise StateError(_("turn {number}: {error}", number=number, error=error)) from error
        cards[turn.player] = card_after(cards[turn.player], turn)
        turns.append(turn)
    extra = {name: value for name, value in raw.items() if name not in GAME_FIELDS}
    return Game(rules, players, tuple(turns), extra)


def _of_type(kind: type, value: Any, name: str) -> Any:
    """Return the value of a field of the record if it is of a type. Truth values are no numbers."""
    if not isinstance(value, kind) or isinstance(value, bool):
        types = _(TYPE_NAMES[kind])  # marked elsewhere
        raise StateError(
            _("{name} is {value}; must be {types}", name=name, value=shown(value), types=types)
        )
    return value


def _with_id(card: Scorecard, turn: RecordedTurn) -> RecordedTurn:
    """Return a turn with the id of its category, whose name may be any that a command takes.

    The category may be one that cannot be taken, which :func:`check_turn` refuses.
    """
    if turn.category in card.rules.index_of:
        return turn
    # What each box pays is checked later: a name may mean any box that is open, and the points
    # after it must be those of the record.
    payments = {
        box.id: turn.points
        for number, box in enumerate(card.rules.categories)
        if number not in card.points
    }
    return replace(turn, category=parse_category(card.rules, turn.category, payments))


def _read_turn(entry: Any) -> RecordedTurn:
    """Return the turn in a JSON value. Whether it can be played is not checked."""
    if not isinstance(entry, dict):
        raise StateError(_("a turn is a JSON object"))

    def dice(name: str) -> tuple[Dice, ...]:
        """Return the lists of dice in a field."""
        groups = _of_type(list, entry.get(name), name)
        limits.check_length(groups, limits.MAX_ROLLS_LISTED, name, _("entries"))
        for group in groups:
            if not isinstance(group, list) or not all(
                type(face) is int for face in group[: limits.MAX_DICE_LISTED]
            ):
                raise StateError(_("{name} must be lists of faces", name=name))
            limits.check_length(
                group, limits.MAX_DICE_LISTED, _("a list of {name}", name=name), _("faces")
            )
        return tuple(tuple(sorted(group)) for group in groups)

    return RecordedTurn(
        player=_of_type(int, entry.get("player"), "player"),
        dice_history=dice("rolls"),
        holds=dice("holds"),
        category=_of_type(str, entry.get("category"), "category"),
        points=_of_type(int, entry.get("points"), "points"),
        bonus_points=_of_type(int, bonus_points_of(entry), "bonus_points"),
    )


def bonus_points_of(turn: dict[str, Any]) -> Any:
    """Return the bonus points in the JSON value of a turn, which are not checked.

    Schema 1 called them ``beside``.
    """
    return turn.get("bonus_points", turn.get("beside", 0))


def read_games(path: str | Path) -> list[Game]:
    """Read and check all games of a file.

    Raises StateError, whose message names the file and the line of a wrong game.
    """
    games: list[Game] = []
    for number, line in record_lines(path):
        place = f"{path}:{number}"
        raw = parse_game_line(line, place, path if not games else None)
        try:
            games.append(read_game(raw))
        except ValueError as error:
            raise StateError(f"{place}: {error}") from error
    if not games:
        raise StateError(_("{path} contains no games", path=path))
    return games


def record_lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a record that are not empty, each with its number, from 1.

    Raises StateError for a large file or line.
    """
    number = size = 0  # lines and bytes so far
    try:
        with open_file(path) as file:
            while line := file.readline(limits.MAX_GAME_BYTES + 1):
                number += 1
                size += len(line)
                if len(line) > limits.MAX_GAME_BYTES:
                    most = number_text(limits.MAX_GAME_BYTES, grouped=True)
                    raise StateError(
                        _("a line of {path} is longer than {most} bytes", path=path, most=most)
                    )
                if size > limits.MAX_RECORD_BYTES:
                    most = number_text(limits.MAX_RECORD_BYTES, grouped=True)
                    text = _("{path} is larger than {most} bytes; split it, one game per line")
                    raise StateError(text.format(path=path, most=most))
                if line.strip():
                    yield number, line
    except OSError as error:
        raise StateError(
            _("cannot read {path}: {reason}", path=path, reason=error.strerror)
        ) from error


def parse_game_line(line: bytes, place: str, first_of: str | Path | None) -> Any:
    """Return the JSON value of a line.

    `place` is for messages, and `first_of` is the file if this is its first game.
    """
    try:
        return limits.parse_json(line)
    except UnicodeDecodeError as error:
        raise StateError(_("{value} is not UTF-8 text", value=place.rpartition(":")[0])) from error
    except (ValueError, RecursionError) as error:
        if first_of is not None:
            message = _("{path} is not a record of games (JSON Lines, one game per line)")
            raise StateError(message.format(path=first_of)) from error
        raise StateError(f"{place}: {error}") from error


def check_writable(path: str | Path) -> None:
    """Raise OSError unless games can be appended to a file.

    A file that did not exist is created and removed again.
    """
    is_new = not os.path.lexists(path)
    open_output(path, append=True).close()
    if is_new and not os.path.getsize(path):
        os.unlink(path)


def write_games(path: str | Path, games: Iterable[Game]) -> None:
    """Append games to a file, all of them or none.

    After an exception the file is as before, and one that did not exist is removed.
    """
    lines = [json.dumps(game.to_json()).encode() + b"\n" for game in games]
    is_new = not os.path.lexists(path)
    size = 0
    if os.path.isfile(path):
        with open_file(path) as file:
            size = os.fstat(file.fileno()).st_size
            if _needs_line_break(file):
                lines.insert(0, b"\n")
    try:
        with open_output(path, append=True) as file:
            file.writelines(lines)
    except BaseException:
        with suppress(OSError):
            if is_new:
                os.unlink(path)
            else:
                os.truncate(path, size)
        raise


def _needs_line_break(file: BinaryIO) -> bool:
    """Return whether the last line has no line break, which an editor may have removed."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - 1, 0))
    return file.read() not in (b"", b"\n")


def simulated_records(
    strategy: Strategy | Policy,
    games: int,
    seed: int = 1,
    threads: int | None = None,
    player: str = "mean",
) -> Iterator[str]:
    """Yield games from the empty card, each as the line of a record without its line break."""
    threads = thread_count(threads)
    start = (
        strategy.check("") if isinstance(strategy, Strategy) else check_position(strategy.rules, "")
    )
    from ..strategy.rollout import rollout_of

    rollout = rollout_of(strategy, start, threads)
    for first in range(0, games, CHUNK):
        number = min(CHUNK, games - first)
        logs: list[TurnLog] = []  # one for each turn, of all games
        rollout.play(number, first, seed, logs=logs)
        writers = [_turn_writer(rollout, log) for log in logs]
        for game in range(number):
            without_turns = Game(
                rollout.rules, (_name(player),), (), _source(seed, first + game)
            ).to_json()
            # The text ends with the list of turns, which is empty.
            head = json.dumps(without_turns).removesuffix("]}")
            yield f"{head}{', '.join(write(game) for write in writers)}]}}"


def played_records(simulation: PlayedSimulation) -> Iterator[str]:
    """Yield games of a policy that acts in single positions, as :func:`simulated_records`."""
    rules = simulation.rules
    for number, of_game in groupby(simulation.log.decisions, key=lambda decision: decision.game):
        # A card stands for one turn, because each turn fills a box.
        by_turn = groupby(of_game, key=lambda decision: decision.position.card)
        turns = tuple(_recorded_turn(rules, [*decisions]) for _card, decisions in by_turn)
        source = _source(simulation.seed, number)
        game = Game(rules, (_name(simulation.policy),), turns, source)
        yield json.dumps(game.to_json())


def _recorded_turn(rules: RuleSet, decisions: Sequence[PlayedDecision]) -> RecordedTurn:
    """Return the turn of the only player of a game, from its decisions."""
    # All actions of a turn but the last one are holds.
    *holds, category = (numbered_action(rules, decision.action) for decision in decisions)
    points, bonus_points = decisions[-1].position.categories()[str(category)]
    return RecordedTurn(
        player=0,
        dice_history=tuple(decision.position.dice for decision in decisions),
        holds=tuple(cast(Dice, hold) for hold in holds),
        category=str(category),
        points=points,
        bonus_points=bonus_points,
    )


def _name(policy: str) -> str:
    """Return the name of a player in a record: that of a policy, or of a file without folders."""
    return Path(policy).name[: limits.MAX_NAME]


def _source(seed: int, game: int) -> dict[str, Any]:
    """Return the fields of a record that say which simulated game it is."""
    return {"source": "simulate", "seed": seed, "game": game}


def _turn_writer(rollout: Rollout, log: TurnLog) -> Callable[[int], str]:
    """Return a function that writes a turn of a game as JSON, as :meth:`Game.to_json` does."""
    rules = rollout.rules
    outcomes = rollout.model.turn_outcomes
    dice_texts = [json.dumps(dice) for dice in lattice(rules.dice, rules.faces).multisets]
    ids = [json.dumps(category.id) for category in rules.categories]
    # One entry, or row, for each game. After the last hold of a turn its row has -1.
    category = outcomes.category[log.outcomes].tolist()
    points = outcomes.points[log.outcomes].tolist()
    bonus_points = (outcomes.total.astype(np.int64) - outcomes.points)[log.outcomes].tolist()
    shape = len(log.outcomes), log.most_rolls
    rolls = log.rolls.reshape(shape).tolist()
    holds = log.holds.reshape(shape).tolist()

    def write(game: int) -> str:
        """Return the turn of a game as text."""
        hold_texts = [dice_texts[hold] for hold in holds[game] if hold >= 0]
        roll_texts = [dice_texts[roll] for roll in rolls[game][: len(hold_texts) + 1]]
        bonus = f', "bonus_points": {bonus_points[game]}' if bonus_points[game] else ""
        scored = f'"category": {ids[category[game]]}, "points": {points[game]}{bonus}'
        dice = f'"rolls": [{", ".join(roll_texts)}], "holds": [{", ".join(hold_texts)}]'
        return f'{{"player": 0, {dice}, {scored}}}'

    return write

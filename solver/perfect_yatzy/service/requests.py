"""Requests, which are dictionaries that become one frozen :class:`Request`.

They are checked once and trusted from there on.

{"query": "hold", "dice": "33456", "card": "ones=3", "rolls_left": 2}
{"query": "hold", "dice": "33456", "goal": 240}                                  maximise the chance of 240 or more
{"query": "expect", "opponents": "251; ones=3 sixes=24", "ties": "half"}         maximise the chance to win
{"query": "hold", "dice": "33456", "card": "ones=3", "versus": "sixes=24"}       against one who plays to win, too
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..core.rules import RuleSet
from ..core.state import State
from ..errors import StateError, error_context, game_over, shown, whole_number
from ..game.limits import MAX_DICE_LISTED
from ..game.notation import parse_card, parse_dice, parse_faces
from ..game.scorecard import Scorecard
from ..strategy.ranked_actions import max_rerolls
from ..strategy.strategy import CheckedPosition, check_position
from ..words import _, span

if TYPE_CHECKING:
    from ..field.description import Field

COMMON_FIELDS = frozenset({"query", "rules", "id"})
CARD_FIELDS = frozenset({"card", "saved", "bonus_points"})
OBJECTIVES = ("goal", "opponents", "versus", "field")  # at most one of them is given
OBJECTIVE_FIELDS = frozenset({*OBJECTIVES, "ties", "places"})
EXACT_FIELDS = frozenset({"exact", "digits"})
VALUE_FIELDS = EXACT_FIELDS | CARD_FIELDS | OBJECTIVE_FIELDS
TURN_FIELDS = frozenset({"dice", "rolls_left", "explain"}) | VALUE_FIELDS
QUERY_FIELDS = {
    "hold": TURN_FIELDS,
    "score": TURN_FIELDS,
    "expect": frozenset({"games", "seed", "spread"}) | VALUE_FIELDS,
    "outcomes": frozenset({"hold", "rolls_left"}) | CARD_FIELDS,
    "puzzle": frozenset({"seed", "date", "difficulty"}),
}
MIN_GAMES = 100
MAX_GAMES = 10_000_000
MAX_INTEGER = 2**63 - 1
DIGITS = 30  # of an exact value after the point, by default
MAX_DIGITS = 1000  # that are shown


@dataclass(frozen=True)
class ObjectiveRequest:
    """What a request maximises instead of the mean: a goal, or the chance to beat opponents."""

    goal: int | None  # final score to reach, or None with opponents
    # the final scores of opponents who have finished, and checked cards of the others
    opponents: tuple[int | Scorecard, ...] = ()
    # what a tie with the best opponent counts: "loss", "half" or "win", or empty for a goal
    ties: str = ""
    # whether the opponent, the only one, sees our card and plays to win, too
    two_sided: bool = False
    blind: Field | None = None  # opponents whose cards we cannot see, in place of the others

    @property
    def score(self) -> int | None:
        """The score to reach, or None if the objective is not the same as reaching one."""
        if self.blind:
            return None
        if self.goal is not None:
            return self.goal
        final_scores = [other for other in self.opponents if isinstance(other, int)]
        if len(final_scores) < len(self.opponents):  # somebody still plays
            return None
        from ..strategy.score_distribution import WinUtility, finished

        return WinUtility([*map(finished, final_scores)], self.ties).goal

    @property
    def key(self) -> Hashable:
        """A key that is equal for equal objectives."""
        others = [
            other if isinstance(other, int) else (other.state, other.total)
            for other in self.opponents
        ]
        return self.goal, tuple(others), self.ties, self.two_sided, self.blind


@dataclass(frozen=True)
class Request:
    """A checked request. Make one with :func:`parse_request`."""

    query: str  # a key of :data:`QUERY_FIELDS`, or "simulate"
    rules: RuleSet  # the game
    card: Scorecard  # the card at the start of the turn
    position: CheckedPosition  # state and points of the card
    # the dice on the table, or held for "outcomes", ascending, or none where the query has none
    dice: tuple[int, ...] = ()
    rolls_left: int = 0  # rerolls left
    objective: ObjectiveRequest | None = None  # what is maximised, or None for the mean
    games: int = 0  # games to simulate, 0 for none
    seed: int = 1  # of these games, or of a puzzle
    difficulty: str = ""  # of a puzzle
    explain: bool = False  # whether the first options have an outlook
    # whether the answer contains the distribution of the final score
    include_distribution: bool = False
    exact: bool = False  # whether the answer contains expected final scores as fractions
    digits: int = DIGITS  # of them after the point
    # The fields that the answer repeats: the id, if the request has one. Equal requests have equal
    # answers without them.
    echo: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def state(self) -> State:
        """The state at the start of the turn."""
        return self.position.state


def parse_request(fields: Mapping[str, Any], find_rules: Callable[[str], RuleSet]) -> Request:
    """Check a request. Raises StateError or RulesError if it is wrong."""
    query = fields.get("query")
    if not isinstance(query, str) or query not in QUERY_FIELDS:
        text = _(
            "query is {value}; must be one of {names}",
            value=shown(query),
            names=", ".join(QUERY_FIELDS),
        )
        raise StateError(text, field="query")
    for name in fields:
        if name not in COMMON_FIELDS | QUERY_FIELDS[query]:
            text = _("{name} is not a field of {query!r}", name=shown(name), query=query)
            raise StateError(text, code="unknown-field", field=name)
    request = _parse_position(query, fields, find_rules)
    request = replace(request, objective=_parse_objective(request.rules, fields))
    if query == "puzzle":
        return _parse_puzzle(request, fields)
    exact = _flag(fields, "exact", False)
    digits = min(MAX_DIGITS, _integer(fields, "digits", DIGITS))
    if exact and request.objective and query != "expect":
        (name,) = _objectives_given(fields)
        text = _(
            "{first} and {second} cannot be combined; give one of them", first=name, second="exact"
        )
        raise StateError(text, code="invalid-request", field="exact")
    request = replace(request, exact=exact, digits=digits)
    if query == "expect":
        return _parse_expect(request, fields)
    _check_open(request)
    if query == "outcomes":
        return _parse_outcomes(request, fields)
    dice = _required(fields, "dice", _("text such as '33456', or a list of faces"))
    with error_context("dice"):
        request = replace(request, dice=parse_dice(request.rules, dice))
    return replace(
        request,
        rolls_left=_parse_rolls_left(request, fields),
        explain=_flag(fields, "explain", False),
    )


def parse_games(
    query: str, fields: Mapping[str, Any], find_rules: Callable[[str], RuleSet]
) -> Request:
    """Check a request to simulate or evaluate a policy.

    It has the fields ``rules``, ``games``, ``seed`` and ``policy``, and a card.
    """
    request = _parse_position(query, fields, find_rules)
    _check_open(request)
    objective = None
    if query == "simulate":
        named_goal = re.fullmatch(r"goal:(\d{1,5})", str(fields["policy"]))
        if named_goal:
            objective = ObjectiveRequest(_checked_goal(request.rules, int(named_goal[1])))
    if fields.get("field") is not None:
        objective = ObjectiveRequest(None, blind=parsed_field(fields))
    return replace(
        request,
        objective=objective,
        games=_integer(fields, "games", 0),
        seed=_integer(fields, "seed", 1),
    )


def _parse_position(
    query: str, fields: Mapping[str, Any], find_rules: Callable[[str], RuleSet]
) -> Request:
    """Return a request with its rules and its card, which are checked only here."""
    spec = fields.get("rules", "yatzy")
    if not isinstance(spec, str):
        raise StateError(_("rules is {spec}; must be a name", spec=shown(spec)), field="rules")
    with error_context("rules"):
        rules = find_rules(spec)
    saved = _integer(fields, "saved", 0)
    bonus_points = _integer(fields, "bonus_points", 0)
    with error_context("card", "invalid-card"):
        card = parse_card(rules, fields.get("card", ""), saved, bonus_points)
        position = check_position(rules, card.state)._replace(points=card.total)
    return Request(
        query, rules, card, position, echo={"id": fields["id"]} if "id" in fields else {}
    )


def _parse_expect(request: Request, fields: Mapping[str, Any]) -> Request:
    """Return a request for what to expect, perhaps with simulated games."""
    games = _integer(fields, "games", 0)
    if games and not MIN_GAMES <= games <= MAX_GAMES:
        text = _(
            "games is {value}; must be from {low} to {high}",
            value=games,
            low=MIN_GAMES,
            high=MAX_GAMES,
        )
        raise StateError(text, field="games")
    if games and request.objective and request.objective.two_sided:
        raise StateError(
            _("games and versus cannot be combined"), code="invalid-request", field="games"
        )
    distribution = _flag(fields, "spread", True)
    return replace(
        request, games=games, seed=_integer(fields, "seed", 1), include_distribution=distribution
    )


def _objectives_given(fields: Mapping[str, Any]) -> list[str]:
    """Return the fields of a request that say what is maximised: one, if it is a right request."""
    return [name for name in OBJECTIVES if fields.get(name) is not None]


def parsed_field(fields: Mapping[str, Any]) -> Field:
    """Return the field of a request."""
    from ..field.description import parse_field

    places = fields.get("places")
    return parse_field(fields["field"], 1 if places is None else places)


def _checked_goal(rules: RuleSet, goal: Any) -> int:
    """Return a goal that some game can reach. Others are refused before anything is solved."""
    from ..strategy.score_strategy import check_goal

    with error_context("goal"):
        return check_goal(goal, rules)


def _parse_objective(rules: RuleSet, fields: Mapping[str, Any]) -> ObjectiveRequest | None:
    """Return what a request maximises, or None for the mean."""
    given = _objectives_given(fields)
    if len(given) > 1:
        text = _(
            "{first} and {second} cannot be combined; give one of them",
            first=given[0],
            second=given[1],
        )
        raise StateError(text, code="invalid-request")
    name = given[0] if given else ""
    if name not in ("opponents", "versus") and "ties" in fields:
        raise StateError(
            _("ties can only be used with opponents"), code="invalid-request", field="ties"
        )
    if name != "field" and fields.get("places") is not None:
        raise StateError(
            _("places can only be used with a field"), code="invalid-request", field="places"
        )
    if not name:
        return None
    if name == "field":
        return ObjectiveRequest(None, blind=parsed_field(fields))
    if name == "goal":
        return ObjectiveRequest(_checked_goal(rules, fields["goal"]))
    return _parse_opponents(rules, fields, name)


def _parse_opponents(rules: RuleSet, fields: Mapping[str, Any], name: str) -> ObjectiveRequest:
    """Return the chance to win as objective, from the field ``opponents`` or ``versus``."""
    others = fields[name]
    is_versus = name == "versus"
    if is_versus and not isinstance(others, str):
        text = _("versus is {value}; must be a card as text, such as 'ones=3 sixes=24'")
        raise StateError(text.format(value=shown(others)), field=name)
    if not isinstance(others, str | list):
        text = _("opponents is {value}; must be text such as '251; ones=3 sixes=24', or a list")
        raise StateError(text.format(value=shown(others)), field=name)
    from ..strategy.score_distribution import WinUtility, finished, parse_opponents

    with error_context(name):
        opponents = tuple(parse_opponents(rules, others))
        if is_versus and len(opponents) > 1:
            raise StateError(_("{count} opponents; there can be one", count=len(opponents)))
    ties = fields.get("ties", "loss")
    WinUtility([finished(0)], ties)  # refuses an unknown value before anything is solved
    # An opponent who has finished chooses nothing.
    two_sided = is_versus and not isinstance(opponents[0], int)
    return ObjectiveRequest(None, opponents, ties, two_sided)


def _parse_rolls_left(request: Request, fields: Mapping[str, Any]) -> int:
    """Return the rerolls left. By default they are all for a hold, and none for a category."""
    most = max_rerolls(request.rules, request.card.saved)
    is_hold = request.query == "hold"
    left = _integer(fields, "rolls_left", most if is_hold else 0)
    if left > most:
        least = 1 if is_hold and most > 0 else 0
        text = _("{left} rolls left; there can be {holding}", left=left, holding=span(least, most))
        raise StateError(text, field="rolls_left")
    if is_hold and left == 0:
        raise StateError(
            _("0 rolls left: no dice can be held; ask which category with `score`"),
            field="rolls_left",
        )
    return left


def _parse_puzzle(request: Request, fields: Mapping[str, Any]) -> Request:
    """Return a request for a puzzle, which by default is the medium one of today."""
    from ..play.puzzle import DIFFICULTIES, daily_seed

    difficulty = fields.get("difficulty", "medium")
    day = fields.get("date")
    if not isinstance(difficulty, str) or difficulty not in DIFFICULTIES:
        text = _("difficulty is {difficulty}; must be one of {difficulties}")
        names = ", ".join(DIFFICULTIES)
        raise StateError(
            text.format(difficulty=shown(difficulty), difficulties=names), field="difficulty"
        )
    if day is not None and "seed" in fields:
        raise StateError(
            _("seed and date cannot be combined; give one of them"), code="invalid-request"
        )
    try:
        today = date.today() if day is None else date.fromisoformat(day)
    except (TypeError, ValueError) as error:
        text = _("date is {value}; must be a date such as '2026-11-20'", value=shown(day))
        raise StateError(text, field="date") from error
    return replace(request, seed=_integer(fields, "seed", daily_seed(today)), difficulty=difficulty)


def _parse_outcomes(request: Request, fields: Mapping[str, Any]) -> Request:
    """Return a request for the rolls that may follow a hold."""
    rules = request.rules
    held = _required(fields, "hold", _("the dice held, as text or as a list of faces"))
    faces = held
    if isinstance(held, str) and held:  # an empty text means no dice
        faces = parse_faces(held)
    with error_context("hold", "invalid-dice"):
        if not isinstance(faces, Iterable):
            text = _("hold is {held}; must be text such as '33', or a list of faces")
            raise StateError(text.format(held=shown(held)))
        dice = tuple(sorted(whole_number(face, "a die") for face in islice(faces, MAX_DICE_LISTED)))
        if len(dice) > rules.dice or not all(1 <= face <= rules.faces for face in dice):
            text = _("{held} cannot be held; {rules} has {dice} dice")
            raise StateError(text.format(held=shown(held), rules=rules.key, dice=rules.dice))
    most = max_rerolls(request.rules, request.card.saved)
    left = _integer(fields, "rolls_left", most)
    if not 1 <= left <= most:
        raise StateError(
            _("{left} rolls left; it must be 1 to {most}", left=left, most=most), field="rolls_left"
        )
    return replace(request, dice=dice, rolls_left=left)


def _check_open(request: Request) -> None:
    if request.state.filled == request.rules.full_mask:
        raise game_over("card")


def _required(fields: Mapping[str, Any], name: str, must: str) -> Any:
    """Return a field that may not be missing. `must` says what it must be."""
    if fields.get(name) is None:
        text = _("{name} is missing; must be {must}", name=name, must=must)
        raise StateError(text, code="missing-field", field=name)
    return fields[name]


def _flag(fields: Mapping[str, Any], name: str, default: bool) -> bool:
    """Return a field that is true or false."""
    value = fields.get(name, default)
    if not isinstance(value, bool):
        raise StateError(
            _("{name} is {value}; must be true or false", name=name, value=shown(value)), field=name
        )
    return value


def _integer(fields: Mapping[str, Any], name: str, default: int) -> int:
    """Return a field as a whole number from 0 to the largest 64-bit integer."""
    with error_context(name):
        value = whole_number(fields.get(name, default), name)
        if 0 <= value <= MAX_INTEGER:
            return value
        text = _("{name} is {value}; must not be negative")
        if value > 0:
            text = _("{name} is {value}; must be at most {most}")
        raise StateError(text.format(name=name, value=shown(value), most=MAX_INTEGER))

"""One request, one answer, both plain dictionaries: what `--json`, `--jsonl` and the text views share.

    {"query": "hold", "dice": "33456", "card": "ones=3", "rolls_left": 2}
    {"schema": 1, "query": "hold", ..., "best": {"hold": [3, 3], "expected_final": 245.75, ...}, "holds": [...]}
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from .advice import Choice, Hold, Strategy, open_strategy
from .errors import StateError
from .notation import Scorecard, find_category, parse_card
from .rules import RuleSet
from .store import Progress

SCHEMA = 1
FIELDS = {
    "hold": {"dice", "rolls_left"},
    "score": {"dice", "rolls_left"},
    "expect": {"games", "seed"},
}
COMMON = {"query", "rules", "card", "saved", "extra", "id"}


class Desk:
    """Answers requests, keeping each strategy open once it was asked for.

    Parameters
    ----------
    tables, threads
        As for :func:`solver.advice.open_strategy`.
    progress
        Called with a rule set when its table has to be solved first; returns the callback for the solve.
    """

    def __init__(
        self,
        tables: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        progress: Callable[[RuleSet], Progress] | None = None,
    ) -> None:
        self.tables, self.threads, self.progress = tables, threads, progress
        self._open: dict[str, Strategy] = {}

    def strategy(self, spec: str) -> Strategy:
        """The strategy of a rule set, opened at most once."""
        if spec not in self._open:
            from .rulefile import load_rules
            from .store import has_table

            rules = load_rules(spec)
            missing = not has_table(rules, self.tables)
            report = self.progress(rules) if self.progress and missing else None
            self._open[spec] = open_strategy(rules, self.tables, threads=self.threads, progress=report)
        return self._open[spec]

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one request.

        Raises
        ------
        SolverError
            If the request cannot be understood or speaks of an impossible position.
        """
        query = request.get("query")
        if query not in FIELDS:
            raise StateError(f"query is {query!r}; must be one of {', '.join(FIELDS)}")
        for name in request:
            if name not in COMMON | FIELDS[query]:
                raise StateError(f"{name!r} is not a field of {query!r}")
        spec = request.get("rules", "yatzy")
        if not isinstance(spec, str):
            raise StateError(f"rules is {spec!r}; must be a name")
        strategy = self.strategy(spec)
        card = read_card(strategy.rules, request)
        head = {"schema": SCHEMA, "query": query, "rules": strategy.rules.key}
        if "id" in request:
            head["id"] = request["id"]
        body = {"hold": _hold, "score": _score, "expect": _expect}[query](strategy, card, request, self.threads)
        return head | describe_card(strategy, card) | body


def whole(request: dict[str, Any], name: str, default: int | None) -> int | None:
    """A whole number of the request, or `default`."""
    value = request.get(name, default)
    if value is not default and (isinstance(value, bool) or not isinstance(value, int)):
        raise StateError(f"{name} is {value!r}; must be a whole number")
    return value


def read_card(rules: RuleSet, request: dict[str, Any]) -> Scorecard:
    """The scorecard of a request: text, or an object of category and points."""
    given = request.get("card", "")
    saved, extra = whole(request, "saved", 0) or 0, whole(request, "extra", 0) or 0
    if isinstance(given, dict):
        for name, points in given.items():
            if isinstance(points, bool) or not isinstance(points, int) or points < 0:
                raise StateError(f"{points!r} is no score for {name}; must be a whole number")
        named = {rules.categories[find_category(rules, name)].id: points for name, points in given.items()}
        if len(named) < len(given):
            raise StateError("a category is filled twice in the card")
        given = " ".join(f"{name}={points}" for name, points in named.items())
    if not isinstance(given, str):
        raise StateError(f"card is {given!r}; must be text such as 'ones=3', or an object")
    return parse_card(rules, given, saved, extra)


def describe_card(strategy: Strategy, card: Scorecard) -> dict[str, Any]:
    """The position every answer repeats, so that nobody reads an answer to another question."""
    rules = strategy.rules
    state = strategy.state(card)
    about: dict[str, Any] = {
        "card": {rules.categories[c].id: points for c, points in sorted(card.points.items())},
        "points": card.total,
        "state": {"filled": state.filled, "upper": state.upper},
    }
    if rules.saved_rolls:
        about["state"]["saved"] = state.saved
    if rules.joker:
        about["state"]["joker_paid"] = state.joker_paid
    return about


def read_dice(strategy: Strategy, request: dict[str, Any]) -> tuple[int, ...]:
    """The dice of a request: text, or a list of faces."""
    dice = request.get("dice")
    if isinstance(dice, list) and all(isinstance(face, int) and not isinstance(face, bool) for face in dice):
        return strategy.dice(dice)
    if not isinstance(dice, str):
        said = "is missing" if dice is None else f"is {dice!r}"
        raise StateError(f"dice {said}; must be text such as '33456', or a list of faces")
    return strategy.dice(dice)


def _hold(strategy: Strategy, card: Scorecard, request: dict[str, Any], threads: int | None) -> dict[str, Any]:
    dice = read_dice(strategy, request)
    most = strategy.most_rerolls(strategy.state(card))
    left = whole(request, "rolls_left", most)
    assert left is not None
    if left == 0:
        raise StateError("0 rolls left: nothing can be held; ask which category with `score`")
    entries = [_hold_entry(hold, card, strategy) for hold in strategy.holds(card, dice, left)]
    return {
        "dice": list(dice),
        "rolls_left": left,
        "rolls": most + 1,
        "expected_final": entries[0]["expected_final"],
        "best": entries[0],
        "holds": entries,
    }


def _hold_entry(hold: Hold, card: Scorecard, strategy: Strategy) -> dict[str, Any]:
    return {
        "hold": list(hold.dice),
        "reroll": strategy.rules.dice - len(hold.dice),
        "category": hold.category,
        "expected_final": card.total + hold.value,
        "to_come": hold.value,
        "loss": hold.loss,
    }


def _score(strategy: Strategy, card: Scorecard, request: dict[str, Any], threads: int | None) -> dict[str, Any]:
    dice = read_dice(strategy, request)
    left = whole(request, "rolls_left", 0) or 0
    entries = [_choice_entry(choice, card) for choice in strategy.categories(card, dice, left)]
    return {
        "dice": list(dice),
        "rolls_left": left,
        "expected_final": entries[0]["expected_final"],
        "best": entries[0],
        "categories": entries,
    }


def _choice_entry(choice: Choice, card: Scorecard) -> dict[str, Any]:
    return {
        "category": choice.category,
        "points": choice.points,
        "bonus": choice.bonus,
        "expected_final": card.total + choice.value,
        "to_come": choice.value,
        "loss": choice.loss,
    }


def _expect(strategy: Strategy, card: Scorecard, request: dict[str, Any], threads: int | None) -> dict[str, Any]:
    state = strategy.state(card)
    to_come = strategy.value(state)
    open_boxes = [c.id for i, c in enumerate(strategy.rules.categories) if not state.filled >> i & 1]
    answer: dict[str, Any] = {
        "expected_final": card.total + to_come,
        "to_come": to_come,
        "turns_left": len(open_boxes),
        "open": open_boxes,
        "upper": card.upper,
    }
    games = whole(request, "games", 0) or 0
    if games:
        from .simulate import simulate

        if not 100 <= games <= 10_000_000:
            raise StateError(f"games is {games}; must be from 100 to 10000000")
        played = simulate(strategy, games, whole(request, "seed", 1) or 1, state, threads)
        answer["simulation"] = {
            "games": games,
            "mean": card.total + played.mean,
            "standard_error": played.error,
            "standard_deviation": played.deviation,
            "bonus_chance": float(played.bonus.mean()),
            "percentiles": {
                str(p): card.total + float(v)
                for p, v in zip((5, 25, 50, 75, 95), played.percentiles(), strict=True)
            },
        }
    return answer

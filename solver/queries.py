"""One request, one answer, both plain dictionaries: what `--json`, `--jsonl` and the text views share.

{"query": "hold", "dice": "33456", "card": "ones=3", "rolls_left": 2}
{"schema": 1, "query": "hold", ..., "best": {"hold": [3, 3], "expected_final": 245.75, ...}, "holds": [...]}
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from .advice import Choice, Hold, Strategy, open_strategy
from .aiming import FIELDS as AIM
from .aiming import Aim, Wanted, make_aim, read_aim
from .aims import ScoreStrategy
from .errors import StateError
from .forward import has_distribution, known_distribution
from .languages import ENGLISH, localized
from .notation import Scorecard, check_dice, find_category, parse_card, parse_dice
from .objectives import Variance
from .rulefile import load_rules
from .rules import RuleSet
from .states import state_space
from .store import Progress, has_table, open_table

SCHEMA = 1
PERCENTILES = (5, 25, 50, 75, 95)
FIELDS = {
    "hold": {"dice", "rolls_left"} | AIM,
    "score": {"dice", "rolls_left"} | AIM,
    "expect": {"games", "seed", "spread"} | AIM,
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
    language
        Of the names in the rule sets it hands out; answers speak in ids.
    """

    def __init__(
        self,
        tables: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        progress: Callable[[RuleSet], Progress] | None = None,
        language: str = ENGLISH,
    ) -> None:
        self.tables, self.threads, self.progress, self.language = tables, threads, progress, language
        self._open: dict[str, Strategy] = {}
        self._rules: dict[str, RuleSet] = {}
        self._goals: dict[str, ScoreStrategy] = {}

    def strategy(self, rules: RuleSet) -> Strategy:
        """The strategy of a rule set, opened at most once."""
        if rules.fingerprint not in self._open:
            report = self.progress(rules) if self.progress and not has_table(rules, self.tables) else None
            self._open[rules.fingerprint] = open_strategy(rules, self.tables, threads=self.threads, progress=report)
        return self._open[rules.fingerprint]

    def rules(self, spec: str) -> RuleSet:
        """A rule set by name, read at most once."""
        if spec not in self._rules:
            self._rules[spec] = localized(load_rules(spec), self.language)
        return self._rules[spec]

    def know(self, rules: RuleSet) -> None:
        """Answer under the key of these rules from now on: they may stand in no file."""
        self._rules[rules.key] = rules

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one request. It is checked first: an impossible position never starts a solve.

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
        rules = self.rules(spec)
        card = read_card(rules, request)
        state_space(rules).check(card.state)
        wanted = read_aim(rules, request)
        read: dict[str, Any] = {}
        if query == "expect":
            read = {"games": read_games(request), "seed": whole(request, "seed", 1), "desk": self}
            read["spread"] = request.get("spread", True)
            if not isinstance(read["spread"], bool):
                raise StateError(f"spread is {read['spread']!r}; must be true or false")
        else:
            if card.state.filled == rules.full:
                raise StateError("every category is filled: the game is over")
            read = {"dice": read_dice(rules, request), "left": read_rolls_left(rules, card, request)}
        head = {"schema": SCHEMA, "query": query, "rules": rules.key}
        if "id" in request:
            head["id"] = request["id"]
        answers: dict[str, Callable[..., dict[str, Any]]] = {"hold": _hold, "score": _score, "expect": _expect}
        strategy = self.strategy(rules)
        aim = self.aim(wanted, strategy, card) if wanted else None
        about = {"aim": aim.about} if aim else {}
        return head | describe_card(card) | about | answers[query](strategy, card, aim, **read)

    def aim(self, wanted: Wanted, strategy: Strategy, card: Scorecard) -> Aim:
        """The strategy for a goal or against opponents, from a card on."""
        report = self.progress(strategy.rules) if self.progress else None
        return make_aim(wanted, strategy, card, self.tables, self.threads, report, self._goals)

    def goal_curve(self, request: dict[str, Any], scores: Sequence[int]) -> list[float]:
        """Chance of each score or more, played for just that score, from the card of an answered request."""
        rules = self.rules(request["rules"])
        card = read_card(rules, request)
        aim = self.aim(Wanted(scores[0], (), ""), self.strategy(rules), card)
        return [clipped(replace(aim.strategy, zero=score).value(card)) for score in scores]


def whole(request: dict[str, Any], name: str, default: int) -> int:
    """A whole number of the request, or `default`."""
    value = request.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise StateError(f"{name} is {value!r}; must be a whole number")
    return value


def read_card(rules: RuleSet, request: dict[str, Any]) -> Scorecard:
    """The scorecard of a request: text, or an object of category and points."""
    given = request.get("card", "")
    saved, extra = whole(request, "saved", 0), whole(request, "extra", 0)
    if isinstance(given, dict):
        for name, points in given.items():
            if isinstance(points, bool) or not isinstance(points, int) or points < 0:
                raise StateError(f"{points!r} is no score for {name}; must be a whole number")
        named = [(rules.categories[find_category(rules, name)].id, points) for name, points in given.items()]
        given = " ".join(f"{name}={points}" for name, points in named)
    if not isinstance(given, str):
        raise StateError(f"card is {given!r}; must be text such as 'ones=3', or an object")
    return parse_card(rules, given, saved, extra)


def read_dice(rules: RuleSet, request: dict[str, Any]) -> tuple[int, ...]:
    """The dice of a request: text, or a list of faces."""
    dice = request.get("dice")
    if isinstance(dice, list) and all(isinstance(face, int) and not isinstance(face, bool) for face in dice):
        return check_dice(rules, dice)
    if not isinstance(dice, str):
        said = "is missing" if dice is None else f"is {dice!r}"
        raise StateError(f"dice {said}; must be text such as '33456', or a list of faces")
    return parse_dice(rules, dice)


def read_rolls_left(rules: RuleSet, card: Scorecard, request: dict[str, Any]) -> int:
    """The rerolls left: by default all of them for a hold, none for a category."""
    most = rules.rolls - 1 + card.saved
    holding = request["query"] == "hold"
    left = whole(request, "rolls_left", most if holding else 0)
    if holding and left == 0:
        raise StateError("0 rolls left: nothing can be held; ask which category with `score`")
    if not int(holding) <= left <= most:
        raise StateError(f"{left} rolls left; it must be {int(holding)} to {most}")
    return left


def read_games(request: dict[str, Any]) -> int:
    """How many games to simulate, 0 for none."""
    games = whole(request, "games", 0)
    if games and not 100 <= games <= 10_000_000:
        raise StateError(f"games is {games}; must be from 100 to 10000000")
    return games


def describe_card(card: Scorecard) -> dict[str, Any]:
    """The position every answer repeats, so that nobody reads an answer to another question."""
    rules, state = card.rules, card.state
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


def _hold(strategy: Strategy, card: Scorecard, aim: Aim | None, dice: tuple[int, ...], left: int) -> dict[str, Any]:
    means = {hold.dice: hold for hold in strategy.holds(card, dice, left)}
    ranked = aim.strategy.holds(card, dice, left) if aim else [*means.values()]
    entries = []
    for hold in ranked:
        entry = {
            "hold": list(hold.dice),
            "reroll": strategy.rules.dice - len(hold.dice),
            "category": hold.category,
        }
        entries.append(entry | _worth(hold, means[hold.dice], card, aim))
    return {
        "dice": list(dice),
        "rolls_left": left,
        "rolls": strategy.most_rerolls(card.state) + 1,
        **_headline(entries[0], aim),
        "best": entries[0],
        "holds": entries,
    }


def _score(strategy: Strategy, card: Scorecard, aim: Aim | None, dice: tuple[int, ...], left: int) -> dict[str, Any]:
    means = {choice.category: choice for choice in strategy.categories(card, dice, left)}
    ranked = aim.strategy.categories(card, dice, left) if aim else [*means.values()]
    entries = []
    for choice in ranked:
        entry = {"category": choice.category, "points": choice.points, "bonus": choice.bonus}
        entries.append(entry | _worth(choice, means[choice.category], card, aim))
    return {
        "dice": list(dice),
        "rolls_left": left,
        **_headline(entries[0], aim),
        "best": entries[0],
        "categories": entries,
    }


def _worth(action: Hold | Choice, by_mean: Hold | Choice, card: Scorecard, aim: Aim | None) -> dict[str, Any]:
    worth = {"expected_final": card.total + by_mean.value, "to_come": by_mean.value}
    return {"chance": clipped(action.value)} | worth | {"loss": action.loss} if aim else worth | {"loss": action.loss}


def _headline(best: dict[str, Any], aim: Aim | None) -> dict[str, Any]:
    return {name: best[name] for name in (("chance",) if aim else ("expected_final",))}


def clipped(chance: float) -> float:
    """A chance within 0 and 1, whatever the last bit of float32 says."""
    return min(1.0, max(0.0, chance))


def _expect(
    strategy: Strategy, card: Scorecard, aim: Aim | None, games: int, seed: int, spread: bool, desk: Desk
) -> dict[str, Any]:
    state, rules = card.state, strategy.rules
    to_come = strategy.value(state)
    open_boxes = [c.id for i, c in enumerate(rules.categories) if not state.filled >> i & 1]
    answer: dict[str, Any] = {
        "expected_final": card.total + to_come,
        "to_come": to_come,
        "turns_left": len(open_boxes),
        "open": open_boxes,
        "upper": card.upper,
    }
    if aim:
        answer["chance"] = clipped(aim.strategy.value(card))
    if (spread or aim) and has_distribution(rules):
        found = known_distribution(strategy, state, card.total, desk.tables, desk.threads)
        if aim:
            answer["chance_by_mean_play"] = float(aim.worth(found.scores) @ found.chances)
        if spread:
            answer["distribution"] = {
                "standard_deviation": found.deviation,
                "bonus_chance": found.bonus,
                "percentiles": {str(p): found.percentile(p) for p in PERCENTILES},
                "lowest": int(found.scores[0]),
                "chances": found.chances.tolist(),
                "categories": [asdict(result) for result in found.categories],
            }
    elif spread and has_table(rules, desk.tables, Variance.name):
        variances = open_table(Variance(rules, strategy.values), desk.tables)[1]
        answer["standard_deviation"] = float(np.sqrt(variances[strategy.space.index(state)]))
    if games:
        from .simulator import simulate

        played = simulate(strategy, games, seed, state, desk.threads)
        marks = zip(PERCENTILES, played.percentiles(PERCENTILES), strict=True)
        answer["simulation"] = {
            "games": games,
            "mean": card.total + played.mean,
            "standard_error": played.error,
            "standard_deviation": played.deviation,
            "bonus_chance": float(played.bonus.mean()),
            "percentiles": {str(p): card.total + float(v) for p, v in marks},
        }
    return answer

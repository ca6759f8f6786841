"""One request, one answer, both plain dictionaries: what `--json`, `--jsonl` and the text views share.

{"query": "hold", "dice": "33456", "card": "ones=3", "rolls_left": 2}
{"schema": 2, "query": "hold", ..., "best": {"hold": [3, 3], "expected_final_score": 245.75, ...}, "holds": [...]}
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from .._version import ANSWER_SCHEMA
from ..errors import StateError, span, whole_number
from ..game.notation import parse_card, parse_dice
from ..game.rule_loader import load_rules
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard
from ..game.translations import ENGLISH, localized
from ..model.estimates import rule_set_stats
from ..model.objectives import Variance
from ..model.state_space import state_space
from ..strategy.actions import Action, Choice, Hold
from ..strategy.distribution import has_distribution, known_distribution
from ..strategy.opponents import least_score
from ..strategy.strategy import Strategy, open_strategy
from ..tablebase.store import has_table, open_table
from .aims import FIELDS as AIM
from .aims import Announce, ObjectiveRequest, ObjectiveResolver, ResolvedObjective, read_aim

SCHEMA = ANSWER_SCHEMA
PERCENTILES = (5, 25, 50, 75, 95)
FIELDS = {
    "hold": {"dice", "rolls_left"} | AIM,
    "score": {"dice", "rolls_left"} | AIM,
    "expect": {"games", "seed", "spread"} | AIM,
}
UNCERTAIN = 1 - 2.0**-24  # the highest chance of what is not certain: float32 cannot tell higher ones from 1
MAX_WHOLE = 2**63 - 1
COMMON = {"query", "rules", "card", "saved", "bonus_points", "id"}


class QueryService:
    """Answers requests, keeping each strategy open once it was asked for.

    Parameters
    ----------
    tables, threads
        As for :func:`perfect_yatzy.strategy.strategy.open_strategy`.
    progress
        Called when a table has to be solved first, with its rule set and, if the solve takes a while, one line that
        says what is made; returns the callback for the solve.
    language
        Of the names in the rule sets it hands out; answers speak in ids.
    """

    def __init__(
        self,
        tables: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        progress: Announce | None = None,
        language: str = ENGLISH,
    ) -> None:
        self.tables, self.threads, self.progress, self.language = tables, threads, progress, language
        self._open: dict[str, Strategy] = {}
        self._rules: dict[str, RuleSet] = {}
        self.aims = ObjectiveResolver(tables, threads, progress)

    def strategy(self, rules: RuleSet) -> Strategy:
        """The strategy of a rule set, opened at most once."""
        if rules.fingerprint not in self._open:
            report = None
            if self.progress and not has_table(rules, self.tables):
                needs = rule_set_stats(rules)
                line = f"solving {rules.key}, {needs.words}; its table is kept for later"
                report = self.progress(rules, line if needs.long else None)
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
        if not isinstance(query, str) or query not in FIELDS:
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
            if card.state.filled == rules.full_mask:
                raise StateError("every category is filled: the game is over")
            read = {"dice": read_dice(rules, request), "left": read_rolls_left(rules, card, request)}
        head = {"schema": SCHEMA, "query": query, "rules": rules.key}
        if "id" in request:
            head["id"] = request["id"]
        answers: dict[str, Callable[..., dict[str, Any]]] = {"hold": _hold, "score": _score, "expect": _expect}
        if wanted:
            self.aims.to_solve(wanted, rules, card)  # too much is refused before anything is solved
        strategy = self.strategy(rules)
        aim = self.aim(wanted, strategy, card) if wanted else None
        about = {"aim": aim.about} if aim else {}
        return head | describe_card(card) | about | answers[query](strategy, card, aim, **read)

    def aim(self, wanted: ObjectiveRequest, strategy: Strategy, card: Scorecard) -> ResolvedObjective:
        """The strategy for a goal or against opponents, from a card on."""
        return self.aims.make(wanted, strategy, card)

    def goal_curve(self, request: dict[str, Any], scores: Sequence[int]) -> list[float]:
        """Chance of each score or more, played for just that score, from the card of an answered request."""
        rules = self.rules(request["rules"])
        card = read_card(rules, request)
        aim = self.aim(ObjectiveRequest(scores[0], (), ""), self.strategy(rules), card)
        return [clipped(replace(aim.strategy, zero=score).value(card)) for score in scores]


def whole(request: dict[str, Any], name: str, default: int) -> int:
    """A whole number of the request that the arithmetic can hold, or `default`."""
    value = whole_number(request.get(name, default), name)
    if not 0 <= value <= MAX_WHOLE:
        raise StateError(f"{name} is {value}; must {'not be negative' if value < 0 else f'be at most {MAX_WHOLE}'}")
    return value


def read_card(rules: RuleSet, request: dict[str, Any]) -> Scorecard:
    """The scorecard of a request: text, or an object of category and points."""
    return parse_card(rules, request.get("card", ""), whole(request, "saved", 0), whole(request, "bonus_points", 0))


def read_dice(rules: RuleSet, request: dict[str, Any]) -> tuple[int, ...]:
    """The dice of a request: text, or a list of faces."""
    if request.get("dice") is None:
        raise StateError("dice is missing; must be text such as '33456', or a list of faces")
    return parse_dice(rules, request["dice"])


def read_rolls_left(rules: RuleSet, card: Scorecard, request: dict[str, Any]) -> int:
    """The rerolls left: by default all of them for a hold, none for a category."""
    most = rules.rolls_per_turn - 1 + card.saved
    holding = request["query"] == "hold"
    left = whole(request, "rolls_left", most if holding else 0)
    if left > most:
        raise StateError(f"{left} rolls left; there can be {span(int(holding and most > 0), most)}")
    if holding and left == 0:
        raise StateError("0 rolls left: nothing can be held; ask which category with `score`")
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
        "card_total": card.total,
        "state": {"filled": state.filled, "upper": state.upper},
    }
    if rules.saved_rolls:
        about["state"]["saved"] = state.saved
    if rules.joker:
        about["state"]["joker_paid"] = state.joker_paid
    return about


def _hold(
    strategy: Strategy, card: Scorecard, aim: ResolvedObjective | None, dice: tuple[int, ...], left: int
) -> dict[str, Any]:
    means = strategy.holds(card, dice, left)
    pairs = [(hold, hold) for hold in means]
    stops = []
    if aim:
        # Of categories as good for the aim the one that is best for the mean is taken; so it goes for the holds.
        stops = _choices(strategy, card, aim, dice, left)
        stop, by_mean = stops[0]
        found = {hold.dice: hold for hold in means}
        found[dice] = replace(found[dice], value=by_mean.value, category=stop.category)
        holds = aim.strategy.holds(card, dice, left)
        taken = [replace(hold, value=stop.value) if hold.dice == dice else hold for hold in holds]
        pairs = _ranked([(hold, found[hold.dice]) for hold in taken])
    entries = []
    for hold, by_mean_hold in pairs:
        entry = {
            "hold": list(hold.dice),
            "reroll": strategy.rules.dice - len(hold.dice),
            "category": by_mean_hold.category,
        }
        entries.append(entry | _worth(hold, by_mean_hold, card, aim))
    return {
        "dice": list(dice),
        "rolls_left": left,
        "rolls": strategy.most_rerolls(card.state) + 1,
        **_headline(entries, card, aim, stops),
        "best": entries[0],
        "holds": entries,
    }


def _score(
    strategy: Strategy, card: Scorecard, aim: ResolvedObjective | None, dice: tuple[int, ...], left: int
) -> dict[str, Any]:
    pairs = _choices(strategy, card, aim, dice, left)
    entries = []
    for choice, by_mean in pairs:
        entry = {"category": choice.category, "points": choice.points, "bonus_points": choice.bonus_points}
        entries.append(entry | _worth(choice, by_mean, card, aim))
    return {
        "dice": list(dice),
        "rolls_left": left,
        **_headline(entries, card, aim, pairs),
        "best": entries[0],
        "categories": entries,
    }


def _choices(
    strategy: Strategy, card: Scorecard, aim: ResolvedObjective | None, dice: tuple[int, ...], left: int
) -> list[tuple[Choice, Choice]]:
    """Every category as the aim sees it and as the mean does, best first."""
    means = {choice.category: choice for choice in strategy.categories(card, dice, left)}
    if not aim:
        return [(choice, choice) for choice in means.values()]
    return _ranked([(choice, means[choice.category]) for choice in aim.strategy.categories(card, dice, left)])


def _ranked(pairs: list[tuple[Action, Action]]) -> list[tuple[Action, Action]]:
    """What is ranked by an aim, those of equal chance by the mean: an aim that is settled says nothing of points."""
    return sorted(pairs, key=lambda pair: (pair[0].loss, -round(pair[1].value, 9)))


def _worth(
    action: Hold | Choice, by_mean: Hold | Choice, card: Scorecard, aim: ResolvedObjective | None
) -> dict[str, Any]:
    worth = {"expected_final_score": card.total + by_mean.value, "expected_remaining": by_mean.value}
    return {"chance": clipped(action.value)} | worth | {"loss": action.loss} if aim else worth | {"loss": action.loss}


def _headline(
    entries: list[dict[str, Any]],
    card: Scorecard,
    aim: ResolvedObjective | None,
    stops: Sequence[tuple[Choice, Choice]] = (),
) -> dict[str, Any]:
    """The best of the entries in short; what only rounds to certain is set right in all of them."""
    if not aim:
        return {"expected_final_score": entries[0]["expected_final_score"]}
    # Certain is what the points show: those on the card, or with the dice scored at once.
    after = [_scored(card, choice) for choice, _ in stops]
    certain = aim.certain(max(map(least_score, [card, *after])))
    for entry in entries:
        if certain and not entry.get("loss"):
            entry["chance"] = 1.0
        elif not certain:
            entry["chance"] = min(entry["chance"], UNCERTAIN)
    out_of_reach = all(entry["chance"] == 0.0 for entry in entries)
    return {"chance": entries[0]["chance"], "certain": certain, "out_of_reach": out_of_reach}


def _scored(card: Scorecard, choice: Choice) -> Scorecard:
    return card.filled_with(card.rules.index_of[choice.category], choice.points, choice.bonus_points)


def clipped(chance: float) -> float:
    """A chance within 0 and 1, whatever the last bit of float32 says."""
    return min(1.0, max(0.0, chance))


def _expect(
    strategy: Strategy,
    card: Scorecard,
    aim: ResolvedObjective | None,
    games: int,
    seed: int,
    spread: bool,
    desk: QueryService,
) -> dict[str, Any]:
    state, rules = card.state, strategy.rules
    to_come = strategy.value(state)
    open_boxes = [c.id for i, c in enumerate(rules.categories) if not state.filled >> i & 1]
    answer: dict[str, Any] = {
        "expected_final_score": card.total + to_come,
        "expected_remaining": to_come,
        "turns_left": len(open_boxes),
        "open": open_boxes,
        "upper": card.upper,
    }
    if aim:
        answer |= _headline([{"chance": clipped(aim.strategy.value(card))}], card, aim)
    if (spread or aim) and has_distribution(rules):
        found = known_distribution(strategy, state, card.total, desk.tables, desk.threads)
        if aim:
            answer["chance_by_mean_play"] = float(aim.worth(found.scores) @ found.chances)
        if spread:
            answer["distribution"] = {
                "policy": "mean",
                "standard_deviation": found.standard_deviation,
                "upper_bonus_chance": found.upper_bonus_chance,
                "percentiles": {str(p): found.percentile(p) for p in PERCENTILES},
                "lowest": int(found.scores[0]),
                "chances": found.chances.tolist(),
                "categories": [asdict(result) for result in found.categories],
            }
    elif spread:
        answer["distribution"] = None  # asked for, and not known
        if has_table(rules, desk.tables, Variance.name):
            variances = open_table(Variance(rules, strategy.table), desk.tables)[1]
            answer["standard_deviation"] = float(np.sqrt(variances[strategy.space.index(state)]))
    if games:
        from ..strategy.simulation import simulate

        played = simulate(strategy, games, seed, state, desk.threads, points=card.total)
        marks = zip(PERCENTILES, played.percentiles(PERCENTILES), strict=True)
        answer["simulation"] = {
            "policy": "mean",
            "games": games,
            "mean": played.mean,
            "standard_error": played.standard_error,
            "standard_deviation": played.standard_deviation,
            "upper_bonus_chance": played.upper_bonus_chance,
            "percentiles": {str(p): float(v) for p, v in marks},
        }
    return answer

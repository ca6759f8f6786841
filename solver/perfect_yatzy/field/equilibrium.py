"""The equilibrium of a field: play that no player gains by leaving, if all others follow it.

N + 1 players cannot see each other's cards, and the highest score wins. A symmetric equilibrium is
a mixture of strategies, one of which is chosen at the start of a game, that is a best response to
itself: against N players who follow it, every strategy wins at most 1 / (N + 1) on average. It is
found by best responses:

    1. Find the best mixture of the strategies found so far, against itself (fictitious play).
    2. Find a best response to N players of that mixture (one solve), by the utility of a final
       score against them.
    3. Compute the distribution of the scores of that response (one forward pass), and go on with
       step 1.

The solve of step 2 also bounds what any strategy can gain against the mixture: the value of the
response, with the stated error of its arithmetic, less 1 / (N + 1). Nobody has to trust the search
for that.

Score distributions do not depend on N, so that the strategies found for one field serve all others
of the game. They are stored in one file of a rule set, along with the mixtures.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .._files import read_file, replacing
from .._sources import sources_of_values
from .._version import __version__
from ..approximation.approximate_strategy import ApproximateStrategy, needs_table
from ..approximation.opening import open_strategy
from ..core.dice import Floats
from ..core.rules import RuleSet
from ..core.state import EMPTY_STATE
from ..core.table_info import DAMAGED, checked_fields, with_checksum
from ..errors import StateError
from ..game.legal_actions import Action, TurnPosition
from ..game.scorecard import Scorecard
from ..objectives.scores import Utility
from ..settings import Folder, Settings
from ..strategy.distribution import distribution, stored_distribution
from ..strategy.score_distribution import DiscreteDistribution, ScoreDistribution
from ..strategy.score_strategy import ScoreStrategy, utility_strategy
from ..strategy.strategy import Strategy
from ..tablebase.store import table_path
from ..words import _
from .prizes import FieldUtility, check_field

STEPS = 20_000  # steps of fictitious play among the strategies that are known
ACCURACY = 1e-4  # gain of the best of them at which these steps end, as a share of 1 / (N + 1)
WITHIN = 0.001  # gain at which the search ends, as a share of 1 / (N + 1)
ROUNDS = 12  # most best responses of one search
FORMAT = 1  # of the file
MAX_FILE = 64 << 20  # bytes of the stored strategies of a rule set


@dataclass(frozen=True)
class Response:
    """A strategy for a utility of the final score, and the distribution of its scores."""

    utilities: Floats | None  # of the scores 0, 1, 2 ..., or None for play for the mean
    law: Floats  # chance of each of these scores
    bonus: float  # chance of the upper bonus


@dataclass(frozen=True)
class Mixture:
    """What N players of a field follow, and how good that is."""

    opponents: int
    weights: tuple[float, ...]  # of the responses that are known, in their order
    gain: float  # no strategy wins more than 1 / (N + 1) and this against it


@dataclass(frozen=True)
class Equilibrium:
    """A symmetric equilibrium of a field, up to :attr:`gain`.

    Attributes
    ----------
    rules : RuleSet
    mixture : Mixture
    responses : tuple of Response
        Play for the mean, then the best responses.
    """

    rules: RuleSet
    mixture: Mixture
    responses: tuple[Response, ...]

    @property
    def gain(self) -> float:
        """No strategy wins more than this beyond 1 / (N + 1) against the field."""
        return self.mixture.gain

    @property
    def chances(self) -> Floats:
        """The chances of the final scores 0, 1, 2 ... of a player of the field."""
        return mixed(self.responses, self.mixture.weights)

    @property
    def law(self) -> DiscreteDistribution:
        """The distribution of the final score of a player of the field."""
        return distribution_of(self.chances)

    @property
    def bonus_chance(self) -> float:
        """The chance of the upper bonus."""
        bonuses = [response.bonus for response in self.responses]
        return float(np.dot(self.mixture.weights, bonuses[: len(self.mixture.weights)]))

    @property
    def mean_play_wins(self) -> float:
        """The chance to win of one who plays for the mean against the field."""
        utility = FieldUtility(self.law, self.mixture.opponents)
        scores = np.arange(len(self.responses[0].law))
        return float(self.responses[0].law @ utility(scores))


def distribution_of(chances: Floats) -> DiscreteDistribution:
    """Return the distribution with the chances of the scores 0, 1, 2 ..."""
    possible = np.flatnonzero(chances)
    return DiscreteDistribution(possible, chances[possible])


def mixed(responses: Sequence[Response], weights: Sequence[float]) -> Floats:
    """Return the chances of the scores of a mixture of the first responses."""
    chances = np.array([response.law for response in responses[: len(weights)]])
    return np.asarray(np.asarray(weights) @ chances)


def best_mixture(distributions: Floats, opponents: int) -> Floats:
    """Return weights, `(n,)`, of score distributions, `(n, scores)`.

    Their mixture is nearly a best response to itself among them. It is found by fictitious play,
    each step of which adds the distribution that wins most.
    """
    scores = np.arange(distributions.shape[1])
    weights = np.zeros(len(distributions))
    weights[-1] = 1.0  # the newest
    if len(distributions) == 1:
        return weights
    law = distributions[-1].copy()  # chances of the scores of the mixture
    for step in range(1, STEPS):
        win_chances = distributions @ FieldUtility(distribution_of(law), opponents)(scores)
        best = int(win_chances.argmax())
        if win_chances[best] * (opponents + 1) <= 1 + ACCURACY:
            break
        share = 1 / (step + 1)
        weights *= 1 - share
        weights[best] += share
        law += share * (distributions[best] - law)
    return weights


def field_equilibrium(
    settings: Settings,
    rules: RuleSet,
    opponents: int,
    *,
    within: float = WITHIN,
    rounds: int = ROUNDS,
) -> Equilibrium:
    """Search an equilibrium until no strategy gains more than `within`, as a share of 1 / (N + 1).

    The search also ends after `rounds` best responses. What is found is stored after each round,
    and a later search goes on from there. Raises StateError if there cannot be so many opponents,
    and RulesError for a game without a table.
    """
    check_field(opponents, 1)
    tables = settings.tables
    threads = settings.threads
    strategy = open_strategy(rules, tables, threads=threads)
    if isinstance(strategy, ApproximateStrategy):
        raise needs_table(rules, _("a field"))
    responses, mixtures = read_field(rules, tables)
    if not responses:
        law_of_means = stored_distribution(settings.reporting(None), strategy, EMPTY_STATE)
        responses = [response_of(rules, None, law_of_means)]
    fair = 1 / (opponents + 1)
    mixture = mixtures.get(opponents)  # the one with the smallest gain so far
    for _round in range(rounds):
        if mixture and mixture.gain <= within * fair:
            break
        weights = best_mixture(np.array([response.law for response in responses]), opponents)
        law = distribution_of(mixed(responses, weights.tolist()))
        utilities = FieldUtility(law, opponents)(np.arange(len(responses[0].law)))
        best = best_response(settings, strategy, utilities)
        # The error is added, so that the gain is a bound.
        value = float(best.value()) * (1 + best.evaluator.objective.error)
        if not mixture or value - fair < mixture.gain:
            mixture = Mixture(opponents, tuple(weights.tolist()), max(0.0, value - fair))
            mixtures[opponents] = mixture
        if mixture.gain > within * fair:
            law_of_best = distribution(best, threads=threads, progress=settings.progress)
            responses = [*responses, response_of(rules, utilities, law_of_best)]
        del best  # half a gigabyte
        write_field(rules, responses, mixtures, tables)
    assert mixture
    return Equilibrium(rules, mixture, tuple(responses))


def best_response(settings: Settings, strategy: Strategy, utilities: Floats) -> ScoreStrategy:
    """Return the strategy for the utilities of the scores 0, 1, 2 ... from the empty card on."""
    card = Scorecard(strategy.rules)
    return utility_strategy(settings, utilities, card, strategy.evaluator)


def response_of(rules: RuleSet, utilities: Floats | None, law: ScoreDistribution) -> Response:
    """Return the strategy for some utilities, whose final scores have the distribution `law`."""
    # Any utility knows the most points that a game can bring.
    most = Utility(rules, lambda scores: scores.astype(np.float64)).most_points
    chances = np.zeros(most + 1)  # of the scores 0, 1, 2 ...
    chances[law.scores] = law.chances
    return Response(utilities, chances, law.upper_bonus_chance)


def field_path(rules: RuleSet, tables: Folder = None) -> Path:
    """Return the file of the strategies and mixtures of a rule set, which need not exist."""
    return table_path(rules, tables, "field").with_suffix(".json")


def identity(rules: RuleSet) -> dict[str, Any]:
    """Return what stored strategies must agree in to be used."""
    return {"format": FORMAT, "version": __version__, "fingerprint": rules.fingerprint}


def read_field(rules: RuleSet, tables: Folder = None) -> tuple[list[Response], dict[int, Mixture]]:
    """Return the stored strategies and mixtures of this version, if there are any."""
    with suppress(OSError, *DAMAGED):
        stored = checked_fields(read_file(field_path(rules, tables), MAX_FILE))
        if stored["identity"] == identity(rules):
            responses = [_stored_response(**fields) for fields in stored["responses"]]
            mixtures = [_stored_mixture(**fields) for fields in stored["mixtures"]]
            return responses, {mixture.opponents: mixture for mixture in mixtures}
    return [], {}


def _stored_response(utilities: list[float] | None, law: list[float], bonus: float) -> Response:
    by_score = None if utilities is None else np.array(utilities)
    return Response(by_score, np.array(law), bonus)


def _stored_mixture(opponents: int, weights: list[float], gain: float) -> Mixture:
    return Mixture(opponents, tuple(weights), gain)


def write_field(
    rules: RuleSet,
    responses: Sequence[Response],
    mixtures: dict[int, Mixture],
    tables: Folder = None,
) -> None:
    """Store strategies and mixtures. If the folder cannot be written, they are not stored."""
    fields = {
        "identity": identity(rules),
        "sources": sources_of_values(__file__),  # for information, as in a table
        "responses": [
            {
                "utilities": None if response.utilities is None else response.utilities.tolist(),
                "law": response.law.tolist(),
                "bonus": response.bonus,
            }
            for response in responses
        ],
        "mixtures": [vars(mixture) for mixture in mixtures.values()],
    }
    with suppress(OSError), replacing(field_path(rules, tables)) as file:
        file.write(with_checksum(fields))


def stored_equilibrium(rules: RuleSet, opponents: int, tables: Folder = None) -> Equilibrium:
    """Return the stored equilibrium of a field.

    Raises StateError with the command that finds it if there is none.
    """
    responses, mixtures = read_field(rules, tables)
    if opponents not in mixtures:
        text = _("the field of {count} opponents is not solved yet; first run: {command}")
        command = f"yatzy solve {rules.key} --field {opponents}"
        raise StateError(text.format(count=opponents, command=command), field="policy")
    return Equilibrium(rules, mixtures[opponents], tuple(responses))


@dataclass
class FieldPlayer:
    """A player of a field, who draws one of its strategies at the start of each game."""

    equilibrium: Equilibrium
    means: Strategy
    settings: Settings
    _random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))
    # the strategies that were drawn, by their number among the responses
    _solved: dict[int, Strategy] = field(default_factory=dict)
    _drawn: int = 0  # the number of the strategy of this game

    @property
    def score_law(self) -> DiscreteDistribution:
        """The distribution of the final score of the mixture."""
        return self.equilibrium.law

    def act(self, position: TurnPosition) -> Action:
        """Return the best action of the strategy of this game."""
        if position.state == EMPTY_STATE and position.is_first_roll:
            weights = self.equilibrium.mixture.weights
            self._drawn = int(self._random.choice(len(weights), p=weights))
        if self._drawn not in self._solved:
            utilities = self.equilibrium.responses[self._drawn].utilities
            self._solved[self._drawn] = (
                self.means
                if utilities is None
                else best_response(self.settings, self.means, utilities)
            )
        return self._solved[self._drawn].best_action(position)

"""Open policies by name, as a command line or a request gives them, and simulate games of any."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from .._files import open_file, read_array
from ..approximation.approximate_strategy import ApproximateStrategy, needs_table
from ..approximation.opening import open_strategy
from ..core.rules import RuleSet
from ..core.scoring import upper_sums
from ..errors import StateError, positive_number, reason_of, shown
from ..game.legal_actions import TurnPosition
from ..game.random_dice import Games
from ..game.rule_loader import builtin_ids, load_rules
from ..game.scorecard import Scorecard
from ..objectives.policy_quantities import Policy
from ..settings import Folder, Settings
from ..strategy import simulation
from ..strategy.played_games import Actor, GameLog, Player, play_games, start_of
from ..strategy.score_distribution import DiscreteDistribution
from ..strategy.score_strategy import reach
from ..strategy.simulation import Simulation, check_seed
from ..strategy.strategy import Position, Strategy
from ..words import _
from . import computer_players as players
from .computer_players import ComputerPlayer, PlayerKind, PolicyPlayer, parse_kind
from .evaluation import Evaluation, SampledEvaluation, evaluate, sample
from .hold_policy import HoldRulePolicy
from .levels import SoftPolicy, calibrated_level, parse_level
from .policy import Guess, ValueFunction, exact_policy, player_of
from .strategy_sheet import StrategySheet, find_sheet
from .user_code import ProcessPlayer, UserCode, file_attribute, policy_of

NAMES = (
    "perfect, most-points, prices, hold-rules, hold-rules:5, level:3, safe, bold, win, goal:280, field:9, "
    "FILE.json, FILE.npy, FILE.py:NAME, process:COMMAND"
)


@dataclass(frozen=True)
class NamedPolicy:
    """A policy, and what to call it in a sentence."""

    policy: Policy | Strategy | Actor
    title: str


@dataclass(frozen=True)
class PolicyContext:
    """Where a policy plays: the game, and the card it starts from."""

    settings: Settings
    rules: RuleSet
    card: Scorecard
    games: int = 200  # games sampled of a policy that is not evaluated exactly
    seed: int = 1  # the seed of their dice

    def strategy(self) -> Strategy:
        """Return perfect play of the game."""
        settings = self.settings
        return open_strategy(
            self.rules, settings.tables, threads=settings.threads, progress=settings.progress
        )


def named_policy(text: str, context: PolicyContext) -> NamedPolicy:
    """Return the policy of a name. README.md lists the names."""
    for form, make in _FORMS:
        match = re.fullmatch(form, text)
        if match is not None:
            return make(context, *match.groups())
    if text.endswith(".toml") or text in builtin_ids():
        message = _("{rules} is a game, not a policy: give it with --rules", rules=shown(text))
    else:
        message = _("policy is {text}; must be one of {names}", text=shown(text), names=NAMES)
    raise StateError(message, field="policy")


def open_policy(
    name: str, rules: str | RuleSet = "yatzy", tables: Folder = None
) -> Policy | Strategy | Actor:
    """Return the policy of a name, as an object whose ``act(position)`` plays.

    Parameters
    ----------
    name
        ``perfect``, ``most-points``, ``prices``, ``hold-rules``, ``level:3``, ``safe``, ``bold``,
        ``win``, ``goal:280``, ``field:9``, a file (a strategy sheet ``.json``, a value function ``.npy``,
        ``FILE.py:NAME``, which is run), or ``process:COMMAND``, a program that is started.
    rules
        The game: a built-in id with switches, a TOML file, or a rule set.
    tables
        Folder of the tables; what the policy needs is opened or solved there.

    Returns
    -------
    object
        For :func:`perfect_yatzy.evaluate`, :func:`perfect_yatzy.simulate`,
        :func:`perfect_yatzy.sample_positions` and
        :func:`perfect_yatzy.computer_player`.

    Raises
    ------
    StateError
        If there is no such policy, or the rules have none of this name.
    """
    rule_set = load_rules(rules)
    return named_policy(name, PolicyContext(Settings(tables), rule_set, Scorecard(rule_set))).policy


def computer_player(
    rules: str | Path | RuleSet | Strategy,
    kind: str | int | PlayerKind | Actor | Player = 5,
    tables: Folder = None,
    *,
    threads: int | None = None,
) -> ComputerPlayer:
    """Return a computer player for a rule set.

    Parameters
    ----------
    rules
        A built-in id with switches, a TOML file, a rule set, or its strategy of the mean.
    kind
        A level from 1 to 8 or its name (``beginner``, ``novice``, ``casual``, ``practised``,
        ``skilled``, ``strong``, ``expert``, ``perfect``), or ``mean``, ``safe``, ``bold`` or
        ``win``; any other policy by its name (:func:`perfect_yatzy.open_policy`), an object with
        ``act(position)``, or a function of a position.
    tables
        Folder of the tables, as for :func:`perfect_yatzy.open_strategy`; a missing table of means
        is solved.
    threads
        Number of threads for solves; default: one per processor.

    Returns
    -------
    ComputerPlayer
        Its method ``choose(card, dice, rolls_left, rng)`` decides.

    Raises
    ------
    RulesError
        If the rules are unknown or wrong, or the machine has too little memory.
    StateError
        If there is no such kind.
    TableError
        If the table is damaged or cannot be written.
    """
    strategy = (
        rules
        if isinstance(rules, Strategy)
        else open_strategy(load_rules(rules), tables, threads=threads)
    )
    if not isinstance(kind, str | int | PlayerKind):
        return PolicyPlayer(PlayerKind(None, policy=type(kind).__name__), strategy, player_of(kind))
    if not isinstance(kind, PlayerKind):
        kind = parse_kind(kind)
    if kind.policy:
        context = PolicyContext(
            Settings(tables, threads), strategy.rules, Scorecard(strategy.rules)
        )
        return PolicyPlayer(kind, strategy, player_of(named_policy(kind.policy, context).policy))
    perfect = kind.level is not None and not kind.level.share
    if isinstance(strategy, ApproximateStrategy) and not perfect and kind.style != "win":
        raise needs_table(strategy.rules, f"the {kind.label} computer player")
    if kind.style in players.STYLES:
        return ComputerPlayer(
            kind, strategy, risk=players.risk_evaluator(strategy, kind.style, threads=threads)
        )
    if kind.style:
        return players.WinningPlayer(kind, strategy, Settings(tables, threads))
    assert kind.level
    if not kind.level.share:
        return ComputerPlayer(kind, strategy)
    temperature = calibrated_level(strategy, kind.level, threads=threads).temperature
    return ComputerPlayer(kind, strategy, soft=SoftPolicy(strategy, temperature))


def evaluate_named(text: str, context: PolicyContext) -> tuple[str, Evaluation | SampledEvaluation]:
    """Return the title of the policy of a name, and its evaluation from the card on.

    Raises the errors of both.
    """
    named = named_policy(text, context)
    policy = exact_policy(named.policy)
    card = context.card
    settings = context.settings
    if policy is not None:
        evaluation = evaluate(
            policy,
            points=card.total,
            tables=settings.tables,
            threads=settings.threads,
            progress=settings.progress,
        )
        return named.title, evaluation
    player = player_of(named.policy)
    games = Games(context.games, context.seed)
    return named.title, sample(settings, player, context.strategy(), games, card)


@runtime_checkable
class KnowsScoreLaw(Protocol):
    """A policy whose law of final scores is known already."""

    @property
    def score_law(self) -> DiscreteDistribution:
        """The law of the final score, from the empty card on."""


def score_law(name: str, settings: Settings, rules: RuleSet) -> DiscreteDistribution:
    """Return the law of the final score of a policy by its name, from the empty card on.

    Raises StateError for one that acts in one position at a time, and if the rules have no exact
    distribution.
    """
    policy = named_policy(name, PolicyContext(settings, rules, Scorecard(rules))).policy
    if isinstance(policy, KnowsScoreLaw):
        return policy.score_law
    evaluation = evaluate(
        listed(name, policy),
        tables=settings.tables,
        threads=settings.threads,
        progress=settings.progress,
    )
    assert isinstance(evaluation, Evaluation)
    if evaluation.distribution is None:
        text = _("no exact distribution for {rules}", rules=rules.key)
        raise StateError(text, field="policy")
    return evaluation.distribution


def listed(name: str, policy: object) -> Policy | Strategy:
    """Return the policy of a name, for exact chances.

    Raises StateError for one that acts in single positions.
    """
    exact = exact_policy(policy)
    if exact is None:
        text = _(
            "{policy} acts in one position at a time; this needs a policy whose actions can be listed "
            "(a function of turn or of observations)",
            policy=name,
        )
        raise StateError(text, field="policy")
    return exact


def policy_file(text: str) -> str:
    """Return the file that the name of a policy mentions, empty if it mentions none."""
    if text.startswith(players.PROGRAM):
        return ""
    if source := players.PYTHON_FILE.fullmatch(text):
        return source[1]
    return text if text.endswith((".npy", ".json")) else ""


def _guess(at: PolicyContext, values: Guess, title: str) -> NamedPolicy:
    return NamedPolicy(ValueFunction(at.rules, values, at.card), title)


def _most_points(at: PolicyContext) -> NamedPolicy:
    return _guess(at, lambda states: np.zeros(len(states.filled)), "The most points in each turn")


def _sheet(at: PolicyContext) -> StrategySheet:
    sheet = find_sheet(at.rules, at.settings.tables)
    if sheet is None:
        text = _("{key} has no price sheet yet; make one with: yatzy learn {key}", key=at.rules.key)
        raise StateError(text, field="policy")
    return sheet


def _prices(at: PolicyContext, file: str = "") -> NamedPolicy:
    """Return greedy play by the prices of a file, or of the sheet of the rule set."""
    sheet = StrategySheet.load(file, at.rules) if file else _sheet(at)
    return _guess(at, sheet.prices.values(), file or "The price sheet")


def _hold_rules(at: PolicyContext, size: str | None) -> NamedPolicy:
    sheet = _sheet(at)
    if not sheet.holds:
        raise StateError(
            _("the sheet of {key} has no hold rules", key=at.rules.key), field="policy"
        )
    sheet = sheet.with_rules(int(size)) if size else sheet
    policy = HoldRulePolicy(sheet.holds, sheet.prices, at.card.state)
    return NamedPolicy(policy, f"{len(sheet.holds)} hold rules and the price sheet")


def _level(at: PolicyContext, word: str | None, number: str | None) -> NamedPolicy:
    # The form of the name has one of both.
    level = parse_level(word or number or "")
    strategy = at.strategy()
    temperature = calibrated_level(strategy, level, threads=at.settings.threads).temperature
    title = f"The computer player of level {level.number} ({level.name})"
    return NamedPolicy(SoftPolicy(strategy, temperature, at.card), title)


def _goal(at: PolicyContext, goal: str) -> NamedPolicy:
    strategy = reach(
        at.rules,
        int(goal),
        at.card,
        at.settings.tables,
        threads=at.settings.threads,
        progress=at.settings.progress,
    )
    return NamedPolicy(strategy, f"Perfect play for {int(goal)} or more")


def _python(at: PolicyContext, path: str, name: str) -> NamedPolicy:
    code = UserCode(file_attribute(path, name), path)
    return NamedPolicy(policy_of(code, at.rules, at.card), f"{name} of {path}")


def _array(at: PolicyContext, path: str) -> NamedPolicy:
    try:
        with open_file(path) as file:
            values = read_array(file)
    except (OSError, ValueError) as error:
        reason = reason_of(error, path)
        raise StateError(
            _("cannot read {path}: {error}", path=path, error=reason), field="policy"
        ) from error
    return _guess(at, values, path)


def _style(at: PolicyContext, style: str) -> NamedPolicy:
    return NamedPolicy(
        computer_player(at.strategy(), style, at.settings.tables, threads=at.settings.threads),
        f"Playing {style}",
    )


def _field(at: PolicyContext, opponents: str) -> NamedPolicy:
    from ..field.equilibrium import FieldPlayer, stored_equilibrium

    equilibrium = stored_equilibrium(at.rules, int(opponents), at.settings.tables)
    player = FieldPlayer(equilibrium, at.strategy(), at.settings)
    return NamedPolicy(player, f"The equilibrium of a field of {int(opponents)} opponents")


# The form of each name, and the function that makes the policy of the groups in it.
_FORMS: tuple[tuple[str | re.Pattern[str], Callable[..., NamedPolicy]], ...] = (
    ("perfect|mean", lambda at: _guess(at, at.strategy().values, "Perfect play")),
    ("most-points", _most_points),
    (r"field:(\d{1,10})", _field),
    ("prices", _prices),
    (r"hold-rules(?::(\d{1,3}))?", _hold_rules),
    (r"goal:(\d{1,5})", _goal),
    (r"level:(\w{1,20})|([1-8])", _level),
    (f"({'|'.join(players.STYLES)}|win)", _style),
    (
        re.compile(rf"{players.PROGRAM}(.*)", re.DOTALL),
        lambda at, name: NamedPolicy(ProcessPlayer(name), name),
    ),
    (players.PYTHON_FILE, _python),
    (re.compile(r"(.*\.npy)", re.DOTALL), _array),
    (re.compile(r"(.*\.json)", re.DOTALL), _prices),
)


def simulate(  # noqa: PLR0913 - the published parameters
    strategy: Strategy | Policy | Player | Actor,
    games: int,
    seed: int = 1,
    start: Position | None = None,
    threads: int | None = None,
    *,
    rules: str | RuleSet | None = None,
    points: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:
    """Play games under a strategy.

    Parameters
    ----------
    strategy
        A strategy from :func:`perfect_yatzy.open_strategy`, :func:`perfect_yatzy.approximate`,
        :func:`perfect_yatzy.reach` or :func:`perfect_yatzy.maximise`; or any policy that
        :func:`perfect_yatzy.evaluate` takes. One that acts in single positions plays one game after the other.
    games
        Number of games, at least 1.
    seed
        Seed of the dice, from 0 to 2**63 - 1. The same seed gives the same games for any number of
        threads, and the first games of a longer simulation are those of a shorter one.
    start
        The position at the start of a turn from which every game is played: a scorecard, its text
        or a state. Default: where the strategy starts (the empty card for
        :func:`perfect_yatzy.open_strategy`).
    threads
        Number of threads; default: one per processor.
    rules
        The game of a function or an object; a policy of this package has its own. Default:
        ``"yatzy"``.
    points
        Points on the starting card. Default: the total of that card, 0 for a bare state.
    progress
        Called with what is done and what there is to do in all.

    Returns
    -------
    Simulation
        For an approximate strategy it is an
        :class:`perfect_yatzy.approximation.solve.ApproximateSimulation`, whose ``mean`` and
        ``standard_error`` have the luck of the dice removed, which makes them far more precise.

    Raises
    ------
    StateError
        If no game can reach the start, `games` is less than 1, `seed` is out of range, or
        `strategy` is not a strategy.

    Notes
    -----
    Ties are broken as in :mod:`perfect_yatzy.strategy.distribution`, so games for the mean are samples of that
    distribution. For goals and utilities the mean breaks ties first (:mod:`perfect_yatzy.strategy.score_strategy`).
    """
    policy = policy_of(strategy, rules)
    exact = exact_policy(policy)
    if exact is None:
        number = positive_number(games, "games")
        begin = start_of(load_rules(rules or "yatzy"), start)
        log = play_games(
            player_of(policy), begin, Games(number, check_seed(seed)), progress=progress
        )
        return _played_simulation(type(policy).__name__, log, begin, seed)
    if isinstance(exact, ApproximateStrategy):
        from ..approximation import solve as fitted

        return fitted.simulate(exact, games, seed, start, threads, points=points, progress=progress)
    return simulation.simulate(exact, games, seed, start, threads, points=points, progress=progress)


@dataclass(frozen=True, repr=False)
class PlayedSimulation(Simulation):
    """Games of a policy that acts in single positions, with every decision."""

    log: GameLog


def _played_simulation(
    policy: str, log: GameLog, begin: TurnPosition, seed: int
) -> PlayedSimulation:
    """Return the simulation of games that were played from `begin` on."""
    rules = begin.rules
    card = begin.card
    assert isinstance(card, Scorecard)
    # -1 stays where a box was filled before the start.
    category_points = np.full((len(log.cards), len(rules.categories)), -1, dtype=np.int16)
    for game, full in enumerate(log.cards):
        for c in full.points.keys() - card.points.keys():
            category_points[game, c] = full.points[c]
    return PlayedSimulation(
        rules=rules,
        policy=policy,
        seed=seed,
        points_before=card.total,
        final_scores=log.scores.astype(np.int64),
        category_points=category_points,
        upper_bonus=np.array([upper_sums(rules).bonus(full.state.upper) for full in log.cards]),
        log=log,
    )

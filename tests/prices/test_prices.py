"""Prices of players: the likelihood of an oracle in plain Python, derivatives, known prices found
again, and the words.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import RuleSet, Strategy, rate
from perfect_yatzy.core.backward_induction import solve_objective
from perfect_yatzy.core.rules import Bonus
from perfect_yatzy.objectives.policy_quantities import BonusPoints
from perfect_yatzy.play.record import Game, simulated_records
from perfect_yatzy.play.review import GameColumns, grade_games
from perfect_yatzy.policies.levels import SoftPolicy, calibrated_level, parse_level
from perfect_yatzy.prices.fit import Decisions, Prices, fit_prices
from perfect_yatzy.strategy.played_games import PlayedTurns
from support.command import Run
from support.games import CHANCE, JOKER, PAIR, face, saved_rolls_game, small
from support.human import human
from support.naive import Dice, Naive
from support.naive_policies import GreedyChoice
from support.players import in_memory
from support.refusals import refused
from support.seeds import ring_2

from benchmarks.prices import (
    BONUS,
    BOXES,
    TEMPERATURE,
    played_games,
    priced_table,
    truth,
)

STEPS = Bonus(14, 9, ((9, 4),))
SMALL = [
    pytest.param(small(face(2), face(3), PAIR, CHANCE, faces=3, bonus=Bonus(7, 6)), id="plain"),
    pytest.param(JOKER, id="jokers, first-roll bonus"),
    ring_2(small(face(5), face(6), PAIR, CHANCE, bonus=STEPS), id="steps of the bonus"),
    ring_2(saved_rolls_game("free", True), id="saved rolls"),
    ring_2(saved_rolls_game("forced", False), id="forced order"),
    ring_2(small(face(6), PAIR, CHANCE), id="no bonus"),
]
BonusOf = Callable[[int, int, int, bool], float]


def bonus_under_perfect_play(game: dict[str, Any]) -> BonusOf:
    """The points of the upper bonus that perfect play expects of a card, by brute force."""
    perfect = Naive(game)
    choose = GreedyChoice(game, perfect.value)

    @cache
    def of_card(filled: int, upper: int, saved: int = 0, flag: bool = False) -> float:
        if filled == perfect.full_mask:
            return float(perfect.upper_bonus(upper))
        left = game["rolls"] - 1 + saved
        return sum(p * of_roll(filled, upper, flag, d, left, True) for d, p in perfect.rolls())

    @cache
    def of_roll(filled: int, upper: int, flag: bool, dice: Dice, left: int, first: bool) -> float:
        turn = filled, upper, flag, dice, left, first
        action = choose(filled, upper, 0, flag, dice, left, first)
        if isinstance(action, int):
            return of_card(*perfect.ending(*turn, action)[1])
        again = perfect.rolls(action)
        return sum(p * of_roll(filled, upper, flag, d, left - 1, False) for d, p in again)

    return of_card


def decisions_of(game: Game, naive: Naive) -> Iterator[tuple[Any, int, bool, Dice | int]]:
    """Each decision of a game of one player: card, rerolls left, whether the roll is the first,
    the dice held or the box taken.
    """
    filled, upper, saved, flag = 0, 0, 0, False
    for turn in game.turns:
        left = game.rules.rolls_per_turn - 1 + saved
        for number, dice in enumerate(turn.dice_history):
            held = turn.holds[number] if number < len(turn.holds) else None
            now = (filled, upper, flag, tuple(sorted(dice))), left, number == 0
            if left:
                yield *now, tuple(sorted(dice)) if held is None else tuple(sorted(held))
            if held is None:
                box = game.rules.index_of[turn.category]
                yield *now, box
                card = naive.ending(*now[0], left, number == 0, box)[1]
            left -= 1
        filled, upper, saved, flag = card


def oracle_likelihood(games: list[Game], parameters: np.ndarray) -> float:
    """The log-likelihood of all decisions, from the values of every option."""
    rules = games[0].rules
    perfect, bonus = Naive(rules.canonical()), bonus_under_perfect_play(rules.canonical())
    boxes = len(rules.categories)
    *prices, rho, log_holds, log_categories = parameters.tolist()

    @cache
    def own_value(filled: int, upper: int, saved: int = 0, flag: bool = False) -> float:
        of_open = sum(prices[c] for c in range(boxes) if not filled >> c & 1)
        card = filled, upper, saved, flag
        return float(perfect.value(*card)) + rho * bonus(*card) + of_open

    player = GreedyChoice(rules.canonical(), own_value)  # type: ignore[arg-type]
    total = 0.0
    for game in games:
        for (filled, upper, flag, dice), left, first, taken in decisions_of(game, perfect):
            stops = player.stops(filled, upper, flag, dice, left, first)
            values: dict[Any, Any] = dict(stops)
            temperature = exp(log_categories)
            if not isinstance(taken, int):
                values = player.hold_values(filled, upper, flag, dice, left)
                values[dice] = max(stops.values())  # to hold all dice is to stop
                temperature = exp(log_holds)
            weights = {key: exp(value / temperature) for key, value in values.items()}
            total += log(weights[taken] / sum(weights.values()))
    return total


def played(strategy: Strategy, games: list[Game]) -> PlayedTurns:
    """The games as the fit takes them."""
    columns = GameColumns(strategy.rules)
    assert all(columns.add(i, game) for i, game in enumerate(games))
    return grade_games(strategy, columns).played


@pytest.mark.parametrize("rules", SMALL)
def test_the_likelihood_is_that_of_an_oracle(rules: RuleSet, tmp_path: Path) -> None:
    strategy = in_memory(rules)
    games = [human(strategy, seed) for seed in range(6)]
    decisions = Decisions(strategy, played(strategy, games), tmp_path)
    random = np.random.default_rng(3)
    for _ in range(3):
        parameters = random.normal(0, 1, decisions.size)
        if not rules.bonus:
            parameters[-3] = 0
        expected = oracle_likelihood(games, parameters)
        assert decisions.weigh(parameters).log_likelihood == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("rules", SMALL)
def test_the_bonus_of_every_state_is_that_of_an_oracle(rules: RuleSet) -> None:
    naive, bonus = Naive(rules.canonical()), bonus_under_perfect_play(rules.canonical())
    strategy = in_memory(rules)
    found = solve_objective(BonusPoints(rules, strategy.values))
    for card in naive.states():
        place = strategy.space.index(perfect_yatzy.State(*card))
        assert found[place] == pytest.approx(bonus(*card), abs=1e-9)


@pytest.mark.full
def test_derivatives_are_those_of_finite_differences(yatzy: Strategy) -> None:
    """The loss is that of the ratings, and threads change no bit."""
    games = [human(yatzy, seed) for seed in range(1)]
    turns = played(yatzy, games)
    decisions = Decisions(yatzy, turns, threads=2)
    parameters = np.random.default_rng(1).normal(0, 0.4, decisions.size)
    found, step = decisions.weigh(parameters), 1e-6
    for i, unit in enumerate(np.eye(decisions.size)):
        ends = [decisions.weigh(parameters + x * unit).log_likelihood for x in (step, -step)]
        assert found.score[i] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-5)
    # A common rise of all prices changes nothing.
    assert found.score[:15].sum() == pytest.approx(0, abs=1e-9)
    assert found.information[:15].sum(axis=0) == pytest.approx(0, abs=1e-8)
    one = Decisions(yatzy, turns, threads=1).weigh(parameters)
    assert (one.log_likelihood, one.lost) == (found.log_likelihood, found.lost)
    assert np.array_equal(one.score, found.score)
    assert np.array_equal(one.information, found.information)
    prices = rate(games).ratings[0].prices
    assert prices.lost == pytest.approx(rate(games).ratings[0].points_lost.value)


def test_without_price_errors_the_best_options_lose_nothing(yatzy: Strategy) -> None:
    decisions = Decisions(yatzy, played(yatzy, [human(yatzy, 1)]))
    right = np.zeros(decisions.size)
    assert decisions.cost(right) == 0
    right[0] = 3
    assert decisions.cost(right) > 0


def prices_of(path: Path, lines: list[Any], strategy: Strategy) -> Prices:
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("".join(f"{text.rstrip()}\n" for text in texts))
    return rate(path, strategies=lambda rules: strategy).prices[0]


@pytest.mark.full
def test_known_prices_are_found(yatzy: Strategy, tmp_path: Path) -> None:
    """In 15 fits of 20 games; benchmarks/prices.py has 60 fits of each number of games."""
    table = priced_table(yatzy, BOXES, BONUS)
    games = played_games(yatzy, table, TEMPERATURE, 300, 11)
    right = truth(yatzy.rules)
    found = [prices_of(tmp_path / "games", games[i : i + 20], yatzy) for i in range(0, 300, 20)]
    by_name = [{price.name: price for price in fit.all} for fit in found]
    for name, most in (("chance", 1.0), ("large-straight", 1.0), ("bonus", 0.1)):
        assert abs(np.mean([fit[name].error for fit in by_name]) - right[name]) < most
    inside = [fit[n].low <= right[n] <= fit[n].high for fit in by_name for n in right]
    assert 0.84 < np.mean(inside) < 0.97
    shown = [price.name for fit in found for price in fit.errors]
    assert shown.count("large-straight") == 15
    assert shown.count("chance") >= 12
    assert len([name for name in shown if name not in (*BOXES, "bonus")]) <= 3
    temperatures = np.mean([fit.temperatures for fit in found], axis=0)
    assert temperatures == pytest.approx([TEMPERATURE] * 2, rel=0.15)
    assert all(0 < fit.lost_by_prices < fit.lost for fit in found)


@pytest.mark.full
@pytest.mark.parametrize("rules", ["yahtzee", "kismet", "yatzy-forced", "generala", "balut"])
def test_no_prices_are_found_where_there_are_none(rules: str, tmp_path: Path) -> None:
    """Perfect players with noise: jokers, steps of the bonus, a forced order, no bonus, rows."""
    strategy = perfect_yatzy.open_strategy(rules)
    player = SoftPolicy(strategy, calibrated_level(strategy, parse_level(4)).temperature)
    games = [*simulated_records(player, 200, 3)]
    found = [prices_of(tmp_path / "games", games[i : i + 20], strategy) for i in range(0, 200, 20)]
    assert sum(len(fit.errors) for fit in found) <= 3
    assert all(fit.lost_by_prices == 0 for fit in found if not fit.errors)
    assert {fit.level.number for fit in found} <= {3, 4, 5}
    if rules == "yatzy-forced":  # no decision depends on a price
        assert all(abs(price.error) < 1e-9 for fit in found for price in fit.boxes)


@pytest.fixture(scope="module")
def record(yatzy: Strategy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty games of a player with prices."""
    path = tmp_path_factory.mktemp("prices") / "games.jsonl"
    games = played_games(yatzy, priced_table(yatzy, BOXES, BONUS), TEMPERATURE, 20, 2)
    path.write_text("".join(f"{json.dumps(game)}\n" for game in games))
    return path


def test_the_words(record: Path, run: Run) -> None:
    text = run("rate", str(record), "--prices").stdout
    one_line = " ".join(text.split())
    assert re.search(
        r"Large Straight: [45]\.\d points too little \(\d\.\d to \d\.\d\); costs", one_line
    )
    assert "no difference that 20 games can show" in one_line
    assert "more games would narrow" in one_line
    assert "What an open box" not in run("rate", str(record)).stdout
    answer = json.loads(run("rate", str(record), "--prices", "--json").stdout)["ratings"][0]
    prices = rate(record).of("simulated").prices
    assert answer["prices"] == json.loads(json.dumps(prices.to_json()))
    assert answer["prices"]["slips"] == pytest.approx(
        answer["points_lost"]["mean"] - answer["prices"]["lost_by_prices"]
    )
    games, width = prices.narrowing() or (0, 0.0)
    now = prices.errors[0].half_width
    assert now * (20 / (20 + games)) ** 0.5 <= width < now
    assert "prices" not in json.loads(run("rate", str(record), "--json").stdout)["ratings"][0]


def test_of_few_games_nothing_is_said(record: Path, run: Run, tmp_path: Path) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("".join(record.read_text().splitlines(keepends=True)[:9]))
    assert "can be seen from 10 games on" in run("rate", str(few), "--prices").stdout
    assert rate(few).prices[0].errors == []


def test_what_cannot_be_found_is_refused(
    yatzy: Strategy, record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rating = rate(record).ratings[0]
    unknown = replace(rating, find_prices=None)
    refused("prices need the games of the rating", lambda: unknown.prices)
    turns = played(yatzy, [human(yatzy, 1)])
    refused("need an exact table", fit_prices, perfect_yatzy.reach("yatzy-forced", 180), turns)
    monkeypatch.setattr("perfect_yatzy.prices.fit.MAX_STATES", 1)
    refused("yatzy solve yatzy --what bonuses", fit_prices, yatzy, turns, tmp_path)

"""Two players exactly, solved and stored: against fractions, figures measured elsewhere,
identities; resumed and damaged.
"""

from __future__ import annotations

import json
import tracemalloc
from collections import defaultdict, deque
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import (
    RuleSet,
    State,
    TableError,
    ValueFunction,
    computer_player,
    parse_card,
    versus,
)
from perfect_yatzy.core.rules import Bonus
from perfect_yatzy.core.state_space import state_space
from perfect_yatzy.core.table_info import table_stem
from perfect_yatzy.core.table_slices import FRAME
from perfect_yatzy.service.budget import SolveBudget
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.turn_evaluator import TurnEvaluator
from perfect_yatzy.strategy.verify import random_states
from perfect_yatzy.tablebase.in_memory import solve_values
from perfect_yatzy.tablebase.store import leftovers
from perfect_yatzy.two_players import two_player_table, two_players
from perfect_yatzy.two_players.leads_kernel import LeadValues, range_of
from perfect_yatzy.two_players.two_player_table import stored_game, versus_strategy
from perfect_yatzy.two_players.two_players import Replanned, TwoPlayerGame, TwoPlayerTurn
from perfect_yatzy.two_players.versus import (
    LateScore,
    split,
    table_costs,
    versus_bounds,
    versus_table,
)
from support import games
from support.command import Run, printed, refusal
from support.flips import flip
from support.mechanics import random_rules
from support.naive import Card
from support.naive_objectives import NaiveDuel, NaiveTieBreak, NaiveUtility
from support.refusals import killed, load_text, refused
from support.seeds import ring_2, ring_3, seeds
from support.shards import shard_bytes

ERROR = 2e-6  # that is stated
EVERY_MECHANIC = {1, 3, 5, 13}  # of random rules with two boxes


@pytest.mark.parametrize(
    "rules",
    [
        games.small(games.face(2), games.CHANCE, faces=3, rolls=2),
        games.small(games.face(1), games.face(2), games.PAIR, faces=2, rolls=2, bonus=Bonus(3, 4)),
        *(random_rules(seed, boxes=2) for seed in EVERY_MECHANIC),
        *(ring_2(random_rules(seed, boxes=2)) for seed in {*range(24)} - EVERY_MECHANIC),
        *(ring_3(random_rules(seed, boxes=2)) for seed in range(24, 60)),
    ],
    ids=lambda rules: rules.key,
)
@pytest.mark.parametrize("tie", [Fraction(1, 2), ring_2(Fraction(0))])
def test_every_state_of_small_games_against_fractions(rules: RuleSet, tie: Fraction) -> None:
    game, oracle = (
        TwoPlayerGame(rules, tie=float(tie)),
        NaiveDuel(rules.canonical(), (0, 0, 0, False), 1 - tie),
    )
    space, compared = game.players[0].space, 0
    cards, solved = (
        list(oracle.states()),
        [values for _left, values in game.solve(Settings(threads=1))][1:],
    )
    for one, three in zip(
        solved, [values for _left, values in game.solve(Settings(threads=3))][1:], strict=True
    ):
        assert one.values[:-FRAME].tobytes() == three.values[:-FRAME].tobytes()
    for turn, values in zip(game.turns(), solved, strict=True):
        before, other = game.sides(turn)
        for mine in cards:
            if mine[0].bit_count() != space.categories - turn.open[turn.mover]:
                continue
            i = space.index(State(*mine)) - before.first
            for theirs in cards:
                if theirs[0].bit_count() != space.categories - turn.open[1 - turn.mover]:
                    continue
                j = space.index(State(*theirs)) - other.first
                low, high = range_of(before, i, other, j, 0)
                place = values.place[i * other.size + j] + FRAME + high
                for lead in range(low, high + 1):
                    exact = oracle.against(theirs).chance(mine, lead)
                    assert abs(1 - float(values.values[place - lead]) - exact) < ERROR
                    compared += 1
    assert compared >= 2 * len(rules.categories)


def mean_play(rules: RuleSet) -> ValueFunction:
    return ValueFunction(rules, solve_values(rules))


@pytest.mark.parametrize(
    ("first", "second", "percent"),
    [
        ("best", "mean", 51.019),
        *(
            ring_2(*row)
            for row in (
                ("best", "best", 49.393),
                ("mean", "best", 48.371),
                ("again", "mean", 51.004),
                ("again", "best", 49.338),
                ("best", "again", 49.444),
            )
        ),
    ],
)
def test_seven_boxes_as_another_program_solved_them(
    first: str, second: str, percent: float
) -> None:
    """Best play, best responses, mean play, and play that is planned again each turn; measured
    without this package.
    """
    mean = mean_play(games.seven_boxes())
    plays = {"best": None, "mean": mean, "again": Replanned(mean)}
    assert round(100 * versus(mean.rules, plays[first], plays[second]).first, 3) == percent


class NaiveReplan(NaiveTieBreak):
    """Play as if the opponent would play for the mean from a card on, unseen; of equal options
    the first one.
    """

    def __init__(self, opponent: NaiveTieBreak, theirs: Card, tie: Fraction) -> None:
        law = opponent.distribution(*theirs)

        def chance(ahead: int) -> Fraction:
            return sum(
                p * (tie if ahead == points else Fraction(ahead > points))
                for points, p in law.items()
            )

        super().__init__(opponent.game, chance, Fraction(4, 10**6))

    def first_of(self, options: dict[Any, Any]) -> Any:
        best = max(utility for utility, _, _ in options.values())
        return min(
            (o for o in options if options[o][0] >= best * (1 - self.tolerance)),
            key=lambda o: options[o][2],
        )


@pytest.mark.parametrize(
    "rules",
    [
        games.small(games.face(1), games.face(2), games.PAIR, faces=2, rolls=2, bonus=Bonus(3, 4)),
        *(random_rules(seed, boxes=2) for seed in (17, 36)),
        *(ring_2(random_rules(seed, boxes=2)) for seed in (37, *range(40, 44))),
    ],
    ids=lambda rules: rules.key,
)
def test_planning_again_against_fractions(rules: RuleSet) -> None:
    mean, naive = mean_play(rules), NaiveTieBreak(rules.canonical(), Fraction, Fraction(0))
    for replans, ties, tie in (
        ((True, False), "half", Fraction(1, 2)),
        ((True, True), "win", Fraction(1)),
    ):
        plays = [Replanned(mean) if replan else mean for replan in replans]
        acts = [
            partial(NaiveReplan, naive, tie=abs(i - tie)) if replan else lambda _: naive
            for i, replan in enumerate(replans)
        ]
        exact = NaiveDuel(rules.canonical(), (0, 0, 0, False), 1 - tie, tuple(acts)).chance()
        assert abs(versus(rules, *plays, ties=ties, threads=1).first - exact) < ERROR


@pytest.mark.parametrize(
    ("key", "ties"),
    [
        ("yatzy-forced", "half"),
        *(ring_2("yatzy-forced", ties) for ties in ("loss", "win")),
        ring_2("generala", "half"),
    ],
)
def test_policies_that_ignore_each_other_have_independent_scores(key: str, ties: str) -> None:
    """The chance follows from the two distributions of the final score."""
    rules = perfect_yatzy.load_rules(key)
    rough = ValueFunction(rules, lambda states: np.zeros(len(states.filled)))
    mean = mean_play(rules)
    scores = [perfect_yatzy.evaluate(policy).distribution for policy in (mean, rough)]
    ahead = scores[0].scores[:, None] - scores[1].scores
    chances = np.outer(scores[0].chances, scores[1].chances)
    share = {"loss": 0.0, "half": 0.5, "win": 1.0}[ties]
    expected = chances[ahead > 0].sum() + share * chances[ahead == 0].sum()
    assert scores[0].chance_against(scores[1], share) == pytest.approx(expected, abs=1e-12)
    assert versus(rules, mean, rough, ties=ties).first == pytest.approx(expected, abs=ERROR)


@pytest.mark.full
def test_a_killed_solve_resumes_and_a_flipped_bit_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(two_players, "CHECKPOINT_SECONDS", 0.0)
    rules = games.seven_boxes()
    game, expected = TwoPlayerGame(rules), versus(rules, threads=1)
    part = tmp_path / f"{table_stem(rules, 'mean')}.versus.part"
    for flipped in (False, True):
        killed(versus, rules, tables=tmp_path)
        assert leftovers(tmp_path) == [part]
        found = game.resume(part)
        assert 0 < found[0] < game.total
        assert TwoPlayerGame(rules, tie=1.0).resume(part) is None
        if flipped:
            flip(part, 8 * 200)
            assert game.resume(part) is None
        assert versus(rules, tables=tmp_path, threads=2) == expected
        assert not part.exists()


MINE = (
    "ones=3 twos=6 threes=9 fours=12 one-pair=10 two-pairs=18 three-of-a-kind=15 small-straight=15 large-straight=0 "
    "full-house=20 chance=21"
)
THEIRS = (
    "ones=2 twos=6 threes=12 fours=12 fives=15 one-pair=12 two-pairs=14 four-of-a-kind=0 small-straight=0 "
    "large-straight=20 chance=22"
)


def test_the_options_of_a_turn_are_worth_what_the_start_is_worth() -> None:
    rules = perfect_yatzy.load_rules("yatzy")
    cards = parse_card(rules, MINE), parse_card(rules, THEIRS)
    game = TwoPlayerGame(rules, (cards[0].state, cards[1].state), cards[0].total - cards[1].total)
    means = TurnEvaluator(rules, solve_values(rules))
    strategy = versus_strategy(Settings(threads=2), game, cards, means, None)
    chance = versus(rules, cards=(MINE, THEIRS)).first
    assert strategy.value(cards[0]) == pytest.approx(chance, abs=1e-7)
    evaluator = strategy.evaluator.at(cards[0].total - cards[1].total)
    assert evaluator.turn_value(cards[0].state) == pytest.approx(chance, abs=ERROR)
    assert 0 < strategy.holds(cards[0], "33456")[0].value < 1


@pytest.mark.parametrize(("boxes", "pairs"), [(1, 1), ring_2(1, 4), ring_3(2, 3)])
def test_the_last_boxes_of_yatzy_against_fractions(boxes: int, pairs: int) -> None:
    """From any cards of a game, not from the empty one."""
    rules, random = perfect_yatzy.load_rules("yatzy"), np.random.default_rng(27)
    for _ in range(pairs):
        cards = []
        for _player in range(2):
            filled = rules.full_mask & ~sum(
                1 << int(box) for box in random.choice(15, boxes, replace=False)
            )
            sums = state_space(rules).lanes.sums[filled & 63]
            cards.append((filled, int(random.choice(sums)), 0, False))
        oracle = NaiveDuel(rules.canonical(), cards[1], Fraction(1, 2))
        for lead in (0, *random.integers(-60, 61, 2).tolist()):
            found = TwoPlayerGame(rules, (State(*cards[0]), State(*cards[1])), lead).chance(
                Settings()
            )
            assert abs(found - oracle.chance(cards[0], lead)) < ERROR, (cards, lead)


def test_what_is_no_game_of_two_is_refused() -> None:
    refused(
        "as many open boxes as the opponent, or one more",
        versus,
        "yatzy",
        cards=("ones=3 twos=6", "ones=3"),
    )
    refused("ties is 'draw'; must be one of loss, half, win", versus, "yatzy", ties="draw")
    refused("another game", versus, "generala", mean_play(perfect_yatzy.load_rules("yatzy-forced")))


@pytest.mark.parametrize("ties", ["half", ring_2("loss")])
def test_bounds_enclose_the_exact_chance(ties: str, tmp_path: Path) -> None:
    rules = games.seven_boxes()
    low, high = versus_bounds(Settings(tmp_path), rules, ties)
    assert low < versus(rules, ties=ties).first < high
    assert high - low < 0.074  # 0.080, if the opponent knew the score


@pytest.mark.parametrize("ties", ["loss", "half", "win"])
@pytest.mark.parametrize(
    "rules",
    [
        games.small(games.PAIR, faces=3, rolls=2),
        *(random_rules(17, boxes=boxes) for boxes in (2, 3)),
        *(
            ring_2(random_rules(seed, boxes=boxes))
            for seed in (37, *range(40, 80))
            for boxes in (2, 3)
        ),
    ],
    ids=lambda rules: f"{rules.key}-{len(rules.categories)}",
)
def test_bounds_of_small_games_enclose_the_exact_chance(
    rules: RuleSet, ties: str, tmp_path: Path
) -> None:
    low, high = versus_bounds(Settings(tmp_path, 1), rules, ties)
    assert low - ERROR < versus(rules, ties=ties, threads=1).first < high + ERROR


class NaiveRandomPoints(NaiveUtility):
    """The mean of 1 for more points, and of what a tie counts for as many, if random points are
    given when some boxes are filled.
    """

    def __init__(
        self, rules: RuleSet, points: int, tie: Fraction, filled: int, given: dict[int, Fraction]
    ) -> None:
        super().__init__(
            rules.canonical(), lambda score: tie if score == points else Fraction(score > points)
        )
        self.filled, self.given = filled, given

    def expected_utility(
        self, filled: int, upper: int, saved: int, flag: bool, made: int
    ) -> Fraction:
        given = self.given if filled.bit_count() == self.filled else {0: Fraction(1)}
        value = super().expected_utility
        return sum(
            p * value(filled, upper, saved, flag, made + points) for points, p in given.items()
        )


@pytest.mark.parametrize("seed", seeds(2, 10))
@pytest.mark.parametrize("filled", [0, 1, 2])
@pytest.mark.parametrize("tie", [Fraction(1, 2), ring_2(Fraction(0)), ring_2(Fraction(1))])
def test_scores_to_beat_with_random_points_and_laws_against_fractions(
    seed: int, filled: int, tie: Fraction, tmp_path: Path
) -> None:
    rules = random_rules(seed, boxes=2)
    late = LateScore(Settings(tmp_path, 1), rules)
    late.left = len(rules.categories) - min(filled, len(rules.categories))
    late.components = [np.array([0.25, 0, 0.125, 0.625])]
    (chances,), at_once = late.beating(float(tie))
    given = {3: Fraction(1, 4), 1: Fraction(1, 8), 0: Fraction(5, 8)}
    assert chances[-1] == at_once[-1] == 0
    for by_points, law in ((chances, given), (at_once, {0: Fraction(1)})):
        for points in range(len(by_points) - FRAME + 1):
            one = NaiveRandomPoints(rules, points, tie, len(rules.categories) - late.left, law)
            exact = one.expected_utility(0, 0, 0, False, 0)
            assert abs(by_points[points] - exact) < ERROR
    law, found = (
        late.distributions[-1][0],
        perfect_yatzy.distribution(perfect_yatzy.open_strategy(rules, tmp_path)),
    )
    assert law[found.scores] == pytest.approx(found.chances, abs=1e-12)
    assert law.sum() == pytest.approx(1, abs=1e-12)


def test_a_split_law_is_the_law() -> None:
    """The component of a mixture is found; nothing is lost, or taken twice."""
    rng, component = np.random.default_rng(1), np.array([0.5, 0, 0.3, 0, 0, 0.2])
    hidden = rng.random((50, 30)) * (rng.random((50, 30)) < 0.3)
    noise = rng.random((50, 35)) * 0.01
    laws = noise + sum(np.pad(p * hidden, ((0, 0), (at, 5 - at))) for at, p in enumerate(component))
    rest = laws.copy()
    weights = split(rest, component)
    assert weights.min() >= 0
    assert rest.min() >= 0
    again = rest + sum(
        np.pad(p * weights, ((0, 0), (at, 5 - at))) for at, p in enumerate(component)
    )
    assert again == pytest.approx(laws, abs=1e-14)
    assert weights.sum() > 0.9 * hidden.sum()
    assert split(rest[:, :4].copy(), component).shape == (50, 0)


@pytest.mark.full
def test_progress_counts_the_plans_of_all_games() -> None:
    rules, reports = perfect_yatzy.load_rules("yatzy-forced"), list[tuple[int, int]]()
    again = Replanned(ValueFunction(rules, solve_values(rules)))
    versus_table(
        Settings(threads=1, progress=lambda *step: reports.append(step)), rules, [None, again]
    )
    done, totals = zip(*reports, strict=True)
    assert list(done) == sorted(set(done))
    assert set(totals) == {done[-1]}
    costs = table_costs(rules, [False, True])
    assert done[-1] == sum(cost.values for cost in costs)
    for mover in (1, 2):
        game = TwoPlayerGame(rules, policies=(again, None) if mover == 2 else (None, again))
        assert game.cost() == costs[mover]
        assert game.cost().seconds > 3 * costs[0].seconds


@pytest.mark.full
@pytest.mark.parametrize("replanned", [None, 0, 1])
def test_a_solve_takes_no_more_memory_than_its_cost(replanned: int | None) -> None:
    rules = games.seven_boxes()
    again = Replanned(ValueFunction(rules, solve_values(rules)))
    game = TwoPlayerGame(
        rules, policies=(again if replanned == 0 else None, again if replanned == 1 else None)
    )
    deque(game.solve(Settings(threads=1)), maxlen=1)  # the kernels are compiled
    tracemalloc.start()
    deque(game.solve(Settings(threads=1)), maxlen=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # the laws of the points to come
    assert peak < game.cost().bytes + (0 if replanned is None else 4_000_000)
    assert game.cost().bytes < 2 * peak


@pytest.mark.slow
def test_bounds_of_yatzy(tmp_path: Path) -> None:
    """The figures of the documentation; 44.97 % and 55.03 %, if the opponent knew the score and a
    tie were the mean of two goals. Some minutes of processor time, 27 of a busy machine.
    """
    low, high = versus_bounds(Settings(tmp_path), "yatzy")
    assert 0.4588 <= low < 0.4589
    assert 0.539 < high <= 0.5391


def test_the_command_answers_for_two_players(run: Run, tmp_path: Path) -> None:
    """The figures in the table of the command and as JSON; a game of six boxes."""
    removed = "ones twos threes one-pair two-pairs chance full-house small-straight large-straight"
    rules = load_text(tmp_path, f'extends = "yatzy-forced"\nremove = {removed.split()}\n').origin
    asked = ("solve", rules, "--two-players")
    found = json.loads(run(*asked, "--json", "--policy", "most-points").stdout)
    assert found["players"] == ["win", "most-points"]
    (best, against), (follow, same) = found["first"]
    assert follow < best < against
    assert same == pytest.approx(0.5, abs=ERROR)
    assert found["exploitability"] == pytest.approx([(against + 1 - follow) / 2 - 0.5])
    shown = run(*asked, "--policy", "most-points").stdout
    assert f"the first wins {100 * best:.2f} %" in shown
    assert "at most" in run(*asked, "--estimate").stdout
    again = json.loads(run(*asked, "--json", "--policy", "replanned").stdout)
    assert 0 < again["exploitability"][0] < found["exploitability"][0]
    said = refusal(run, "solve", "yatzy-forced", "--two-players", "--policy", "goal:200")
    assert "goal:200 looks at more than its own card" in said


def test_a_query_against_one_who_plays_to_win(run: Run) -> None:
    asked = ("--card", MINE, "--best-opponent", THEIRS, "--ties", "half")
    chance = versus("yatzy", cards=(MINE, THEIRS)).first
    expect = json.loads(run("expect", *asked, "--json").stdout)
    assert expect["chance"] == pytest.approx(chance, abs=1e-6)
    assert expect["aim"] == {"versus": THEIRS, "ties": "half", "lower_bound": False}
    rules = perfect_yatzy.load_rules("yatzy")
    playing_for_the_mean = ValueFunction(rules, solve_values(rules), parse_card(rules, MINE))
    mean = versus(rules, playing_for_the_mean, cards=(MINE, THEIRS)).first
    assert expect["chance_by_mean_play"] == pytest.approx(mean, abs=1e-6)
    assert mean < chance
    assert "who sees your card and plays to win, too" in " ".join(
        run("hold", "33456", *asked).stdout.split()
    )
    for wrong, message in (
        (("--goal", "240"), "goal and versus cannot be combined"),
        (("--opponent", "240"), "opponents and versus cannot be combined"),
    ):
        assert message in run("hold", "33456", *asked, *wrong).stderr
    assert "there can be one" in run("hold", "33456", "--best-opponent", "empty; 240").stderr
    answers = [
        run("expect", "--card", MINE, "--json", way, "251").stdout
        for way in ("--best-opponent", "--opponent")
    ]
    assert json.loads(answers[0])["chance"] == json.loads(answers[1])["chance"]  # a finished game
    assert "ask from a later card" in run("hold", "33456", "--best-opponent", "empty").stderr


class OneTurn(NaiveUtility):
    """A turn of a game of two in fractions; the chances after it are read from the layer of the
    solve that follows.
    """

    def __init__(
        self, game: TwoPlayerGame, layers: list[LeadValues], turn: TwoPlayerTurn, theirs: State
    ) -> None:
        super().__init__(game.rules.canonical())
        self.theirs, self.layer = theirs, layers[turn.left - 1]
        self.next = next((each for each in game.turns() if each.left == turn.left - 1), None)
        self.pairs = self.next and game.sides(self.next)
        self.index = game.players[0].space.index

    def expected_utility(
        self, filled: int, upper: int, saved: int, flag: bool, made: int
    ) -> Fraction:
        """After the turn."""
        if self.pairs is None:
            ahead = made + self.upper_bonus(upper) - self.upper_bonus(self.theirs.upper)
            return Fraction((ahead > 0) - (ahead < 0) + 1, 2)
        before, other = self.pairs
        i, j = (
            self.index(self.theirs) - before.first,
            self.index(State(filled, upper)) - other.first,
        )
        low, high = range_of(before, i, other, j, 0)
        place = self.layer.place[i * other.size + j] + FRAME + high
        return Fraction(float(self.layer.values[place + min(max(made, -high - 1), 1 - low)]))


@pytest.mark.slow
@pytest.mark.parametrize("key", ["yatzy-forced", "generala", "yacht"])
def test_the_values_of_whole_sheets_follow_from_those_after_the_turn(key: str) -> None:
    """Random cards and leads before every turn; the rolls and the rules are the test's own."""
    game, states = TwoPlayerGame(perfect_yatzy.load_rules(key)), defaultdict[int, Any](list)
    random = np.random.default_rng(1)
    space, layers = game.players[0].space, [values for _left, values in game.solve(Settings())]
    for state in [State(), *random_states(space, 5_000, seed=1)]:
        states[space.categories - state.filled.bit_count()].append(state)
    for turn in [*game.turns()] * 2:
        full = [State(space.rules.full_mask)]
        mine, theirs = (
            states[turn.open[player]] or full for player in (turn.mover, 1 - turn.mover)
        )
        mine, theirs = mine[random.integers(len(mine))], theirs[random.integers(len(theirs))]
        before, other = game.sides(turn)
        i, j = space.index(mine) - before.first, space.index(theirs) - other.first
        low, high = range_of(before, i, other, j, 0)
        lead = int(random.integers(low, high + 1))
        found = 1 - float(
            layers[turn.left].values[
                layers[turn.left].place[i * other.size + j] + FRAME + high - lead
            ]
        )
        one = OneTurn(game, layers, turn, theirs)
        exact = NaiveUtility.expected_utility(one, mine.filled, mine.upper, 0, False, lead)
        assert abs(found - exact) < ERROR, (turn, mine, theirs, lead)


STORED_ERROR = 2e-5  # that the README states
FORCED = "yatzy-forced"
PAIRS = 40


def points_made(oracle: NaiveDuel) -> dict[tuple[int, int, bool], set[int]]:
    """Some sums of points by card (filled, upper, flag), without bonuses."""
    found = {(0, 0, False): {0}}
    for filled in range(oracle.full_mask.bit_count()):
        for card in [card for card in found if card[0].bit_count() == filled]:
            for dice, _chance in oracle.rolls():
                for box, (points, _bonus) in oracle.scores(card[0], card[2], dice).items():
                    found.setdefault(oracle.after(*card, box, points), set()).update(
                        n + points for n in found[card]
                    )
    return found


@pytest.mark.parametrize(
    "rules",
    [
        games.small(games.face(1), games.face(2), games.PAIR, faces=2, rolls=2, bonus=Bonus(3, 4)),
        *(ring_2(random_rules(seed, boxes=2)) for seed in range(10)),
    ],
    ids=lambda rules: rules.key,
)
@pytest.mark.parametrize("ties", [ring_2("loss"), ring_2("half"), "win"])
def test_every_position_of_a_stored_game_against_fractions(
    rules: RuleSet, ties: str, tmp_path: Path
) -> None:
    """The start of each turn, and the best of its options; `ties` is what a tie counts for the
    one who moves first.
    """
    share = {"loss": Fraction(0), "half": Fraction(1, 2), "win": Fraction(1)}[ties]
    assert versus(rules, ties=ties, tables=tmp_path, store=True) == versus(rules, ties=ties)
    oracle = NaiveDuel(rules.canonical(), (0, 0, 0, False), 1 - share)
    cards, boxes, made = list(oracle.states()), len(rules.categories), points_made(oracle)
    means, asked = TurnEvaluator(rules, solve_values(rules)), 0
    pairs = [
        (mine, theirs, behind)
        for mine, theirs in product(cards, repeat=2)
        if mine[0].bit_count() < boxes
        and (behind := theirs[0].bit_count() - mine[0].bit_count()) in (0, 1)
    ]
    for mine, theirs, behind in Random(27).sample(pairs, min(len(pairs), PAIRS)):
        states = State(*mine), State(*theirs)
        # the second player moves if the other has filled a box more
        own = share if behind == 0 else 1 - share
        totals = [made[filled, upper, flag] for filled, upper, _saved, flag in (mine, theirs)]
        for lead in {
            a - b for a, b in product(*(sorted(each)[:: len(each) // 2 or 1] for each in totals))
        }:
            rest = TwoPlayerGame(rules, states, lead, float(own))
            table = stored_game(rest, tmp_path)
            evaluator = two_players.LeadEvaluator(rest, means, *table.turn_values(rest)).at(lead)
            exact = oracle.against(theirs).chance(mine, lead)
            assert abs(evaluator.value(states[0]) - exact) < STORED_ERROR
            assert abs(evaluator.turn_value(states[0]) - exact) < STORED_ERROR
            asked += 1
    assert asked >= boxes


@pytest.mark.full
def test_every_stored_chance_is_near_the_solved_one_and_certain_only_if_that_is(
    tmp_path: Path,
) -> None:
    game = TwoPlayerGame(perfect_yatzy.load_rules(FORCED))
    versus(FORCED, tables=tmp_path, store=True)
    table, tiny = stored_game(game, tmp_path), 0
    for begin, (_left, layer) in zip(table.begins, game.solve(Settings()), strict=True):
        solved = layer.values[:-FRAME]
        stored = table.values[begin : begin + len(solved)] / 65535
        assert np.abs(stored - solved).max() < STORED_ERROR
        assert np.array_equal(stored > 0, solved > 0)
        assert np.array_equal(stored < 1, solved < 1)
        tiny += int(((solved > 0) & (solved < 7e-6)).sum())
    assert tiny > 100


@pytest.mark.full
def test_a_stored_game_has_the_same_bits_whoever_solved_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On one and three threads, and resumed after it was killed; unfinished files are leftovers."""
    rules = games.seven_boxes()
    chances = [versus(rules, threads=n, tables=tmp_path / str(n), store=True) for n in (1, 3)]
    assert chances[0] == chances[1] == versus(rules)
    one, three = shard_bytes(tmp_path / "1"), shard_bytes(tmp_path / "3")
    # one shard for each layer of the games in which a tie is a loss, a half and a win
    assert len(one) == 3 * 15
    assert one == three
    monkeypatch.setattr(two_players, "CHECKPOINT_SECONDS", 0.0)
    killed(versus, rules, tables=tmp_path, store=True)
    assert [path.suffixes for path in leftovers(tmp_path)] == [[".part", ".shards"]]
    resumed = list[float]()
    report = lambda done, total: resumed.append(done / total)  # noqa: E731
    assert versus(rules, tables=tmp_path, store=True, progress=report) == chances[0]
    assert resumed == sorted(resumed)
    assert resumed[0] > 0.45
    assert resumed[-1] == 1
    assert shard_bytes(tmp_path) == one
    assert not leftovers(tmp_path)
    assert (
        versus(rules, tables=tmp_path, store=True, progress=lambda *_: pytest.fail("solved again"))
        == chances[0]
    )
    monkeypatch.setattr(two_player_table, "SHARD", 20_001)
    versus(rules, tables=tmp_path / "many", store=True)
    assert len(shard_bytes(tmp_path / "many")) > 60
    rest = TwoPlayerGame(rules, (State(1), State(1)))
    tables = [stored_game(rest, tmp_path / name) for name in ("1", "many")]
    found = [table.turn_values(rest) for table in tables if table]
    assert found[0][1].tobytes() == found[1][1].tobytes()


@pytest.mark.full
def test_a_damaged_stored_game_is_an_error_and_never_an_answer(tmp_path: Path) -> None:
    """A flipped bit in each file, and a file that is cut or gone."""
    versus(FORCED, tables=tmp_path, store=True)
    (sidecar,), shards = (
        tmp_path.glob("*-versus-*.json"),
        sorted(tmp_path.glob("*-versus-*.shards/*")),
    )
    rest = TwoPlayerGame(perfect_yatzy.load_rules(FORCED))

    def ask() -> list[bytes]:
        offsets, values = stored_game(rest, tmp_path).turn_values(rest)
        return [part.tobytes() for part in (*offsets, values)]

    right, random = ask(), np.random.default_rng(27)
    for path in (sidecar, *shards[-2:]):
        intact = path.read_bytes()
        for bit in range(8):
            content = bytearray(intact)
            content[int(random.integers(len(content)))] ^= 1 << bit
            path.write_bytes(content)
            with suppress(TableError):
                assert ask() == right
        path.write_bytes(intact[: len(intact) // 2])
        refused(
            "rebuild it with: yatzy solve yatzy-forced --two-players --store", ask, error=TableError
        )
        path.write_bytes(intact)
    shards[-2].unlink()
    refused("missing", ask, error=TableError)
    versus(FORCED, tables=tmp_path, store=True)  # solves it again
    assert ask() == right
    mean = ValueFunction(FORCED, lambda states: 0.0 * states.upper)
    refused("only a whole game that both play to win", versus, FORCED, mean, store=True)
    refused(
        "only a whole game that both play to win",
        versus,
        FORCED,
        cards=("ones=3", "ones=3"),
        store=True,
    )


@pytest.mark.full
def test_all_entrances_answer_from_a_stored_game(run: Run, tmp_path: Path) -> None:
    """Command and computer player, whoever moves, as from a solve: that is what happens without
    the option.
    """
    rules = load_text(tmp_path, f'extends = "{FORCED}"\n')
    box, folders = rules.categories[0].id, (tmp_path / "stored", tmp_path / "other")

    def answers(tables: Path) -> tuple[list[float], list[Any]]:
        """Chances, and what is said beside them."""
        chances, others = list[float](), list[Any]()
        for query, *dice in (("expect",), ("hold", "33456"), ("score", "33456")):
            for theirs in ("empty", f"{box}=0"):
                asked = (
                    "--rules",
                    str(rules.origin),
                    "--best-opponent",
                    theirs,
                    "--tables",
                    str(tables),
                    "--json",
                )
                answer = json.loads(printed(run, query, *dice, *asked))
                chances.append(answer["chance"])
                best = answer.get("best", {})
                others.append((answer["aim"], best.get("hold"), best.get("category")))
        computer = computer_player(rules, "win", tables)
        return chances, [
            *others,
            *(computer.choose("", "33456", 2, others=[card]) for card in ("", f"{box}=0")),
        ]

    store = "solve", str(rules.origin), "--two-players", "--store", "--tables", str(folders[0])
    assert "on the disk" in printed(run, *store, "--estimate")
    (chances, others), shown = answers(folders[1]), printed(run, *store, "--yes", "--json")
    assert json.loads(shown)["first"] == [[versus(rules).first]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TwoPlayerGame, "solve", lambda *_: pytest.fail("solved again"))
        patch.setattr(SolveBudget, "announces", lambda *_: True)  # what takes longer is left out
        found = answers(folders[0])
    assert found == (pytest.approx(chances, abs=STORED_ERROR), others)

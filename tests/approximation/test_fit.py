"""The fitted value function and the bound of the relaxed game against known values; single
turns; more than 62 boxes.
"""

import hashlib
from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy import RulesError, RuleSet, State, distribution, load_rules
from perfect_yatzy.approximation import multipliers
from perfect_yatzy.approximation.approximate_cost import FIT_GAMES
from perfect_yatzy.approximation.fit import LaneTurns, TurnStarts, fit_values, same_cards
from perfect_yatzy.approximation.fitted_file import NOT_ALLOWED, FittedValues, first_guess
from perfect_yatzy.approximation.multipliers import optimal_prices
from perfect_yatzy.approximation.relaxation import (
    Budget,
    relax,
    rounding_error,
    solve_relaxed,
    upper_bound,
    visits,
)
from perfect_yatzy.approximation.relaxed_game import RelaxedGame, required_exact
from perfect_yatzy.approximation.solve import simulate_values
from perfect_yatzy.core import state_space as spaces
from perfect_yatzy.core.dice import lattice
from perfect_yatzy.core.patterns import Pattern
from perfect_yatzy.core.rules import (
    Category,
    Joker,
    JokerCondition,
    JokerMode,
    JokerPayment,
    chains,
)
from perfect_yatzy.core.scoring import scoring_options, upper_sums
from perfect_yatzy.core.state import EMPTY_STATE
from perfect_yatzy.core.state_space import state_space
from perfect_yatzy.game.random_dice import Games
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.turn_slots import allowed_boxes, feature_count, turn_slots
from perfect_yatzy.tablebase.in_memory import solve_values
from support.games import CHANCE, PAIR, joker_game, rule_sets, saved_rolls_game, small
from support.mechanics import MECHANICS, random_rules
from support.naive import Card, Naive
from support.players import in_memory
from support.refusals import load_text, refused
from support.rule_files import six_columns
from support.seeds import examples, in_rings, ring_2, seeds

RUN = Category("run", "Run", (Pattern("contains", contains=(1, 2), score="fixed", points=9),))
CLASSIC = saved_rolls_game("free", True), joker_game("forced")


def relaxed_start(rules: RuleSet) -> FittedValues:
    """The values of the relaxed game that remembers the upper sum and nothing else."""
    prices = optimal_prices(rules).prices
    upper = [c for c, box in enumerate(rules.categories) if box.upper and rules.bonus]
    game = RelaxedGame(rules, upper, prices, 0 if rules.bonus else -1)
    return first_guess(rules, prices, game, solve_relaxed(game, threads=1))


def drawn_coefficients(rules: RuleSet) -> FittedValues:
    """A value function with coefficients drawn at random."""
    draw, n = np.random.default_rng(3), len(rules.categories)
    coefficients = draw.normal(size=n), draw.normal(size=(n + 1, feature_count(rules)))
    return FittedValues(rules, *coefficients, None, np.empty(0))


def test_a_game_whose_features_are_exact_gets_its_exact_value() -> None:
    """Without a bonus, one, two or all of three open boxes are told apart by the features:
    nothing is approximate.
    """
    rules = small(PAIR, CHANCE, RUN, rolls=2)
    values, record = fit_values(
        Settings(threads=1),
        first_guess(rules, np.zeros(3)),
        Games(400, 1),
        rounds=2,
        ridge=1e-9,
    )
    exact = solve_values(rules)
    assert values.values(0, 0, 0, 0)[0] == pytest.approx(exact[-1], abs=1e-5)
    assert max(record["errors"]) < 1e-5
    assert simulate_values(values, games=200, seed=2).mean == pytest.approx(exact[-1], abs=1e-5)


def test_numbers_of_games_weighted_sums_of_features_and_values_of_full_cards() -> None:
    values = first_guess(small(PAIR, CHANCE), np.zeros(2))
    for settings in ({"games": 0}, {"games": 1, "half_width": -1.0}):
        refused(
            "number of games and the width of the interval must be positive",
            simulate_values,
            values,
            **settings,
        )
    assert len(simulate_values(values, games=3).luck) == 3
    rules = joker_game("free", saved_rolls=True)
    values, draw = drawn_coefficients(rules), np.random.default_rng(5)
    states = TurnStarts(
        draw.integers(0, 16, 9),
        draw.integers(0, 8, 9),
        draw.integers(0, 5, 9),
        draw.integers(0, 2, 9),
    )
    fields = states.filled, states.upper, states.saved, states.tracked
    weights = draw.normal(size=9)
    assert values.feature_sums(weights, *fields) == pytest.approx(
        weights @ values.features(*fields)[1]
    )
    rules = saved_rolls_game("free", False)
    assert drawn_coefficients(rules).values(rules.full_mask, [0, 15, 16], 0, 0).tolist() == [
        0.0,
        0.0,
        7.0,
    ]


@pytest.mark.parametrize("rules", [*CLASSIC, *map(random_rules, range(12))])
def test_the_children_of_a_state_have_the_values_of_the_function(rules: RuleSet) -> None:
    values, slots = drawn_coefficients(rules), turn_slots(rules)
    filled, flag = np.array([0]), np.array([int(rules.tracked_index >= 0)])
    found = values.child_values(filled, np.array([0]), flag, (0, 2))
    checked = 0
    for slot, box in enumerate(slots.slot_category.tolist()):
        shift, pays = slots.slot_shift[slot], bool(slots.slot_pays[slot])
        paid = int(flag[0] or (pays and box == rules.tracked_index))
        upper = upper_sums(rules).cap(np.array([shift]))
        for stage, saved in enumerate((0, 2)):
            if found[stage, 0, slot] != NOT_ALLOWED:
                expected = values.values(1 << box, upper, saved, paid)[0]
                assert found[stage, 0, slot] == pytest.approx(expected, abs=1e-9)
                checked += 1
    assert checked


@pytest.mark.parametrize(
    "rules",
    [*CLASSIC, *map(random_rules, (0, 2)), *(ring_2(random_rules(seed)) for seed in (1, 3))],
)
def test_no_value_exceeds_the_bound_of_the_relaxed_game(rules: RuleSet) -> None:
    """Whatever the coefficients; and the children are bounded as the cards themselves are."""
    relaxed, drawn = (
        relax(rules, Budget(work=5e10, memory=1 << 22, boxes=0)),
        drawn_coefficients(rules),
    )
    start = first_guess(rules, relaxed.game.prices, relaxed.game, relaxed.values)
    nothing, rolls = np.array([0]), (0, rules.rolls_per_turn - 1) if rules.saved_rolls else (0,)
    most, lower = start.child_values(nothing, nothing, nothing, rolls), False
    for sign in (30, -30):
        values = replace(start, coefficients=sign * drawn.coefficients)
        assert values.values(0, 0, 0, 0) <= start.values(0, 0, 0, 0)
        children = values.child_values(nothing, nothing, nothing, rolls)
        assert (children <= most + 1e-9).all()
        lower |= bool((children < most - 1e-9).any())
    assert lower


def test_a_fitted_game_is_played_nearly_perfectly_and_never_better() -> None:
    """Two thousand games of a small game with a bonus: within 1 % of perfect play, and not
    significantly above it.
    """
    rules = saved_rolls_game("free", False)
    exact = float(solve_values(rules)[-1])
    values, _ = fit_values(Settings(), relaxed_start(rules), Games(500, 6), rounds=3)
    found = simulate_values(values, games=4000, seed=7)
    assert exact * 0.99 < found.mean < exact + 2 * (found.interval99[1] - found.mean)
    assert found.standard_error < found.standard_deviation / np.sqrt(4000) / 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "exact"),
    [
        ("yatzy", 248.4399893779),
        ("yahtzee-plain", 245.8707745141),
        ("maxi-unsaved", 394.5575068204),
    ],
)
def test_strategies_of_solvable_games_lose_less_than_the_documented_share(
    key: str, exact: float
) -> None:
    values, _ = fit_values(Settings(), relaxed_start(load_rules(key)), Games(FIT_GAMES, 1))
    found = simulate_values(values, games=1 << 24, half_width=0.05, seed=2)
    assert exact * (1 - 0.0015) < found.mean < exact + (found.interval99[1] - found.mean)


class OneTurn(Naive):
    """One turn in fractions; what follows is worth a number drawn for the card."""

    def value(self, filled: int, upper: int, saved: int = 0, flag: bool = False) -> Fraction:
        return drawn(filled, upper, saved, flag)

    def turn(self, filled: int, upper: int, saved: int, flag: bool) -> Fraction:
        return Naive.value(self, filled, upper, saved, flag)


def drawn(filled: int, upper: int, saved: int, flag: bool) -> Fraction:
    """A number for each card, and one that each saved roll adds: more of them are never worse."""
    digest = hashlib.sha256(f"{filled} {upper} {flag}".encode()).digest()
    return Fraction(int.from_bytes(digest[:2], "big"), 3277) + Fraction(saved * digest[2], 100)


@dataclass
class CardValues:
    """Values for the kernel: those of a function of the card after the turn."""

    rules: RuleSet
    value: Callable[[int, int, int, bool], Fraction | float]

    def child_values(
        self,
        filled: np.ndarray,
        upper: np.ndarray,
        tracked: np.ndarray,
        saved: tuple[int, ...] = (0,),
    ) -> np.ndarray:
        slots, required = (
            turn_slots(self.rules),
            np.array([bool(box.requires) for box in self.rules.categories]),
        )
        unmet = (required[slots.slot_category] & slots.slot_pays) & (tracked[:, None] == 0)
        allowed = allowed_boxes(self.rules, filled)[:, slots.slot_category] & ~unmet
        found = np.full((len(saved), *allowed.shape), NOT_ALLOWED)
        for i, slot in zip(*np.nonzero(allowed), strict=True):
            box = int(slots.slot_category[slot])
            total = upper_sums(self.rules).cap(upper[[i]] + slots.slot_shift[slot])
            paid = bool(tracked[i] or (slots.slot_pays[slot] and box == self.rules.tracked_index))
            for stage, rolls in enumerate(saved):
                found[stage, i, slot] = self.value(
                    number(filled[i]) | 1 << box, int(total[0]), rolls, paid
                )
        return found


def number(mask: Any) -> int:
    """A bitmask of one word or two as an integer."""
    return sum(int(word) << 64 * i for i, word in enumerate(np.atleast_1d(mask)))


def check_turns(rules: RuleSet, cards: list[Card] | None = None) -> None:
    """The kernel's value of a turn from up to 20 states with each number of filled boxes, to
    1e-9.
    """
    oracle, found = OneTurn(rules.canonical()), dict[int, list[Card]]()
    turns = LaneTurns(CardValues(rules, drawn), threads=1)  # type: ignore[arg-type]
    for card in cards or sorted(oracle.states()):
        if card[0] != rules.full_mask:
            found.setdefault(card[0].bit_count(), []).append(card)
    for states in found.values():
        part = states[:: -(-len(states) // 20)]
        filled, *others = zip(*part, strict=True)
        fields = (np.array(field, dtype=np.int64) for field in others)
        values = turns.backups(TurnStarts(spaces.card_masks(rules, filled), *fields))
        assert values == pytest.approx([float(oracle.turn(*state)) for state in part], abs=1e-9)


def check_wide_turns(rules: RuleSet) -> None:
    """The same with more boxes than a word has bits in front of those of a small game, all but
    two of them filled.
    """
    fillers = [
        Category(f"more-{i}", f"More {i}", (Pattern("any", low=i % 4, factor=1 + i),))
        for i in range(66)
    ]
    filled = (1 << 66) - 1 & ~(1 << 3 | 1 << 64)
    cards = [
        (filled | card[0] << 66, *card[1:]) for card in sorted(OneTurn(rules.canonical()).states())
    ]
    check_turns(replace(rules, categories=(*fillers, *rules.categories)), cards)


TURNS = {
    f"joker {mode}": joker_game(mode, first_roll_bonus=(("run", 3),)) for mode in ("none", "forced")
}
TURNS["joker free"] = joker_game("free", first_roll_bonus=(("run", 3),), saved_rolls=True)
TURNS |= {
    f"saved rolls {order}": saved_rolls_game(order, saved_rolls=True)
    for order in ("free", "forced")
}


EITHER = pytest.mark.parametrize(
    "check", [check_turns, check_wide_turns], ids=["one word", "more boxes than bits"]
)


@EITHER
@pytest.mark.parametrize("name", TURNS)
def test_a_turn_with_jokers_first_roll_bonus_and_saved_rolls(
    name: str, check: Callable[[RuleSet], None]
) -> None:
    check(TURNS[name])


@EITHER
@pytest.mark.parametrize("seed", seeds(2, 46))
def test_a_turn_with_every_mechanic_combined_at_random(
    seed: int, check: Callable[[RuleSet], None]
) -> None:
    check(random_rules(seed))


def games(turns: LaneTurns, number: int, exploration: float = 0.0) -> list[np.ndarray]:
    """Everything that happens in some games, a turn after the other."""
    states, found = same_cards(turns.rules, EMPTY_STATE, number), []
    for turn in range(len(turns.rules.categories)):
        played = turns.play(states, np.arange(number), 7, turn, exploration)
        states = played.states
        found += [
            played.category,
            played.points,
            played.bonus_points,
            played.expected,
            played.reached,
        ]
        found += [states.filled, states.upper, states.saved, states.tracked]
    return found


@pytest.mark.parametrize("key", ["yahtzee", ring_2("yatzy-saved")])
def test_games_are_the_same_for_any_number_of_threads_and_of_games(key: str) -> None:
    values = first_guess(load_rules(key), np.arange(20.0)[: len(load_rules(key).categories)])
    one, two, fewer = (
        games(LaneTurns(values, threads), n, 0.2)
        for threads, n in ((1, 1200), (2, 1200), (2, 1030))
    )
    for a, b, c in zip(one, two, fewer, strict=True):
        assert np.array_equal(a, b)
        assert np.allclose(a[:1030], c)


@pytest.mark.parametrize(
    "rules",
    [
        *(joker_game(mode, saved_rolls=mode == "free") for mode in ("none", "free", "forced")),
        random_rules(0),
        *(ring_2(random_rules(seed)) for seed in range(1, 8)),
    ],
)
def test_masks_of_two_words_give_the_same_bits(
    rules: RuleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Games of the same dice, and the bound, by the code for large sheets; exploring games draw
    their boxes, too.
    """

    def played(rules: RuleSet) -> tuple[list[np.ndarray], float]:
        values = first_guess(rules, np.arange(9.0)[: len(rules.categories)])
        return games(LaneTurns(values, 1), 200, 0.3), relax(rules, Budget(1e7), threads=1).bound

    (found, bound), wide = played(rules), replace(rules, id="wide")
    monkeypatch.setattr(spaces, "ONE_WORD", 0)
    monkeypatch.setattr(multipliers, "SLOPE_UNIT", 1.0)
    again, same_bound = played(wide)  # another id: nothing of the first rules is used
    assert same_bound == bound
    for a, b in zip(found, again, strict=True):
        assert b.dtype != np.uint64 or b.shape == (200, 2)
        assert np.array_equal(a, b if b.ndim == 1 else [number(mask) for mask in b])


def test_what_a_turn_reaches_is_what_it_was_worth_on_average() -> None:
    """With jokers, saved rolls and a first-roll bonus: the mean of reached - expected is zero."""
    rules = joker_game("forced", first_roll_bonus=(("run", 3),), saved_rolls=True)
    turns = LaneTurns(first_guess(rules, np.array([2.0, 5.0, 1.0, 4.0])), 2)
    number, states = 40_000, same_cards(rules, EMPTY_STATE, 40_000)
    for turn in range(len(rules.categories)):
        played = turns.play(states, np.arange(number), 3, turn)
        luck = played.reached - played.expected
        assert abs(luck.mean()) < 4.5 * luck.std() / np.sqrt(number)
        states = played.states


@pytest.mark.parametrize("mode", ["none", "free", "forced"])
def test_scores_of_games_played_on_the_exact_values_have_the_exact_mean(mode: str) -> None:
    """Luck removed, every game has the exact value: the values of the function are its own
    backups.
    """
    rules = joker_game(mode, saved_rolls=mode == "free")
    found = simulate_values(exact_function(rules), games=600, seed=5)
    assert found.final_scores - found.luck == pytest.approx(
        np.full(600, solve_values(rules)[-1]), abs=1e-8
    )
    parts = found.category_points.sum(axis=1) + found.bonus_points + found.upper_bonus
    assert parts == pytest.approx(found.final_scores)


def exact_function(rules: RuleSet) -> FittedValues:
    """The exact table in place of a fitted function."""
    space, table = state_space(rules), solve_values(rules)

    @cache
    def value(*card: Any) -> float:
        try:
            return float(table[space.index(State(*card))])
        except Exception:  # a stage that no game of this card reaches
            return 0.0

    class Exact(FittedValues):
        def child_values(self, *fields: Any) -> np.ndarray:
            return CardValues(rules, value).child_values(*fields)

    start = first_guess(rules, np.zeros(len(rules.categories)))
    return Exact(rules, start.prices, start.coefficients, None, start.relaxed_values)


@pytest.fixture(scope="module")
def ninety(tmp_path_factory: pytest.TempPathFactory) -> RuleSet:
    rules = load_text(tmp_path_factory.mktemp("ninety"), six_columns(), "")
    assert len(rules.categories) == 90
    return rules


@pytest.mark.parametrize("order", ["free", "forced", "reversed"])
@pytest.mark.parametrize("boxes", [64, *(ring_2(boxes) for boxes in (62, 63, 65, 90, 126))])
def test_every_box_is_filled_once(boxes: int, order: str) -> None:
    """Box i always pays i + 1 points: whatever is played, the final score is the sum, and no
    strategy makes more.
    """
    always = (
        Category(f"b{i}", f"B{i}", (Pattern("any", score="fixed", points=i + 1),))
        for i in range(boxes)
    )
    rules, total = small(*always, dice=1, faces=2, rolls=1, order=order), boxes * (boxes + 1) // 2
    assert total <= relax(rules, Budget(1e6), threads=1).bound <= total + 1e-3
    for prices in (np.arange(1.0, boxes + 1), np.zeros(boxes)):
        played = simulate_values(first_guess(rules, prices), games=20, seed=1)
        assert (played.final_scores == total).all()
        assert (played.category_points == np.arange(1, boxes + 1)).all()


@pytest.mark.parametrize("boxes", [ring_2(63), 64, ring_2(126)])
def test_equal_boxes_are_worth_as_many_single_turns(boxes: int) -> None:
    """One die, three rolls: 3.5, then 4.25 and 14/3 points with best play."""
    rules = small(
        *(replace(CHANCE, id=f"b{i}", name=f"B{i}") for i in range(boxes)), dice=1, order="forced"
    )
    assert boxes * 14 / 3 <= relax(rules, Budget(1e7), threads=1).bound <= boxes * 14 / 3 + 1e-3
    played = simulate_values(first_guess(rules, np.full(boxes, 14 / 3)), games=20, seed=2)
    assert played.final_scores - played.luck == pytest.approx(np.full(20, boxes * 14 / 3), abs=1e-9)


def test_games_of_six_columns_follow_the_rules(ninety: RuleSet) -> None:
    """Every box that exploring games fill is one the reference allows, with points that some
    roll has there.
    """
    turns = LaneTurns(first_guess(ninety, np.linspace(0, 9, 90)), 1)
    rolls = lattice(2, 6).counts[-21:].tolist()
    states, cards = same_cards(ninety, EMPTY_STATE, 8), [State()] * 8
    for turn in range(90):
        played = turns.play(states, np.arange(8), 4, turn, 0.3)
        states = played.states
        for i, (box, points) in enumerate(
            zip(played.category.tolist(), played.points.tolist(), strict=True)
        ):
            paid = [
                scoring_options(ninety, cards[i].filled, False, roll).get(box, (None,))[0]
                for roll in rolls
            ]
            assert points in paid
            cards[i] = cards[i].filled_with(ninety, box, points)
        assert [number(mask) for mask in states.filled] == [card.filled for card in cards]
        assert states.upper.tolist() == [card.upper for card in cards]
    assert all(card.filled == ninety.full_mask for card in cards)


def test_a_fit_with_masks_of_two_words_has_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """With any number of threads; that the strategy of a wide sheet verifies: test_command.py."""
    rules = joker_game("forced", saved_rolls=True)
    start = first_guess(rules, np.array([1.0, 2.0, 1.0, 3.0]))
    fit = partial(fit_values, games=Games(200, 4), rounds=2, ridge=0.1)
    known, _ = fit(Settings(threads=1), start)
    monkeypatch.setattr(spaces, "ONE_WORD", 0)
    for threads in (1, 2):
        wide = replace(start, rules=replace(rules, id="wide"))
        again, _ = fit(Settings(threads=threads), wide)
        assert known.coefficients.tobytes() == again.coefficients.tobytes()


def test_a_long_chain_with_a_joker_and_exact_play_are_refused(ninety: RuleSet) -> None:
    """The relaxed game would have to remember every box of it."""
    rules = joker_game("free", order="forced")
    more = (replace(CHANCE, id=f"b{i}", name=f"B{i}") for i in range(60))
    rules = replace(rules, categories=(*rules.categories, *more))
    found = refused(
        "64 boxes in one order, one of which jokers", relax, rules, Budget(0.0), error=RulesError
    )
    assert found.code == "too-large"
    # Also in an order with few cards
    for rules in (
        ninety,
        small(*(replace(CHANCE, id=f"b{i}") for i in range(63)), dice=1, order="forced"),
    ):
        assert (
            refused("boxes; at most 62 are possible", state_space, rules, error=RulesError).code
            == "too-large"
        )


def bound_of(rules: RuleSet, exact: tuple[int, ...], column: int, prices: np.ndarray) -> float:
    game = RelaxedGame(rules, exact, prices, column)
    return upper_bound(game, solve_relaxed(game, threads=1))


def is_exact(rules: RuleSet) -> bool:
    """Whether a relaxed game with every box exact relaxes nothing of these rules."""
    return rules.joker is None and rules.crossing_out == "free" and len(rules.bonuses) <= 1


@pytest.mark.parametrize("name", [ring_2("yatzy"), "yahtzee-plain", "yacht"])
def test_with_all_boxes_exact_the_bound_is_the_value(name: str) -> None:
    rules = load_rules(name)
    known = {"yatzy": 248.4399893779, "yahtzee-plain": 245.8707745141}
    value = known.get(name) or float(solve_values(rules)[-1])
    n = len(rules.categories)
    game = RelaxedGame(
        rules, range(n), np.random.default_rng(1).normal(5, 3, n), 0 if rules.bonus else -1
    )
    values = solve_relaxed(game)
    assert upper_bound(game, values) == pytest.approx(value, abs=1e-9)
    assert rounding_error(game, values) < 5e-10


JOKERS = [
    replace(joker_game(mode), joker=Joker("triple", 4, mode, requires, bonus_requires, bonus_while))
    for mode in get_args(JokerMode)
    for requires, bonus_requires in product(get_args(JokerCondition), repeat=2)
    for bonus_while in get_args(JokerPayment)
]


@pytest.mark.parametrize("rules", JOKERS, ids=lambda rules: "-".join(astuple(rules.joker)[2:]))
def test_a_relaxed_turn_pays_the_most_that_any_card_does(rules: RuleSet) -> None:
    """Each roll in each box, by what is known of the joker's box, beside all cards of the oracle."""
    oracle, count = Naive(rules.canonical()), len(rules.categories)
    game = RelaxedGame(rules, range(count), np.zeros(count))
    dice = lattice(rules.dice, rules.faces)
    rolls = dice.multisets[dice.first_roll :]
    for is_filled, is_paid in game.statuses:
        points, bonus = game.status_points(is_filled, is_paid)
        cards = [
            filled
            for filled in range((1 << count) - 1)
            if bool(filled >> rules.joker_index & 1) == is_filled and (is_filled or not is_paid)
        ]
        most: dict[tuple[int, int], int] = {}
        for card, (i, roll) in product(cards, enumerate(rolls)):
            for box, (paid, extra) in oracle.scores(card, is_paid, roll).items():
                most[box, i] = max(most.get((box, i), 0), paid)
                assert extra <= bonus[i]
        assert {place: points[place] for place in most} == most


@examples(4, 60)
@given(rules=rule_sets(), data=st.data())
def test_the_bound_is_never_below_the_exact_value(rules: RuleSet, data: st.DataObject) -> None:
    """Random prices and exact boxes; with more exact boxes the bound does not rise."""
    exact_value = Naive(rules.canonical()).value(0, 0)
    (needed, column), n = required_exact(rules), len(rules.categories)
    prices = np.array(data.draw(st.lists(st.floats(-5, 20), min_size=n, max_size=n)))
    free = [chain for chain in chains(rules) if not set(chain) <= set(needed)]
    more = data.draw(st.lists(st.sampled_from(free), unique=True)) if free else []
    boxes = needed, (*needed, *(c for chain in more for c in chain)), tuple(range(n))
    coarse, fine, everything = (bound_of(rules, exact, column, prices) for exact in boxes)
    assert all(Fraction(found) >= exact_value for found in (coarse, fine, everything))
    assert everything <= fine + 1e-9 <= coarse + 2e-9
    if is_exact(rules):
        assert everything == pytest.approx(float(exact_value), abs=1e-9)


def check_bounds(rules: RuleSet) -> None:
    """Any budget, and all boxes exact with random prices: never below the oracle.

    Little work: no upper sum, coarse upper sums, few exact boxes, rows without values of their own.
    """
    exact_value = Naive(rules.canonical()).value(0, 0)
    for work in (0.0, 5e3, 5e4, 5e5, 5e6, 5e10)[:: in_rings(2, 1)]:
        assert Fraction(relax(rules, Budget(work), threads=1).bound) >= exact_value
    n = len(rules.categories)
    prices = np.random.default_rng(n).normal(4, 3, n)
    for column in range(-1, len(rules.bonuses)):
        slopes = np.random.default_rng(n).uniform(0, 2, len(rules.bonuses))
        game = RelaxedGame(rules, range(n), prices, column, slopes)
        found = upper_bound(game, solve_relaxed(game, threads=1))
        assert Fraction(found) >= exact_value
        if is_exact(rules) and len(rules.bonuses) == column + 1:
            assert found == pytest.approx(float(exact_value), abs=1e-9)


@pytest.mark.parametrize("seed", [0, *(ring_2(seed) for seed in range(1, 4))])
@pytest.mark.parametrize("mechanic", MECHANICS)
def test_each_mechanic_alone(mechanic: str, seed: int) -> None:
    check_bounds(random_rules(seed, (mechanic,)))


@pytest.mark.parametrize("seed", seeds(1, 9))
def test_mechanics_combined(seed: int) -> None:
    check_bounds(random_rules(seed))


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "boxes", "value", "most"),
    [
        ("yatzy", 0, 248.4399893779, 274.87),
        ("yatzy", 3, 248.4399893779, 258.93),
        ("yahtzee-plain", 5, 245.8707745141, 248.58),
    ],
)
def test_bounds_of_known_games(name: str, boxes: int, value: float, most: float) -> None:
    """Not above the bounds of an independent program with as many exact boxes beside the upper
    ones.
    """
    found = relax(load_rules(name), Budget(boxes=boxes))
    assert value < found.bound <= most
    assert len(found.game.exact) == 6 + boxes


@pytest.mark.full
def test_rows_without_values_of_their_own() -> None:
    """Too little work for all rows of Yatzy: the bound holds, and more work lowers it."""
    bounds = [relax(load_rules("yatzy"), Budget(work)).bound for work in (2.5e9, 7.5e9)]
    assert 248.4399893779 < bounds[1] < bounds[0]


def test_visits_are_those_of_the_best_play() -> None:
    """A bonus replaced by a line of slope 1: play as in the game whose upper boxes pay twice as
    much, without a bonus.
    """
    rules = saved_rolls_game("free", False)
    double = [
        replace(box, patterns=(replace(box.patterns[0], factor=2),)) for box in rules.categories
    ]
    twice = [
        more if more.upper else box for more, box in zip(double, rules.categories, strict=True)
    ]
    known = distribution(in_memory(replace(rules, bonus=None, categories=tuple(twice)))).categories
    game = RelaxedGame(rules, range(4), np.zeros(4), -1, np.ones(1))
    uses, upper = visits(game, solve_relaxed(game, threads=1), threads=1)
    assert upper == pytest.approx([(known[0].mean + known[1].mean) / 2], abs=1e-9)
    for axis in (0, 1):  # each turn fills a box, and each box is filled once
        assert uses.sum(axis=axis) == pytest.approx(np.ones(4), abs=1e-9)


@pytest.mark.full
def test_every_state_has_a_bound() -> None:
    """W and the prices bound the value of each state, not only of the empty card."""
    rules = load_rules("yahtzee-plain")
    space, values, found = state_space(rules), solve_values(rules), relax(rules, Budget(boxes=3))
    rows = space.state_rows()
    lanes, saved = space.lanes_and_saved(rows, np.arange(space.size))
    filled = space.layout.masks[rows]
    upper = space.layout.lane_upper[space.layout.lane_sets[rows], lanes]
    places = found.game.index(filled, upper, saved, np.zeros_like(saved))
    assert (found.game.offset(filled, upper) + found.values[places] >= values - 1e-9).all()

"""Hold rules: their text, sentences, play and search, against an oracle that tries dice one by
one.
"""

import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from perfect_yatzy import RuleSet, State, evaluate, load_rules, open_strategy
from perfect_yatzy.cli.views.guide_content import guide_content
from perfect_yatzy.cli.views.guide_pages import guide_text
from perfect_yatzy.core.dice import Ints, lattice
from perfect_yatzy.core.rules import Bonus
from perfect_yatzy.core.state_space import state_space
from perfect_yatzy.game.notation import dice_of
from perfect_yatzy.game.translations import localized
from perfect_yatzy.policies import rule_search
from perfect_yatzy.policies.evaluation import policy_mean
from perfect_yatzy.policies.guide import Guide
from perfect_yatzy.policies.hold_policy import Cards, HoldRulePolicy, decisions
from perfect_yatzy.policies.hold_rule_arrays import ROLL_ALL, STOP
from perfect_yatzy.policies.hold_rules import (
    Condition,
    DicePattern,
    HoldRule,
    hold_rule,
    parse_hold_rule,
    parse_hold_rules,
)
from perfect_yatzy.policies.rule_search import Candidate, Sample, Search, best_places, learn_holds
from perfect_yatzy.policies.rule_vocabulary import (
    candidate_conditions,
    candidate_patterns,
    pays_neighbours,
    rule_cost,
)
from perfect_yatzy.policies.strategy_sheet import (
    PriceSheet,
    StrategySheet,
    packaged_sheet,
    pars,
    terms_of,
)
from perfect_yatzy.policies.worst_decisions import worst_decisions
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.turn_evaluator import category_odds
from perfect_yatzy.words import LANGUAGES
from support import games
from support.hold_rules import cards, hold_rules, kept_by, some_rolls
from support.naive import Dice, Naive
from support.naive_hold_rules import chooser, held_dice, holds, is_of_use, named_dice, offered
from support.naive_objectives import assert_chances, mean_score
from support.naive_policies import GreedyChoice, NaivePolicy
from support.printed_rules import PrintedGuide
from support.refusals import refused
from support.seeds import drawn, examples, ring_3
from support.sheets import value_of, worst_hold

YATZY = load_rules("yatzy")
NAMES = [
    "yatzy",
    "yahtzee",
    "yatzy-forced",
    "maxi",
    "kniffel",
    "cheerio",
    "generala",
    "giant-forced",
]
FOUR = [
    "single of open if above par: keep",
    "pair of open if bonus needs 1-2: keep",
    "pair if rolls left 1: keep",
    "dice of 2-3: keep",
]
SLOW_START = examples(2, 25)
MORE = examples(15, 200)


@MORE
@given(st.data(), st.sampled_from(NAMES))
def test_the_canonical_text_of_a_rule_is_the_rule(data: st.DataObject, name: str) -> None:
    rules = load_rules(name)
    rule = data.draw(hold_rules(rules))
    text = str(rule)
    assert parse_hold_rule(rules, text) == rule
    assert (
        str(parse_hold_rule(rules, "  " + text.upper().replace(" ", "  ").replace(":", " : ")))
        == text
    )


WRITTEN = {
    "three of open 3-6 if FH open and rolls left 1: keep": (
        "three of open 3-6 if full-house open and rolls left 1: keep"
    ),
    "pair of 1-6 : keep": "pair: keep",
    "groups 2+2: keep": "two pairs: keep",
    "groups 2+3 of 4-6: stop": "full house of 4-6: stop",
    "4 different of 2-5 if Y or LS open: keep": "4 different of 2-5 if large-straight or yatzy open: keep",
    "any if only yatzy or ones or twos or threes or fours or fives or sixes open: roll all": (
        "any if only upper or yatzy open: roll all"
    ),
    "single lowest if rolls left 2 and above par: keep": "single lowest if above par and rolls left 2: keep",
    "dice of 1-6: keep": "dice of 1-6: keep",
    "pair if bonus needs 2-2 and below par: keep": "pair if below par and bonus needs 2: keep",
    "pair if turns left 1-3 and turns left 1-2: keep": "pair if turns left 1-2 and turns left 1-3: keep",
    "pays chance if turns left 1-1: stop": "pays chance if turns left 1: stop",
    "pays yatzy or FH or yatzy for 20: stop": "pays full-house or yatzy for 20: stop",
    "pays full-house for 1: stop": "pays full-house: stop",
}


@pytest.mark.parametrize("written", WRITTEN)
def test_other_ways_to_write_a_rule(written: str) -> None:
    assert str(parse_hold_rule(YATZY, written)) == WRITTEN[written]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a pattern instead of 'the end'"),
        ("thre: keep", "expected a pattern instead of 'thre'; did you mean 'three'?"),
        ("pair", "expected `if` and a condition, or `:` and the action instead of 'the end'"),
        (
            "pair: kep",
            "expected `keep`, `stop` or `roll all` instead of 'kep'; did you mean 'keep'?",
        ),
        ("pair: keep now", "expected the end of the rule instead of 'now'"),
        ("pair of: keep", "expected `open`, a face or faces such as 4-6 instead of ':'"),
        ("pair of 7: keep", "the faces 7-7 are not a range within 1-6"),
        ("pair if fullhous open: keep", "unknown category 'fullhous'; did you mean full-house?"),
        (
            "pair if yatzy: keep",
            "expected `or` and a category, `open`, `closed` or `scored` instead of ':'",
        ),
        (
            "pair if yatzy scored: keep",
            "yatzy scored: a box whose points change what may be scored later; yatzy has no",
        ),
        ("pays yatzy for many: stop", "expected a number of points instead of 'many'"),
        ("six: keep", "six: keep names 6 dice; yatzy is played with 5"),
        ("groups 3: keep", "expected sizes of two or more groups, such as 3+3 instead of '3'"),
        ("5 different of 2-5: keep", "needs 5 different faces, which no roll of yatzy shows there"),
        ("0 different: keep", "a pattern needs at least one die"),
        ("any: keep", "`any` names no dice to keep"),
        ("any if rolls left 3: stop", "when a hold is chosen, yatzy has 1 to 2 left"),
        ("any if turns left 4-20: stop", "yatzy has 15 turns"),
        ("any if bonus needs 2-6: stop", "bonus needs 2-6: yatzy is played with 5 dice"),
        (
            "any if bonus needs few: stop",
            "expected a number of dice, or a range such as 1-3 instead of 'few'",
        ),
        ("row: keep", "expected how many faces instead of ':'"),
        ("x" * 2000, "a hold rule has 2,000 characters"),
    ],
)
def test_a_rule_that_is_malformed_or_does_not_apply_is_an_error(text: str, message: str) -> None:
    refused(re.escape(message), parse_hold_rule, YATZY, text)


def test_a_list_has_one_rule_a_line_and_rules_that_apply() -> None:
    found = parse_hold_rules(YATZY, "# mine\n\npair: keep\n  four: keep\n")
    assert [*map(str, found)] == ["pair: keep", "four: keep"]
    refused(r"^hold rule 2: .*instead of 'par'", parse_hold_rules, YATZY, "pair: keep\npar: keep")
    refused("at most 62", parse_hold_rules, YATZY, ["pair: keep"] * 63)
    rules = games.small(games.PAIR, games.CHANCE)
    for text in ("pair of open: keep", "any if above par: stop", "any if bonus needs 1: stop"):
        refused("has no", parse_hold_rule, rules, text)


@pytest.mark.parametrize("name", ["upper", "lower"])
def test_a_category_with_a_word_of_the_language_as_its_name(name: str) -> None:
    """Where both have a meaning, the category goes before the section."""
    rules = games.small(
        replace(games.PAIR, id=name), games.CHANCE, replace(games.CHANCE, id="other")
    )
    for text in (
        f"pair if {name} open: keep",
        f"pair if only {name} or other open: keep",
        f"pays {name}: stop",
    ):
        rule = parse_hold_rule(rules, text)
        assert str(rule) == text
        assert parse_hold_rule(rules, str(rule)) == rule


def test_a_category_that_the_rules_lack_is_never_taken_for_a_section() -> None:
    for names in (("foo",), ("ones", "foo")):
        with pytest.raises(KeyError):
            hold_rule(YATZY, DicePattern("any", high=6), [Condition("open", names)], "stop")


@MORE
@given(st.data(), st.sampled_from(NAMES[:-1]))
def test_the_holds_of_a_card_are_those_of_the_definition(data: st.DataObject, name: str) -> None:
    rules = load_rules(name)
    several = data.draw(st.lists(hold_rules(rules), max_size=3))
    state = data.draw(cards(rules))
    for shown, left, held in kept_by(rules, several, state, data.draw(some_rolls(rules))):
        assert held == held_dice(rules, several, state, shown, left), (shown, left)


@pytest.mark.parametrize(
    ("name", "scored", "is_joker"),
    [
        ("yahtzee", False, True),
        ("yahtzee-plain", False, False),
        ("kniffel", False, False),
        ("kniffel", True, True),
    ],
)
def test_a_joker_makes_dice_of_use_only_where_it_is_one(
    name: str, scored: bool, is_joker: bool
) -> None:
    """Four 1s with only the large straight open: the fifth would be a joker if the filled
    Yahtzee box allows it.
    """
    rules = load_rules(name)
    state = State(rules.full_mask ^ 1 << rules.index_of["large-straight"], 30, joker_paid=scored)
    dice = lattice(rules.dice, rules.faces)
    roll = int(dice.rank(np.array([4, 0, 1, 0, 0, 0]))) - dice.first_roll
    held = [
        kept
        for _, _, kept in kept_by(rules, parse_hold_rules(rules, ["four: keep"]), state, [roll])
    ]
    assert held == [(1, 1, 1, 1) if is_joker else ()] * 2


@SLOW_START
@given(st.data(), games.rule_sets(), st.integers(0, 1000))
@example(None, games.JOKER, 1)
@example(None, games.saved_rolls_game("free", True), 3)
@example(
    None, games.random_rules(1, boxes=4), 0
)  # a column that lost its bonus, beside one above par
def test_the_exact_mean_agrees_with_the_oracle(
    data: st.DataObject | None, rules: RuleSet, seed: int
) -> None:
    several = (
        parse_hold_rules(rules, FOUR)
        if data is None
        else data.draw(st.lists(hold_rules(rules), max_size=5))
    )
    random = np.random.default_rng(seed)
    numbers = random.integers(-40, 80, len(rules.categories)) / 8 + 1 / 64
    terms = {term: float(random.integers(-8, 40)) / 8 for term in terms_of(rules)}
    prices = PriceSheet(rules, numbers.tolist(), terms)

    def guess(filled: int, upper: int, saved: int, flag: bool) -> Fraction:
        return Fraction(value_of(prices, State(filled, upper, saved, flag)))

    greedy = GreedyChoice(rules.canonical(), guess)

    def best_box(
        filled: int, upper: int, flag: bool, dice: tuple[int, ...], left: int, first: bool
    ) -> int:
        stops = greedy.stops(filled, upper, flag, dice, left, first)
        best = max(stops.values())
        return next(box for box in sorted(stops) if stops[box] >= best - Fraction(1, 10**9))

    oracle = NaivePolicy(rules.canonical(), chooser(rules, several, best_box))
    results = oracle.distribution()
    policy = HoldRulePolicy(several, prices)
    assert policy_mean(policy) == pytest.approx(float(mean_score(results)), abs=1e-9)
    found = evaluate(policy)
    assert found.mean == pytest.approx(policy_mean(policy), abs=1e-9)
    if found.distribution is not None:
        assert_chances(found.distribution, results)


PRINTED = ["yatzy", "yahtzee", "yatzy-forced", "maxi-unsaved", "kismet", "giant-forced"]
SHEETS = sorted(
    path.name.removesuffix(".json") for path in files("perfect_yatzy.policies.sheets").iterdir()
)
SHIPPED = [name for name in SHEETS if packaged_sheet(load_rules(name)).holds]  # type: ignore[union-attr]
FEW = examples(6, 100)


@cache
def odds(name: str) -> tuple[object, ...]:
    rules = load_rules(name)
    return tuple(category_odds(rules, None, rules.rolls_per_turn - 1))


def as_printed(rule: HoldRule) -> HoldRule:
    """Of two rules that are one sentence the one that is read: all faces of a range, dice of one
    face.
    """
    pattern = rule.pattern
    if pattern.kind == "row" and pattern.sizes[0] == pattern.high - pattern.low + 1:
        pattern = replace(pattern, kind="different")
    if pattern.kind == "groups" and pattern.sizes == (1,) and pattern.low == pattern.high:
        pattern = replace(pattern, kind="dice", sizes=(), lowest=False)
    return replace(rule, pattern=pattern)


def check_printed(sheet: StrategySheet, language: str) -> PrintedGuide:
    """Every sentence is read as the rule that it was, and the legend has the par and the steps
    of the bonus.
    """
    rules = localized(sheet.rules, language)
    sheet = StrategySheet(rules, sheet.prices, sheet.holds, sheet.figures)
    content = guide_content(Guide(rules, 100.0, sheet, (), (), (), (), odds(sheet.rules.key)))  # type: ignore[arg-type]
    reader = PrintedGuide(rules, language, guide_text(content))
    assert reader.holds == tuple(map(as_printed, sheet.holds)), reader.rule_texts
    kinds = {condition.kind for rule in sheet.holds for condition in rule.conditions}
    if kinds & {"above par", "below par"}:
        upper = {
            box.id: par for box, par in zip(rules.categories, pars(rules), strict=True) if box.upper
        }
        assert {box: float(par) for box, par in reader.par.items()} == pytest.approx(
            upper, abs=0.05
        )
    if "bonus needs" in kinds:
        assert reader.steps == [least for least, _ in rules.bonuses[0].steps]
    return reader


@FEW
@pytest.mark.parametrize("language", LANGUAGES)
@given(st.data(), st.sampled_from(PRINTED))
def test_any_rule_is_read_as_it_was(language: str, data: st.DataObject, name: str) -> None:
    rules = load_rules(name)
    holds = data.draw(st.lists(hold_rules(rules), min_size=1, max_size=3))
    prices = PriceSheet(rules, [2.5] * len(rules.categories), dict.fromkeys(terms_of(rules), 1.0))
    check_printed(StrategySheet(rules, prices, tuple(holds), {"mean": 50.0}), language)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_shipped_rules_are_read_in_every_language(name: str) -> None:
    """The sheets of a rule set, of every length."""
    sheet = packaged_sheet(load_rules(name))
    for each in (sheet, *(sheet.with_rules(size) for size in sheet.shorter)):
        for language in LANGUAGES:
            check_printed(each, language)


def test_the_cases_that_readers_took_in_another_way() -> None:
    rules = load_rules("yatzy")
    texts = [
        "two pairs of 4-6 if FH open and rolls left 1: keep",
        "three of open: keep",
        "single of open: keep",
    ]
    prices = PriceSheet(rules, [2.5] * 15, dict.fromkeys(terms_of(rules), 1.0))
    read = [
        *check_printed(
            StrategySheet(rules, prices, parse_hold_rules(rules, texts), {"mean": 50.0}), "en"
        ).holds
    ]
    every, no_fours = State(), State(0b1000, 12)
    for state, dice, left, kept in (
        (every, (4, 4, 4, 5, 5), 1, None),  # a full house: all dice of both faces, which is to stop
        (every, (3, 4, 4, 5, 5), 1, (4, 4, 5, 5)),
        (
            no_fours,
            (2, 4, 4, 4, 6),
            2,
            (6,),
        ),  # the upper box of the fours is filled, and 6 is higher
        (no_fours, (2, 2, 4, 4, 4), 2, (2, 2)),
        (State(0b111111), (2, 2, 4, 4, 4), 2, ()),
    ):
        assert held_dice(rules, read, state, dice, left) == kept


MOST_CARDS = 70_000  # of a game; of larger ones so many are drawn


def all_cards(rules: RuleSet) -> Ints:
    """Rows and lanes: every set of filled boxes with its lowest and highest upper sum, of upper
    boxes with each sum.
    """
    space = state_space(rules)
    every = np.concatenate(space.layers[: space.categories])
    upper = sum(1 << c for c, box in enumerate(rules.categories) if box.upper)
    upper_only = every[space.layout.masks[every] & ~upper == 0]
    last_lane = space.layout.lane_count[space.layout.lane_sets] - 1  # of each row
    rows = np.random.default_rng(1).permutation(every)[:MOST_CARDS]
    ends = [np.column_stack([rows, lane]) for lane in (0 * rows, last_lane[rows])]
    card, lane = np.nonzero(np.arange(last_lane.max() + 1) <= last_lane[upper_only, None])
    return np.unique(np.concatenate([*ends, np.column_stack([upper_only[card], lane])]), axis=0)


@pytest.mark.parametrize(
    "name",
    [*drawn(1, [name for name in SHIPPED if name != "maxi-unsaved"]), ring_3("maxi-unsaved")],
)
def test_the_rules_as_they_are_read_play_as_the_code_on_all_cards_and_rolls(name: str) -> None:
    """What the oracle does with a roll is asked once for each rule and set of open faces."""
    rules, places = load_rules(name), all_cards(load_rules(name))
    grid, space = lattice(rules.dice, rules.faces), state_space(rules)
    rolls = [dice_of(grid.counts[grid.first_roll + roll].tolist()) for roll in range(grid.n_rolls)]
    seen = Cards.of_rows(rules, space, places[:, 0], places[:, 1])
    uppers = space.layout.lane_upper[space.layout.lane_sets[places[:, 0]], places[:, 1]].tolist()
    masks, paid = space.layout.masks[places[:, 0]].tolist(), (places[:, 0] >= space.cards).tolist()
    states = [
        State(mask, upper, joker_paid=flag)
        for mask, upper, flag in zip(masks, uppers, paid, strict=True)
    ]
    views = [offered(rules, state) for state in states]
    ids = [box.id for box in rules.categories]
    usable = np.array([sum(1 << ids.index(box) for box in view[1]) for view in views])
    jokers = np.array([view[2] for view in views], dtype=np.int64)
    open_faces = [
        tuple(box for box in view[0] if rules.categories[ids.index(box)].face) for view in views
    ]
    kinds = {boxes: i for i, boxes in enumerate(dict.fromkeys(open_faces))}
    kind = np.array([kinds[boxes] for boxes in open_faces])

    def done(rule: HoldRule, boxes: tuple[str, ...], dice: Dice) -> tuple[int, list[int]]:
        """The hold, and the boxes of which the card must offer one: without jokers, and with
        them.
        """
        named = named_dice(rules, rule.pattern, dice, [*boxes], ids)
        if named is None:
            return 0, [0, 0]
        kept = {"keep": named, "stop": dice, "roll all": ()}[rule.action]
        good = [[is_of_use(rules, box, kept, flag) for box in ids] for flag in (False, True)]
        if rule.pattern.kind == "pays":
            paying = [
                named_dice(rules, replace(rule.pattern, categories=(box,)), dice, [], ids)
                for box in ids
            ]
            good = [
                [
                    box in rule.pattern.categories and paying[i] is not None
                    for i, box in enumerate(ids)
                ]
            ] * 2
        elif rule.action == "roll all":
            good = [[True] * len(ids)] * 2
        counts = [kept.count(face + 1) for face in range(rules.faces)]
        hold = STOP if len(kept) == rules.dice else int(grid.rank(counts))
        return hold, [sum(1 << i for i, flag in enumerate(flags) if flag) for flags in good]

    sheet = packaged_sheet(rules)
    for each in (sheet, *(sheet.with_rules(size) for size in sheet.shorter)):
        read = check_printed(each, "en").holds
        acted = [[[done(rule, boxes, dice) for dice in rolls] for boxes in kinds] for rule in read]
        for left in range(1, rules.rolls_per_turn):
            expected = np.full((len(states), len(rolls)), ROLL_ALL)
            conditions = {condition for rule in read for condition in rule.conditions}
            cases = [(state, view[0]) for state, view in zip(states, views, strict=True)]
            asked = {
                each: [holds(rules, each, state, boxes, left) for state, boxes in cases]
                for each in conditions
            }
            for rule, lines in reversed([*zip(read, acted, strict=True)]):
                holding = [
                    np.ones(len(states), dtype=bool),
                    *(asked[condition] for condition in rule.conditions),
                ]
                here = np.flatnonzero(np.all(holding, axis=0))
                kept = np.array([[hold for hold, _ in line] for line in lines])
                good = np.array([[boxes for _, boxes in line] for line in lines])
                counts = good[kind[here], :, jokers[here]] & usable[here, None] != 0
                expected[here] = np.where(counts, kept[kind[here]], expected[here])
            for roll in range(len(rolls)):
                found, _ = decisions(rules, each.holds, seen, np.full(len(states), roll), left)
                wrong = np.flatnonzero(found != expected[:, roll])
                assert not len(wrong), (states[wrong[0]], rolls[roll], left)


GAME = games.small(
    *map(games.face, (1, 2, 3)), games.PAIR, games.CHANCE, dice=3, faces=3, bonus=Bonus(10, 8)
)
PRICES = PriceSheet(
    GAME, (1.5, 3.0, 4.5, 4.0, 6.0), {"lost": -1.0, "secured": 6.0, "par_point": 0.5}
)


def test_the_estimate_for_the_last_reroll_is_exact_within_a_turn() -> None:
    # A rule for the last reroll changes no chance of a roll, so the first-order gain is the gain in
    # the turn's value.
    search = Search(Settings(), PRICES, seed=1)
    holds = parse_hold_rules(
        GAME, ["pair: keep", "single of open if rolls left 2: keep", "dice of 3: keep"]
    )
    sample = Sample(search.policy(holds), search.candidate(holds).values, (1, 0), games=40)
    for text in (
        "single of open: keep",
        "dice of 2-3: keep",
        "pays pair: stop",
        "single lowest: keep",
        "any: stop",
    ):
        rule = parse_hold_rule(GAME, text)
        last = parse_hold_rule(GAME, text.replace(":", " if rolls left 1:"))
        factor = sample.factors(last.conditions)[0]
        gains = (factor @ sample.gains(rule))[None]
        for place in range(len(holds) + 1):
            longer = (*holds[:place], last, *holds[place:])
            assert gains[0, place:].sum() == pytest.approx(sample.gain_of_list(longer), abs=1e-12)


LISTS = [
    ["pair if above par and rolls left 1: keep", "single of open: keep", "dice of 2-3: keep"],
    [
        "pays pair for 4 if turns left 1-4: stop",
        "pair of 2-3 if bonus needs 1-2: keep",
        "single lowest: keep",
    ],
    # the last two change nothing, and cost differently
    ["pair: keep", "pair of 2-3: keep", "pair if above par and face-3 open: keep"],
]


def step_from(
    monkeypatch: pytest.MonkeyPatch, game: RuleSet, texts: list[str], counts_blunders: bool
) -> tuple[Search, Candidate]:
    """A search before a step from a list; the step tries all lists."""
    monkeypatch.setattr(rule_search, "LIMIT", 0.5)
    monkeypatch.setattr(rule_search, "TRIED", 1000)
    perfect = open_strategy(game).table if counts_blunders else None
    search = Search(Settings(), replace(PRICES, rules=game), perfect=perfect, seed=1)
    found = search.candidate(parse_hold_rules(game, texts))
    search.sample(found)  # the guard learns what the list loses
    assert (search.penalty(found.holds) > 0) == counts_blunders
    return search, found


@pytest.mark.parametrize("counts_blunders", [False, True])
@pytest.mark.parametrize("texts", LISTS)
def test_lists_are_tried_in_the_order_of_what_decides(
    monkeypatch: pytest.MonkeyPatch, texts: list[str], counts_blunders: bool
) -> None:
    """Variants and shorter lists, with the exact gain of each in the place of the estimated one."""
    search, found = step_from(monkeypatch, GAME, texts, counts_blunders)
    mean = cache(lambda holds: search.candidate(holds).mean)
    gains = {holds: mean(holds) - found.mean for holds in search.variants(found.holds)}
    tried: list[tuple[HoldRule, ...]] = []

    def refused(holds: tuple[HoldRule, ...]) -> Candidate:
        tried.append(holds)
        return Candidate(holds, 0 * found.values)

    def net(holds: tuple[HoldRule, ...]) -> float:
        kept = rule_search.WORTH_KEEPING * len(holds)
        return -search.penalty(holds) - sum(map(rule_cost, holds)) - kept

    monkeypatch.setattr(search, "candidate", refused)
    monkeypatch.setattr(search, "sweep", lambda holds: 0.0)  # the guard learns no more
    monkeypatch.setattr(Sample, "gain_of_list", lambda _sample, holds: gains[holds])
    worth = {holds: gain + net(holds) - net(found.holds) for holds, gain in gains.items()}
    search.shorten(found, 2)
    shorter = [worth[holds] for holds in tried]
    assert shorter == pytest.approx(sorted(shorter, reverse=True))
    assert len(shorter) == 3
    tried.clear()
    assert search._better_variant(found) is None
    best_first = sorted((each for each in worth.values() if each >= 0.01), reverse=True)
    assert [worth[holds] for holds in tried] == pytest.approx(best_first)
    assert len(tried) > 1


@pytest.mark.parametrize("texts", LISTS)
def test_the_estimate_of_a_longer_list_is_exact_within_the_only_reroll(
    monkeypatch: pytest.MonkeyPatch, texts: list[str]
) -> None:
    search, found = step_from(monkeypatch, replace(GAME, rolls_per_turn=2), texts, True)
    sample = search.sample(found)
    longer = search.insertions(sample)
    assert len(longer) > 5
    for estimate, place, rule in longer:
        holds = (*found.holds[:place], rule, *found.holds[place:])
        cost = search.penalty(holds) - search.penalty(found.holds) + rule_cost(rule)
        assert estimate == pytest.approx(sample.gain_of_list(holds) - cost, abs=1e-9)


def test_states_are_sampled_as_often_as_play_meets_them() -> None:
    search = Search(Settings(), PRICES, seed=5)
    sample = Sample(search.policy(()), search.candidate(()).values, (5, 0), games=50)
    filled = search.space.filled[sample.rows]
    for turn in range(len(GAME.categories)):
        assert sample.weights[filled == turn].sum() == pytest.approx(1)
    chances = sample.turns.roll_chance.reshape(len(filled), GAME.rolls_per_turn, -1)
    assert chances[:, -1].sum(axis=1) == pytest.approx(np.ones(len(filled)))


def test_the_best_place_is_the_last_of_equal_ones() -> None:
    places, gain = best_places(np.array([[-1.0, 2.0, 0.0, 3.0, -9.0], [0.0, 0.0, 5.0, 0.0, 0.0]]))
    assert places.tolist() == [1, 2]
    assert gain.tolist() == [-4.0, 5.0]


def test_a_learned_list_is_short_exact_and_the_same_each_time() -> None:
    found = learn_holds(Settings(), PRICES, 4, seed=3, sizes=(1, 2))
    assert found == learn_holds(Settings(threads=1), PRICES, 4, seed=3, sizes=(1, 2))
    assert 1 <= len(found.holds) <= 4
    played = evaluate(HoldRulePolicy(found.holds, PRICES))
    assert found.mean == pytest.approx(played.mean, abs=1e-9)
    assert found.mean > policy_mean(HoldRulePolicy((), PRICES))
    assert found.mean < played.perfect_mean
    for i, worth in enumerate(found.worth):
        without = (*found.holds[:i], *found.holds[i + 1 :])
        assert worth == pytest.approx(
            found.mean - policy_mean(HoldRulePolicy(without, PRICES)), abs=1e-9
        )
    assert set(found.shorter) <= {1, 2}
    for size, shorter in found.shorter.items():
        assert len(shorter.holds) == size
        assert shorter.mean == pytest.approx(
            policy_mean(HoldRulePolicy(shorter.holds, PRICES)), abs=1e-9
        )


@pytest.mark.parametrize(
    "game",
    [GAME, games.joker_game("forced"), games.joker_game("none")],
    ids=["free", "forced joker", "no joker"],
)
def test_the_worst_decisions_are_those_of_the_oracle(game: RuleSet) -> None:
    """Every card, roll and number of rerolls left, in fractions."""
    texts = ["pair of 2-3 if rolls left 1: keep", "single of open: keep", "any if below par: stop"]
    holds = parse_hold_rules(game, texts)
    prices = PriceSheet(
        game, [1.5 + i for i in range(len(game.categories))], dict.fromkeys(terms_of(game), 0.5)
    )
    policy, table = HoldRulePolicy(holds, prices), open_strategy(game).table
    found = worst_decisions(policy, table)
    oracle = Naive(game.canonical())
    layout = policy.space.layout
    greedy = GreedyChoice(game.canonical(), lambda *card: Fraction(value_of(prices, State(*card))))
    hold = category = 0.0

    def lost(card: tuple[int, int, bool], dice: Dice, left: int) -> float:
        stops = oracle.stops(*card, dice, left, False)
        held = held_dice(game, list(holds), State(*card[:2], 0, card[2]), dice, left)
        taken = max(stops.values()) if held is None else oracle.hold_value(*card, held, left)
        return float(oracle.best(*card, dice, left, False) - taken)

    for row, losses in zip(found.rows.tolist(), found.losses, strict=True):
        mask, lanes = int(layout.masks[row]), layout.lane_upper[layout.lane_sets[row]]
        paid, worst = row >= policy.space.cards, [0.0] * game.rolls_per_turn
        for upper in lanes[: int(layout.lane_count[layout.lane_sets[row]])].tolist():
            for dice, _ in oracle.rolls():
                stops = oracle.stops(mask, upper, paid, dice, 0, False)
                box = greedy(mask, upper, 0, paid, dice, 0, False)
                worst[0] = max(worst[0], float(max(stops.values()) - stops[box]))
                for left in range(1, game.rolls_per_turn):
                    worst[left] = max(worst[left], lost((mask, upper, paid), dice, left))
        assert losses.tolist() == pytest.approx(worst, abs=1e-9)
        hold, category = max(hold, *worst[1:]), max(category, worst[0])
    assert (found.hold, found.losses[:, 0].max()) == (pytest.approx(hold), pytest.approx(category))
    state, dice, left, loss = worst_hold(found)
    assert loss == pytest.approx(hold)
    assert lost((state.filled, state.upper, state.joker_paid), dice, left) == pytest.approx(loss)


@pytest.mark.parametrize(
    "name", ["yatzy", "yahtzee", "yatzy-forced", "maxi", "giant-forced", "generala", "cheerio"]
)
def test_every_candidate_is_a_rule_of_the_rule_set(name: str) -> None:
    rules = load_rules(name)
    for pattern, action in candidate_patterns(rules):
        rule = hold_rule(rules, pattern, (), action)
        assert parse_hold_rule(rules, str(rule)) == rule
        assert rule_cost(rule) < 0.2
    conditions = candidate_conditions(rules)
    assert len(conditions) == len(set(conditions))
    anything = parse_hold_rule(rules, "any: stop").pattern
    for condition in conditions:
        assert hold_rule(rules, anything, [condition], "stop").conditions == (condition,)


def test_the_search_tries_one_lower_box_more_or_less_and_other_points() -> None:
    rules = load_rules("yatzy")
    two = DicePattern("pays", categories=("small-straight", "chance"), least=20)
    tried = {(frozenset(each.categories), each.least) for each in pays_neighbours(rules, two)}
    lower = {box.id for box in rules.categories if not box.upper}
    given = frozenset(two.categories)
    boxes = {given - {box} for box in given} | {given | {box} for box in lower - given}
    points = {15, 17, 18, 19, 21, 22, 23, 25}
    assert tried == {(each, 20) for each in boxes} | {(given, least) for least in points}

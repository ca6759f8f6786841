"""Make a strategy guide as data, without words or layout, for the printed guide and the terminal.

Opening rolls with the same group sizes are one pattern (``3-1-1``: three of a kind and two other
dice). Within it, rolls that are treated in the same way share a line.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from itertools import islice, pairwise
from typing import Literal, NamedTuple

import numpy as np

from ..core.dice import Dice, Floats, Ints, lattice
from ..core.rules import RuleSet, leaves_choice
from ..core.scoring import scoring_options, upper_sums
from ..core.state import State
from ..game.legal_actions import hold_count
from ..game.notation import counts_of, dice_of
from ..strategy.positions import PositionSample, sample_positions
from ..strategy.strategy import Strategy
from ..strategy.turn_evaluator import CategoryOdds, category_odds, state_places
from .hold_policy import Cards, decisions
from .hold_rule_arrays import ROLL_ALL, STOP
from .strategy_sheet import PriceSheet, StrategySheet

Which = Literal["", "highest", "other"]
Groups = tuple[int, ...]  # sizes of groups of equal dice, descending


class LineKey(NamedTuple):
    """What the rolls of an opening line have in common, with the fields of an OpeningLine."""

    pattern: Groups
    stop: bool
    kept: Groups
    which: Which


# The key of the only line, if some faces describe every hold.
ALL_ROLLS = LineKey(pattern=(), stop=False, kept=(), which="")


@dataclass(frozen=True)
class OpeningEntry:
    """The rolls of a line that lead to the same dice, or to the same category."""

    hold: Dice  # dice held; empty where a category is scored
    category: str | None  # id of the category that is scored with the first roll
    rolls: tuple[Dice, ...]  # the rolls, ascending


@dataclass(frozen=True)
class OpeningLine:
    """First rolls of one pattern that perfect play treats in the same way."""

    # sizes of the groups of equal dice in the rolls, descending; empty if they are all rolls
    pattern: Groups
    stop: bool  # whether the turn ends with the first roll
    # sizes of the groups that are held, descending; empty if the turn ends or all dice are rerolled
    kept: Groups
    # whether those with the highest faces are held, where a roll has several groups of these sizes
    which: Which
    faces: Dice  # the faces of which every die is held, if that describes the hold of every roll
    # the rolls by the dice that are held or the category that is scored
    entries: tuple[OpeningEntry, ...]
    chance: float  # probability of these rolls, 0 to 1
    lowest: float  # lowest expected final score of these rolls, in points
    highest: float  # highest one
    majority: bool  # whether these are the rolls of the pattern that no other line names
    whole_pattern: bool  # whether these are all rolls of the pattern

    @property
    def is_run(self) -> bool:
        """Whether each of the holds is a run of at least three dice, such as 2 3 4."""
        holds = [entry.hold for entry in self.entries]
        return all(
            len(hold) > 2 and hold == tuple(range(hold[0], hold[0] + len(hold))) for hold in holds
        )


def groups_of(dice: Dice) -> Groups:
    """Return the sizes of the groups of equal dice, descending: ``(3, 1, 1)`` for 2 4 4 4 6."""
    return tuple(sorted((dice.count(face) for face in set(dice)), reverse=True))


def which_groups(roll: Dice, hold: Dice) -> Which:
    """Return whether the groups held are those with the highest faces.

    It is empty unless the roll has other groups of these sizes.
    """
    counts = {face: roll.count(face) for face in sorted(set(roll), reverse=True)}
    if any(hold.count(face) != counts[face] for face in hold):
        return ""  # a part of a group
    has_others = False
    are_highest = True
    for size in {counts[face] for face in hold}:
        alike = [face for face in counts if counts[face] == size]  # the highest first
        held = [face for face in alike if face in hold]
        has_others |= held != alike
        are_highest &= held == alike[: len(held)]
    if not has_others:
        return ""
    return "highest" if are_highest else "other"


def opening_lines(strategy: Strategy) -> tuple[OpeningLine, ...]:
    """Return what perfect play holds of every first roll of the game."""
    rules = strategy.rules
    if rules.rolls_per_turn == 1:
        return ()
    grid = lattice(rules.dice, rules.faces)
    rolls = grid.multisets[grid.first_roll :]
    answer = strategy.best(0, 0, np.array(rolls), rules.rolls_per_turn - 1)
    # Each roll by its number: the category that is scored with it, if any, and the dice held.
    categories = [answer.categories[c] if c >= 0 else None for c in answer.category.tolist()]
    # All dice are held where a category is scored.
    holds = [dice_of(held) for held in answer.held.tolist()]
    faces = faces_always_held(rolls, holds, rules.faces)
    if not faces:
        holds = [() if category else hold for hold, category in zip(holds, categories, strict=True)]
    members: dict[LineKey, list[int]] = defaultdict(list)  # numbers of the rolls of each line
    for number, roll in enumerate(rolls):
        stops = categories[number] is not None
        key = ALL_ROLLS if faces else _line_key(roll, holds[number], stops)
        members[key].append(number)
    # The lines are sorted by pattern, and the largest line of each pattern comes first.
    order = sorted(members, key=lambda key: (key.pattern, len(members[key])), reverse=True)
    lines_of = Counter(key.pattern for key in members)
    lines = list[OpeningLine]()
    for key in order:
        numbers = members[key]
        by_action: dict[tuple[Dice, str | None], list[Dice]] = defaultdict(list)
        for number in numbers:
            by_action[holds[number], categories[number]].append(rolls[number])
        entries = [
            OpeningEntry(hold, category, tuple(rolls_of_action))
            for (hold, category), rolls_of_action in by_action.items()
        ]
        entries.sort(key=lambda entry: (entry.hold, entry.rolls))
        values = answer.value[numbers]
        lines.append(
            OpeningLine(
                **key._asdict(),
                faces=faces,
                entries=tuple(entries),
                chance=float(grid.weights[numbers].sum()),
                lowest=float(values.min()),
                highest=float(values.max()),
                whole_pattern=lines_of[key.pattern] == 1,
                # The largest line of a pattern comes first.
                majority=not lines or lines[-1].pattern != key.pattern,
            )
        )
    return tuple(lines)


def _line_key(roll: Dice, hold: Dice, stops: bool) -> LineKey:
    """Return the line of a roll of which some dice are held, or with which the turn stops."""
    kept = groups_of(hold)
    # Single dice are listed one by one, so that it does not matter which of them is the highest.
    which = which_groups(roll, hold) if max(kept, default=0) > 1 else ""
    return LineKey(groups_of(roll), stops, kept, which)


def faces_always_held(rolls: list[Dice], holds: list[Dice], faces: int) -> Dice:
    """Return the faces of which all dice are held, if that describes every hold.

    Otherwise the result is empty. In a forced order some faces often describe every hold.
    """
    held = {face for hold in holds for face in hold}
    described = holds == [tuple(face for face in roll if face in held) for roll in rolls]
    return tuple(sorted(held)) if described and len(held) < faces else ()


class ListedRolls(NamedTuple):
    """A roll, or all rolls that have some dice."""

    dice: Dice
    others: int  # number of the other dice, which may be any that make no larger group


def listed_rolls(entry: OpeningEntry, pattern: Groups, faces: int) -> tuple[ListedRolls, ...]:
    """Return the rolls of an entry, with all rolls of one largest group as one.

    Such as ``2 2 2`` and 2 other dice. It is one only if none of those rolls is missing. Another
    roll stands for itself, with 0 other dice.
    """
    if not pattern or pattern[0] == 1 or pattern.count(pattern[0]) > 1:  # no single largest group
        return tuple(ListedRolls(roll, 0) for roll in entry.rolls)
    rolls_of_face = _rolls_of_each_face(pattern, faces)
    by_face: dict[int, list[Dice]] = defaultdict(list)  # rolls by the face of the largest group
    for roll in entry.rolls:
        by_face[max(roll, key=roll.count)].append(roll)
    result: list[ListedRolls] = []
    for face, rolls in by_face.items():
        if rolls_of_face > 1 and len(rolls) == rolls_of_face:
            result.append(ListedRolls((face,) * pattern[0], sum(pattern[1:])))
        else:
            result += [ListedRolls(roll, 0) for roll in rolls]
    return tuple(result)


def _rolls_of_each_face(pattern: Groups, faces: int) -> int:
    """Return how many rolls of a pattern have their largest group on one face."""
    grid = lattice(sum(pattern), faces)
    every_roll = grid.multisets[grid.first_roll :]
    # Each face has as many.
    return sum(groups_of(roll) == pattern for roll in every_roll) // faces


GAMES = 2_000  # games simulated for the stages and the examples
MIN_SAMPLES = 30  # give-up turns with a box open that its mean cost needs
# a box given up in less than this share of the give-up turns counts as hardly ever given up
RARE = 0.005
SHOWN_OPTIONS = 3  # options of an example
EARLY, MIDDLE, LATE = range(3)  # stages of a game of at least three turns
TRIED = 400  # turns of a stage that are looked through for an example


@dataclass(frozen=True, repr=False)
class TurnEndings(PositionSample):
    """The decisions that end one turn of many games, in the order of the games."""

    category: Ints = field(kw_only=True)  # (games,): the category that is filled
    points: Ints = field(kw_only=True)  # (games,): the points in its box

    def state(self, game: int) -> State:
        """Return the state of one game at the start of the turn."""
        return State(
            filled=int(self.filled[game]),
            upper=int(self.upper[game]),
            saved=int(self.saved[game]),
            joker_paid=bool(self.joker_paid[game]),
        )


def sample_turns(strategy: Strategy, games: int, seed: int = 1) -> list[TurnEndings]:
    """Return the decisions that end each turn of games from the empty card.

    They are those of perfect play for the mean.
    """
    rules = strategy.rules
    size = len(strategy.rules.categories)
    # No more decisions than rolls are made, and with saved rolls some are made later.
    sample = sample_positions(strategy, games * size * rules.rolls_per_turn, seed)
    ends = np.flatnonzero((sample.action >= hold_count(rules)) & (sample.game_number < games))
    turns = []
    for turn in range(1, size + 1):
        # one position of each game, in the order of the games
        end = sample.take(ends[sample.turn[ends] == turn])
        category = end.action - hold_count(rules)
        columns = {column.name: getattr(end, column.name) for column in fields(end)}
        points = _points(strategy, end, category)
        turns.append(TurnEndings(**columns, category=category, points=points))
    return turns


def points_to_come(
    strategy: Strategy, filled: Ints, upper: Ints, saved: Ints, joker_paid: Ints
) -> Floats:
    """Return the expected points still to come in many states that can occur, `(n,)`.

    The arguments are arrays `(n,)`.
    """
    space = strategy.space
    rows = space.rows_of(filled, joker_paid)
    places = state_places(space.layout, rows, saved, space.lanes_of(rows, upper))
    return np.asarray(strategy.table[places], dtype=np.float64)


def _points(strategy: Strategy, end: PositionSample, category: Ints) -> Ints:
    """Return the points in the box of the category that each game fills."""
    rules = strategy.rules
    grid = lattice(rules.dice, rules.faces)
    counts = (end.dice[:, :, None] == np.arange(1, rules.faces + 1)).sum(axis=1)  # (games, faces)
    # (categories, games): points of the dice in every category
    by_dice = strategy.evaluator.points[:, grid.rank(counts) - grid.first_roll]
    points = by_dice[category, np.arange(len(category))]
    # The card decides, too, on boxes that require another one, and on jokers. These are scored one
    # by one.
    depends_on_card = np.array([bool(box.requires) for box in rules.categories])[category]
    if rules.joker:
        depends_on_card |= (end.filled >> rules.joker_index & 1 == 1) & (
            by_dice[rules.joker_index] > 0
        )
    for game in np.flatnonzero(depends_on_card).tolist():
        options = scoring_options(
            rules, int(end.filled[game]), bool(end.joker_paid[game]), counts[game].tolist()
        )
        points[game] = options[int(category[game])][0]
    return np.asarray(points)


@dataclass(frozen=True)
class GiveUp:
    """One way to give up a box: to score nothing in it, or one die in an upper box."""

    category: int  # position of the category
    points: int  # what it scores, which is 0 or one die of its face
    # mean of V(card before) - points - V(card after the turn), over the turns in which a box is given
    # up and this one is open
    cost: float
    # share of the turns in which perfect play gives up a box where it gives up this one, 0 to 1
    share: float


@dataclass(frozen=True)
class Stage:
    """A third of the game."""

    first: int  # its first turn, from 1
    last: int  # its last turn
    give_ups: tuple[GiveUp, ...]  # cheapest first


@dataclass(frozen=True)
class Option:
    """A box for the dice of an example, as the sheet sees it."""

    category: int  # position of the category
    points: int  # points it pays, joker and first-roll bonuses included
    price: float
    # what the choice changes about the bonus (and the other numbers of the sheet), in points
    bonus: float
    loss: float  # expected points it loses against perfect play

    @property
    def value(self) -> float:
        """Points minus price, plus the change of the bonus.

        The sheet takes the box with the largest.
        """
        return self.points - self.price + self.bonus


@dataclass(frozen=True)
class Example:
    """A position of a simulated game at the end of a turn."""

    turn: int  # from 1
    state: State  # the card before the turn
    dice: Dice
    # the three best for the sheet, best first, and the best under perfect play if it is another
    options: tuple[Option, ...]
    best: Option  # the best under perfect play


@dataclass(frozen=True)
class HoldExample:
    """A position in the middle of a turn, and the rule that decides it."""

    turn: int  # from 1
    state: State
    dice: Dice
    rolls_left: int
    rule: int  # place of the rule in the list, from 0
    kept: Dice


@dataclass(frozen=True)
class Guide:
    """The content of a strategy guide."""

    rules: RuleSet
    perfect: float  # expected final score under perfect play, in points
    sheet: StrategySheet | None
    opening: tuple[OpeningLine, ...]  # empty if a turn has one roll
    stages: tuple[Stage, ...]  # empty in a forced order, where no box can be chosen
    examples: tuple[Example, ...]  # empty without a sheet, or in a forced order
    # points that the sheet loses against perfect play in each turn, empty if unknown
    losses: tuple[float, ...]
    # the odds of each category in one turn that is played for it alone
    odds: tuple[CategoryOdds, ...]
    hold: HoldExample | None = None  # none without hold rules, or in a forced order


def make_guide(
    strategy: Strategy, sheet: StrategySheet | None = None, losses: Sequence[float] | None = None
) -> Guide:
    """Make the guide of a rule set.

    `losses` are those of :class:`Guide`, by default those stored with the sheet.
    """
    rules = strategy.rules
    turns = sample_turns(strategy, GAMES) if leaves_choice(rules) else []
    if losses is None:
        losses = sheet.figures.get("losses_by_turn", ()) if sheet else ()
    return Guide(
        rules,
        perfect=strategy.value(State()),
        sheet=sheet,
        losses=tuple(losses),
        opening=opening_lines(strategy),
        stages=tuple(give_up_stages(strategy, turns)),
        examples=tuple(worked_examples(strategy, sheet.prices, turns)) if sheet and turns else (),
        odds=tuple(category_odds(rules, None, rules.rolls_per_turn - 1)),
        hold=hold_example(strategy, sheet, turns) if sheet and turns else None,
    )


def stage_turns(turns: int) -> list[range]:
    """Return the turns of the early, middle and late game, from 0.

    A game of one or two turns has fewer stages.
    """
    bounds = [turns * stage // 3 for stage in range(4)]
    return [range(first, end) for first, end in pairwise(bounds) if first < end]


def give_up_stages(strategy: Strategy, turns: Sequence[TurnEndings]) -> Iterator[Stage]:
    """Yield what perfect play gives up when nothing fits, by stage of the game.

    Each box comes with what it would cost.
    """
    for stage in stage_turns(len(turns)):
        give_ups = _give_ups(strategy, [turns[turn] for turn in stage])
        yield Stage(stage[0] + 1, stage[-1] + 1, tuple(sorted(give_ups, key=lambda g: g.cost)))


def _give_ups(strategy: Strategy, turns: Sequence[TurnEndings]) -> Iterator[GiveUp]:
    """Yield the ways to give up each box that is often open where a box is given up.

    It is open in at least MIN_SAMPLES of these turns.
    """
    rules = strategy.rules
    uppers = upper_sums(strategy.rules)
    names = ("category", "points", "filled", "upper", "saved", "joker_paid", "rolls_left")
    ends = {name: np.concatenate([getattr(turn, name) for turn in turns]) for name in names}
    ways = [
        (c, points) for c, box in enumerate(rules.categories) for points in sorted({0, box.face})
    ]
    is_given_up = np.any(
        [(ends["category"] == c) & (ends["points"] == points) for c, points in ways], axis=0
    )
    # From here on the columns have only the turns in which a box is given up.
    category, points_made, filled, upper, saved, joker_paid, rolls_left = (
        column[is_given_up] for column in ends.values()
    )
    before = points_to_come(strategy, filled, upper, saved, joker_paid)
    for c, points in ways:
        is_open = filled >> c & 1 == 0
        if is_open.sum() >= MIN_SAMPLES:
            sums = uppers.cap(upper + uppers.shift(c, points))
            later = (filled | 1 << c, sums, rolls_left * rules.saved_rolls, joker_paid)
            after = points_to_come(strategy, *(column[is_open] for column in later))
            cost = float(np.mean(before[is_open] - after - points))
            times = int(((category == c) & (points_made == points)).sum())
            yield GiveUp(c, points, cost, times / len(filled))


def worked_examples(
    strategy: Strategy, prices: PriceSheet, turns: Sequence[TurnEndings]
) -> Iterator[Example]:
    """Yield positions that show the subtraction.

    They are the first choice between good boxes of the middle game, the first box given up in the
    late game, and the first mistake of the sheet in the early game, as far as there are such.
    """
    stages = stage_turns(len(turns))
    shown = ((MIDDLE, _is_close_choice), (LATE, _is_give_up), (EARLY, _is_mistake))
    for stage, is_shown in shown:
        if stage < len(stages):  # a short game has fewer
            ends = _ends(strategy, prices, turns, stages[stage])
            yield from islice(filter(is_shown, ends), 1)


def hold_example(
    strategy: Strategy, sheet: StrategySheet, turns: Sequence[TurnEndings]
) -> HoldExample | None:
    """Return a first roll of the late game that a later rule decides as perfect play does.

    Then few boxes are open. It is None if there is no such example.
    """
    rules = strategy.rules
    left = rules.rolls_per_turn - 1
    if not sheet.holds or left < 1 or rules.saved_rolls:
        return None
    grid = lattice(rules.dice, rules.faces)
    random = np.random.default_rng(1)
    number = stage_turns(len(turns))[-1][0]  # the first turn of the late game
    # The example with the latest rule so far. One of the second half of the list is enough.
    latest: HoldExample | None = None
    for game in range(min(TRIED, len(turns[number].filled))):
        state = turns[number].state(game)
        dice = tuple(sorted(random.integers(1, rules.faces + 1, rules.dice).tolist()))
        roll = int(grid.rank(np.array(counts_of(rules, dice)))) - grid.first_roll
        actions, deciding = decisions(
            rules, sheet.holds, Cards.of_state(rules, state), np.array([roll]), left
        )
        action = int(actions[0])
        rule = int(deciding[0])  # the number of rules if none decides
        keeps_some = rule < len(sheet.holds) and action not in (STOP, ROLL_ALL)
        if not keeps_some or (latest and rule <= latest.rule):
            continue
        kept = dice_of(grid.counts[action].tolist())
        if strategy.holds(state, dice, left)[0].dice == kept:
            latest = HoldExample(number + 1, state, dice, left, rule, kept)
            if rule >= len(sheet.holds) // 2:
                break
    return latest


def _ends(
    strategy: Strategy, prices: PriceSheet, turns: Sequence[TurnEndings], stage: range
) -> Iterator[Example]:
    """Yield ends of turns of a stage with at least three boxes to choose from.

    Each game is in another turn.
    """
    half = len(stage) // 2
    numbers = [*stage[half:], *stage[:half]]  # from the middle of the stage on
    for game in range(min(TRIED, len(turns[0].filled))):
        number = numbers[game % len(numbers)]
        turn = turns[number]
        if turn.rolls_left[game] == 0:
            dice = tuple(turn.dice[game].tolist())
            example = _example(strategy, prices, number + 1, turn.state(game), dice)
            if len(example.options) >= SHOWN_OPTIONS:
                yield example


def _example(
    strategy: Strategy, prices: PriceSheet, turn: int, state: State, dice: Dice
) -> Example:
    """Return the options of a position, as the sheet and as perfect play rank them."""
    losses = {choice.category: choice.loss for choice in strategy.categories(state, dice)}
    rules = strategy.rules
    options = []
    bonus_before = prices.bonus_value(state.filled, state.upper)
    paid = scoring_options(rules, state.filled, state.joker_paid, counts_of(rules, dice))
    for c, (points, bonus_points) in paid.items():
        upper = upper_sums(rules).add(state.upper, c, points)
        filled = state.filled | 1 << c
        change = prices.bonus_value(filled, upper) - bonus_before
        if c == rules.tracked_index and points:
            change += prices.terms["joker_turn"] * (rules.full_mask & ~filled).bit_count()
        options.append(
            Option(
                category=c,
                points=points + bonus_points,
                price=prices.prices[c],
                bonus=change,
                loss=losses[rules.categories[c].id],
            )
        )
    options.sort(key=lambda option: -option.value)
    best = min(options, key=lambda option: option.loss)
    shown = options[:SHOWN_OPTIONS]
    return Example(turn, state, dice, tuple(shown if best in shown else [*shown, best]), best)


def _is_close_choice(example: Example) -> bool:
    """Return whether the position is a close choice.

    Three boxes score, the sheet is right, the second best is clearly worse, and the bonus matters.
    """
    first, second, third = example.options[:3]
    is_right = first.loss == 0
    all_score = min(first.points, second.points, third.points) > 0
    is_clear = 0.5 <= first.value - second.value <= 4 and second.loss >= 0.3
    bonus_matters = any(abs(option.bonus) >= 1 for option in example.options)
    return is_right and all_score and is_clear and bonus_matters


def _is_give_up(example: Example) -> bool:
    """Return whether the right box scores nothing although another one scores."""
    first, second, third = example.options[:3]
    is_right = first.loss == 0
    is_clear = first.value - second.value >= 0.5
    return is_right and is_clear and first.points == 0 and third.points != 0


def _is_mistake(example: Example) -> bool:
    """Return whether the sheet takes a box that loses a notable number of points."""
    return 0.3 <= example.options[0].loss <= 3 and len(example.options) == SHOWN_OPTIONS

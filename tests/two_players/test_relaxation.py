"""Samples of a game of two by paths that the opponent is told: against fractions, the exact best
response, and as an interval; stored, damaged and shared.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from fractions import Fraction
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from perfect_yatzy import RuleSet, State, ValueFunction, versus
from perfect_yatzy.core.rules import Bonus
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.confidence import Estimate, adjusted_mean_of, mean_of
from perfect_yatzy.tablebase.in_memory import solve_values
from perfect_yatzy.two_players import relaxation
from perfect_yatzy.two_players.relaxation import (
    Card,
    Interval,
    Relaxation,
    Sample,
    SampleFile,
    estimate,
    two_player_interval,
)
from support import games
from support.command import Run
from support.mechanics import random_rules
from support.naive import Card as NaiveCard
from support.naive import Dice
from support.naive_objectives import NaiveDuel, NaiveTieBreak, NaiveUtility
from support.refusals import load_text
from support.seeds import drawn

ERROR = 4e-6  # of float32, in a chance
START: NaiveCard = (0, 0, 0, False)
NaivePath = tuple[tuple[NaiveCard, int], ...]  # cards with the points made up to them


def turn_ends(play: NaiveTieBreak, card: NaiveCard) -> dict[tuple[int, NaiveCard], Fraction]:
    """The chance of the points of a turn and of the card after it."""
    filled, upper, saved, flag = card
    found: Counter[Any] = Counter()

    def go_on(chance: Fraction, dice: Dice, left: int, first: bool) -> None:
        action = play.act(filled, upper, flag, 0, dice, left, first)
        if isinstance(action, int):
            found[play.ending(filled, upper, flag, dice, left, first, action)] += chance
        else:
            for again, p in play.rolls(action):
                go_on(chance * p, again, left - 1, False)

    for dice, p in play.rolls():
        go_on(p, dice, play.game["rolls"] - 1 + saved, True)
    return dict(found)


def all_paths(play: NaiveTieBreak, path: NaivePath = ((START, 0),)) -> Iterator[Any]:
    """All paths of a player, with their chances."""
    card, made = path[-1]
    if card[0] == play.full_mask:
        yield path, Fraction(1)
        return
    for (points, after), chance in turn_ends(play, card).items():
        for whole, p in all_paths(play, (*path, (after, made + points))):
            yield whole, chance * p


class NaiveInformed(NaiveUtility):
    """The opponent who is told a path, in fractions; `tie`: what a tie counts for it."""

    def __init__(
        self, play: NaiveTieBreak, path: NaivePath, moves_first: bool, left: int, tie: Fraction
    ) -> None:
        super().__init__(play.game)
        self.play, self.path, self.moves_first = play, path, moves_first
        self.last, self.left, self.tie = len(path) - 1 - left, left, tie

    def wins(self, turn: int, points: int) -> Fraction:
        """The chance to win with so many points, given the card after a turn."""
        card, made = self.path[turn]
        law = self.play.distribution(*card)
        return sum(
            p * (self.tie if points == made + n else Fraction(points > made + n))
            for n, p in law.items()
        )

    def in_the_end(self, card: NaiveCard, made: int) -> Fraction:
        """The chance if both play to win from here on."""
        theirs, points = self.path[self.last]
        if self.moves_first:
            return NaiveDuel(self.game, theirs, 1 - self.tie).chance(card, made - points)
        return 1 - NaiveDuel(self.game, card, self.tie).chance(theirs, points - made)

    def expected_utility(
        self, filled: int, upper: int, saved: int, flag: bool, made: int
    ) -> Fraction:
        turns, card = filled.bit_count(), (filled, upper, saved, flag)
        if turns < self.last:
            value = super().expected_utility(*card, made)
        elif self.left:
            value = self.in_the_end(card, made)
        else:
            value = self.wins(self.last, made + self.upper_bonus(upper))
        turn = turns if self.moves_first else turns + 1
        if 1 <= turn <= self.last:
            value -= sum(
                p * (self.wins(turn, made + n) - self.wins(turn - 1, made + n))
                for n, p in self.play.distribution(*card).items()
            )
        return value


def mean_play(rules: RuleSet) -> ValueFunction:
    return ValueFunction(rules, solve_values(rules))


def cards_of(relaxed: Relaxation, path: NaivePath) -> list[Card]:
    space = ValueFunction(relaxed.policy.rules, lambda states: states.upper).space
    return [
        Card(space.index(State(*card)) - space.layer_slice(card[0].bit_count()).start, made)
        for card, made in path
    ]


@pytest.mark.parametrize(
    "rules",
    [
        games.small(games.face(1), games.face(2), games.PAIR, faces=2, rolls=2, bonus=Bonus(3, 4)),
        *drawn(3, [random_rules(seed, boxes=2) for seed in (1, 3, 5, 13, 17, 36, 37)]),
    ],
    ids=lambda rules: rules.key,
)
@pytest.mark.parametrize("moves_first", [False, True])
def test_samples_against_fractions_and_their_mean_against_the_best_response(
    rules: RuleSet, moves_first: bool
) -> None:
    """Every path of small games if there are few, by a program that shares nothing with the
    solver: the samples, and that their mean is no less than what can be won.
    """
    play, boxes = NaiveTieBreak(rules.canonical(), Fraction, Fraction(0)), len(rules.categories)
    paths = list(all_paths(play))
    assert sum(p for _path, p in paths) == 1
    few = len(paths) <= 60
    for left, tie in ((0, Fraction(1, 2)), (1, Fraction(1, 2)), (0, Fraction(1))):
        relaxed = Relaxation.of(Settings(threads=1), mean_play(rules), float(tie))
        own = tie if moves_first else 1 - tie  # of the opponent
        total = Fraction(0)
        for path, p in paths if few else paths[:: len(paths) // 6]:
            informed = NaiveInformed(play, path, moves_first, left, own)
            exact = informed.expected_utility(*START, 0)
            found = relaxed.sample(cards_of(relaxed, path), moves_first, left)
            assert abs(found - exact) < ERROR, (path, left)
            total += p * exact
            at_start = NaiveInformed(play, path, moves_first, 0, own)
            fair = sum(p * at_start.wins(0, n) for n, p in play.distribution(*START).items())
            assert left or exact >= fair
        acts = (None, lambda _theirs: play)
        if few and left == 0:
            duel = NaiveDuel(rules.canonical(), START, 1 - tie, acts if moves_first else acts[::-1])
            best = duel.chance() if moves_first else 1 - duel.chance()
            assert best <= total
            told = sum(
                p
                * NaiveUtility(
                    rules.canonical(), partial(won, made_in_the_end(play, path), own)
                ).expected_utility(*START, 0)
                for path, p in paths
            )
            assert total <= told
    assert boxes >= 2


def made_in_the_end(play: NaiveTieBreak, path: NaivePath) -> int:
    card, made = path[-1]
    return made + play.upper_bonus(card[1])


def won(theirs: int, tie: Fraction, points: int) -> Fraction:
    return tie if points == theirs else Fraction(points > theirs)


def test_paths_have_the_law_of_the_final_score() -> None:
    rules = games.small(games.face(2), games.CHANCE, games.PAIR, faces=3, rolls=2)
    relaxed = Relaxation.of(Settings(threads=1), mean_play(rules))
    scores = np.array([relaxed.score(relaxed.path(seed)) for seed in range(600)])
    law = relaxed.distributions[0][0]
    points = np.arange(len(law))
    expected = len(scores) * law
    seen = np.bincount(scores, minlength=len(law))
    assert not seen[law == 0].any()
    deviation = np.sqrt(expected * (1 - law)) + 1
    assert (np.abs(seen - expected) < 4 * deviation).all()
    assert relaxed.path(7) == relaxed.path(7)
    assert points @ law == pytest.approx(float(solve_values(rules)[-1]), abs=1e-5)


def sampled(relaxed: Relaxation, paths: range, left: int = 0) -> list[list[Sample]]:
    """Samples in both orders, as they are stored."""
    law = relaxed.distributions[0][0].astype(float)
    points = np.arange(len(law))
    known = float(law @ points), float(law @ (points - law @ points) ** 2)
    found: list[list[Sample]] = [[], []]
    for seed in paths:
        path = relaxed.path(seed)
        for moves_first in (False, True):
            value = relaxed.sample(path, moves_first, left)
            score = relaxed.score(path)
            found[moves_first].append(Sample(seed, moves_first, left, value, score, *known, "", ""))
    return found


@pytest.mark.full
def test_the_bounds_of_seven_boxes_and_how_often_the_intervals_hold() -> None:
    """The best responses win 51.629 and 51.019 %, if they move second and first, and best play
    49.393 % of the one who moves first. The interval of the mean of all samples holds in each of 10
    repetitions of 30 paths; `benchmarks/runs` has more.
    """
    relaxed = Relaxation.of(Settings(threads=1), mean_play(games.seven_boxes()))
    orders = sampled(relaxed, range(1, 301))
    for best, samples in zip((0.51629, 0.51019), orders, strict=True):
        assert min(sample.value for sample in samples) >= 0.5 - ERROR
        whole = estimate(samples)
        assert best < whole.high
        assert whole.value < best + 0.003  # it is tight: told at once, it is 0.54154
        assert whole.half_width < mean_of([each.value for each in samples], 0.99).half_width
        for begin in range(0, 300, 30):
            part = estimate(samples[begin : begin + 30])
            assert part.low < whole.value < part.high
    interval = Interval(300, 0, (estimate(orders[0]), estimate(orders[1])))
    assert interval.low < 0.49393 < interval.high
    assert interval.high - interval.low < 0.032
    told_less = sampled(relaxed, range(1, 61), left=3)
    later = Interval(60, 3, (estimate(told_less[0]), estimate(told_less[1])))
    assert later.low < 0.49393 < later.high
    assert later.high - later.low < 0.022


def test_a_mean_adjusted_by_what_is_known() -> None:
    """Against least squares by hand, and a column that explains everything."""
    known, values = np.array([[-1.0], [0.0], [1.0], [2.0]]), np.array([1.0, 2.5, 2.5, 5.0])
    found = adjusted_mean_of(values, known, 0.9)
    slope = ((known[:, 0] - 0.5) @ values) / 5
    assert found.value == pytest.approx(values.mean() - slope * 0.5)
    exact = adjusted_mean_of(3 + 2 * known[:, 0], known)
    assert (exact.low, exact.high) == pytest.approx((3, 3))


def stored_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines() if line]


def test_stored_samples_are_used_and_what_is_damaged_or_of_other_sources_is_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, settings = games.seven_boxes(), Settings(tmp_path, 1)
    found = two_player_interval(settings, rules, 10)
    file = SampleFile(rules, tmp_path, 0.5).path
    lines = stored_lines(file)
    assert sorted((each["seed"], each["moves_first"]) for each in lines) == [
        (seed, first) for seed in range(1, 11) for first in (False, True)
    ]
    with monkeypatch.context() as patch:
        patch.setattr(Relaxation, "sample", lambda *_: pytest.fail("computed again"))
        assert two_player_interval(settings, rules, 10) == found
    text = file.read_text()
    file.write_text(text[: len(text) // 2])  # a line is cut
    assert two_player_interval(settings, rules, 10) == found
    assert not [*tmp_path.glob("*.lock")]
    other = SampleFile(rules, tmp_path, 1.0)
    assert not other.samples
    monkeypatch.setattr(relaxation, "sources_of_values", lambda *_: "0" * 64)
    assert not SampleFile(rules, tmp_path, 0.5).samples


def test_workers_share_the_samples_and_none_is_computed_twice(tmp_path: Path) -> None:
    rules, found = games.seven_boxes(), list[Interval]()
    work = lambda: found.append(two_player_interval(Settings(tmp_path, 1), rules, 12))  # noqa: E731
    workers = [Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 3
    assert found[0] == found[1] == found[2]
    assert len(stored_lines(SampleFile(rules, tmp_path, 0.5).path)) == 24


def test_a_process_that_computes_no_sample_pauses_until_all_are_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, settings = games.seven_boxes(), Settings(tmp_path, 1)
    others = SampleFile(rules, tmp_path, 0.5)
    others.fill(settings, 1, 0)
    stored = others.path.read_bytes()
    others.path.unlink()
    rounds = iter([nullcontext(False)] * 4)  # two of two samples, which others compute
    pauses = list[float]()

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        others.path.write_bytes(stored)

    monkeypatch.setattr(relaxation, "driver_lock", lambda _lock: next(rounds))
    monkeypatch.setattr(relaxation, "sleep", pause)
    waiting = SampleFile(rules, tmp_path, 0.5)
    waiting.fill(settings, 1, 0)
    assert waiting.samples == others.samples
    assert pauses == [relaxation.PAUSE]


def test_an_opponent_who_never_wins_leaves_everything_to_the_first_player() -> None:
    never, unknown = Estimate(0.0, 0.0, 0.0, 2), Estimate(0.5, None, None, 1)
    interval = Interval(2, 0, (never, never))
    assert (interval.low, interval.high) == (1, 0)
    interval = Interval(1, 0, (unknown, unknown))
    assert (interval.low, interval.high) == (0, 1)


def test_the_command_says_what_is_proved_and_what_is_not(run: Run, tmp_path: Path) -> None:
    removed = "ones twos threes one-pair two-pairs chance full-house small-straight large-straight"
    rules = load_text(tmp_path, f'extends = "yatzy-forced"\nremove = {removed.split()}\n')
    asked = ("solve", str(rules.origin), "--two-players", "--paths", "30")
    found = json.loads(run(*asked, "--endgame", "2", "--json").stdout)
    assert (found["paths"], found["endgame"], found["confidence"]) == (30, 2, 0.99)
    low, high = found["interval"]
    assert low < versus(rules).first < high
    shown = " ".join(run(*asked).stdout.split())
    assert "with 99 % confidence" in shown
    assert "30 sampled games" in shown
    assert "no proof" in shown
    assert "can only be used with --two-players" in run("solve", "yatzy", "--paths", "30").stderr
    assert "must be 0 to 5" in run(*asked, "--endgame", "6").stderr

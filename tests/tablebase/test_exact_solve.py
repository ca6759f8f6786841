"""Exact solves against the oracle in fractions: every value, every tie, every gap; and what they
leave on disk.
"""

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from perfect_yatzy import (
    Proof,
    RulesError,
    RuleSet,
    State,
    TableError,
    load_rules,
    parse_card,
    prove,
)
from perfect_yatzy._files import exclusive
from perfect_yatzy.service.budget import SolveBudget
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.action_kinds import CATEGORIES, HOLDS
from perfect_yatzy.strategy.actions import ranked_entries
from perfect_yatzy.strategy.ranked_actions import Turn, max_rerolls
from perfect_yatzy.strategy.turn_evaluator import ExactEvaluator
from perfect_yatzy.tablebase import exact_kernel as kernel
from perfect_yatzy.tablebase import exact_solve
from perfect_yatzy.tablebase.exact_solve import ExactSolve
from perfect_yatzy.tablebase.store import leftovers
from support.command import Run, refusal
from support.flips import flip
from support.games import JOKER, SAVED, joker_game
from support.mechanics import MECHANICS, random_rules
from support.naive import Naive
from support.refusals import killed, refused
from support.seeds import ring_2, ring_3, seeds

from tables.check_exact import check_yatzy, forced_value

# By another program, which printed 387008690 after these digits. The 3 is a slip: a third program
# knows the value modulo two primes and agrees with the fraction.
RESIDUES = {2147483629: 1885987938, 2147483587: 675297524}  # tables/residues.py
YATZY = "248.439989377855308532581767125373272330075228764394"


def check(rules: RuleSet) -> None:
    """Every reachable state as a fraction, and all decisions of games where a roll is decided in
    one way.
    """
    oracle, solve = Naive(rules.canonical()), ExactSolve(rules)
    layers, space = dict(solve.layers(Settings(threads=1))), solve.space
    seen, ties, gaps = set(), 0, [Fraction(1, 10_000)]
    for filled, upper, saved, flag in oracle.states():
        state = State(filled, upper, saved, flag)
        index, layer = space.index(state), filled.bit_count()
        limbs = layers[layer][index - space.layer_slice(layer).start]
        assert solve.value(layer, limbs, saved) == oracle.value(filled, upper, saved, flag)
        if index in seen or rules.saved_rolls or rules.first_roll_bonus:
            continue
        seen.add(index)
        if filled == rules.full_mask:
            continue
        for dice, _ in oracle.rolls():
            for left in range(rules.rolls_per_turn):
                card = filled, upper, flag, dice, left
                options = oracle.hold_values(*card) if left else oracle.stops(*card, False)
                best, *others = sorted(options.values(), reverse=True)
                ties += best in others[:1]
                gaps += [best - value for value in others if value < best]
    assert solve.error < 1e-12
    if len(seen) == space.size:  # the table may have states that no game reaches
        assert solve.tally[1] == ties
        assert solve.tally[3] == pytest.approx(float(min(gaps)), rel=1e-9)


@pytest.mark.parametrize("mode", ["forced", "free", "none"])
def test_jokers_with_saved_rolls_and_a_bonus_of_the_first_roll(mode: str) -> None:
    check(joker_game(mode, saved_rolls=True, first_roll_bonus=(("run", 3),)))


@pytest.mark.parametrize("rules", [SAVED, random_rules(5, boxes=3)], ids=["saved", "random"])
def test_a_solve_begins_at_any_card(rules: RuleSet) -> None:
    oracle = Naive(rules.canonical())
    for card in oracle.states():
        assert ExactSolve(rules, start=State(*card)).start_values(Settings(threads=1)) == (
            oracle.value(*card),
        )


@pytest.mark.parametrize("rules", [SAVED, JOKER])
def test_every_option_of_a_turn(rules: RuleSet) -> None:
    """All holds and categories of every roll as fractions, best first, with exact losses."""
    oracle = Naive(rules.canonical())
    for filled, upper, saved, flag in [*oracle.states()][::5]:
        if filled == rules.full_mask:
            continue
        state = State(filled, upper, saved, flag)
        evaluator = ExactEvaluator(ExactSolve(rules, start=state), 1)
        most = max_rerolls(rules, saved)
        for dice, _ in oracle.rolls():
            for left in range(most + 1):
                known = oracle.stops(filled, upper, flag, dice, left, left == most)
                turn = Turn(evaluator, state, dice, left)
                choices = ranked_entries(turn, CATEGORIES)
                assert {rules.index_of[c.category]: c.value for c in choices} == known
                assert [c.loss for c in choices] == [max(known.values()) - c.value for c in choices]
                if left:
                    holds = {h.dice: h.value for h in ranked_entries(turn, HOLDS)}
                    expected = oracle.hold_values(filled, upper, flag, dice, left)
                    assert holds == expected | {dice: choices[0].value}


Spread = tuple[
    Fraction, Fraction, Fraction
]  # mean, minus the mean square, chance of the bonus; the largest is taken


def spread(oracle: Naive, *start: int) -> Spread:
    """The best play by mean, then by least variance, then by chance of the bonus."""

    def mean(options: list[tuple[Fraction, Spread]]) -> Spread:
        parts = zip(*([p * part for part in found] for p, found in options), strict=True)
        first, second, third = map(sum, parts)
        return Fraction(first), Fraction(second), Fraction(third)

    @cache
    def best(
        filled: int, upper: int, flag: bool, dice: tuple[int, ...], left: int, first: bool
    ) -> Spread:
        found = []
        for _box, points, after in oracle.endings(filled, upper, flag, dice, left, first):
            later, square, bonus = card(*after)
            found.append((later + points, square - points**2 - 2 * points * later, bonus))
        if left:
            found += [rerolled(filled, upper, flag, held, left) for held in oracle.holds_of(dice)]
        return max(found)

    @cache
    def rerolled(filled: int, upper: int, flag: bool, held: tuple[int, ...], left: int) -> Spread:
        return mean(
            [
                (p, best(filled, upper, flag, dice, left - 1, False))
                for dice, p in oracle.rolls(held)
            ]
        )

    @cache
    def card(filled: int, upper: int, saved: int, flag: bool) -> Spread:
        if filled == oracle.full_mask:
            bonus = oracle.upper_bonus(upper)
            return Fraction(bonus), Fraction(-(bonus**2)), Fraction(bonus > 0)
        left = oracle.game["rolls"] - 1 + saved
        return mean(
            [(p, best(filled, upper, flag, dice, left, True)) for dice, p in oracle.rolls()]
        )

    return card(*start)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "rules",
    [
        SAVED,
        ring_2(joker_game("forced", saved_rolls=True)),
        *(random_rules(seed, boxes=3) for seed in range(3)),
    ],
)
def test_variance_and_chance_of_the_bonus(rules: RuleSet) -> None:
    oracle = Naive(rules.canonical())
    for start in [*oracle.states()][::4]:
        mean, square, bonus = spread(oracle, *start)
        found = ExactSolve(rules, start=State(*start), spread=True).start_values(
            Settings(threads=1)
        )
        assert found == (mean, -square - mean**2, bonus)


LATE = (
    "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 two-pairs=18 three-of-a-kind=15"
)
LATE += " four-of-a-kind=0 small-straight=15 large-straight=20 full-house=20"


def test_the_command_gives_the_fractions_of_a_turn_and_of_a_card(run: Run) -> None:
    rules = load_rules("yatzy")
    card, oracle = parse_card(rules, LATE), Naive(rules.canonical())
    position = card.state.filled, card.state.upper, False, (2, 2, 5, 5, 6)
    answer = json.loads(
        run("hold", "22556", "-l", "1", "--card", LATE, "--exact", "--digits", "0", "--json").stdout
    )
    values = {tuple(h["hold"]): h["exact"] for h in answer["holds"] if not h["category"]}
    known = {
        hold: card.total + value
        for hold, value in oracle.hold_values(*position, 1).items()
        if len(hold) < 5
    }
    assert {
        h: Fraction(int(v["numerator"]), int(v["denominator"])) for h, v in values.items()
    } == known
    assert {v["decimal"] for v in values.values()} == {str(int(value)) for value in known.values()}
    shown = run("score", "22556", "--card", LATE, "--exact").stdout
    best = card.total + max(oracle.stops(*position, 0, False).values())
    assert f"as a fraction: {best}\n" in shown
    both = refusal(run, "hold", "22556", "--card", LATE, "--exact", "--goal", "200")
    assert "goal and exact cannot be combined" in both
    assert "ask from a later card" in refusal(
        run, "hold", "223456", "--rules", "maxi-unsaved", "--exact"
    )
    expected = card.total + oracle.value(card.state.filled, card.state.upper, 0, False)
    found = json.loads(run("expect", "--card", LATE, "--exact", "--digits", "20", "--json").stdout)[
        "exact"
    ]
    assert Fraction(int(found["numerator"]), int(found["denominator"])) == expected
    assert found["decimal"] == str(int(expected)) + f".{int(expected % 1 * 10**20):020}"
    shown = run("expect", "--card", LATE, "--exact", "--digits", "20").stdout
    assert f"Exactly {found['decimal']}\n" in shown
    beside = run("expect", "--card", LATE, "--exact", "--goal", "200").stdout
    assert "The fraction is that of the expected score" in beside
    assert "The fraction is that of" not in shown
    _mean, square, bonus = spread(oracle, card.state.filled, card.state.upper, 0, False)
    variance = -square - (expected - card.total) ** 2
    for name, value in {"variance": variance, "bonus_chance": bonus}.items():
        assert Fraction(int(found[name]["numerator"]), int(found[name]["denominator"])) == value
    assert f"Variance {found['variance']['decimal']}, the least of optimal play\n" in shown
    unasked = run("expect", "--card", LATE, "--exact", "--no-spread", "--json").stdout
    assert "variance" not in json.loads(unasked)["exact"]


def test_a_server_solves_only_what_is_quick(tmp_path: Path) -> None:
    service = QueryService(tmp_path, budget=SolveBudget(unasked_seconds=2.0))
    asked = {"query": "hold", "dice": "33456", "exact": True}
    refused("ask from a later card", service.answer, asked, error=RulesError)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("seed", seeds(4, 60))
def test_random_games(seed: int) -> None:
    check(random_rules(seed, boxes=4))


@pytest.mark.parametrize("mechanic", MECHANICS)
@pytest.mark.parametrize("numbers", [range(2), ring_3(range(2, 30))], ids=["two", "more"])
def test_random_games_of_each_mechanic(mechanic: str, numbers: range) -> None:
    for seed in numbers:
        check(random_rules(seed, (mechanic,), boxes=4))


@pytest.mark.full
def test_yatzy_to_48_digits_and_its_states_in_plain_integers(tmp_path: Path) -> None:
    proof = prove("yatzy", tables=tmp_path, threads=2)
    assert proof.decimal(48) == YATZY
    assert len(str(proof.value.denominator)) == 169
    for prime, residue in RESIDUES.items():
        assert proof.value.numerator * pow(proof.value.denominator, -1, prime) % prime == residue
    # states of every layer, in plain integers, from their children
    assert check_yatzy() == (
        proof.value,
        60,
    )
    assert proof.float64_optimal
    assert proof.largest_error < 1e-12


@pytest.mark.full
def test_more_bits_than_the_exponents_of_float64_and_the_checker_in_plain_integers(
    tmp_path: Path,
) -> None:
    proof = prove("balut", tables=tmp_path)  # 28 turns: 1086 bits
    assert proof.decimal(10) == "433.3471236637"
    assert proof.largest_error < 1e-11
    assert proof.float64_optimal
    assert forced(tmp_path).value == forced_value(42, 50)


def forced(folder: Path) -> Proof:
    return prove("yatzy-forced", tables=folder, threads=1)


def test_a_killed_solve_resumes_and_a_flipped_limb_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_solve, "CHECKPOINT_SECONDS", 0.0)
    whole = replace(forced(tmp_path), seconds=0.0)
    killed(prove, "yatzy-forced", tables=tmp_path)
    solve = ExactSolve(load_rules("yatzy-forced"), tmp_path)
    assert solve.resume()[0] < 15
    assert replace(forced(tmp_path), seconds=0.0) == whole
    assert not solve.part.exists()
    killed(prove, "yatzy-forced", tables=tmp_path)
    flip(solve.part, 8 * 100)
    assert leftovers(tmp_path) == [solve.part]
    assert solve.resume() is None
    assert replace(forced(tmp_path), seconds=0.0) == whole


KILLED = """
import os, signal, sys
from perfect_yatzy import prove
from perfect_yatzy.tablebase import exact_solve

exact_solve.CHECKPOINT_SECONDS = 0.0
prove("yatzy-forced", tables=sys.argv[1], progress=lambda done, total: done > total / 2 and os.kill(os.getpid(), signal.SIGKILL))
"""


@pytest.mark.full
def test_processes_wait_for_each_other_and_take_over_from_a_killed_one(tmp_path: Path) -> None:
    whole = replace(forced(tmp_path / "whole"), seconds=0.0).fields()
    prove_again = (
        "from perfect_yatzy import prove; import sys; prove('yatzy-forced', tables=sys.argv[1])"
    )
    folder = tmp_path / "tables"
    assert (
        subprocess.run([sys.executable, "-c", KILLED, folder], check=False).returncode
        == -signal.SIGKILL
    )
    part = ExactSolve(load_rules("yatzy-forced"), folder).part
    assert part.exists()
    lock = next(folder.glob("*.lock"))  # of the process that was killed; it holds nobody up
    with exclusive(lock):
        waiting = [subprocess.Popen([sys.executable, "-c", prove_again, folder]) for _ in range(2)]
        time.sleep(2.0)
        assert [process.poll() for process in waiting] == [None, None]
        assert part.exists()
    assert [process.wait(120) for process in waiting] == [0, 0]
    (path,) = folder.iterdir()
    assert json.loads(path.read_text()) | {"seconds": 0.0} == json.loads(json.dumps(whole))


def test_threads_change_nothing(tmp_path: Path) -> None:
    rules = load_rules("crag")  # 8,192 states
    assert (exact_solve.LIMB_BITS, exact_solve.WINDOW) == (kernel.LIMB_BITS, kernel.WINDOW)
    alone, shared = (
        dict(ExactSolve(rules).layers(Settings(threads=threads))) for threads in (1, 2)
    )
    assert all(np.array_equal(alone[filled], shared[filled]) for filled in alone)
    proof, spread = (
        prove("yatzy-forced", tables=tmp_path, threads=n, spread=n == 2) for n in (1, 2)
    )
    assert (proof.value, proof.sha256, proof.variance) == (spread.value, spread.sha256, None)
    assert [*tmp_path.iterdir()] == [*tmp_path.glob("*.proof.json")]  # no lock and no part is left
    fields = json.loads(next(tmp_path.iterdir()).read_text())
    assert (
        Fraction(*(int(fields["variance"][part]) for part in ("numerator", "denominator")))
        == spread.variance
    )


def test_the_certificate_and_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proof = forced(tmp_path)
    (path,) = tmp_path.glob("*.proof.json")
    fields = json.loads(path.read_text())
    assert (
        Fraction(int(fields["value"]["numerator"]), int(fields["value"]["denominator"]))
        == proof.value
    )
    assert fields["decimal"].startswith(proof.decimal(20))
    monkeypatch.setattr("os.fsync", Mock(side_effect=OSError(28, "No space left on device")))
    refused("No space left", forced, tmp_path, error=TableError)

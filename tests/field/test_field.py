"""A field of players who cannot see each other: utilities and equilibria against fractions."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from math import comb
from pathlib import Path
from random import Random

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import RuleSet, Scorecard, StateError, Strategy, maximise
from perfect_yatzy.core.rules import Bonus
from perfect_yatzy.field.description import parse_field
from perfect_yatzy.field.equilibrium import (
    field_equilibrium,
    field_path,
    read_field,
    stored_equilibrium,
)
from perfect_yatzy.field.prizes import FieldUtility
from perfect_yatzy.policies.named import PolicyContext, evaluate_named
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.score_distribution import DiscreteDistribution
from support import games
from support.command import Run, printed
from support.naive_objectives import NaiveUtility
from support.seeds import seeds

Law = dict[int, Fraction]
SMALL = [
    games.small(games.face(2), games.CHANCE, faces=3, rolls=2),
    games.small(games.face(1), games.face(2), games.PAIR, faces=2, rolls=2, bonus=Bonus(3, 4)),
    games.small(games.face(3), games.PAIR, games.CHANCE, faces=3, rolls=2),
]


def utility_by_counting(law: Law, opponents: int, prizes: list[Fraction], score: int) -> Fraction:
    """What a score wins: all numbers of opponents with more and with as many points."""
    more = sum((chance for other, chance in law.items() if other > score), Fraction(0))
    tied = law.get(score, Fraction(0))
    fewer = 1 - more - tied
    total = Fraction(0)
    for above in range(opponents + 1):
        for equal in range(opponents + 1 - above):
            chance = comb(opponents, above) * comb(opponents - above, equal)
            chance *= more**above * tied**equal * fewer ** (opponents - above - equal)
            total += chance * sum(prizes[above : above + equal + 1]) / (equal + 1)
    return total


def as_floats(law: Law) -> DiscreteDistribution:
    return DiscreteDistribution(np.array([*law]), np.array([float(p) for p in law.values()]))


@pytest.mark.parametrize("seed", seeds(20, 60))
def test_the_utility_is_that_of_counting_who_is_ahead(seed: int) -> None:
    """Also where chances differ by many powers of ten."""
    random = Random(seed)
    scores = sorted(random.sample(range(12), random.randint(1, 6)))
    sizes = [random.choice([1, 2, 5, 10 ** random.randint(0, 12)]) for _ in scores]
    law = {score: Fraction(size, sum(sizes)) for score, size in zip(scores, sizes, strict=True)}
    opponents = random.choice([1, 2, 3, 5, 10, 30])
    places = random.randint(1, min(opponents, 8))
    prizes = sorted((Fraction(random.randint(0, 9)) for _ in range(places)), reverse=True)
    asked = np.arange(-1, 13)
    found = FieldUtility(as_floats(law), opponents, [float(prize) for prize in prizes])(asked)
    for score, value in zip(asked.tolist(), found.tolist(), strict=True):
        exact = float(utility_by_counting(law, opponents, prizes, score))
        assert value == pytest.approx(exact, rel=1e-11, abs=1e-300)


@pytest.mark.parametrize(
    ("opponents", "places"), [(1, 1), (10_000, 1), (1_000, 500), (10**9, 1), (10**9, 1_000)]
)
def test_players_of_one_law_share_the_prizes_equally(opponents: int, places: int) -> None:
    """Whatever the law: the mean of the utility is the places over the players."""
    random = np.random.default_rng(5)
    for chances in (np.ones(400) / 400, random.dirichlet(np.full(300, 0.05)), np.ones(1)):
        law = DiscreteDistribution(np.arange(len(chances)), chances)
        utility = FieldUtility(law, opponents, [1.0] * places)(law.scores)
        assert law.chances @ utility == pytest.approx(places / (opponents + 1), rel=1e-9)
        assert np.diff(utility).min(initial=0) > -1e-11


def test_more_opponents_lower_the_chance_and_more_places_raise_it(forced: Strategy) -> None:
    law, start = perfect_yatzy.distribution(forced), Scorecard(forced.rules)
    scores = np.arange(400)
    before = np.ones(len(scores))
    for opponents in (1, 2, 5, 50, 10_000, 10**6):
        chance = FieldUtility(law, opponents)(scores)
        assert (chance <= before + 1e-12).all()
        of_three = FieldUtility(law, opponents, [1.0] * min(3, opponents))(scores)
        assert (of_three >= chance - 1e-12).all()
        before = chance
    values = [
        float(maximise(forced.rules, FieldUtility(law, number)).value(start))
        for number in (1, 10, 100)
    ]
    assert values == sorted(values, reverse=True)
    assert all(value > 1 / (number + 1) for value, number in zip(values, (1, 10, 100), strict=True))


@pytest.mark.parametrize("rules", SMALL, ids=lambda rules: f"{len(rules.categories)} boxes")
@pytest.mark.parametrize("opponents", [1, 2, 3, 5])
def test_best_play_against_a_field_in_fractions(rules: RuleSet, opponents: int) -> None:
    law = {2: Fraction(1, 8), 4: Fraction(3, 8), 5: Fraction(1, 3), 9: Fraction(1, 6)}
    for places in {1, min(2, opponents)}:
        prizes = [Fraction(1)] * places

        def utility(score: int, prizes: list[Fraction] = prizes) -> Fraction:
            return utility_by_counting(law, opponents, prizes, score)

        exact = NaiveUtility(rules.canonical(), utility).expected_utility(0, 0, 0, False, 0)
        found = maximise(rules, FieldUtility(as_floats(law), opponents, [1.0] * places))
        assert found.value() == pytest.approx(float(exact), rel=2e-6)


@pytest.mark.parametrize("card", ["ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18", "ones=3"])
def test_one_opponent_is_the_blind_opponent_of_two(forced: Strategy, card: str) -> None:
    """A field of one who plays for the mean is an opponent with an empty card; a tie is a half."""
    service = QueryService()
    request = {"query": "expect", "rules": "yatzy-forced", "card": card, "spread": False}
    field = service.answer(request | {"field": 1})
    one = service.answer(request | {"opponents": "empty", "ties": "half"})
    assert field["chance"] == pytest.approx(one["chance"], abs=1e-6)
    assert field["chance_by_mean_play"] == pytest.approx(one["chance_by_mean_play"], abs=1e-12)
    assert field["aim"]["policy"] == "perfect"


@pytest.mark.parametrize("rules", SMALL, ids=lambda rules: f"{len(rules.categories)} boxes")
@pytest.mark.parametrize("opponents", [1, 2, 5])
def test_the_gain_of_an_equilibrium_in_fractions(
    rules: RuleSet, opponents: int, tmp_path: Path
) -> None:
    """The best that any strategy wins against the mixture is what the bound says, up to the
    error it includes; and it is small.
    """
    found = field_equilibrium(Settings(tmp_path), rules, opponents)
    law = {score: Fraction(chance) for score, chance in enumerate(found.chances.tolist()) if chance}
    law = {score: chance / sum(law.values()) for score, chance in law.items()}

    def utility(score: int) -> Fraction:
        return utility_by_counting(law, opponents, [Fraction(1)], score)

    best = NaiveUtility(rules.canonical(), utility).expected_utility(0, 0, 0, False, 0)
    fair = Fraction(1, opponents + 1)
    assert best >= fair - Fraction(1, 10**15)  # the mixture itself wins that; rounding of its law
    assert sum(chance * utility(score) for score, chance in law.items()) == fair
    assert float(best - fair) <= found.gain <= float(best - fair) + 1e-4 * float(fair)
    assert found.gain < 0.002 * fair
    assert found.mean_play_wins <= float(best) + 1e-12


def test_a_field_that_has_to_mix(tmp_path: Path) -> None:
    """Where no single strategy is an equilibrium, a mixture of two is nearly one."""
    rules = games.small(games.face(3), games.PAIR, games.CHANCE, faces=3, rolls=3)
    mixtures = [
        field_equilibrium(Settings(tmp_path), rules, number, within=1e-4) for number in (1, 2, 3, 5)
    ]
    for found in mixtures:
        assert sum(found.mixture.weights) == pytest.approx(1)
        assert found.gain < 0.002 / (found.mixture.opponents + 1)


def test_equilibria_are_stored_and_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = SMALL[2]
    setting = PolicyContext(Settings(tmp_path), rules, Scorecard(rules), games=2_000)
    with pytest.raises(StateError, match="not solved yet"):
        evaluate_named("field:3", setting)
    found = field_equilibrium(Settings(tmp_path), rules, 3)
    title, played = evaluate_named("field:3", setting)
    assert "3 opponents" in title
    assert isinstance(played, perfect_yatzy.SampledEvaluation)
    assert abs(played.scores.mean() - found.law.mean) < 4 * played.plain_standard_error
    monkeypatch.setattr(
        "perfect_yatzy.field.equilibrium.best_response", lambda *_: pytest.fail("solved again")
    )
    again = field_equilibrium(Settings(tmp_path), rules, 3)
    assert again.mixture == found.mixture
    assert stored_equilibrium(rules, 3, tmp_path).law.mean == found.law.mean
    path = field_path(rules, tmp_path)
    path.write_bytes(path.read_bytes().replace(b"0.", b"1.", 1))
    assert read_field(rules, tmp_path) == ([], {})


@pytest.mark.parametrize(
    ("given", "places"),
    [
        (0, 1),
        ("0", 1),
        (10**10, 1),
        ("10:bold", 1),
        ("10:process:rm", 1),
        ("10:bot.py:play", 1),
        (True, 1),
        (None, 1),
        (5, 6),
        (5, 0),
        (5, True),
        ({"opponents": 3}, 1),
        ({"opponents": 3, "lowest": 1, "chances": [0.5, 0.4]}, 1),
        ({"opponents": 3, "lowest": 1, "chances": [-0.5, 1.5]}, 1),
    ],
)
def test_what_is_no_field_is_refused(given: object, places: object) -> None:
    with pytest.raises(StateError):
        parse_field(given, places)


def test_the_command(run: Run, forced: Strategy, tmp_path: Path) -> None:
    options = ["--rules", "yatzy-forced", "--card", "ones=3 twos=6 threes=9"]
    text = printed(run, "expect", *options, "--field", "10:most-points", "--places", "3")
    assert "chance to be among the best 3" in text
    assert "Against 10 players you cannot see, each by most-points" in text
    answer = json.loads(
        printed(run, "evaluate", "most-points", "--rules", "yatzy-forced", "--json")
    )
    (tmp_path / "law.json").write_text(json.dumps(answer))
    of_file, named = (
        json.loads(printed(run, "hold", "13355", *options, "--field", field, "--json"))
        for field in (f"10:{tmp_path / 'law.json'}", "10:most-points")
    )
    assert of_file["aim"].pop("policy") == "law.json"
    assert named["aim"].pop("policy") == "most-points"
    assert of_file["best"] == named["best"]
    text = printed(run, "solve", "yatzy-forced", "--field", "9")
    assert "at most 10.000" in " ".join(text.split())
    text = printed(run, "simulate", "yatzy-forced", "--games", "200", "--field", "9:field:9")
    assert "% of the games; exact chance 10.000" in text
    for words in (
        ["hold", "33456", "--field", "10", "--ties", "half"],
        ["hold", "33456", "--places", "2"],
        ["hold", "33456", "--field", "10", "--goal", "250"],
        ["simulate", "yatzy", "--field", "10", "--policy", "level:3"],
        ["solve", "yatzy", "--field", "9", "--two-players"],
    ):
        assert run(*words).returncode != 0


@pytest.mark.parametrize("opponents", [10, 1_000, 100_000])
def test_the_figures_of_options_add_up_as_printed(
    run: Run, forced: Strategy, opponents: int
) -> None:
    del forced
    rules = "--rules", "yatzy-forced", "--card", "ones=3 twos=6 threes=9"
    text = printed(run, "score", "13355", *rules, "--field", str(opponents))
    text += printed(run, "hold", "13355", *rules, "--field", str(opponents), "--all")
    rows = re.findall(r"(\d\S*) % +<?(\d\S*) % ", text)
    assert len(rows) > 10
    best = float(rows[1][0])
    assert best > 0
    for chance, loss in rows[1:]:
        shown = len(chance.partition(".")[2])
        assert float(chance) == pytest.approx(best - float(loss), abs=1.01 * 10**-shown)
    assert len({chance for chance, _loss in rows}) > 5


def test_the_figures_of_the_readme(forced: Strategy) -> None:
    text = (Path(perfect_yatzy.__file__).parent / "field" / "README.md").read_text(encoding="utf-8")
    service = QueryService()
    rows = [line.split("|")[1:4] for line in text.splitlines() if line.count("|") == 4][2:]
    assert len(rows) == 4
    for number, best, fair in rows:
        opponents = int(number.replace(",", ""))
        request = {"query": "expect", "rules": "yatzy-forced", "field": opponents, "spread": False}
        answer = service.answer(request)
        for printed_text, value in (
            (best, answer["chance"]),
            (fair, answer["chance_by_mean_play"]),
        ):
            shown = printed_text.replace("%", "").strip()
            digits = len(shown.partition(".")[2])
            assert float(shown) == pytest.approx(100 * value, abs=0.51 * 10**-digits)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["yahtzee", "kniffel", "yahtzee-plain", "yatzy"])
def test_the_best_chance_in_fair_shares_is_that_of_the_readme(game: str) -> None:
    text = (Path(perfect_yatzy.__file__).parent / "field" / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z-]+)`: .+ \| (\d\.\d\d) \|$", text, re.MULTILINE))
    assert len(rows) == 4
    request = {"query": "expect", "rules": game, "field": 9999, "spread": False}
    answer = QueryService().answer(request)
    assert f"{answer['chance'] / answer['chance_by_mean_play']:.2f}" == rows[game]

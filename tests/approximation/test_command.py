"""`yatzy solve --approximate` and every command after it: a sheet of one's own that is too large
for an exact table.
"""

import json
import re
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import perfect_yatzy
import pytest
from perfect_yatzy import ApproximateStrategy, RulesError, Strategy, TableError
from perfect_yatzy.approximation import solve as pipeline
from perfect_yatzy.approximation.fitted_file import fitted_path, has_fitted
from perfect_yatzy.approximation.opening import open_approximate, open_strategy
from perfect_yatzy.approximation.solve import verify_approximate
from perfect_yatzy.cli.views.strategy_tables import STRATEGY_TABLES, as_json, html, markdown
from perfect_yatzy.play.record import read_games
from perfect_yatzy.play.review import review
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.settings import Settings
from perfect_yatzy.tablebase.store import leftovers, matching, stored
from perfect_yatzy.words import language_scope
from support import games
from support.command import Run, printed
from support.flips import flip
from support.human import check_play, human
from support.refusals import refused
from support.rule_files import six_columns, two_dice_sheet
from support.seeds import ring_2

CLUB = Path(__file__).parent.parent / "data" / "club-sheet.toml"
SIMULATE = "simulate", "--games", "200"
SMALL = {"games": 200, "fit_games": 40, "rounds": 1, "work": 0.02, "memory": 1 << 24}
# Sheets for two dice: 25 boxes, too many for a table like the club's but quickly fitted; and 66 in
# six columns.
SHEETS: dict[str, tuple[str, dict[str, Any]]] = {
    "twin": (two_dice_sheet("twin", bonus=(20, 10)), SMALL),
    "six": (
        six_columns(faces=4, sums=7),
        {"games": 40, "fit_games": 20, "rounds": 1, "work": 1e-4, "memory": 1 << 24},
    ),
}
BOTH = pytest.mark.parametrize("strategy", ["twin", ring_2("six")], indirect=True)


@pytest.fixture(scope="module")
def strategy(
    request: pytest.FixtureRequest, store: Path, tmp_path_factory: pytest.TempPathFactory
) -> ApproximateStrategy:
    name = getattr(request, "param", "twin")
    path = tmp_path_factory.mktemp("sheet") / f"{name}.toml"
    path.write_text(SHEETS[name][0])
    return perfect_yatzy.approximate(str(path), **SHEETS[name][1])


@pytest.fixture
def sheet(strategy: ApproximateStrategy) -> str:
    return strategy.rules.origin


@pytest.mark.full
def test_the_strategy_of_a_large_game_is_opened_and_listed(
    strategy: ApproximateStrategy, sheet: str
) -> None:
    found = open_strategy(sheet)
    assert isinstance(found, ApproximateStrategy)
    assert (found.certificate, found.value()) == (strategy.certificate, strategy.value())
    known = found.certificate
    assert known.interval99[0] <= known.mean <= known.interval99[1] <= known.upper_bound
    assert (known.games, known.seed, known.iterations) == (200, 1, 1)
    assert known.start_value == pytest.approx(found.value())
    assert [entry.name for entry in matching(stored(), "twin")] == [
        fitted_path(strategy.rules).stem
    ]


def test_strategy_tables_say_that_they_are_approximate(strategy: ApproximateStrategy) -> None:
    table = STRATEGY_TABLES["scoring"](strategy)
    sentence = strategy.certificate.sentence
    assert f"\n\nApproximate: {sentence}\n\n" in markdown(table)
    assert f"<p>Approximate: {escape(sentence)}</p>" in html(table)
    assert json.loads(as_json(table))["approximate"] == strategy.certificate.summary()


@pytest.mark.full
def test_an_interrupted_solution_resumes_after_its_last_stage(
    strategy: ApproximateStrategy, sheet: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(stage: str, done: float, known: object) -> None:
        if stage == "simulation":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        perfect_yatzy.approximate(sheet, tmp_path, report=interrupt, **SMALL)  # type: ignore[arg-type]
    assert not has_fitted(strategy.rules, tmp_path)
    assert [entry.finished for entry in stored(tmp_path)] == [False]

    monkeypatch.setattr(pipeline, "fit_values", None)  # the fit was stored
    resumed = perfect_yatzy.approximate(sheet, tmp_path, **SMALL)  # type: ignore[arg-type]
    assert resumed.certificate.mean == strategy.certificate.mean
    assert [entry.objective for entry in stored(tmp_path)] == ["approximate-mean"]
    assert leftovers(tmp_path) == []


def test_wrong_settings_and_damage_are_refused(
    strategy: ApproximateStrategy, sheet: str, tmp_path: Path
) -> None:
    for setting in (
        {"games": 1},
        {"rounds": 0},
        {"minutes": 0},
        {"work": -1},
        {"half_width": -1.0},
        {"seed": -1},
    ):
        refused(".", perfect_yatzy.approximate, sheet, tmp_path, **setting)
    source, target = fitted_path(strategy.rules), fitted_path(strategy.rules, tmp_path)
    refused("no approximate strategy", open_approximate, strategy.rules, tmp_path, error=TableError)
    target.with_suffix(".json").write_bytes(source.with_suffix(".json").read_bytes())
    target.write_bytes(source.read_bytes())
    flip(target, 4 * target.stat().st_size)
    assert (
        refused("altered", open_approximate, strategy.rules, tmp_path, error=TableError).code
        == "table-damaged"
    )


def test_without_the_strategy_the_error_says_what_to_run(sheet: str, tmp_path: Path) -> None:
    asked = {"query": "hold", "rules": sheet, "dice": "33"}
    for ask in (
        lambda: open_strategy(sheet, tmp_path),
        lambda: QueryService(tmp_path).answer(asked),
    ):
        refused(r"yatzy solve .*twin.toml --approximate", ask, error=RulesError)


def test_simulated_games_and_a_review(strategy: ApproximateStrategy) -> None:
    played = perfect_yatzy.simulate(strategy, 300, seed=9)
    error = played.standard_error + strategy.certificate.half_width
    assert abs(played.mean - strategy.certificate.mean) < 5 * error
    assert (
        perfect_yatzy.simulate(strategy, 50, seed=9).final_scores == played.final_scores[:50]
    ).all()
    late = perfect_yatzy.simulate(strategy, 40, start="face-1=2 sum-7=20")
    assert late.points_before == 22
    assert (late.category_points[:, 0] == -1).all()
    found = review(strategy, human(strategy, 3))
    assert found.result == pytest.approx(found.start + found.luck - found.points_lost, abs=1e-9)


@BOTH
def test_the_commands(strategy: ApproximateStrategy, sheet: str, run: Run, tmp_path: Path) -> None:
    known = strategy.certificate
    assert known.interval99[0] <= known.mean <= known.upper_bound
    filled = {"twin": "face-1=2", "six": "face-1.c0=2 face-4.c5=24 sum-8.c3=40 sum-8.c2=0"}
    card = "--card", filled[strategy.rules.id]
    asked = [
        (*words, "--rules")
        for words in (("hold", "33"), ("score", "33"), ("expect",), ("hold", "34", *card))
    ]
    for command in (*asked, SIMULATE):
        assert f"Approximate: {known.sentence}"[:60] in printed(run, *command, sheet)
        assert json.loads(printed(run, *command, sheet, "--json"))["approximate"] == known.summary()
    checked = run("rules", "check", sheet)
    assert "too large for an exact solve" in checked.stdout
    assert "--approximate" in checked.stdout
    assert "approximate-mean" in run("tables").stdout
    assert "Approximate: " in run("table", sheet).stdout
    printed(run, "tables", "--verify", sheet, "--games", "200")
    check_play(run, sheet, tmp_path)
    said = f"{strategy.rules.id} has an approximate strategy: "
    assert run("solve", sheet, "--approximate").stdout.startswith(said)


@pytest.mark.parametrize("off", [0, -40, 40])
def test_other_games_do_not_verify(
    strategy: ApproximateStrategy, monkeypatch: pytest.MonkeyPatch, off: int
) -> None:
    played = perfect_yatzy.simulate(strategy, 50, seed=9)
    moved = replace(played, final_scores=played.final_scores + off)
    monkeypatch.setattr(
        "perfect_yatzy.approximation.solve.simulate", lambda *args, **options: moved
    )
    found = {
        check.name: check.passed
        for check in verify_approximate(Settings(), strategy.rules, games=50)
    }
    assert found == {"file": True, "bound": True, "simulation": not off}


def test_a_cached_certificate_is_told_in_the_language_of_each_question(
    strategy: Strategy, sheet: str
) -> None:
    service, told = QueryService(), []
    for code in ("en", "sv", "en"):
        with language_scope(code):
            told.append(
                service.answer({"query": "expect", "rules": sheet, "spread": False})["approximate"][
                    "text"
                ]
            )
    assert told[0].startswith("the strategy scores ")
    assert told[1].startswith("strategin ger ")
    assert told[2] == told[0]


@BOTH
def test_a_record_is_reviewed(
    strategy: ApproximateStrategy, sheet: str, run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text(json.dumps(human(strategy, 4).to_json()) + "\n")
    assert len(read_games(str(file))) == 1
    shown = printed(run, "review", str(file))
    assert "Result" in shown
    assert "Approximate: " in shown
    assert "approximate" in json.loads(run("review", str(file), "--json").stdout)


@BOTH
@pytest.mark.parametrize(
    "args",
    [
        ("hold", "33", "--goal", "300", "--rules"),
        ("guide",),
        ("learn",),
        ("evaluate", "perfect", "--rules"),
        ("simulate", "--positions", "9", "-o", "p.csv"),
        ("simulate", "--policy", "goal:300"),
        ("solve",),
        ("solve", "--shards"),
        ("solve", "--what", "distribution"),
    ],
)
def test_what_needs_a_table_says_so(
    args: list[str], strategy: Strategy, sheet: str, run: Run
) -> None:
    answer = run(*args, sheet)
    assert answer.returncode in (1, 2)
    assert "Traceback" not in answer.stderr
    too_many = strategy.rules.id == "twin" and "can be solved" in answer.stderr
    assert "approximate" in answer.stderr or too_many, answer.stderr


def test_each_check_of_a_solved_game_says_what_it_compared(tmp_path: Path) -> None:
    rules = games.saved_rolls_game("free", saved_rolls=False)
    exact = perfect_yatzy.open_strategy(rules, tmp_path).value()
    known = perfect_yatzy.approximate(rules, tmp_path, **SMALL).certificate
    checks = [*verify_approximate(Settings(tmp_path), rules, games=50)]
    assert [check.name for check in checks] == ["file", "bound", "exact", "simulation"]
    assert [check.name for check in checks if not check.passed] == [], checks
    found = [re.findall(r"-?\d+\.\d{4,}", check.detail) for check in checks[1:]]
    low, high = known.interval99
    assert found[0] == [f"{figure:.4f}" for figure in (known.mean, low, high, known.upper_bound)]
    assert found[1] == [f"{exact:.10f}"]
    assert found[2][1] == f"{known.mean:.4f}"


@pytest.mark.full
def test_strategy_and_bound_of_a_solved_game(yatzy: Strategy, tmp_path: Path) -> None:
    settings = {"games": 500, "fit_games": 200, "rounds": 2, "work": 0.15, "memory": 1 << 24}
    found = perfect_yatzy.approximate("yatzy", tmp_path, **settings).certificate  # type: ignore[arg-type]
    assert found.interval99[0] <= yatzy.value() <= found.upper_bound
    assert found.mean > 0.99 * yatzy.value()
    assert all(
        check.passed for check in verify_approximate(Settings(tmp_path), yatzy.rules, games=200)
    )


@pytest.mark.slow
def test_the_club_sheet_of_40_boxes(store: Path, run: Run, tmp_path: Path) -> None:
    found = perfect_yatzy.approximate(CLUB, work=1.5).certificate
    assert 1000 < found.interval99[0] <= found.mean <= found.upper_bound
    assert found.half_width < 1
    assert "no strategy scores more than" in " ".join(
        run("solve", str(CLUB), "--approximate").stdout.split()
    )
    assert "Approximate: " in run("hold", "334566", "--rules", str(CLUB)).stdout
    check_play(run, str(CLUB), tmp_path)

"""Records and reviews: the identity of luck and errors, the outlook of actions, rejected records."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import perfect_yatzy
import pytest
from perfect_yatzy import Choice, Hold, Scorecard, StateError, Strategy, distribution, rate
from perfect_yatzy.cli.views.review import grade_word, review_lines, signed
from perfect_yatzy.game.rule_loader import builtin_ids, load_rules, rules_from_json, rules_to_json
from perfect_yatzy.game.translations import localized
from perfect_yatzy.model.objectives import BonusChance
from perfect_yatzy.play.record import Game, check_writable, read_game, read_games, write_games
from perfect_yatzy.play.review import Review, action_outlook, outcomes_of_hold, review
from perfect_yatzy.service.reviews import review_json
from perfect_yatzy.strategy.simulation import simulate
from perfect_yatzy.tablebase.backward_induction import solve_objective
from support.command import Run, printed, refusal
from support.human import human, replay
from support.refusals import load_text, refused
from support.seeds import FULL

MANY = {"yatzy": 300, "yahtzee": 200, "yahtzee-free-joker": 150, "generala": 150, "yatzy-saved": 200}


@pytest.mark.parametrize(
    ("key", "games"),
    [
        ("yatzy", 5), ("yahtzee", 5), ("generala", 3), ("yatzy-forced", 3), ("maxi-forced", 2),
        pytest.param("yatzy-saved", 3, marks=FULL),
        *(pytest.param(key, games, marks=pytest.mark.slow) for key, games in MANY.items()),
    ],
)  # fmt: skip
def test_result_is_start_plus_luck_minus_errors(key: str, games: int) -> None:
    strategy = perfect_yatzy.open_strategy(key)
    for seed in range(games):
        errs = seed % 5 < 4  # every fifth is a simulated game
        played = human(strategy, seed) if errs else replay(strategy, 5, seed)
        game = read_game(json.loads(json.dumps(played.to_json())))
        found = review(strategy, game)
        assert found.finished
        assert found.result == game.card(0).score
        assert found.result == pytest.approx(found.start + found.luck - found.points_lost, abs=1e-9)
        assert found.points_lost > 0 if errs else found.points_lost < 1e-6
        assert all(d.loss >= 0 for d in found.decisions)
        assert found.counts().keys() == {"best", "tied", "inaccuracy", "mistake", "blunder"}
        assert sum(found.counts().values()) == len(found.decisions)
        check_decisions(strategy, game, found)


def check_decisions(strategy: Strategy, game: Game, found: Review) -> None:
    """One decision per roll, with the action that was played and the loss that single queries give."""
    played = iter(found.decisions)
    for card, turn in game.cards(0):
        for i, dice in enumerate(turn.dice_history):
            decision, left = next(played), strategy.max_rerolls(card.state) - i
            assert (decision.roll, decision.dice, decision.rolls_left) == (i + 1, dice, left)
            choices = strategy.categories(card, dice, left)
            holds = strategy.holds(card, dice, left) if left else []
            best = max(action.value for action in (*choices, *holds))
            if i < len(turn.holds):
                assert isinstance(decision.done, Hold)
                assert decision.done.dice == turn.holds[i]
                value_done = next(hold.value for hold in holds if hold.dice == turn.holds[i])
            else:
                assert isinstance(decision.done, Choice)
                assert (decision.done.category, decision.done.points) == (turn.category, turn.points)
                value_done = next(choice.value for choice in choices if choice.category == turn.category)
            assert decision.loss == pytest.approx(best - value_done, abs=2e-9)
            assert decision.best.loss == 0
            assert not isinstance(decision.best, Hold) or decision.best.category is None
    assert next(played, None) is None


def test_a_category_with_rerolls_left_is_one_decision(yatzy: Strategy) -> None:
    turn = {"player": 0, "rolls": [[3, 3, 4, 5, 6]], "holds": [], "category": "chance", "points": 21}
    game = read_game(GOOD | {"turns": [turn]})
    found = review(yatzy, game)
    (decision,) = found.decisions
    loss = yatzy.holds("", "33456")[0].value - (21 + yatzy.value("chance=21"))
    assert found.points_lost == pytest.approx(loss, abs=1e-9)
    assert not found.finished  # the result is the expected score
    assert found.result == pytest.approx(found.start + found.luck - found.points_lost, abs=1e-9)
    outlook = action_outlook(yatzy, decision, decision.done)
    text = "\n".join(review_lines(game.rules, found, [(decision, outlook, outlook)]))
    assert "Turn 1, roll 1, 3 3 4 5 6: Chance for 21 (blunder, lost " in text
    assert "best: hold 3 3" in text
    assert "all dice" not in text
    (entry,) = review_json(found)["decisions"]
    assert entry["done"].items() >= {"category": "chance", "points": 21, "bonus_points": 0}.items()
    assert entry["best"].items() >= {"hold": [3, 3], "category": None}.items()


def test_words_of_the_identity() -> None:
    assert [signed(0.759), signed(-0.759), signed(-0.001), signed(0.0)] == ["+ 0.76", "- 0.76", "+ 0.00", "+ 0.00"]
    words = ("best", "tied", "inaccuracy", "mistake", "blunder")
    assert [grade_word(name, 1) for name in words] == [*words]
    assert [grade_word(name, 2) for name in words] == ["best", "tied", "inaccuracies", "mistakes", "blunders"]


def test_the_outlook_of_an_action_adds_up_to_its_value(forced: Strategy) -> None:
    chances = solve_objective(BonusChance(forced.rules, forced.values))

    def bonus(state: perfect_yatzy.State) -> float:
        return float(chances[forced.space.index(state)])

    assert bonus(perfect_yatzy.State()) == pytest.approx(distribution(forced).upper_bonus_chance, abs=1e-9)
    for decision in sorted(review(forced, human(forced, 3)).decisions, key=lambda d: -d.loss)[:6]:
        open_boxes = {c.id for i, c in enumerate(forced.rules.categories) if i not in decision.card.points}
        for action in (decision.done, decision.best):
            what = action_outlook(forced, decision, action, bonus)
            assert what.turn_points + what.later_points == pytest.approx(action.value, abs=1e-9)
            assert sum(chance for _, chance, _ in what.categories) == pytest.approx(1)
            assert what.upper_bonus_chance is not None
            assert -1e-9 <= what.upper_bonus_chance <= 1 + 1e-9
            assert {c for c, _, _ in what.categories} <= open_boxes
    saved = perfect_yatzy.open_strategy("maxi-forced")  # stopping early saves rolls
    stops = [d for d in review(saved, human(saved, 1)).decisions if d.rolls_left and isinstance(d.done, Choice)]
    assert stops
    for decision in stops:
        what = action_outlook(saved, decision, decision.done)
        assert what.turn_points + what.later_points == pytest.approx(decision.done.value, abs=1e-9)


@pytest.mark.parametrize("key", ["yahtzee", pytest.param("yatzy-saved", marks=FULL), "generala"])
def test_outcomes_of_a_hold_have_its_value_as_mean(key: str) -> None:
    strategy = perfect_yatzy.open_strategy(key)
    card = Scorecard(strategy.rules, {strategy.rules.joker_index: 50} if key == "yahtzee" else {})
    dice = (3, 3, 3, 5, 6)
    for left in range(1, strategy.max_rerolls(card.state) + 1):
        for hold in strategy.holds(card, dice, left)[:4]:
            if hold.category is None:
                ends = outcomes_of_hold(strategy.evaluator, card.state, hold.dice, left)
                later = [strategy.value(e.next_state(strategy.evaluator, card.state)) for e in ends]
                means = [e.chance * (e.points + e.bonus_points + v) for e, v in zip(ends, later, strict=True)]
                assert sum(means) == pytest.approx(hold.value, abs=1e-9)


GOOD = {
    "schema": 1, "rules": "yatzy", "players": ["Ann"], "note": "kept",
    "turns": [{"player": 0, "rolls": [[1, 3, 3, 4, 6], [3, 3, 3, 5, 6]], "holds": [[3, 3]],
               "category": "threes", "points": 9}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 3}, "the schema is 3, not 1 or 2"),
        ({"rules": "yatzi"}, "unknown rules 'yatzi'; did you mean yatzy?"),
        ({"rules": 3}, "rules is 3; must be text"),
        ({"rules": {"id": "x", "dice": "5"}}, "rules: dice: is '5'; must be a whole number"),
        ({"rules": {"active": 3}}, "rules: active: must be a list"),
        (
            {"rules": "mine.toml+two"},
            "rules is 'mine.toml+two'; must be built-in rules, or the rules themselves: files are not opened",
        ),
        ({"players": ["\ud800"]}, "'\\ud800' is not a valid player name"),
        ({"players": ["Ann\x1b[2J"]}, "'Ann\\x1b[2J' is not a valid player name"),
        ({"players": []}, "players is empty"),
        ({"turns": {}}, "turns is {}; must be a list"),
        ({"turns": [{}]}, "turn 1: player is null; must be a whole number"),
        ({"category": "sevens"}, "turn 1: unknown category 'sevens'"),
        ({"points": 12}, "turn 1: threes for 12; 3 3 3 5 6 pays 9"),
        ({"player": 1}, "turn 1: player is 1; there are 1"),
        ({"holds": [[3, 4]]}, "turn 1: 3 4 was held, which is not within 3 3 3 5 6"),
        ({"holds": []}, "turn 1: 0 holds between 2 rolls"),
        ({"holds": [[1, 3, 3, 4, 6]]}, "turn 1: all dice were held and none rerolled"),
        ({"rolls": [[1, 3, 3, 4]], "holds": []}, "turn 1: '1 3 3 4' is 4 dice; yatzy has 5"),
        ({"rolls": []}, "turn 1: 0 rolls; a turn from here has 1 to 3"),
        ({"rolls": "12345"}, "turn 1: rolls is '12345'; must be a list"),
        ({"rolls": [["1"]]}, "turn 1: rolls must be lists of faces"),
    ],
)
def test_wrong_records_are_rejected_with_the_reason(change: dict[str, object], message: str) -> None:
    raw = json.loads(json.dumps(GOOD))
    for name, value in change.items():
        (raw if name in raw else raw["turns"][0])[name] = value
    refused(f"^{re.escape(message)}", read_game, raw, error=(StateError, perfect_yatzy.RulesError))


def test_bonus_points_of_schema_1_are_read(tmp_path: Path) -> None:
    """They were called `beside`: 100 for a second Yahtzee, which as a joker goes to the matching upper box."""
    turns = [
        {"player": 0, "rolls": [[5] * 5], "holds": [], "category": "yahtzee", "points": 50},
        {"player": 0, "rolls": [[4] * 5], "holds": [], "category": "fours", "points": 20, "beside": 100},
    ]
    game = read_game({"schema": 1, "rules": "yahtzee", "players": ["Ann"], "turns": turns})
    assert [turn.bonus_points for turn in game.turns] == [0, 100]
    assert game.card(0).total == 170
    written = game.to_json()
    assert (written["schema"], written["turns"][1]["bonus_points"]) == (2, 100)
    assert "beside" not in written["turns"][1]
    assert read_game(written) == game
    (skipped,) = rate(game).skipped
    assert skipped.fault == "unfinished"
    taken = {turn["category"] for turn in turns}
    boxes = [{name: turn[name] for name in turn if name not in ("rolls", "holds")} for turn in turns]
    boxes += [{"category": c.id, "points": 0} for c in game.rules.categories if c.id not in taken]
    record = tmp_path / "boxes.jsonl"
    record.write_text(json.dumps({"schema": 1, "rules": "yahtzee", "players": ["Ann"], "turns": boxes}))
    assert rate(record).results_only["yahtzee", "Ann"].tolist() == [170]


def test_records_are_written_and_read(yatzy: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    games = [read_game(GOOD), replay(yatzy, 1, 0)]
    write_games(path, games[:1])
    write_games(path, games[1:])
    assert read_games(path) == games
    assert games[0].extra == {"note": "kept"}
    path.write_text(path.read_text().rstrip())  # an editor may remove the last line break
    write_games(path, games[:1])
    assert read_games(path) == [*games, games[0]]
    path.write_text(json.dumps(GOOD | {"note": "\u2028"}, ensure_ascii=False) + "\r\n")
    assert read_games(path)[0].extra == {"note": "\u2028"}
    refused("is not a valid player name", read_game, GOOD | {"players": ["Ann\u2028"], "note": "\x85"})
    none = r"contains no games|is not a record of games \(JSON Lines"
    for text, message in (
        ('id = "one"\n', none), ("", none), ("[" * 10**5, none), ("\x00", none),
        ('{"schema": 1, "actions": []}', "this is an unfinished game saved by `yatzy play`"),
        (json.dumps(GOOD) + "\n{\n", r"games.jsonl:2: "), ("\n", "contains no games"),
    ):  # fmt: skip
        path.write_text(text)
        refused(message, read_games, path)
    refused("cannot read", read_games, tmp_path / "none.jsonl")


def test_a_failed_write_leaves_the_record_unchanged(yatzy: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write_games(path, [read_game(GOOD)])
    before = path.read_bytes()

    def games() -> Iterator[Game]:
        yield from [read_game(GOOD)] * 100
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_games(path, games())
    assert path.read_bytes() == before
    check_writable(path)
    check_writable(tmp_path / "other")
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.jsonl"]
    with pytest.raises(OSError, match="No such file"):
        check_writable(tmp_path / "none" / "games.jsonl")


OWN = """
extends = "yatzy-forced"
first_roll_bonus = { full-house = 7 }
joker = { category = "ones", bonus = 3, mode = "none" }
bonus = { points = 36 }
categories.full-house.name = "Fat House"
switches.two = { summary = "two rolls", rolls = 2 }
"""


def test_a_record_needs_no_other_file(run: Run, tmp_path: Path) -> None:
    file, path = tmp_path / "own.toml", tmp_path / "sent" / "games.jsonl"
    path.parent.mkdir()
    for rules in (load_text(tmp_path, OWN), load_text(tmp_path, OWN, switches="+two")):
        game = human(perfect_yatzy.open_strategy(rules), 1)
        write_games(path, [game])
        again = read_games(path)[-1]
        assert (again.rules.fingerprint, again.rules.key, again.turns) == (rules.fingerprint, rules.key, game.turns)
        assert again.rules.categories == rules.categories
        assert rules_to_json(again.rules) == rules_to_json(rules)
    file.unlink()
    found = printed(run, "review", str(path), "--game", "2", "--from", "0")
    assert found.startswith("Ann: ")
    assert "Fat House" in found


@pytest.mark.parametrize("key", builtin_ids())
def test_rules_are_written_as_a_name_or_as_an_object(key: str) -> None:
    rules = load_rules(key)
    assert rules_to_json(rules) == rules_to_json(localized(rules, "sv")) == key
    # Not built-in rules, although they have the id of some.
    other = replace(rules, rolls_per_turn=rules.rolls_per_turn % 10 + 1)
    again = rules_from_json(json.loads(json.dumps(rules_to_json(other))))
    assert (again.canonical(), again.categories) == (other.canonical(), other.categories)


def test_the_command_reviews(run: Run, forced: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write_games(path, [human(forced, 3)])
    found = printed(run, "review", str(path))
    assert found.startswith("Ann: ")
    assert "upper bonus" in found
    assert "points this turn" in found
    assert max(map(len, found.splitlines())) <= 80
    answer = json.loads(run("review", str(path), "--json", "--player", "ann").stdout)["reviews"][0]
    assert answer["result"] == pytest.approx(answer["start"] + answer["luck"] - answer["points_lost"])
    for option, message in (("--player=Cy", "no player 'Cy'"), ("--game=3", "has one game; there is no game 3")):
        assert message in refusal(run, "review", str(path), option)


def test_simulate_writes_records(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    printed(run, "simulate", "-n", "3", "--seed", "8", "-o", str(path))
    assert [g.card(0).score for g in read_games(path)] == simulate(yatzy, 3, seed=8).final_scores.tolist()
    wrong = run("simulate", "-n", "100001", "-o", str(path), "--force")
    assert "at most 100,000 games, from the empty card" in wrong.stderr


def test_review_rejects_wrong_arguments(yatzy: Strategy) -> None:
    game, other = replay(yatzy, 1, 0), perfect_yatzy.open_strategy("generala")
    for strategy, player, message in (
        (game, 0, "strategy is .*; must be one of perfect_yatzy.open_strategy, reach or maximise"),
        ("yatzy", 0, "strategy is 'yatzy'; must be"),
        (other, 0, "the game was played by yatzy, but the strategy is for generala"),
        (yatzy, 1, "player is 1; must be 0 to 0"),
        (yatzy, -1, "player is -1; must be 0 to 0"),
        (yatzy, "Ann", "player is 'Ann'; must be a whole number"),
    ):
        refused(message, review, strategy, game, player)

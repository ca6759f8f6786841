"""Modules of the page under node: the state and its history, the course of a game, links, words, questions, training."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

import pytest
from perfect_yatzy.game import translations
from perfect_yatzy.model import turn_model
from perfect_yatzy.play import puzzle
from perfect_yatzy.play import review as reviews
from perfect_yatzy.service import answers as service_answers
from perfect_yatzy.service import reviews as service_reviews
from perfect_yatzy.strategy import score_strategy
from perfect_yatzy.web.site import folder as site_folder
from perfect_yatzy.web.site import rule_data
from support.page_modules import STATIC, run
from support.seeds import seeds

# --- constants that both languages have ---


def constant(module: str, name: str) -> str:
    """The text of a constant of a module of the page."""
    found = re.search(rf"\b{name} = (.+?)(?:;|, [A-Z_]+ =)", (STATIC / f"{module}.js").read_text())
    assert found is not None, f"{module}.js has no {name}"
    return found[1]


CONSTANTS = {  # on the page: in Python, where service/test_constants.py has the numbers
    "grades LIMITS": reviews.GRADES, "engine/review GRADES": reviews.GRADES, "game CLEAR_LOSS": reviews.GRADES[0][0],
    "game BLUNDER": reviews.GRADES[1][0],
    "grades TIE": reviews.TIE_TOLERANCE, "engine/review TIE_TOLERANCE": reviews.TIE_TOLERANCE,
    "engine/review MIN_EXPLAINED_LOSS": service_reviews.MIN_EXPLAINED_LOSS,
    "engine/answers EXPLAINED": service_reviews.EXPLAINED_OPTIONS, "link MAX_POINTS": score_strategy.MAX_GOAL,
    "engine/outlook PERCENTILES": service_answers.PERCENTILES, "engine/files SCHEMA": site_folder.SCHEMA,
    "puzzle PUZZLES_A_DAY": puzzle.PUZZLES_A_DAY, "engine/worker PUZZLES_A_DAY": puzzle.PUZZLES_A_DAY,
    "puzzle DIFFICULTIES": [*puzzle.DIFFICULTIES], "engine/worker DIFFICULTIES": [*puzzle.DIFFICULTIES],
    "puzzle DAY_1970": date(1970, 1, 1).toordinal(), "engine/worker UNIX_EPOCH": date(1970, 1, 1).toordinal(),
    "engine/game IN_FULL": turn_model.IN_FULL, "engine/game WITH_BONUS": turn_model.WITH_BONUS,
    "engine/game ON_FIRST_ROLL": turn_model.ON_FIRST_ROLL, "engine/game UNMET": turn_model.UNMET,
}  # fmt: skip


def test_python_and_the_page_have_the_same_constants() -> None:
    found = {place: json.loads(constant(*place.split()).replace("_", "")) for place in CONSTANTS}
    assert found == json.loads(json.dumps(CONSTANTS))
    assert reviews.GRADES == ((0.4, "inaccuracy"), (1.7, "mistake"))
    ways = (turn_model.IN_FULL, turn_model.WITH_BONUS, turn_model.ON_FIRST_ROLL, turn_model.UNMET)
    assert (*ways, rule_data.MAX_CATEGORIES, date(1970, 1, 1).toordinal()) == (1, 2, 4, 8, 30, 719_163)
    known = re.findall(r"\b([a-z]{2}): \"", constant("i18n", "LANGUAGES"))
    assert set(known) == set(translations.languages()) == {"en", "da", "de", "fi", "nb", "sv"}


def test_every_module_is_loaded_with_the_page() -> None:
    """A browser asks for all that the first roll needs at once, not wave by wave."""
    known, waiting = {"server"}, ["app", "server"]
    while waiting:
        text = (STATIC / f"{waiting.pop()}.js").read_text()
        found = set(re.findall(r'^import (?:.* from )?"\./([\w-]+)\.js";$', text, re.MULTILINE)) - known
        known |= found
        waiting += found
    listed = re.findall(r'<link rel="modulepreload" href="([\w-]+)\.js">', (STATIC / "index.html").read_text())
    assert sorted(listed) == sorted(known)


def test_grades_are_those_of_python_at_their_limits() -> None:
    losses = [0, 9e-7, 1.1e-6, 0.39999, 0.4, 1.69999, 1.7, 30]
    found = run(
        f"const page = await load('grades'), {{ grade }} = await load('engine/review'), losses = {losses};"
        """return {
          page: losses.map((loss) => page.gradeOf(loss)), engine: losses.map((loss) => grade(loss, true)),
          other: [page.gradeOf(0, false), grade(0, false)], hint: page.gradesHint(),
          texts: [0, 0.001, 0.004999, 0.005, 0.62].map((loss) => page.pointsText(loss)),
          bars: [0, 1.25, 5, 50].map(page.barShare), mistakes: page.GRADES.filter(page.isMistake),
        };"""
    )
    expected = ["best", "best", *2 * ["inaccuracy"], *2 * ["mistake"], *2 * ["blunder"]]
    assert found["page"] == found["engine"] == expected
    assert [reviews.grade(loss, True) for loss in losses] == expected
    assert found["other"] == [reviews.grade(0, False)] * 2 == ["tied"] * 2
    assert found["hint"] == "An inaccuracy loses less than 0.4 points, a mistake less than 1.7, a blunder more."
    assert found["texts"] == ["0.00", "<0.01", "<0.01", "0.01", "0.62"]
    assert found["bars"] == [0, 0.5, 1, 1]
    assert found["mistakes"] == ["mistake", "blunder"]


# --- the state and the course of a game ---


def test_undo_redo_and_what_a_change_does_to_them() -> None:
    found = run(
        """
        const log = [], note = () => log.push([s().goal, ...state.undoAndRedoAvailable()]), set = (goal) => state.change((t) => { t.goal = goal; });
        note(); set("1"); set("2"); note(); state.undo(); note(); state.redo(); note(); state.undo(); set("3"); note(); state.redo(); note();
        state.undo(); state.undo(); note();
        for (let i = 0; i < 501; i++) set(String(i));
        let steps = 0;
        while (state.undoAndRedoAvailable()[0]) { state.undo(); steps++; }
        return { log, steps, first: s().goal };
        """,
        "yatzy",
    )
    assert found["log"] == [
        ["", False, False], ["2", True, False], ["1", True, True], ["2", True, False], ["3", True, False],
        ["3", True, False], ["", False, True],
    ]  # fmt: skip
    assert (found["steps"], found["first"]) == (500, "0")  # the oldest step is forgotten


def test_a_change_stores_one_step_and_everything_is_restored() -> None:
    found = run(
        """
        const written = [], setItem = localStorage.setItem;
        localStorage.setItem = function (key, value) { written.push(key.split(":")[2] + (key.endsWith("head") ? "" : ` ${JSON.parse(value).goal}`)); setItem.call(this, key, value); };
        state.change((t) => { t.goal = "7"; t.objective = "goal"; });
        state.change((t) => { t.players[0].card = { ones: 3 }; t.dice = [1, 2]; t.left = 1; });
        for (let i = 0; i < 80; i++) state.change((t) => { t.goal = String(100 + i); });
        state.undo();
        const { openGame, writeGame } = await load("storage"), link = location.hash, kept = await openGame(link), other = await openGame("#rules=crag");
        writeGame({ link: "#rules=crag", first: 0, at: 0, count: 1 }, [[0, "{}"]]);
        return { written: [...written.slice(0, 4), written.at(-3)], link, kept: [kept.at, kept.steps.length, kept.isCopy, JSON.parse(kept.steps[kept.at]).goal, JSON.parse(kept.steps[1]).goal], other, again: (await openGame(link)).steps.length };
        """,
        "yatzy",
    )
    assert found["written"] == ["1 7", "head", "2 7", "head", "head"]  # undo writes where the history stands
    assert found["link"] == "#rules=yatzy&card=ones%3D3&dice=12&left=1&goal=178"
    assert found["kept"] == [81, 83, False, "178", "7"]
    assert (found["other"], found["again"]) == (None, 83)  # the game of another tab stays


def test_every_key_does_one_thing() -> None:
    """Digits enter dice that the rules have, Backspace and Escape remove them, Ctrl or Cmd with Z and Y undo and redo."""
    found = run(
        """
        await load("keys");
        byId("menu").hidden = true;
        const after = (key, more) => { web.press(key, more); return s().dice.join(""); };
        const typed = [..."3345"].map((key) => after(key)), rest = [["7"], ["0"], ["a"], ["z"], ["y"]].map((each) => after(...each));
        const shortcuts = [["Backspace"], ["z", { ctrlKey: true }], ["y", { ctrlKey: true }], ["z", { metaKey: true }],
          ["Z", { metaKey: true, shiftKey: true }], ["Z", { ctrlKey: true }], ["Y", { metaKey: true }], ["6", { ctrlKey: true }],
          ["6", { altKey: true }], ["6", { target: "INPUT" }], ["6", { target: "TEXTAREA" }], ["6"], ["Escape"], ["z", { ctrlKey: true }]];
        return { typed, rest, after: shortcuts.map((each) => after(...each)) };
        """,
        "yatzy",
    )
    assert found["typed"] == ["3", "33", "334", "3345"]
    assert found["rest"] == ["3345"] * 5
    undone = ["334", "3345", "334", "3345", "334", "3345", "334"]
    assert found["after"] == [*undone, "334", "334", "334", "334", "3346", "", "3346"]


def test_the_end_compares_the_score_with_perfect_play() -> None:
    """Each sentence with its number: the gap to the mean, and the games that end strictly lower."""
    found = run(
        """
        await load("end");
        const distribution = { lowest: 8, chances: [0.1, 0.2, 0.3, 0.4] };
        web.answers.expect = ({ spread }) => (spread === false ? { expected_final_score: 10 } : { expected_final_score: 10, distribution });
        const card = Object.fromEntries(game.rules?.().categories ?? RULES[0].categories.map((box) => [box.id, 0])), said = {};
        for (const points of [7, 8, 9, 10, 11, 12]) {
          state.change((each) => { each.players[0].card = { ...card, chance: points }; });
          await web.pass(0);
          said[points] = web.text("end");
        }
        state.change((each) => { delete each.players[0].card.chance; });
        return { said, hidden: byId("end").hidden };
        """,
        "yatzy",
    )
    lower = {7: 0, 8: 0, 9: 10, 10: 30, 11: 60, 12: 100}
    for points, share in lower.items():
        said = found["said"][str(points)].replace("\u00a0", " ")
        gap = f"{abs(points - 10)}.0 points {'below' if points < 10 else 'above'} the"
        assert (gap if points != 10 else "As much as") in said
        assert f"{share} % of games by perfect play end lower." in said, said
    assert found["hidden"]


def test_totals_positions_and_opponents() -> None:
    found = run(
        """
        const total = (rules, card, bonusPoints = 0, saved = 0) => {
          state.change((t) => { state.startGame(t, rules); Object.assign(t.players[0], { card, bonusPoints, saved }); });
          return state.totals();
        };
        const upper = { aces: 3, deuces: 6, treys: 9, fours: 12, fives: 15 };
        const result = {
          yatzy: [62, 63].map((sum) => total("yatzy", { sixes: sum - 45, fives: 45, chance: 5 })),
          kismet: [17, 18, 26, 33].map((sixes) => total("kismet", { ...upper, sixes }).upperBonus),
          balut: total("balut", { "fours-1": 20 }, 0).all,
          yahtzee: total("yahtzee", { yahtzee: 50 }, 100).all,
          position: [state.position(), (total("yatzy-saved", { ones: 1 }, 0, 2), state.position()), state.maxRerolls()],
        };
        total("yatzy", { ones: 3 });
        state.change((t) => { t.players.push({ ...state.newPlayer("Bo"), card: { twos: 4 } }, { ...state.newPlayer(), bonusPoints: 0 }); t.objective = "win"; t.ties = "half"; });
        result.win = state.objective();
        state.change((t) => { t.player = 1; t.players[0].card = Object.fromEntries(state.rules().categories.map(({ id }) => [id, 1])); });
        result.others = state.objective().opponents;
        state.change((t) => { t.players = [state.newPlayer()]; t.player = 0; t.opponents = "250; empty"; });
        result.typed = state.objective();
        state.change((t) => { t.objective = "goal"; t.goal = "240"; });
        result.goal = state.objective();
        state.change((t) => { t.goal = ""; });
        result.none = state.objective();
        return result;
        """,
        "yatzy", "kismet", "balut", "yahtzee", "yatzy-saved",
    )  # fmt: skip
    sums = [(each["upper"], each["upperBonus"], each["all"]) for each in found["yatzy"]]
    assert sums == [(62, 0, 67), (63, 50, 118)]
    assert found["kismet"] == [0, 35, 55, 75]
    assert (found["balut"], found["yahtzee"]) == (20, 150)
    assert found["position"] == [
        {"rules": "yahtzee", "card": {"yahtzee": 50}, "bonus_points": 100},
        {"rules": "yatzy-saved", "card": {"ones": 1}, "saved": 2},
        4,
    ]
    assert found["win"] == {"opponents": ["twos=4", "empty"], "ties": "half"}
    assert found["others"] == [15, "empty"]
    assert found["typed"] == {"opponents": "250; empty", "ties": "half"}
    assert (found["goal"], found["none"]) == ({"goal": 240}, {})


def test_dice_are_rolled_entered_held_and_corrected() -> None:
    found = run(
        """
        const shot = () => structuredClone({ dice: s().dice, held: s().held, rolls: s().rolls, holds: s().holds, left: s().left });
        const result = {};
        game.removeDie(); game.clearDice(); game.toggleHeld(0);
        result.nothing = state.undoAndRedoAvailable()[0];
        roll(3, 3, 4, 5, 6); state.undo();
        result.one_die = s().dice; state.redo();
        game.toggleHeld(1); game.toggleHeld(0); game.toggleHeld(1); result.marks = s().held;
        roll(1); result.begun = shot(); roll(2, 2, 6); result.second = shot();
        game.markHold([2, 2, 3]); game.holdAndRoll([2, 2, 3]); result.third = [shot().holds, s().dice.slice(0, 3), s().dice.length, s().left];
        game.addDie(1); result.refused = [state.currentNotice(), s().rolls.length];
        game.toggleHeld(0); result.unheld = s().held.some(Boolean);
        game.removeDie(); result.removed = [s().dice.length, s().left];
        game.removeDie(); game.removeDie(); result.kept = structuredClone([s().dice, s().held, game.canRemoveDie()]);
        roll(5, 5); game.clearDice(); result.cleared = [...s().dice];
        game.removeDie(); result.stays = [...s().dice];
        for (let i = 0; i < 7; i++) state.undo();
        result.before = shot();
        return result;
        """,
        "yatzy",
    )
    assert (found["nothing"], found["one_die"]) == (False, [3, 3, 4, 5])
    assert found["marks"] == [True, False, False, False, False]
    assert found["begun"] == {
        "dice": [3, 1], "held": [True, False], "rolls": [[3, 3, 4, 5, 6]], "holds": [[3]], "left": 1,
    }  # fmt: skip
    assert found["second"]["dice"] == [3, 1, 2, 2, 6]
    assert found["second"]["held"] == [False] * 5
    assert found["third"] == [[[3], [2, 2, 3]], [2, 2, 3], 5, 0]
    assert found["refused"] == ["No roll is left in this turn: take a box of the card first.", 2]
    assert found["unheld"] is False
    assert found["removed"] == [4, 0]
    assert found["kept"] == [[2, 2, 3], [True] * 3, False]
    assert (found["cleared"], found["stays"]) == ([2, 2, 3], [2, 2, 3])
    assert found["before"] == {
        "dice": [3, 1, 2, 2, 6], "held": [False] * 5, "rolls": [[3, 3, 4, 5, 6]], "holds": [[3]], "left": 1,
    }  # fmt: skip


def test_the_hold_before_a_roll_is_guessed_from_the_dice() -> None:
    found = run(
        """
        const losses = [{ hold: [3, 3], loss: 0 }, { hold: [3], loss: 0.399 }, { hold: [], loss: 3 }];
        const guess = (known, first, second) => {
          state.change((t) => state.startGame(t)); game.provideAdvice({ holds: () => known });
          roll(...first); roll(...second);
          return structuredClone([s().holds, s().guess, s().rolls]);
        };
        const result = [
          guess(losses, [3, 3, 4, 5, 6], [1, 3, 2, 3, 2]), guess(losses, [3, 3, 4, 5, 6], [1, 3, 2, 1, 2]),
          guess([{ hold: [1], loss: 0.4 }, { hold: [], loss: 0.7 }], [1, 6, 6, 6, 6], [1, 2, 3, 4, 5]),
          guess(losses, [3, 3, 4, 5, 6], [1, 1, 1, 2, 2]), guess([], [1, 2, 3, 4, 5], [1, 2, 3, 4, 6]),
        ];
        game.setGuessedHold([]);
        return { result, chosen: [s().holds, s().guess.isUnclear], within: [game.isWithin([1, 1], [1, 2, 1]), game.isWithin([1, 1], [1, 2])], marks: game.marksOf([1, 2, 1], [1]) };
        """,
        "yatzy",
    )
    both, one, unlikely, none, unknown = found["result"]
    assert both[0] == [[3, 3]]
    assert both[1] == {"choices": [[3, 3], [3], []], "isUnclear": False}
    assert (one[0], one[1]["choices"]) == ([[3]], [[3], []])
    assert unlikely[1] == {"choices": [[1], []], "isUnclear": True}
    assert unknown[0] == [[1, 2, 3, 4]]
    assert len(unknown[1]["choices"]) == 4
    assert (none[0], none[1], none[2]) == ([[]], None, [[3, 3, 4, 5, 6]])
    assert found["chosen"] == [[[]], False]
    assert found["within"] == [True, False]
    assert found["marks"] == [True, False, False]


@pytest.mark.parametrize(("pause", "held", "dice"), [(1499, [[3, 3]], [3, 3, 5, 4, 6]), (1500, [[3, 3], None], [4])])
def test_a_whole_roll_may_be_entered_over_dice_that_were_held(pause: int, held: list[Any], dice: list[int]) -> None:
    # Not how fast advice comes decides, but whether the player has paused: time to throw the dice again.
    found = run(
        f"""
        game.provideAdvice({{ markedHold: () => (s().rolls.length ? null : [3, 3]), holds: () => [{{ hold: [3, 3], loss: 0 }}] }});
        roll(3, 3, 4, 5, 6); await web.pass(5000); roll(3, 3, 5); await web.pass({pause});
        roll(4); if ({pause} < 1500) roll(6);
        return [s().holds, s().dice];
        """,
        "yatzy",
    )
    assert found == [held, dice]


@pytest.mark.parametrize(
    ("pause", "marked", "held", "dice"),
    [
        # Two dice rolled where one was due: the hold of three that loses least.
        (0, False, [[4, 4, 4]], [4, 4, 4, 2, 6]),
        (0, True, [[4, 4, 4, 5], None], [6]),  # the player has said that one die was rolled
        (1500, False, [[4, 4, 4, 5], None], [6]),  # time for a further roll
    ],
)
def test_one_die_too_many_means_that_fewer_were_kept(
    pause: int, marked: bool, held: list[Any], dice: list[int]
) -> None:
    found = run(
        f"""
        const holds = [[4, 4, 4, 5], [4, 4, 4], [4, 4, 5], [4, 4], []].map((hold, loss) => ({{ hold, loss }}));
        game.provideAdvice({{ markedHold: () => (s().rolls.length ? null : holds[0].hold), holds: () => holds }});
        roll(4, 4, 4, 5, 1); await web.pass(5000);
        if ({json.dumps(marked)}) game.markHold(holds[0].hold);
        roll(2); await web.pass({pause}); roll(6);
        const result = structuredClone([s().holds, s().dice, state.currentNotice(), s().guess?.choices]);
        if (s().guess) game.setGuessedHold([4, 4, 5]);
        const corrected = structuredClone([s().holds, s().dice]);
        if (s().guess) state.undo();
        const canBeTwo = game.canBeTwo();
        state.undo();
        return [...result, corrected, canBeTwo, s().dice];
        """,
        "yatzy",
    )
    assert found[:2] == [held, dice]
    assert found[-1] == [4, 4, 4, 5, 2]  # undo takes back one die
    if not (pause or marked):
        assert found[2] == "Read as one roll of 2 dice. Undo takes the last one back."
        assert found[3] == [[4, 4, 4], [4, 4, 5]]
        assert found[4] == [[[4, 4, 5]], [4, 4, 5, 2, 6]]
        assert found[5] is False  # nothing is marked to be kept next


HOLDS = [([3, 3], 0), ([3], 3.1), ([4, 5, 6], 1.2), ([], 4.0)]  # of 3 3 4 5 6, with their losses
SECOND = [([3, 3, 6], 0), ([3, 3], 0.9), ([3], 5), ([], 9)]  # of 3 3 1 2 6


@pytest.mark.parametrize(
    ("typed", "holds", "dice", "left"),
    [
        ("126", [[3, 3]], "33126", 1),
        ("1264", [[3, 3], [3, 3, 6]], "3364", 0),  # who keeps one 3 loses too much
        ("12645", [[3, 3], [3, 3, 6]], "33645", 0),
        ("33456", [[3, 3]], "33456", 1),  # all five dice, those that were kept, too
        ("12633", [[3, 3]], "12633", 1),
        ("126451", [[3, 3], [3, 3, 6]], "33645", 0),  # no roll is left
    ],
)
def test_two_rolls_typed_in_one_go(typed: str, holds: list[list[int]], dice: str, left: int) -> None:
    """Not one roll of more dice, where that would be a blunder; undo takes back one die after the other."""
    found = run(
        f"""
        const known = (all) => all.map(([hold, loss]) => ({{ hold, loss }})), first = known({json.dumps(HOLDS)}), second = known({json.dumps(SECOND)});
        const ofRoll = (...values) => (s().dice.length === 5 && s().left ? values[s().rolls.length] : null);
        game.provideAdvice({{ holds: () => ofRoll(first, second), markedHold: () => ofRoll([3, 3], [3, 3, 6]) }});
        roll(3, 3, 4, 5, 6); await web.pass(5000);
        roll(...{json.dumps([int(face) for face in typed])});
        const result = structuredClone([s().holds, s().dice.join(""), s().left, s().held.map(Number).join("")]);
        for (let i = 0; i < {min(len(typed), 5)}; i++) state.undo();
        return [result, s().dice, s().rolls];
        """,
        "yatzy",
    )
    marks = "0" * 5 if len(dice) == 5 else "1110"
    assert found == [[holds, dice, left, marks], [3, 3, 4, 5, 6], []]


def test_a_die_after_the_last_roll_takes_the_advised_box() -> None:
    """After a pause, and only where a box is advised; one step of the history."""
    found = run(
        """
        let advised = null;
        game.provideAdvice({ box: () => advised });
        const shot = () => structuredClone([s().dice, s().player, s().players.map(({ card }) => card), state.currentNotice()]), result = [];
        state.change((t) => { t.players = ["Ann", "Bo"].map(state.newPlayer); t.left = 0; t.rolls = [[1, 1, 1, 2, 2], [1, 1, 1, 2, 2]]; t.holds = [[1, 1, 1], [1, 1, 1]]; });
        roll(1, 1, 1, 1, 2); await web.pass(5000); roll(6); result.push(shot());
        advised = { category: "ones", points: 4 };
        roll(6); result.push(shot()); // in one go with the die before
        await web.pass(5000); roll(6); result.push(shot());
        state.undo(); result.push(shot());
        state.change((t) => { t.players.pop(); t.players[0].card = Object.fromEntries(state.rules().categories.slice(1).map(({ id }) => [id, 0])); });
        await web.pass(5000); roll(6); result.push([s().dice, state.isCardFull()]);
        return result;
        """,
        "yatzy",
    )
    refused = [[1, 1, 1, 1, 2], 0, [{}, {}], "No roll is left in this turn: take a box of the card first."]
    assert found[:2] == [refused, refused]
    assert found[2] == [[6], 1, [{"ones": 4}, {}], "Ones: 4 points. Total 4."]
    assert found[3] == [*refused[:3], ""]
    assert found[4] == [[], True]


ANY_ORDER = """
let x = SEED;
const draw = (n) => { x = (1664525 * x + 1013904223) % 2 ** 32; return Math.floor(x / 2 ** 32 * n); };
const valueOf = (hold) => (hold.reduce((sum, face) => 7 * sum + face, 1) * 2654435761 % 2 ** 32) / 2 ** 29; // any advice will do
const holdsOf = (dice) => Array.from({ length: 31 }, (_each, bits) => game.sorted(dice.filter((_die, i) => bits & 2 ** i)));
let hasAdvice = true;
const advised = () => (hasAdvice && s().dice.length === 5 ? s() : null);
const best = () => (advised()?.left ? holdsOf(s().dice).reduce((most, hold) => (valueOf(hold) > valueOf(most) ? hold : most)) : null);
const open = () => state.rules().categories.find(({ id }) => !(id in state.me().card));
game.provideAdvice({
  markedHold: best,
  holds: () => best() && holdsOf(s().dice).map((hold) => ({ hold, loss: valueOf(best()) - valueOf(hold) })).sort((a, b) => a.loss - b.loss),
  box: () => (advised() && (!s().left || valueOf(s().dice) < 0.5) ? { category: open().id, points: 0 } : null),
});
const within = (part, dice) => game.isWithin(part, dice), faults = [];
const check = (isRight, what, step) => { if (!isRight && faults.length < 3) faults.push([what, step, structuredClone(s())]); };
const checkTurn = (rolls, holds, step) => holds.forEach((hold, i) => check(hold.length < 5 && within(hold, rolls[i]) && (!rolls[i + 1] || within(hold, rolls[i + 1])), "a hold that is not in its rolls", step));
const seen = {};
const count = (name) => { seen[name] = (seen[name] || 0) + 1; };
for (let step = 0; step < 3000; step++) {
  const kind = draw(20), { dice, chosen, left, held } = s(), marked = String(game.sorted(dice.filter((_die, i) => held[i])));
  if (kind < 13) { roll(1 + draw(6)); if (s().flow) count(s().rolls.length > s().flow.before.rolls.length ? "two" : "one"); }
  else if (kind < 15) await web.pass(2000);
  else if (kind === 15) game.removeDie();
  else if (kind === 16) [game.clearDice, () => game.toggleHeld(draw(5)), () => s().guess && game.setGuessedHold(s().guess.choices.at(-1)), () => { const at = draw(5); if (at < dice.length && game.canChange(at)) game.chooseToChange(at); }][draw(4)]();
  else if (kind === 17) (state.undoAndRedoAvailable()[0] && draw(2) ? state.undo : state.redo)();
  else if (kind === 18) hasAdvice = draw(4) > 0;
  else if (dice.length === 5 && s().left) { const marks = game.keptMarks(), hold = dice.filter((_die, i) => marks[i]); if (hold.length < 5) game.holdAndRoll(hold); }
  if (game.canBeTwo() && !draw(3)) { count("said"); game.readAsTwo(); }
  const now = s(), isFull = now.dice.length === 5, last = now.holds.at(-1);
  if (now.turns.length) count("turn");
  check(now.dice.length <= 5 && now.held.length === now.dice.length && now.fixed <= now.dice.length, "dice", step);
  check(kind >= 13 || !chosen || !left || dice.length < 5 || String(now.holds.at(-1)) === marked || marked.length === 9, "marks that do not count", step);
  check(!now.flow || now.typed, "dice of the page among those typed", step);
  check(now.left === 2 - now.rolls.length && now.holds.length === now.rolls.length, "rolls", step);
  check(now.rolls.every((each) => each.length === 5), "an unfinished roll", step);
  check(isFull ? last !== null : last === undefined || last === null || !now.fixed || String(last) === String(now.dice.slice(0, now.fixed)), "dice that were not kept", step);
  checkTurn(isFull ? [...now.rolls, now.dice] : now.rolls, now.holds.filter(Boolean), step);
  for (const turn of now.turns) checkTurn(turn.rolls, turn.holds, step);
  if (now.flow && !draw(4)) game.toggleHeld(draw(5));
  if (state.isCardFull()) state.change((each) => state.startGame(each));
}
return [faults, seen];
"""


@pytest.mark.parametrize("seed", seeds(3, 10))
def test_dice_and_corrections_in_any_order_leave_a_turn_that_can_be_reviewed(seed: int) -> None:
    """Every roll has all its dice, and every hold is part of the roll before and after it."""
    faults, seen = run(ANY_ORDER.replace("SEED", str(seed)), "yatzy")
    assert faults == []
    assert set(seen) == {"one", "two", "said", "turn"}


def test_turns_players_and_the_record() -> None:
    found = run(
        """
        const result = {}, take = (category, points, bonus_points = 0) => game.takeCategory({ category, points, bonus_points });
        game.provideAdvice({ markedHold: () => [6, 6] });
        state.change((t) => { t.players = ["Ann", "", "Cy"].map(state.newPlayer); for (const { id } of state.rules().categories) t.players[2].card[id] = 0; });
        roll(6, 6, 1, 2, 3); result.kept = game.keptMarks(); roll(6, 5, 5); result.assumed = [...s().holds];
        game.markHold([5, 5, 6]); roll(6, 6); take("sixes", 18);
        result.after = structuredClone([s().player, s().dice, s().left, s().rolls, s().edited]);
        roll(6, 6, 6, 6, 6); take("yahtzee", 50, 5); result.bonus = [s().players[1].bonusPoints, s().player];
        result.record = structuredClone(game.gameRecord()); result.has = game.hasRecord(); result.names = [0, 1, 2].map((at) => game.playerName(at));
        roll(1, 1, 1, 1, 1); state.change((t) => { t.left = 0; }); take("aces", 5);
        result.edited = [game.hasRecord(), state.currentNotice()];
        return result;
        """,
        "yahtzee",
    )
    assert found["kept"] == [True, True, False, False, False]
    assert found["assumed"] == [[6, 6]]
    assert found["after"] == [1, [], 2, [], False]
    assert found["bonus"] == [5, 0]  # the third card is full
    record = found["record"]
    assert (record["schema"], record["rules"], record["players"]) == (2, "yahtzee", ["Ann", "Player 2", "Cy"])
    assert record["turns"] == [
        {
            "player": 0, "rolls": [[1, 2, 3, 6, 6], [5, 5, 6, 6, 6], [5, 5, 6, 6, 6]], "holds": [[6, 6], [5, 5, 6]],
            "category": "sixes", "points": 18,
        },
        {"player": 1, "rolls": [[6, 6, 6, 6, 6]], "holds": [], "category": "yahtzee", "points": 50, "bonus_points": 5},
    ]  # fmt: skip
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", record["date"])
    assert found["names"] == record["players"]
    assert found["has"]
    assert found["edited"][0] is False
    assert "The rerolls left were set by hand" in found["edited"][1]


# --- links and texts ---

LINKS = {
    "#rules=yatzy&card=ones=3+sixes=24&dice=3,3,4,5,6&left=1": ({"card": {"ones": 3, "sixes": 24}, "dice": [3, 3, 4, 5, 6], "left": 1}, []),
    "#dice=⚂⚂⚃⚄⚅&goal=240": ({"dice": [3, 3, 4, 5, 6], "left": 2, "goal": "240"}, []),
    "#rules=yatzy-saved&saved=100&left=102": ({"saved": 100, "left": 102}, []),
    "#rules=yatzy-saved&saved=101": ({"saved": 0, "left": 2}, ["The saved rolls cannot be “101”."]),
    "#rules=yahtzee&bonus_points=99999&ties=win&opponents=250": ({"bonusPoints": 99999, "ties": "win", "opponents": "250"}, []),
    "#bonus_points=5&saved=0&left=3": ({"bonusPoints": 0, "left": 2}, ["The bonus points cannot be “5”.", "The rerolls left cannot be “3”; there are at most 2."]),
    "#card=ones=99+twos+nonsense=3&dice=3378&ties=x": ({"card": {}, "dice": [3, 3]}, ["Ones cannot hold “99”.", "Twos cannot hold “”.", "There is no box “nonsense”.", "The dice cannot be “3378”.", "A tie cannot be “x”."]),
    "#goal=9&opponents=3&what=1": ({"goal": "9", "opponents": ""}, ["There are a goal and opponents: the goal is used.", "“what” is not a field of a link."]),
    "#rules=giant": ({"rules": "yatzy"}, ["The rules “giant” are not available on this page, which shows Yatzy instead.", "They are not in its list."]),
}  # fmt: skip
PASTED = {
    "http://x/#rules=yatzy&dice=1": "rules=yatzy&dice=1",
    'yatzy hold 33456 -l 1 --card "ones=3 sixes=24" --rules=crag': "left=1&card=ones=3 sixes=24&rules=crag&dice=33456",
    "Ones 3, full house: x; dice 3 3 4 5 6 left 2": "rules=yatzy&left=2&card=ones=3  full-house=0 &dice=33456",
    "three of a kind=9 ⚀⚀⚁⚁⚂ rubbish": "rules=yatzy&card=three-of-a-kind=9&dice=⚀⚀⚁⚁⚂&unknown=rubbish",
}


def test_links_and_texts_are_read_and_written() -> None:
    given = json.dumps([[*LINKS], [*PASTED]])
    found = run(
        f"const [links, texts] = {given};"
        """
        const { fromLink, toLink } = await load("link"), { commandText, queryOf } = await load("transfer");
        const read = [], again = [], commands = [];
        for (const link of links) {
          const [fields, faults] = await fromLink(link);
          read.push([fields, faults]);
          again.push((await fromLink(toLink(fields)))[0]);
          await state.showPosition(fields);
          commands.push(commandText());
        }
        state.change((t) => state.startGame(t, "yatzy"));
        return { read, again, commands, queries: texts.map((text) => decodeURIComponent(queryOf(text).replaceAll("+", " "))) };
        """,
        "yatzy", "yatzy-saved", "yahtzee",
    )  # fmt: skip
    for (fields, faults), (link, (expected, problems)) in zip(found["read"], LINKS.items(), strict=True):
        assert fields | expected == fields, link
        assert faults == problems, link
    assert found["again"] == [fields for fields, _ in found["read"]]
    assert found["commands"][0] == 'yatzy hold 33456 --rolls-left 1 --card "ones=3 sixes=24"'
    assert found["commands"][1] == "yatzy hold 33456 --rolls-left 2 --goal 240"
    assert found["commands"][2] == "yatzy expect --rules yatzy-saved --saved 100"
    assert found["commands"][4] == "yatzy expect --rules yahtzee --bonus-points 99999 --opponents 250 --ties win"
    assert found["queries"] == [*PASTED.values()]


WORDS = {
    "sv-SE": ["sv", "Ångra", "-248,5", "50,00 %", "1 sekund", "2 sekunder"],
    "no": ["nb", "Angre", "-248,5", "50,00 %", "1 sekund", "2 sekunder"],
    "nn": ["nb", "Angre", "-248,5", "50,00 %", "1 sekund", "2 sekunder"],
    "fi-FI": ["fi", "Kumoa", "-248,5", "50,00 %", "1 sekunti", "2 sekuntia"],
    "de-AT": ["de", "Rückgängig", "-248,5", "50,00 %", "1 Sekunde", "2 Sekunden"],
    "ja-JP": ["en", "Undo", "-248.5", "50.00 %", "1 second", "2 seconds"],
}


def test_words_numbers_and_plurals_of_a_language() -> None:
    found = run(
        f"const tags = {json.dumps([*WORDS])};"
        """
        const words = await load("i18n"), found = [];
        for (const tag of tags) {
          await words.setLanguage(tag);
          found.push([words.language, words._("Undo"), words.formatNumber(-248.45, 1), words.formatPercent(0.5),
            ...[1, 2].map((count) => words.ngettext("{count} second", "{count} seconds", count, { count }))]);
        }
        const percents = [1 - 1e-12, 0.99999, 1e-15, 1e-6].map((chance) => words.formatPercent(chance));
        return { found, percents, numbers: [-0.04, 9999, 12345.6].map((x) => words.formatNumber(x, 0)), kept: localStorage.getItem("perfect-yatzy-language") };
        """
    )
    plain = [[text.replace("\u2212", "-").replace("\u00a0", " ") for text in words] for words in found["found"]]
    assert plain == [*WORDS.values()]
    assert found["percents"] == ["100.00\u00a0%", ">99.99\u00a0%", "0.00\u00a0%", "<0.01\u00a0%"]
    assert found["numbers"] == ["0", "9999", "12,346"]
    assert found["kept"] == "en"


# --- questions to the server ---

ASKING = 'await load("server"); const { ask, latestOnly } = await load("ask"), result = {};'


def test_answers_are_kept_and_asked_once_more_after_a_failure() -> None:
    found = run(
        ASKING
        + """
        const failed = async (path, body = {}) => ask(path, body).then(() => null, ({ code, message, field, retryable, cost }) => ({ code, message, field, retryable, cost }));
        let failures = 1;
        web.answers.hold = (body) => { if (failures-- > 0) throw new TypeError(); return { dice: body.dice }; };
        const first = ask("hold", { dice: 1 });
        await web.pass(699); result.waits = web.asked.length; await web.pass(1);
        result.first = [await first, await ask("hold", { dice: 1 }), web.asked.length];
        for (let dice = 2; dice < 61; dice++) await ask("hold", { dice });
        await ask("hold", { dice: 1 }); await ask("hold", { dice: 61 }); result.kept = web.asked.length;
        await ask("hold", { dice: 1 }); result.still = web.asked.length; await ask("hold", { dice: 2 }); result.evicted = web.asked.length;
        const away = failed("score"); await web.pass(700); result.away = await away;
        web.answers = {
          score: Response.json({ error: "'3345' is 4 dice", code: "invalid-dice", field: "dice" }, { status: 422 }),
          expect: Response.json({ error: "too many", code: "busy" }, { status: 429 }), puzzle: Response.json({ code: "odd" }, { status: 500 }), outcomes: new Response("<html>", { status: 502 }),
          points: Response.json({ error: "this takes long", code: "confirmation-required", cost: { seconds: 9 } }, { status: 409 }),
        };
        for (const path of ["score", "expect", "puzzle", "outcomes", "points"]) result[path] = await failed(path);
        const next = latestOnly(), one = next(), two = next();
        result.aborted = [one.aborted, two.aborted];
        return result;
        """
    )
    assert (found["waits"], found["first"]) == (1, [{"dice": 1}, {"dice": 1}, 2])
    assert (found["kept"], found["still"], found["evicted"]) == (62, 62, 63)
    assert found["away"] == {
        "code": "network", "message": "The server does not answer. Is “yatzy serve” still running?", "retryable": True,
    }  # fmt: skip
    assert found["score"] == {
        "code": "invalid-dice", "message": "'3345' is 4 dice.", "field": "dice", "retryable": False,
    }  # fmt: skip
    assert found["expect"] == {"code": "busy", "message": "Too many.", "retryable": True}
    assert found["puzzle"] == {"code": "odd", "message": "The request failed.", "retryable": True}
    assert (found["outcomes"]["code"], found["outcomes"]["retryable"]) == ("unreadable", True)
    assert (found["points"]["cost"], found["points"]["retryable"]) == ({"seconds": 9}, False)
    assert found["aborted"] == [True, False]


def test_a_server_that_works_is_waited_for_and_one_that_hangs_is_not() -> None:
    found = run(
        ASKING
        + """
        const hang = (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        let over = "";
        web.answers = { hold: (_, { signal }) => hang(signal), languages: {} };
        ask("hold", {}).catch((error) => { over = [error.code, error.message]; });
        await web.pass(59_999); const before = web.asked.length; await web.pass(1);
        await web.pass(9 * 60_000 - 1); const patient = [over, web.asked.filter((path) => path === "languages").length];
        await web.pass(1); const late = over;
        over = ""; delete web.answers.languages;
        ask("hold", {}).catch((error) => { over = [error.code, error.message]; });
        await web.pass(60_000);
        return { before, patient, late, dead: over };
        """
    )
    assert found["before"] == 1
    assert found["patient"] == ["", 9]
    assert found["late"] == ["timeout", "The server has not answered for 600 seconds."]
    assert found["dead"] == ["timeout", "The server has not answered for 60 seconds."]


def test_long_work_reports_and_can_be_given_up() -> None:
    found = run(
        ASKING
        + """
        const stream = (...events) => (_, { signal }) => new Response(new ReadableStream({ start(out) {
          for (const text of events) out.enqueue(new TextEncoder().encode(text));
          signal.addEventListener("abort", () => out.error(signal.reason));
          if (events.at(-1) !== "") out.close();
        } }));
        const solve = async (body, options = {}) => { const reports = []; return ask("solve", body, { onProgress: (each) => reports.push(each), ...options })
          .then((done) => ({ reports, done }), (error) => ({ reports, name: error.name, code: error.code, message: error.message })); };
        web.answers.solve = stream(": working\\n\\nevent: progress\\nda", 'ta: {"done": 0.5}\\n\\n', "event: done\\ndata: {}\\n\\n");
        result.done = await solve({});
        web.answers.solve = stream('event: error\\ndata: {"error": "no space", "code": "table-not-written"}\\n\\n');
        result.error = await solve({});
        web.answers.solve = stream('event: progress\\ndata: {"done": 0.5}\\n\\n');
        result.early = await solve({});
        const controller = new AbortController();
        web.answers.solve = stream('event: progress\\ndata: {"done": 0.5}\\n\\n', "");
        const waiting = solve({}, { signal: controller.signal }); await web.pass(1); controller.abort(); result.given_up = await waiting;
        const silent = solve({}); await web.pass(29_999); await web.pass(1); result.silent = await silent;
        const { costText, timeText, sizeText } = await load("solve");
        result.costs = ["127.0.0.1", "192.168.1.5"].map((host) => costText({ seconds: 25, disk_bytes: 930_000_000 }, host));
        result.costs.push(costText({ seconds: 89.6 }), timeText(0.2), timeText(89.4), timeText(3600), sizeText(99_000_000), sizeText(100_000_000));
        return result;
        """
    )
    assert found["done"] == {"reports": [{"done": 0.5}], "done": {}}
    assert (found["error"]["code"], found["error"]["message"]) == ("table-not-written", "No space.")
    assert found["early"]["code"] == "network"
    assert found["given_up"]["name"] == "AbortError"
    assert found["silent"]["message"] == "The server has not answered for 30 seconds."
    assert found["costs"] == [
        "Solve now (about 25 seconds, 0.9 GB on the disk of this computer, once)",
        "Solve now on the server (about 25 seconds, 0.9 GB on its disk, nothing on this device, once)",
        "Solve now (about 2 minutes)",  # 90 seconds
        "1 second", "89 seconds", "60 minutes", "99 MB", "0.1 GB",
    ]  # fmt: skip


# --- training ---


def test_mistakes_are_asked_again_after_growing_intervals() -> None:
    """Ten minutes, one, three and seven days after a right answer; after a wrong one at once; then solved."""
    found = run(
        """
        const drill = await load("drill"), at = (rolls_left, dice = [1, 2]) => ({ rules: "yatzy", card: { ones: 3 }, dice, rolls_left });
        const start = 1e12, day = 864e5, kept = () => JSON.parse(localStorage.getItem("perfect-yatzy-drill-1"));
        drill.addMistakes([{ position: at(1), loss: 3 }, { position: at(2), loss: 1 }, { position: at(1, [2, 1]), loss: 9 }], start);
        const first = drill.nextMistake(false, start), waits = [];
        drill.answerMistake(first.key, false, start + 1);
        const other = drill.nextMistake(false, start + 1);
        drill.answerMistake(other.key, true, start + 2);
        let now = start + 2;
        for (let i = 0; i < 5; i++) {
          drill.answerMistake(first.key, true, now);
          const left = kept().find((each) => each.key === first.key);
          waits.push(left ? left.due - now : null);
          now += 8 * day;
        }
        const result = { waits, isOther: other.key !== first.key, counts: drill.drillCounts(start + 3), early: drill.nextMistake(true, start + 3).key === other.key, none: drill.nextMistake(false, start + 3) };
        drill.addMistakes([{ position: at(2), loss: 1 }], start + 4);
        result.again = [kept()[0].right, drill.drillCounts(start + 4), drill.nextMistake(false, start + 4)?.key === other.key];
        drill.addMistakes(Array.from({ length: 205 }, (_, i) => ({ position: at(100 + i), loss: i })), start);
        result.most = [kept().length, Math.min(...kept().map((each) => each.loss))];
        drill.forgetMistakes(); result.forgotten = drill.drillCounts().all;
        return result;
        """
    )
    minute, day = 60_000, 86_400_000
    assert found["waits"] == [10 * minute, day, 3 * day, 7 * day, None]
    assert found["isOther"]
    assert found["early"]
    assert found["none"] is None
    assert found["counts"] == {"all": 1, "due": 0, "next": 1e12 + 2 + 10 * minute}
    assert found["again"] == [0, {"all": 1, "due": 1, "next": 1e12 + 4}, True]  # made once more, it is due at once
    assert found["most"] == [200, 5]  # the smallest are forgotten first; the one before lost 1
    assert found["forgotten"] == 0


def test_puzzles_of_a_day_and_the_settings_of_training() -> None:
    found = run(
        """
        const puzzle = await load("puzzle"), settings = await load("training-settings"), asked = [];
        web.answers.puzzle = (body) => { asked.push(body); return { card: {}, dice: [1], rolls_left: 2 }; };
        await puzzle.askPuzzle("yatzy", "hard", 1001);
        puzzle.noteToday("yatzy", "hard", "blunder"); puzzle.noteToday("yatzy", "hard", "best");
        settings.setSettings({ threshold: 5 }); settings.countChoice("mistake", 1.5); settings.countChoice("best", 0);
        return {
          day: puzzle.today(new Date(2026, 10, 22, 23, 59)), seed: asked[0].seed - puzzle.today() * 1000, difficulty: asked[0].difficulty,
          grades: [puzzle.gradeToday("yatzy", "hard"), puzzle.gradeToday("yatzy", "easy") ?? null], numbers: [puzzle.nextNumber(), puzzle.nextNumber()],
          settings: JSON.parse(localStorage.getItem("perfect-yatzy-training-1")), counts: settings.sessionCounts(), hidden: settings.isAdviceHidden(),
          reset: (settings.resetSession(), settings.sessionCounts().count),
        };
        """,
        "yatzy",
    )
    assert found["day"] == date(2026, 11, 22).toordinal()
    assert (found["seed"], found["difficulty"]) == (1, "hard")
    assert found["grades"] == ["blunder", None]  # the first answer counts
    assert found["numbers"] == [1, 2]
    assert found["settings"] == {"isHidden": False, "threshold": 5}
    assert (found["counts"]["count"], found["counts"]["lost"], found["counts"]["grades"]["mistake"]) == (2, 1.5, 1)
    assert (found["hidden"], found["reset"]) == (False, 0)


# --- sentences ---


def test_sentences_of_the_advice_and_the_verdict() -> None:
    found = run(
        """
        const { whySentence } = await load("why"), text = await load("advice-text"), verdict = await load("verdict"), { signedText } = await load("actions");
        const ends = (bonus_chance, turn_points, later_points, ...categories) => ({ categories, turn_points, later_points, bonus_chance });
        const kept = (hold, outlook, more) => ({ hold, outlook, ...more }), box = (category, outlook, more) => ({ category, outlook, ...more });
        const best = kept([3, 3, 3], ends(null, 0, 0, ["full-house", 0.12, 20], ["threes", 0.88, 12]));
        const one = ends(0.5, 10, 100, ["ones", 1, 3]), at = (expected_final_score, chance) => ({ expected_final_score, chance });
        const a = { hold: [3, 3], ...at(200) }, b = { hold: [5, 6], ...at(199.99) }, c = { category: "chance", points: 20, ...at(195) };
        return {
          why: [
            [best, kept([3, 3, 3, 4], ends(null, 0, 0, ["threes", 0.9, 12], ["chance", 0.1, 18]))],
            [best, kept([3], ends(null, 0, 0, ["threes", 0.9, 12], ["full-house", 0.004, 18]))],
            [best, box("chance", ends(null, 20, 0, ["chance", 1, 20]))],
            [box("ones", one), box("twos", ends(0.4, 10, 100, ["twos", 1, 3]))], [box("ones", one), box("twos", ends(0.6, 10, 100, ["twos", 1, 3]))],
            [box("ones", one), box("twos", ends(0.5, 12, 97, ["twos", 1, 3]))], [box("ones", one), box("twos", ends(0.5, 8, 101, ["twos", 1, 3]))],
            [box("ones", one), box("twos", ends(0.5, 8, 100, ["twos", 1, 3]))], [box("ones", one), box("twos", ends(0.5, 10, 98, ["twos", 1, 3]))],
            [box("ones", one, at(200, 0.5)), box("twos", one, at(198, 0.4))], [box("ones", one, at(198, 0.5)), box("twos", one, at(200, 0.4))],
            [box("ones"), box("twos")],
            [kept([3, 3, 3], ends(null, 0, 0, ["full-house", 0.09, 20], ["threes", 0.91, 12])), kept([3, 3, 3, 4], ends(null, 0, 0, ["threes", 0.9, 12], ["chance", 0.1, 18]))],
            [box("large-straight", ends(null, 20, 0, ["large-straight", 1, 20]), { points: 20 }), kept([2, 3, 4, 5], ends(null, 9, 0, ["large-straight", 0.25, 20], ["ones", 0.75, 1]))],
          ].map(([first, second]) => whySentence(first, second, "yatzy")),
          gaps: [text.gapText(a, b), text.gapText(a, c), text.gapText(a, { ...b, ...at(200) }), text.gapText(a, { ...b, ...at(199.996) }), text.gapText(at(1, 0.5), { ...b, chance: 0.25 })],
          rolls: [[[3, 3], 3], [[3, 3, 4, 5], 1], [[], 5]].flatMap(([hold, count]) => [false, true].map((typed) => text.actionLabel({ kind: "roll", hold, count }, typed))),
          takes: [{ category: "threes", points: 9 }, { category: "yatzy", points: 50, bonus_points: 100 }].map((entry) => text.actionLabel({ kind: "take", entry })),
          settled: [0, 1, 0.5].map((chance) => text.valueName({ aim: { goal: 60 }, entries: [{ chance }] })),
          verdicts: [verdict.lossSentence(a, a, "yatzy"), verdict.lossSentence(c, a, "yatzy"), verdict.lossSentence({ ...b, ...at(200) }, a, "yatzy"), verdict.lossSentence({ ...b, ...at(1, 0.25) }, { ...a, ...at(1, 0.5) }, "yatzy")],
          losses: [verdict.lossOf({ ...b, ...at(190, 1) }, { ...a, ...at(200, 1) }), verdict.lossOf(at(201), at(200))],
          grades: [verdict.gradeOfChoice(c, a), verdict.gradeOfChoice({ hold: [1], category: "chance", ...at(195) }, c)], signs: [1.25, -4, 0.04].map((x) => signedText(x)),
        };
        """,
        "yatzy",
    )
    assert found["why"] == [
        "Ends in Full House in 12\u00a0% of turns, with 3\u00a03\u00a03\u00a04 in other boxes.",
        "Ends in Full House in 12\u00a0% of turns, with 3 only in <1\u00a0%.",
        "Ends in Threes in 88\u00a0% of turns.",
        "The upper bonus is reached in 50\u00a0% of games instead of 40\u00a0%.",
        "It is worth a smaller chance of the upper bonus, 50\u00a0% instead of 60\u00a0%.",
        "2.0 points fewer than Twos in this turn, 3.0 more in later ones.",
        "2.0 points more than Twos in this turn, 1.0 fewer in later ones.",
        "The difference is made in this turn.",
        "The difference is made in later turns.",
        "Playing for the average, it would be 2.0 points better than Twos.",
        "Playing for the average, it would be 2.0 points worse than Twos.",
        "",
        "",  # a rare end is no reason
        "A sure 20; rerolling from 2\u00a03\u00a04\u00a05 ends there in 25\u00a0% of turns.",
    ]
    assert found["gaps"] == [
        "Nearly as good: 5\u00a06 (−0.01).", "5.00 points better than Chance.", "As good: 5\u00a06.",
        "Less than 0.01 better than 5\u00a06.", "25.00 percentage points better than 5\u00a06.",
    ]  # fmt: skip
    assert found["rolls"] == [
        "Roll three dice", "Roll three dice for me", "Roll one die", "Roll one die for me", "Roll all dice again",
        "Roll all dice for me",
    ]  # fmt: skip
    assert found["takes"] == ["Take Threes for 9", "Take Yatzy for 50 + 100"]
    assert found["settled"] == [
        "60 or more is out of reach; ranked by the average",
        "60 or more is certain; ranked by the average",
        "chance of 60 or more",
    ]
    assert found["verdicts"] == [
        "Keep 3\u00a03: the best choice.", "Chance for 20 loses 5.00 points.", "Keep 5\u00a06: as good as keep 3\u00a03.",
        "Keep 5\u00a06 loses 25.00 percentage points of the chance.",
    ]  # fmt: skip
    assert found["losses"] == [10, 0]
    assert found["grades"] == ["blunder", "best"]
    assert found["signs"] == ["+1.3", "−4.0", "0.0"]


def test_how_often_fair_dice_differ_as_much() -> None:
    # Quantiles of the chi-square distribution with 5 and 3 degrees of freedom, from printed tables.
    found = run(
        """
        const { fairness } = await load("statistics"), six = (x) => { const d = Math.sqrt(50 * x); return [100 + d, 100 - d, 100, 100, 100, 100]; };
        const four = (x) => { const d = Math.sqrt(50 * x); return [100 + d, 100 - d, 100, 100]; };
        return [...[1.145, 4.351, 11.070, 20.515].map(six), ...[0.352, 7.815].map(four), [100, 100, 100]].map(fairness);
        """,
        "yatzy",
    )
    assert found == pytest.approx([0.95, 0.5, 0.05, 0.001, 0.95, 0.05, 1], abs=2e-4)


def test_figures_of_a_distribution() -> None:
    found = run(
        """
        const of = await load("distribution"), spread = { lowest: 95, chances: [1e-6, 0.2, ...Array(9).fill(0.05), 0.35, 1e-6] };
        return { least: [0, 90, 95, 97, 107, 108].map((score) => of.chanceOfAtLeast(spread, score)), drawn: of.drawnScores(spread), rows: of.chanceRows(spread) };
        """
    )
    assert found["least"] == pytest.approx([1, 1, 1, 0.8, 1e-6, 0], abs=2e-6)
    assert found["drawn"] == [96, 106]
    assert found["rows"] == [["100", "65.0\u00a0%"]]

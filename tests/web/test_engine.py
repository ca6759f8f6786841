"""The engine in the browser, run by node: every answer as Python gives it."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy import RulesError, RuleSet, SolverError, Strategy, load_rules, parse_card
from perfect_yatzy.core.scoring import possible_points, scoring_options, upper_sums
from perfect_yatzy.core.state_space import state_space
from perfect_yatzy.game.card_checks import summarized
from perfect_yatzy.game.notation import counts_of
from perfect_yatzy.game.rule_loader import builtin_ids
from perfect_yatzy.play.record import Game
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.service.reviews import explained_review
from perfect_yatzy.strategy.score_distribution import least_score
from perfect_yatzy.web.site.folder import rule_data
from support import games
from support.chances import chances
from support.engine import (
    FIRST_DAY,
    Question,
    ask_engine,
    difference,
    differences,
    make_site,
    random_positions,
)
from support.games import joker_game, saved_rolls_game
from support.human import human
from support.mechanics import MECHANICS, random_rules
from support.refusals import WRONG_QUESTIONS, refused
from support.seeds import in_rings, ring_2, ring_3

# Jokers of every kind, orders, first rolls, strict crossing out, boxes that require others, small
# and quick to solve.
MIDDLE = (
    "yahtzee",
    "yahtzee-free-joker",
    "yahtzee-no-joker",
    "kniffel",
    "crag",
    "generala",
    "balut",
)
LARGE = ("yatzy-saved", "maxi-unsaved")  # in pages
TOO_MANY_BOXES = ("giant", "giant-forced", "triple-yahtzee", "yamb")  # 30 at most
CARD = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 two-pairs=22 full-house=28 chance=22"


@pytest.fixture(scope="module")
def folder(
    yatzy: Strategy, service: QueryService, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A site of Yatzy, without what takes seconds to compute."""
    found = tmp_path_factory.mktemp("site")
    make_site(found, service, ["yatzy"], puzzles=2, values_only=True)
    return found


def answers(folder: Path, *questions: Question) -> list[Any]:
    return [reply["answer"] for reply in ask_engine(folder, questions)]


def errors(folder: Path, *questions: Question) -> list[dict[str, Any]]:
    return [reply["error"] for reply in ask_engine(folder, questions)]


# --- every rule set, without its table ---
def variants() -> Iterator[RuleSet]:
    """Every rule set of the package that a site can have, and each of its switches."""
    for name in sorted(set(builtin_ids()) - set(TOO_MANY_BOXES)):
        yield load_rules(name)
        yield from (load_rules(f"{name}+{switch.id}") for switch in load_rules(name).switches)


def turn_of(rules: RuleSet, body: dict[str, Any]) -> dict[str, Any]:
    """What engine_driver.mjs says of a turn, by the reference implementation of the rules."""
    card = parse_card(rules, body["card"], body.get("saved", 0), body.get("bonus_points", 0))
    state, space, left = card.state, state_space(rules), body["rolls_left"]
    is_first = left == rules.rolls_per_turn - 1 + card.saved
    options = scoring_options(
        rules, state.filled, state.joker_paid, counts_of(rules, body["dice"]), is_first
    )
    saved, options = left if rules.saved_rolls else 0, sorted(options.items())
    return {
        "total": card.total,
        "bonus": upper_sums(rules).bonus(state.upper),
        "place": space.index(state),
        "least": least_score(card),
        "boxes": [
            [c, *paid, space.index(card.filled_with(c, *paid, saved).state)] for c, paid in options
        ],
    }


@pytest.mark.full
def test_turns_under_the_rules_of_every_rule_set_and_switch(folder: Path) -> None:
    """Which boxes may take a roll, what they pay, the bonus, and the place of each card in the
    table.
    """
    chosen = list(variants())
    assert len(chosen) > 50
    asked: list[tuple[RuleSet, dict[str, Any]]] = []
    for number, rules in enumerate(chosen):
        (folder / f"rules-{number}.json").write_text(json.dumps(rule_data(rules)))
        for _, body in random_positions(rules, in_rings(3, 30), seed=number):
            asked.append((rules, body | {"file": f"rules-{number}.json"}))
    found = answers(folder, *(("turn", body) for _, body in asked))
    wrong = [
        f"{rules.key}: {text}"
        for (rules, body), reply in zip(asked, found, strict=True)
        if (text := difference(reply, turn_of(rules, body)))
    ]
    assert wrong == []


@pytest.mark.parametrize("name", ["yahtzee", "kniffel", "generala", "yatzy"])
def test_as_many_bonus_points_as_in_python(folder: Path, name: str) -> None:
    """Jokers and first rolls: cards with all numbers of bonus points, which both accept or both
    refuse, in the same words.
    """
    rules = load_rules(name)
    (folder / "bonus.json").write_text(json.dumps(rule_data(rules)))
    joker = [rules.categories[rules.joker_index].id] if rules.joker else []
    boxes = {
        box.id: points[-1]
        for box, points in zip(rules.categories, possible_points(rules), strict=True)
    }
    asked, refused = [], []
    for filled in ([], [*boxes][:1], joker, [*joker, *[*boxes][:2]], [*boxes]):
        for most in ({}, dict.fromkeys(joker, 0)):
            card = {box: boxes[box] for box in filled} | {box: 0 for box in most if box in filled}
            for bonus in (0, 1, 5, 10, 20, 49, 50, 51, 100, 150, 199, 200, 201, 600, 1200, 1201):
                body = {
                    "card": card,
                    "bonus_points": bonus,
                    "dice": [1] * rules.dice,
                    "rolls_left": 0,
                }
                asked.append(("turn", body | {"file": "bonus.json"}))
                try:
                    parse_card(rules, card, bonus_points=bonus)
                    refused.append("")
                except SolverError as error:
                    refused.append(str(error))
    assert len(set(refused)) > 2
    assert [refusal(reply) for reply in ask_engine(folder, asked)] == refused


def refusal(reply: dict[str, Any]) -> str:
    """The words of an error of the engine, as the page writes them; empty without one."""
    error = reply.get("error")
    if error is None:
        return ""
    lists = {
        name: summarized(value)
        for name, value in error["values"].items()
        if isinstance(value, list)
    }
    return str(error["template"].format(**error["values"] | lists))


def test_games_of_too_many_boxes_have_no_site() -> None:
    assert (
        tuple(name for name in builtin_ids() if len(load_rules(name).categories) > 30)
        == TOO_MANY_BOXES
    )
    for name in TOO_MANY_BOXES:
        refused("can have games of up to 30", rule_data, load_rules(name), error=RulesError)


# --- small games, with their tables ---
COMBINED = [
    ("saved", "first"),
    ("joker", "strict"),
    ("columns", "steps"),
    ("joker", "first", "order"),
]
SMALL = [
    *(random_rules(70 + seed, (mechanic,), boxes=4) for seed, mechanic in enumerate(MECHANICS)),
    *(random_rules(90 + seed, names, boxes=4) for seed, names in enumerate(COMBINED)),
    *(
        joker_game(mode, saved_rolls=mode == "free")
        for mode in ("none", "free", "forced", "maximum")
    ),
    saved_rolls_game("forced", True),
    "yatzy-forced",
]
NAMES = [each if isinstance(each, str) else each.key for each in SMALL]


@pytest.fixture(scope="module")
def small(
    forced: Strategy, service: QueryService, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    found = tmp_path_factory.mktemp("small")
    make_site(found, service, SMALL)
    return found


def whole_questions(rules: RuleSet) -> Iterator[Question]:
    """All kinds of questions about positions of a game: plain, explained, with a goal, with
    opponents.
    """
    aims: list[dict[str, Any]] = [
        {"goal": 9},
        {"opponents": "12; 3"},
        {"opponents": [8], "ties": "half"},
        {"opponents": "empty; 2", "ties": "win"},
    ]
    for number, (path, body) in enumerate(random_positions(rules, in_rings(8, 24), seed=2)):
        yield path, body
        yield path, body | {"explain": True}
        late = rules.dice < 4 or len(body["card"]) > 12
        where = {name: value for name, value in body.items() if name not in ("dice", "rolls_left")}
        if late:
            aim = aims[number % (3 if rules.saved_rolls else 4)]  # no distribution with saved rolls
            yield path, body | aim
            yield "expect", where | aim
        yield "expect", where
        if body["rolls_left"]:
            yield "outcomes", where | {"hold": body["dice"][1:], "rolls_left": body["rolls_left"]}


def test_small_games_of_every_mechanic(small: Path, service: QueryService) -> None:
    questions = [each for name in NAMES for each in whole_questions(service.rules(name))]
    assert differences(small, service, questions) == []


@pytest.mark.parametrize("dice", [2, 9, ring_2(11), ring_2(12)])
def test_chances_lie_within_0_and_1(dice: int, tmp_path: Path) -> None:
    """Sums of many chances miss that by rounding; and best play is never below play for the mean."""
    rules = games.small(games.face(5), games.face(6), games.CHANCE, dice=dice, faces=6)
    service = QueryService(tmp_path / "tables", 1)
    make_site(tmp_path, service, [rules], values_only=True)
    aims: list[dict[str, Any]] = [{"goal": goal} for goal in (dice, 5 * dice, 12 * dice)]
    aims += [{}, {"opponents": [9 * dice]}, {"opponents": "empty", "ties": "half"}]
    cards = {"face-5": 0}, {"face-5": 0, "face-6": 0}, {"chance": dice, "face-6": 0}
    roll, questions = [1 + i % 6 for i in range(dice)], list[Question]()
    for card, aim in product(cards, aims):
        where = {"rules": rules.key, "card": card, **aim}
        questions.append(("expect", where))
        for query in ("hold", "score"):
            questions.append((query, where | {"dice": roll, "explain": True}))
    certain = 0  # categories in which a turn ends for sure
    for question, answer in zip(questions, answers(tmp_path, *questions), strict=True):
        outlooks = [entry["outlook"] for entry in answer.get("holds", []) if "outlook" in entry]
        ends = [chance for outlook in outlooks for _, chance, _ in outlook["categories"]]
        for chance in (*chances(answer | {"card": {}}), *ends):
            assert 0 <= chance <= 1, (question, chance)
        certain += sum(chance > 1 - 1e-9 for chance in ends)
        if "chance_by_mean_play" in answer:
            assert answer["chance"] >= answer["chance_by_mean_play"], question
    assert certain > 10


def test_reviews(small: Path, folder: Path, service: QueryService) -> None:
    """Of a whole game and of one that goes on, with an explanation of the worst decisions; of
    damaged records.
    """
    asked: dict[Path, list[Question]] = {small: [], folder: []}
    expected: dict[Path, list[Any]] = {small: [], folder: []}
    for name in ("yatzy", *NAMES):
        site, strategy = folder if name == "yatzy" else small, service.strategy(service.rules(name))
        game = human(strategy, 3)
        for turns in (len(game.turns), len(game.turns) // 2):
            record = game.to_json() | {"rules": name}
            record["turns"] = record["turns"][:turns]
            asked[site].append(("review", {"game": record, "player": 0, "why": 4}))
            part = Game(game.rules, game.players, game.turns[:turns])
            expected[site].append(explained_review(strategy, part, 0, 4))
    for site, questions in asked.items():
        for found, wanted, (_, body) in zip(
            answers(site, *questions), expected[site], questions, strict=True
        ):
            for decision in found["decisions"]:
                for side in ("done", "best"):
                    decision[side].get("outlook", {})["bonus_chance"] = None
            assert difference(found, wanted) == "", body["game"]["rules"]
    record = questions[0][1]["game"]
    first, *others = record["turns"]
    wrong = {  # a record, and the number of the turn that is wrong
        1: record | {"turns": [first | {"points": first["points"] + 1}, *others]},
        2: record | {"turns": [first, others[0] | {"holds": [[1], [1], [1]]}, *others[1:]]},
        3: record | {"turns": [first, others[0], first, *others[1:]]},
        None: record | {"schema": 3},
        0: record | {"players": []},
    }
    found = errors(site, *(("review", {"game": game}) for game in wrong.values()))
    assert {each["code"] for each in found} == {"error"}
    assert [each["values"].get("number", 0) for each in found] == [number or 0 for number in wrong]


def test_the_latest_eight_results_are_kept(folder: Path) -> None:
    """The first that is older is forgotten; a result of null, of work that took too long, is
    none.
    """
    asked = (
        ([*range(1, 9)], [*range(1, 9)]),
        ([9, 1, 8, 9], [9, 9]),
        ([10, 2, 8], [10]),
        ([1, 2, 3], [1, 2, 3]),
    )
    found = answers(folder, *(("made", {"keys": keys}) for keys, _ in asked))
    assert found == [made for _, made in asked]


# --- Yatzy ---
def test_positions_of_yatzy(folder: Path, service: QueryService) -> None:
    late = [
        (path, {"card": CARD} | aim | more)
        for aim in (
            {"goal": 260},
            {"opponents": "250; 240"},
            {"opponents": f"{CARD}; 250", "ties": "win"},
        )
        for path, more in (
            ("hold", {"dice": "33456"}),
            ("score", {"dice": "33456"}),
            ("expect", {}),
        )
    ]
    full = {
        box.id: 3 * (box.face or 0) for box in service.rules("yatzy").categories
    }  # with the bonus
    others: list[Question] = [
        ("hold", {"card": CARD, "dice": "33456", "rolls_left": 2, "id": "a"}),
        ("outcomes", {"card": "ones=3 sixes=24", "hold": [3, 3], "rolls_left": 2}),
        ("expect", {"card": CARD}),
        ("expect", {"card": CARD, "spread": False}),
        ("expect", {"card": full}),
        ("score", {"card": CARD, "dice": "3,3,4,5,6", "rolls_left": 1}),
    ]
    questions = [*random_positions(service.rules("yatzy"), 40, seed=1), *late, *others]
    assert differences(folder, service, questions) == []


REFUSED = [
    ("too-large", "hold", {"dice": "33456", "goal": 250}),
    ("too-large", "hold", {"dice": "33456", "opponents": "ones=3"}),
    ("not-available", "solve", {}),
    ("unknown-rules", "hold", {"dice": "33456", "rules": "maxi"}),
]


def test_wrong_questions(folder: Path) -> None:
    """They have the code and the field at fault, as from Python."""
    asked = WRONG_QUESTIONS[5:]
    for question, found in zip(asked, errors(folder, *(each[:2] for each in asked)), strict=True):
        assert (found["code"], found.get("field")) == question[2:], question
    refused = errors(folder, *((path, body) for _, path, body in REFUSED))
    assert [each["code"] for each in refused] == [code for code, _, _ in REFUSED]


def test_puzzles_rule_sets_and_languages(folder: Path, service: QueryService) -> None:
    days = [FIRST_DAY.isoformat(), (FIRST_DAY + timedelta(days=1)).isoformat()]
    difficulties = ("easy", "medium", "hard")
    puzzles = [{"date": day, "difficulty": each} for day in days for each in difficulties]
    *found, another, ordinary, rules, swedish, languages = answers(
        folder,
        *(("puzzle", body) for body in puzzles),
        ("puzzle", {"seed": FIRST_DAY.toordinal() * 1000 + 1, "difficulty": "easy"}),
        ("puzzle", {"date": days[0]}),
        ("rules", {}),
        ("rules", {"rules": "yatzy", "lang": "sv"}),
        ("languages", {}),
    )
    assert found == [service.answer({"query": "puzzle"} | body) for body in puzzles]
    # the list of two days repeats after 37
    assert another == found[3] | {"seed": another["seed"]}
    assert ordinary == found[1]
    assert [entry["id"] for entry in rules] == ["yatzy"]
    assert swedish[0]["categories"][0]["name"] == "Ettor"
    assert swedish[0]["switches"] == []  # none of the variants is part of this site
    assert languages["sv"] == "Svenska"
    assert [entry["id"] for entry in json.loads((folder / "site.json").read_text())["rules"]] == [
        "yatzy"
    ]


# --- more of the same, and tables as those of large games ---
@pytest.mark.full
def test_stored_distributions_and_deviations_of_yatzy(
    yatzy: Strategy, service: QueryService, tmp_path: Path
) -> None:
    """Stored for the empty card, computed late in a game; between them the standard deviation.
    The chance of the bonus.
    """
    make_site(tmp_path, service, ["yatzy"])
    late, explained = {"card": CARD}, {"dice": "33456", "rolls_left": 1, "explain": True}
    questions: list[Question] = [
        ("expect", {}),
        ("expect", late),
        ("hold", late | explained),
        ("hold", {"card": "ones=3 sixes=24"} | explained),
        ("score", late | explained),
    ]
    assert differences(tmp_path, service, questions) == []
    asked = {"card": "ones=3"}
    (found,), expected = (
        answers(tmp_path, ("expect", asked)),
        service.answer({"query": "expect"} | asked),
    )
    assert found["distribution"] is None
    assert found["standard_deviation"] == pytest.approx(
        expected["distribution"]["standard_deviation"], abs=0.003
    )


@pytest.mark.full
def test_holds_and_categories_of_other_rules(service: QueryService, tmp_path: Path) -> None:
    make_site(tmp_path, service, MIDDLE, values_only=True)
    questions = [
        each for name in MIDDLE for each in random_positions(service.rules(name), 200, seed=2)
    ]
    assert differences(tmp_path, service, questions) == []


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["yatzy", "yatzy-forced", "yahtzee-plain", *MIDDLE[:4], *LARGE])
def test_ten_thousand_positions(rules: str, service: QueryService, tmp_path: Path) -> None:
    make_site(tmp_path, service, [rules], values_only=True)
    assert (
        differences(tmp_path, service, list(random_positions(service.rules(rules), 10_000, seed=3)))
        == []
    )


def test_pages_give_the_same_answers(
    service: QueryService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table of a small game as that of a large one: read in pages, from several parts, a few
    kilobytes a question.
    """
    monkeypatch.setattr("perfect_yatzy.web.site.folder.PART_BYTES", 1 << 14)
    sizes = make_site(tmp_path, service, ["crag"], values_only=True, in_pages=True)
    assert sum(bool(re.search(r"/values-\d", name)) for name in sizes) == 4
    questions = list(random_positions(service.rules("crag"), 60, seed=4))
    assert differences(tmp_path, service, questions) == []
    without_crypto = [
        reply.get("answer") for reply in ask_engine(tmp_path, questions[:9], crypto=False)
    ]
    assert without_crypto == answers(tmp_path, *questions[:9])


@pytest.mark.parametrize("crypto", [pytest.param(True, id="https"), ring_2(False, id="http")])
def test_damaged_files_are_refused_until_repaired(
    service: QueryService, tmp_path: Path, crypto: bool
) -> None:
    """One bit in each 1,500 bytes of each data file at once, one more file after the other."""
    make_site(tmp_path, service, ["crag"], values_only=True, in_pages=True)
    question: Question = ("hold", {"dice": "336"})
    (expected,) = answers(tmp_path, question)
    files = sorted((tmp_path / "data" / "crag").iterdir())
    assert len(files) == 3  # rules, pages, digests of the pages
    for path in [tmp_path / "site.json", *files]:
        intact = path.read_bytes()
        flipped = bytes(byte ^ (n % 1500 == 7) for n, byte in enumerate(intact))
        for content in (flipped, intact[: len(intact) // 2]):
            path.write_bytes(content)
            (found,) = ask_engine(tmp_path, [question], crypto=crypto)
            assert found["error"]["code"] == "table-damaged", path
        path.write_bytes(intact)
    (found,) = ask_engine(tmp_path, [question], crypto=crypto)
    assert found["answer"] == expected


@pytest.mark.parametrize(
    ("rules", "most"),
    [
        ring_2("yahtzee", 150_000),
        ring_3("maxi-unsaved", 300_000),  # a table of 268 MB
    ],
)
def test_a_question_about_pages_moves_little(
    service: QueryService, tmp_path: Path, rules: str, most: int
) -> None:
    make_site(tmp_path, service, [rules], values_only=True, in_pages=rules == "yahtzee")
    questions = random_positions(service.rules(rules), 20, seed=4)
    replies = answers(
        tmp_path, *(q for hold in questions for q in (("visit", {}), hold, ("traffic", {})))
    )
    moved = [0, *(reply["bytes"] for reply in replies[2::3])]
    assert max(after - before for before, after in pairwise(moved)) < most


@pytest.mark.full
def test_a_hold_is_fast(folder: Path, service: QueryService) -> None:
    questions = list(random_positions(service.rules("yatzy"), 60, seed=6))
    times = sorted(reply["ms"] for reply in ask_engine(folder, questions)[20:])
    assert times[len(times) // 2] < 20

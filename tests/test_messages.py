"""Languages: which one is chosen, numbers, the catalogues, and that every text for people is a
message.
"""

import ast
import json
import re
from gettext import GNUTranslations
from pathlib import Path
from typing import Any

import catalogues
import messages
import pytest
from perfect_yatzy.cli.views.answer_text import _hold_lines
from perfect_yatzy.cli.views.wording import card_line, rerolls_left_text
from perfect_yatzy.cli.views.words import Words
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.game.translations import languages
from perfect_yatzy.policies.levels import LEVELS
from perfect_yatzy.words import (
    LANGUAGES,
    current_language,
    language_accepted,
    language_from,
    language_of_environment,
    language_scope,
    ngettext,
    number_text,
    number_word,
    page_messages,
)
from perfect_yatzy.words import _ as translated
from support.command import Run

LANGUAGE_OF = {
    "sv": "sv",
    "sv_SE.UTF-8": "sv",
    "sv-FI": "sv",
    "SV": "sv",
    "no": "nb",
    "nn_NO.UTF-8": "nb",
    "nb-NO": "nb",
    "de_AT@euro": "de",
    "en_US.UTF-8": "en",
    "C": "en",
    "C.UTF-8": "en",
    "POSIX": "en",
    "ja_JP.UTF-8": "ja",
    "ko-KR": "ko",
    "zh_CN.UTF-8": None,
    "svenska": None,
    "": None,
    None: None,
}
ACCEPTED = {
    "sv-SE,sv;q=0.9,en;q=0.8": "sv",
    "en;q=0.5, nn": "nb",
    "zh,de;q=0.4,fi;q=0.7": "fi",
    "da;q=0": None,
    "sv;q=much": None,
    "*": None,
    "": None,
}


def test_the_language_of_a_text_and_the_one_a_client_accepts() -> None:
    assert {text: language_from(text) for text in LANGUAGE_OF} == LANGUAGE_OF
    assert {header: language_accepted(header) for header in ACCEPTED} == ACCEPTED


@pytest.mark.parametrize(
    ("language", "environment"),
    [
        ("en", {}),
        ("sv", {"LANG": "sv_SE.UTF-8"}),
        ("fi", {"LANG": "sv_SE.UTF-8", "LC_MESSAGES": "fi_FI.UTF-8"}),
        ("en", {"LANG": "sv_SE.UTF-8", "LC_ALL": "C"}),
        ("sv", {"LANG": "sv_SE.UTF-8", "LC_ALL": ""}),
        ("en", {"LANG": "C.UTF-8", "LANGUAGE": "sv"}),
        ("nb", {"LANG": "zh_CN.UTF-8", "LANGUAGE": "zh:nn:sv"}),
        ("en", {"LANG": "zh_CN.UTF-8"}),
        ("ja", {"LANG": "ja_JP.UTF-8"}),
    ],
    ids=str,
)
def test_the_language_of_an_environment(language: str, environment: dict[str, str]) -> None:
    assert language_of_environment(environment) == language


def test_numbers_have_the_signs_of_the_language() -> None:
    shown = {}
    for code in LANGUAGES:
        with language_scope(code):
            signed = number_text(-0.001, 1), number_text(0.25, 1, signed=True)
            shown[code] = number_text(12345.678, 2, grouped=True), *signed
    assert shown["en"] == shown["ja"] == shown["ko"] == ("12,345.68", "0.0", "+0.2")
    assert shown["de"] == shown["da"] == ("12.345,68", "0,0", "+0,2")
    assert shown["sv"] == shown["nb"] == shown["fi"] == ("12\u00a0345,68", "0,0", "+0,2")
    assert current_language() == "en"


TRANSLATED = LANGUAGES[1:]
ONE_FORM = {"ja", "ko"}  # languages whose words do not change with a number


@pytest.fixture(scope="module")
def catalogs() -> dict[str, list[Any]]:
    return {
        code: [entry for entry in catalogues.read_catalog(code) if entry.id] for code in TRANSLATED
    }


def texts(value: object) -> list[str]:
    """The one text or the two of a message."""
    return [value] if isinstance(value, str) else list(value)  # type: ignore[call-overload]


def fields(text: str) -> set[str]:
    """Names in braces, and the old-style fields of click."""
    return set(re.findall(r"\{(\w*)[^{}]*\}", text)) | set(re.findall(r"%\(\w+\)s", text))


def test_every_text_is_a_literal_and_is_in_every_catalogue(catalogs: dict[str, list[Any]]) -> None:
    extracted = messages.extract()
    assert extracted.faults == []
    fresh = {
        (entry.context, entry.id) for entry in messages.template(extracted.messages) if entry.id
    }
    for entries in catalogs.values():
        assert {(entry.context, entry.id) for entry in entries} == fresh, "run: make messages"


@pytest.mark.parametrize("code", TRANSLATED)
def test_every_text_is_translated_with_its_fields_and_margins(
    code: str, catalogs: dict[str, list[Any]]
) -> None:
    guide = {"count", "number"}  # a plural form, a word or digits, as the language has it
    assert [
        entry.id for entry in catalogs[code] if entry.fuzzy or not all(texts(entry.string))
    ] == []
    for entry in catalogs[code]:
        originals, found = texts(entry.id), texts(entry.string)
        if code in ONE_FORM:  # that of many
            assert len(found) == 1
            originals = originals[-1:]
        for original, text in zip(originals, found, strict=True):
            ignored = guide if entry.context else set()
            needed, allowed = fields(original), set().union(*map(fields, originals))
            assert fields(text) - ignored <= allowed, (original, text)
            assert needed - ignored <= fields(text) | (
                {"count"} if len(originals) == 2 else set()
            ), (original, text)
            assert text.endswith("\n") == original.endswith("\n"), (original, text)
            if entry.context:
                assert text.count("*") == original.count("*"), (original, text)  # bold parts
            else:
                assert text[0].isspace() == original[0].isspace(), (original, text)
            assert not re.search(r"\w  \w", text) or re.search(r"\w  \w", original), text


def as_click_asks(words: GNUTranslations, message: list[str]) -> str:
    """A word of click in another language; only newer Pythons find those with a plural without it."""
    return words.gettext(*message) if len(message) == 1 else words.ngettext(*message, 1)


@pytest.mark.parametrize("code", TRANSLATED)
def test_compiled_catalogues_are_those_of_the_sources(
    code: str, catalogs: dict[str, list[Any]]
) -> None:
    """The texts of all languages once, and each with its translations in their order; the page has
    the first ones.
    """
    catalog = catalogues.read_catalog(code)
    shared = json.loads((catalogues.LOCALE / "texts.json").read_text())
    compiled = json.loads(catalogues.po_path(code).with_suffix(".json").read_text())
    keys = [(context, text) for *context, text in (key.split("\x04") for key in shared["texts"])]
    found = {
        ("".join(context), text, *texts(own))
        for (context, text), own in zip(keys, compiled, strict=True)
    }
    wanted = {
        (entry.context or "", texts(entry.id)[0], *texts(entry.string)) for entry in catalogs[code]
    }
    assert found == wanted
    on_page = {
        entry.id if isinstance(entry.id, str) else entry.id[0]
        for entry in catalogs[code]
        if any(name.startswith(catalogues.PAGE) for name, _ in entry.locations)
    }
    assert page_messages(code).keys() == on_page == set(shared["texts"][: shared["page"]])
    assert json.loads(catalogues.json_path(code).read_text())["messages"] == page_messages(code)
    with catalogues.po_path(code).with_suffix(".mo").open("rb") as file:
        words = GNUTranslations(file)  # those of click
    for entry in catalogs[code]:
        if catalogues.CLICK in (name for name, _ in entry.locations):
            assert as_click_asks(words, texts(entry.id)) == texts(entry.string)[0]
    assert catalog.num_plurals == (1 if code in ONE_FORM else 2)


def test_the_page_also_without_scripts_and_the_command_know_the_same_languages() -> None:
    declared = re.search(
        r"export const LANGUAGES = \{(.*?)\}",
        (catalogues.STATIC / "words" / "i18n.js").read_text(),
        re.DOTALL,
    )
    assert dict(re.findall(r'(\w+): "([^"]+)"', declared[1])) == languages()
    assert tuple(languages()) == LANGUAGES
    words = re.search(
        r"<noscript>(.*?)</noscript>", (messages.STATIC / "index.html").read_text(), re.DOTALL
    )
    assert sorted(re.findall(r'<p lang="(\w+)">', words[1])) == sorted(LANGUAGES)
    outside = [
        text
        for text in messages.marked_words(messages.STATIC / "index.html").unmarked
        if text != "Yatzy"
    ]
    assert [text for text in outside if text not in re.sub(r"\s+", " ", words[1])] == []


def test_the_command_speaks_the_language_of_the_environment_or_of_an_option(run: Run) -> None:
    for words, language, said in (
        (["12"], {"LC_MESSAGES": "sv_SE.UTF-8"}, "är 2 tärningar; yatzy har 5"),
        (["12"], {"YATZY_LANG": "no"}, "er 2 terninger; yatzy har 5"),
        (["--lang=de", "12"], {"YATZY_LANG": "no"}, "sind 2 Würfel; yatzy hat 5"),
    ):
        assert run("hold", *words, **language).stderr == f"yatzy: '12' {said}\n"
    shown = run("solve", "--help", "--lang", "fi").stdout
    assert shown.startswith(
        "Käyttö: yatzy solve [OPTIONS] [RULES]\n\n  Laske peli ja tallenna taulukko."
    )
    assert "yatzy solve yatzy --what goals" in shown
    for words in (
        ["--lang", "sv", "--help"],
        ["--lang=sv", "hold", "--help"],
        ["rules", "--lang", "sv", "--help"],
    ):
        assert run(*words, YATZY_LANG="no").stdout.startswith("Användning: yatzy ")
    assert "är 2 tärningar" in run("--lang", "sv", "hold", "12", YATZY_LANG="no").stderr
    for words in (["--lang", "xx", "hold", "12"], ["hold", "12", "--lang", "xx"]):
        assert "unknown language 'xx'" in run(*words).stderr
    assert "unknown language 'xx'" in run("hold", "12", YATZY_LANG="xx").stderr


def test_rules_and_mistakes_of_a_rule_file_are_told_in_a_language(run: Run, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('id = "own"\nname = "Own"\nextends = "yatzy"\nrolls = 99\n')
    wrong = run("rules", "check", str(tmp_path / "own.toml"), "--lang", "de").stderr
    assert wrong.endswith(":4: rolls: ist 99; muss eine ganze Zahl von 1 bis 10 sein\n")
    shown = run("rules", "show", "yahtzee", "--lang", "sv").stdout
    assert "Fem tärningar med 6 sidor, tre kast per omgång, 13 rutor i valfri ordning" in shown
    assert "alla 1:or: deras summa" in shown
    columns = run("rules", "show", "yamb", "--lang", "fi").stdout
    assert "Sarake Alas (.down): määrätyssä järjestyksessä" in columns
    assert "(Down)" not in columns


# --- texts that are no messages ---
RAISED = ["errors.py", "web"]  # where errors are for people, and other literals are not
ERRORS = {
    "SolverError",
    "RulesError",
    "StateError",
    "TableError",
    "ClusterError",
    "UsageError",
    "ClickException",
    "echo",
}
SPOKEN = [
    "cli/views",
    "cli/commands",
    "cli/console.py",
    "cli/terminal_game.py",
    "core/patterns.py",
    "core/rules.py",
    "core/state.py",
    "game/legal_actions.py",
    "approximation/fitted_file.py",
    "strategy/verify.py",
    "service",
    "play",
]
API_DESCRIPTION = "answer_types.py"  # of the OpenAPI document, for programmers: English
# Keys of files and JSON, values that are typed, and a column of the page of JSON Schema: not words
# for people.
KEYS = {
    "above par",
    "below par",
    "second best",
    "crossed out first",
    "second best loses, ",
    "advice mean",
    "advice win",
    "bonus needs",
    "what it scores",
    "rolls left",
    "tags column",
    "turns left",
}
PLAIN = re.compile(r"[A-Za-z]{2,} [a-z]{2,}")  # two words
CODE = re.compile(r"[<>{}]|^\s*(yatzy |--)")  # HTML, CSS, a command
MARKS = {"_", "N_", "ngettext", "pgettext"}
NOT_SHOWN = {
    "AssertionError",
    "RuntimeError",
    "TypeError",
    "RangeError",
    "option",
    "argument",
    "Option",
    "compile",
    "KindField",  # descriptions of the JSON Schema
}


def called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def silent(tree: ast.AST) -> set[int]:
    """Nodes whose text is translated, or that nobody sees: messages, docstrings, help (extracted
    elsewhere), bugs.
    """
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):  # a string that stands alone
            found.add(id(node.value))
        if isinstance(node, ast.FunctionDef):
            found |= {
                id(inner) for decorator in node.decorator_list for inner in ast.walk(decorator)
            }
        if isinstance(node, ast.Call) and called(node) in MARKS | NOT_SHOWN:
            found |= {id(inner) for inner in ast.walk(node)}
    return found


def unmarked(path: Path, *, raised: bool = False) -> list[str]:
    """Literals of a module, or of its errors, and the plain parts of f-strings, that read as
    words.
    """
    tree = ast.parse(path.read_text())
    skipped, nodes = silent(tree), [*ast.walk(tree)]
    if raised:
        calls = [node for node in nodes if isinstance(node, ast.Call) and called(node) in ERRORS]
        nodes = [node for call in calls for node in ast.walk(call)]
    return [
        f"{path.name}:{node.lineno}: {node.value[:60]}"
        for node in nodes
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in skipped
        and node.value not in KEYS
        and PLAIN.search(node.value)
        and not CODE.search(node.value)
    ]


def files_of(names: list[str]) -> list[Path]:
    patterns = [name if name.endswith(".py") else f"{name}/**/*.py" for name in names]
    return [file for pattern in patterns for file in sorted(messages.PACKAGE.glob(pattern))]


def test_every_text_of_the_command_is_a_message(tmp_path: Path) -> None:
    assert len(files_of(SPOKEN)) > len(SPOKEN)
    assert len(files_of(RAISED)) >= 10
    spoken = [file for file in files_of(SPOKEN) if file.name != API_DESCRIPTION]
    found = [text for file in spoken for text in unmarked(file)]
    found += [text for file in files_of(RAISED) for text in unmarked(file, raised=True)]
    assert found == [], "mark it: locale/README.md"
    file = tmp_path / "view.py"
    file.write_text(
        '"""A view of things."""\nfrom x import _\n\ndef lines(n):\n    """The lines of it."""\n'
        '    yield _("these are translated")\n    yield f"these {n} are not translated"\n    yield "yatzy hold it"\n'
        '    raise StateError(f"the card {card} is full")\n    raise StateError(_("this one is"))\n'
    )
    raised = ["view.py:9: the card ", "view.py:9:  is full"]
    assert unmarked(file) == ["view.py:7:  are not translated", *raised]
    assert unmarked(file, raised=True) == raised


def untranslated_literals(path: Path) -> list[str]:
    """Literals of a script outside `_()` that read as a sentence, or that are written to the
    page or to its labels.
    """
    tokens, found, depth = messages.script_tokens(path), list[str](), 0
    for at, token in enumerate(tokens):
        if depth:  # inside the call of a message or of an error that nobody sees
            depth += (token.value in "([{") - (token.value in ")]}") if len(token.value) == 1 else 0
            continue
        if (
            token.type == "name"
            and token.value in messages.CALLS.keys() | NOT_SHOWN
            and tokens[at + 1].value == "("
        ):
            tokens[at + 1] = tokens[at + 1]._replace(value="")  # counted here
            depth = 1
            continue
        if token.type not in ("string", "template_string"):
            continue
        text = re.sub(r"\$\{[^}]*\}", "", token.value[1:-1])
        before = "".join(each.value for each in tokens[max(0, at - 2) : at])
        is_written = re.search(r"(textContent=|aria-label\"[:,]|title:|placeholder:)$", before)
        is_sentence = re.search(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}", text) or re.match(
            r"[A-Z][a-z]+ [a-z]+ ", text
        )
        if is_sentence or (is_written and re.search(r"[A-Za-z]{2}", text)):
            found.append(f"{path.name}:{token.lineno}: {text[:60]}")
    return found


def test_every_text_of_a_script_is_a_message(tmp_path: Path) -> None:
    # Only browsers read the service worker: it reports to the console.
    scripts = [
        path for path in sorted(messages.STATIC.rglob("*.js")) if path.name != "service-worker.js"
    ]
    assert len(scripts) > 5
    assert [text for path in scripts for text in untranslated_literals(path)] == []
    file = tmp_path / "view.js"
    file.write_text(
        '// A view of things.\nshow(_("these are translated", { n: f("x") }));\n'
        'show(`these ${n} are not translated`);\nnode.textContent = "Roll";\nnode.className = "bar buttons";\n'
    )
    assert untranslated_literals(file) == [
        "view.js:3: these  are not translated",
        "view.js:4: Roll",
    ]


ONE_OF = {  # one roll is left, one die is rerolled, one turn is left, one box is open; in the guide
    "en": ("one reroll left", "reroll one die", "one more turn", "one open", "one roll is left"),
    "sv": ("ett kast kvar", "slå om en tärning", "en omgång till", "en ledig", "ett kast återstår"),
    "da": (
        "ét kast tilbage",
        "slå én terning om",
        "én tur mere",
        "ét ledigt",
        "der er ét kast tilbage",
    ),
    "nb": ("ett kast igjen", "kast én terning", "én omgang til", "én ledig", "ett kast gjenstår"),
    "de": (
        "noch ein Wurf",
        "einen Würfel neu werfen",
        "noch einer Runde",
        "eines frei",
        "noch ein Wurf übrig ist",
    ),
    "fi": (
        "yksi heitto jäljellä",
        "uudelleen yksi noppa",
        "yksi vuoro",
        "vapaana yksi",
        "yksi heitto on jäljellä",
    ),
    "ja": ("振り直し残り1回", "1個振り直す", "残り1ターン", "空き1", "振り直し残り1回"),
    "ko": ("다시 굴리기 1회 남음", "1개 다시 굴리기", "남은 1턴", "빈 족보 1개", "남은 굴림 1회"),
}


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_word_for_one_agrees_with_what_is_counted(code: str) -> None:
    rules = load_rules("yatzy")
    card = {box.id: 0 for box in rules.categories[:-1]}
    answer = {
        "dice": [1, 2, 3, 4, 5],
        "rolls_left": 1,
        "rolls": 3,
        "card": card,
        "card_total": 0,
        "best": {"hold": [2, 3, 4, 5], "reroll": 1, "category": None, "expected_final_score": 9.0},
        "holds": [],
        "state": {"filled": 0},
    }
    roll, die, turn, box, guide = ONE_OF[code]
    with language_scope(code):
        assert rerolls_left_text(1) == roll
        assert {rerolls_left_text(number)[0].isdigit() for number in range(13)} == {False}
        assert box in card_line(rules, answer)
        headline = "\n".join(_hold_lines(rules, answer, 0))
        assert die in headline
        assert roll in headline
        assert turn in ngettext(
            "{points} points on the card, {expected} expected in one more turn",
            "{points} points on the card, {expected} expected in {count} more turns",
            1,
        ).replace("{count}", "1")
    words = Words(code)
    assert str(words.fill("rule.rolls_left", count=1)) == guide
    assert str(words.fill("rule.rolls_left", count=2)) != guide
    assert "#" not in str(words.fill("rule.rolls_left", count=2))


# Fields of the page that are never a whole 1: differences with decimals, limits above 1, names.
NEVER_ONE = {"gap", "later", "loss", "luck", "most", "name", "now", "seconds", "small"}


def test_the_page_has_a_form_for_one_of_everything_it_counts() -> None:
    found = [each for each in messages.extract().messages if each.source.startswith("web/static")]
    counted = {
        many
        for each in found
        for one, many in zip(each.text.split(), each.plural.split(), strict=False)
        if one != many and many.startswith(one)  # a noun
    }
    assert {"days", "games", "points", "turns"} <= counted
    assert [
        each.text
        for each in found
        if not each.plural
        for name, noun in re.findall(r"\{(\w+)\} (\w+)", each.text)
        if noun in counted and name not in NEVER_ONE and " than {" not in each.text  # decimals
    ] == []


def test_zero_and_one_are_never_filled_in_as_words() -> None:
    assert [number_word(number) for number in (0, 1, 2, 12, 13)] == [
        "0",
        "1",
        "two",
        "twelve",
        "13",
    ]


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_level_of_the_page_has_the_name_of_another_level_of_the_command(code: str) -> None:
    script = (catalogues.PACKAGE / "web" / "static" / "words" / "levels.js").read_text("utf-8")
    names = re.findall(r'(\d|\[PERFECT\]): _\("(\w+)"\)', script)
    of_page = {8 if number == "[PERFECT]" else int(number): name for number, name in names}
    assert of_page == {2: "Novice", 3: "Casual", 5: "Sensible", 6: "Strong", 8: "Perfect"}
    with language_scope(code):
        command = {level.number: translated(level.name).casefold() for level in LEVELS}
        page = {number: translated(name).casefold() for number, name in of_page.items()}
    assert [
        (page[number], other)
        for number in page
        for other in command
        if other != number and page[number] == command[other]
    ] == []

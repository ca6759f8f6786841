"""Words that people see but no catalogue has: literals of the command's texts and of the page's scripts."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import messages
from perfect_yatzy._messages import LANGUAGES

SPOKEN = [
    "cli/views", "cli/commands", "cli/console.py", "cli/terminal_game.py", "cli/jsonl.py", "game/patterns.py",
    "game/rules.py", "game/rule_words.py", "game/scorecard.py", "game/legal_actions.py", "strategy/fitted_file.py",
    "strategy/verify.py", "service", "play",
]  # fmt: skip
# Keys of files and JSON, values that are typed, and a column of the page of JSON Schema: not words for people.
KEYS = {
    "above par", "below par", "second best", "crossed out first", "second best loses, ", "advice mean", "advice win",
    "bonus needs", "goal estimates", "what it scores", "rolls left", "turns left",
}  # fmt: skip
PLAIN = re.compile(r"[A-Za-z]{2,} [a-z]{2,}")  # two words
CODE = re.compile(r"[<>{}]|^\s*(yatzy |--)")  # HTML, CSS, a command
MARKS = {"_", "N_", "ngettext", "pgettext"}
NOT_SHOWN = {
    "AssertionError", "RuntimeError", "TypeError", "RangeError", "option", "argument", "Option", "compile",
    "KindField",  # descriptions of the JSON Schema
}  # fmt: skip


def called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def silent(tree: ast.AST) -> set[int]:
    """Nodes whose text is translated, or that nobody sees: messages, docstrings, help (extracted elsewhere), bugs."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):  # a string that stands alone
            found.add(id(node.value))
        if isinstance(node, ast.FunctionDef):
            found |= {id(inner) for decorator in node.decorator_list for inner in ast.walk(decorator)}
        if isinstance(node, ast.Call) and called(node) in MARKS | NOT_SHOWN:
            found |= {id(inner) for inner in ast.walk(node)}
    return found


def unmarked(path: Path) -> list[str]:
    """Literals of a module, and the plain parts of f-strings, that read as words."""
    tree = ast.parse(path.read_text())
    skipped = silent(tree)
    return [
        f"{path.name}:{node.lineno}: {node.value[:60]}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in skipped
        and node.value not in KEYS
        and PLAIN.search(node.value)
        and not CODE.search(node.value)
    ]


def test_every_text_of_the_command_is_a_message(tmp_path: Path) -> None:
    paths = [messages.PACKAGE / name for name in SPOKEN]
    files = [file for path in paths for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]
    assert len(files) > len(SPOKEN)
    assert [text for file in files for text in unmarked(file)] == []
    file = tmp_path / "view.py"
    file.write_text(
        '"""A view of things."""\nfrom x import _\n\ndef lines(n):\n    """The lines of it."""\n'
        '    yield _("these are translated")\n    yield f"these {n} are not translated"\n    yield "yatzy hold it"\n'
    )
    assert unmarked(file) == ["view.py:7:  are not translated"]


def untranslated_literals(path: Path) -> list[str]:
    """Literals of a script outside `_()` that read as a sentence, or that are written to the page or to its labels."""
    tokens, found, depth = messages.script_tokens(path), list[str](), 0
    for at, token in enumerate(tokens):
        if depth:  # inside the call of a message or of an error that nobody sees
            depth += (token.value in "([{") - (token.value in ")]}") if len(token.value) == 1 else 0
            continue
        if token.type == "name" and token.value in messages.CALLS.keys() | NOT_SHOWN and tokens[at + 1].value == "(":
            tokens[at + 1] = tokens[at + 1]._replace(value="")  # counted here
            depth = 1
            continue
        if token.type not in ("string", "template_string"):
            continue
        text = re.sub(r"\$\{[^}]*\}", "", token.value[1:-1])
        before = "".join(each.value for each in tokens[max(0, at - 2) : at])
        is_written = re.search(r"(textContent=|aria-label\"[:,]|title:|placeholder:)$", before)
        is_sentence = re.search(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}", text) or re.match(r"[A-Z][a-z]+ [a-z]+ ", text)
        if is_sentence or (is_written and re.search(r"[A-Za-z]{2}", text)):
            found.append(f"{path.name}:{token.lineno}: {text[:60]}")
    return found


def test_every_text_of_a_script_is_a_message(tmp_path: Path) -> None:
    # Only browsers read the service worker: it reports to the console.
    scripts = [path for path in sorted(messages.STATIC.rglob("*.js")) if path.name != "service-worker.js"]
    assert len(scripts) > 5
    assert [text for path in scripts for text in untranslated_literals(path)] == []
    file = tmp_path / "view.js"
    file.write_text(
        '// A view of things.\nshow(_("these are translated", { n: f("x") }));\n'
        'show(`these ${n} are not translated`);\nnode.textContent = "Roll";\nnode.className = "bar buttons";\n'
    )
    assert untranslated_literals(file) == ["view.js:3: these  are not translated", "view.js:4: Roll"]


def test_the_page_without_scripts_speaks_every_language() -> None:
    page = (messages.STATIC / "index.html").read_text()
    words = re.search(r"<noscript>(.*?)</noscript>", page, re.DOTALL)
    assert words
    assert sorted(re.findall(r'<p lang="(\w+)">', words[1])) == sorted(LANGUAGES)
    outside = [text for text in messages.marked_words(messages.STATIC / "index.html").unmarked if text != "Yatzy"]
    assert [text for text in outside if text not in re.sub(r"\s+", " ", words[1])] == []

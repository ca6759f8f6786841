"""The modules of the page as one script: it does what a browser does with the modules."""

import subprocess
from pathlib import Path

import pytest
from perfect_yatzy.web.bundle import bundle
from perfect_yatzy.web.site.folder import ENGINE, OFFLINE
from perfect_yatzy.web.static_files import ENTRY, module_text
from pygments.lexers import JavascriptLexer
from pygments.token import Comment
from support.need import need_program

MODULES = {
    "shell/app.js": """import "./first.js";
import { count, add as increase, name } from "../store/state.js";
// a comment
export const app = "app"; // another one
increase();
increase();
const link = "https://example.org // no comment";
console.log(name, count, link, new URL("x", import.meta.url).pathname.endsWith("/shell/x"));
const later = await import(count > 1 ? "../review/end.js" : "../review/other.js");
console.log(later.end(), Object.keys(later).join());
""",
    "shell/first.js": """import { count } from "../store/state.js";
console.log("first", count);
""",
    "store/state.js": """export let count = 0;
await null;
export function add() {
  count += 1;
}
const name = "state";
export { name };
console.log("state");
""",
    "review/end.js": """import { count } from "../store/state.js";
export const end = () => count;
""",
    "review/other.js": "",
}


def words(script: str) -> str:
    """A script without its comments and the blanks between its words."""
    tokens = JavascriptLexer().get_tokens(script)
    return "".join(word for kind, word in tokens if kind not in Comment and word.strip())


def run(script: str, folder: Path, name: str) -> list[str]:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script)
    done = subprocess.run(
        [need_program("node", "nodejs"), str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("is_compact", [False, True])
def test_a_bundle_runs_as_its_modules_do(tmp_path: Path, is_compact: bool) -> None:
    """Order, exports that change, modules that are asked for late, addresses."""
    for name, text in MODULES.items():
        path = tmp_path / "modules" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    apart = run(MODULES["shell/app.js"], tmp_path, "modules/shell/app.js")
    text = bundle(["shell/app.js"], MODULES.__getitem__, is_compact=is_compact)
    together = run(text, tmp_path, "page.js")
    assert apart == together
    assert together[:2] == ["state", "first 0"]
    assert ("a comment" in text) != is_compact


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("shell/first.js", 'import { other } from "../store/state.js";\n', "imports other"),
        ("shell/first.js", "export let count = 1;\n", "export variables of one name"),
        ("shell/first.js", "const loadModule = 1;\n", "uses a name of the bundle"),
        ("store/state.js", 'import "../shell/first.js";\n', "cycle"),
    ],
)
def test_what_cannot_be_bundled_is_refused(name: str, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        bundle(["shell/app.js"], (MODULES | {name: text}).__getitem__)


@pytest.mark.full
def test_the_page_and_its_engine_are_bundled_whole(tmp_path: Path) -> None:
    """Node reads both without a fault; the compact ones lose comments and no word of code."""
    for entries in ([ENTRY, OFFLINE], [ENGINE]):
        whole, compact = (
            bundle(entries, module_text, is_compact=is_compact) for is_compact in (False, True)
        )
        for script in (whole, compact):
            path = tmp_path / "script.mjs"
            path.write_text(script)
            node = [need_program("node", "nodejs"), "--check", str(path)]
            assert subprocess.run(node, check=False).returncode == 0
        assert words(whole) == words(compact)

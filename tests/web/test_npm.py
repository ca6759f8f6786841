"""The engine as an npm package: what is packed, and the golden positions by Node and by Chromium
from the package.
"""

import json
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from golden import Position, differences, positions
from perfect_yatzy._version import __version__
from perfect_yatzy.service.queries import QueryService
from support.command import ROOT
from support.engine import make_site
from support.need import need_program
from support.server import static_host

pytestmark = pytest.mark.full
GAMES = ("crag", "generala", "yahtzee-plain", "yatzy-forced")
ENGINE = [
    "answers",
    "card",
    "errors",
    "files",
    "game",
    "goals",
    "lattice",
    "outlook",
    "review",
    "schedule",
    "sha256",
    "site",
    "table",
    "turn",
]
ASK = """const asked = %s, found = [];
for (const { query, ...request } of asked) {
  found.push(await engine[query](request).catch(({ code, message }) => ({ error: `${code}: ${message}` })));
}"""


@pytest.fixture(scope="module")
def folder(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as npm installs it from its archive, and a site."""
    home = tmp_path_factory.mktemp("npm")
    need_program("npm")
    packed = subprocess.run(
        [ROOT / ".ci" / "npm", home], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert packed == f"perfect-yatzy-{__version__}.tgz"
    (home / "package.json").write_text('{"type": "module"}')
    command = ["npm", "install", "--offline", "--no-audit", "--no-fund", f"./{packed}"]
    subprocess.run(command, cwd=home, capture_output=True, check=True)
    make_site(home / "site", QueryService(), GAMES, values_only=True)
    return home


@pytest.fixture(scope="module")
def asked() -> list[Position]:
    return [position for position in positions() if position["request"]["rules"] in GAMES]


def node(folder: Path, program: str) -> Any:
    done = subprocess.run(
        [need_program("node", "nodejs"), "--input-type=module", "-e", program],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_is_packed(folder: Path) -> None:
    """The engine without the page's worker; each file that another one imports; no dependency."""
    with tarfile.open(folder / f"perfect-yatzy-{__version__}.tgz") as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
    own = {
        "package.json",
        "README.md",
        "LICENSE",
        "index.js",
        "index.d.ts",
        "answers.d.ts",
        "answers.schema.json",
        "node.js",
        "node.d.ts",
        "file-fetch.js",
    }
    assert names == own | {f"engine/{name}.js" for name in ENGINE}
    described = json.loads((folder / "node_modules" / "perfect-yatzy" / "package.json").read_text())
    assert described["version"] == __version__
    assert not described.keys() & {"dependencies", "scripts", "main"}


def test_golden_positions_in_node(folder: Path, asked: list[Position]) -> None:
    program = ASK % json.dumps([position["request"] for position in asked])
    program = f"""import {{ openFolder, Engine, EngineError }} from "perfect-yatzy/node";
    const engine = openFolder("site");
    {program}
    const refused = await engine.hold({{ rules: "maxi", dice: "33456" }}).catch((error) => error);
    console.log(JSON.stringify({{ found, games: await engine.games(), code: refused instanceof EngineError && refused.code }}));"""
    said = node(folder, program)
    assert differences(asked, said["found"]) == []
    assert [game["id"] for game in said["games"]] == list(GAMES)
    assert said["code"] == "unknown-rules"


def test_golden_positions_in_a_browser_and_by_http(
    folder: Path, asked: list[Position], browser: Any
) -> None:
    few = asked[::4]
    program = ASK % json.dumps([position["request"] for position in few])
    with static_host(folder) as host:
        address = f"{host.address}site"
        in_node = f"""import {{ Engine }} from "perfect-yatzy"; const engine = new Engine("{address}"); {program}
        console.log(JSON.stringify(found));"""
        assert differences(few, node(folder, in_node)) == []
        page = browser.new_context().new_page()
        page.goto(f"{host.address}site/site.json")
        module = f"{host.address}node_modules/perfect-yatzy/index.js"
        found = page.evaluate(
            f"async () => {{ const {{ Engine }} = await import('{module}'), engine = new Engine('{address}/'); {program} return found; }}"
        )
        assert differences(few, found) == []


def test_every_method_and_every_file_has_its_type(folder: Path) -> None:
    package = folder / "node_modules" / "perfect-yatzy"
    types = (package / "index.d.ts").read_text()
    names = node(
        folder,
        'import { Engine } from "perfect-yatzy"; console.log(JSON.stringify(Object.getOwnPropertyNames(Engine.prototype)))',
    )
    assert [name for name in names if f"\n  {name}(" not in types] == []
    exported = json.loads((package / "package.json").read_text())["exports"]
    assert all((package / path).is_file() for entry in exported.values() for path in entry.values())

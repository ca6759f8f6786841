"""Copies of the source: each of the "Ten changes" of solver/README.md works in the files it
names; releases.
"""

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from base64 import urlsafe_b64decode
from pathlib import Path

import pytest
from perfect_yatzy._version import __version__
from perfect_yatzy.words import LANGUAGES
from support.command import ROOT
from support.need import CI, need

PACKAGE = ROOT / "solver" / "perfect_yatzy"
pytestmark = pytest.mark.full


class Copy:
    """A copy of the package that a test changes."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.changed = folder, set[str]()
        shutil.copytree(
            PACKAGE, folder / "perfect_yatzy", ignore=shutil.ignore_patterns("__pycache__")
        )

    def edit(self, file: str, place: str, before: str = "", after: str = "") -> None:
        """Write something before or after a text that the file has once."""
        path = self.folder / "perfect_yatzy" / file
        text = path.read_text(encoding="utf-8")
        assert text.count(place) == 1, (file, place)
        path.write_text(text.replace(place, before + place + after), encoding="utf-8")
        self.changed.add(file)

    def new(self, file: str, text: str) -> None:
        path = self.folder / "perfect_yatzy" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.changed.add(file)

    def remove(self, name: str) -> None:
        """Delete a file or a folder."""
        path = self.folder / "perfect_yatzy" / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()

    def remove_lines(self, file: str, end: str) -> None:
        """Delete the lines that end so."""
        path = self.folder / "perfect_yatzy" / file
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if not line.endswith(end)]
        path.write_text("".join(kept), encoding="utf-8")

    def run(self, *words: str) -> str:
        return self.python("-m", "perfect_yatzy", *words)

    def python(self, *words: str) -> str:
        # The coverage of the package does not count its copy.
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")
        }
        environment |= {"PYTHONPATH": str(self.folder), "YATZY_TABLES": str(self.folder / "tables")}
        command = [sys.executable, *words]
        found = subprocess.run(
            command, capture_output=True, text=True, env=environment, check=False
        )
        assert found.returncode == 0, found.stderr
        return found.stdout


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path / "copy")


def named_files(change: str) -> set[str]:
    """The files of ours that a row of the table names; the names of languages stand for all of
    them.
    """
    text = (ROOT / "solver" / "README.md").read_text(encoding="utf-8").split("## Ten changes")[1]
    row = next(line for line in text.splitlines() if line.startswith(f"| {change} |"))
    return set(re.findall(r"\]\(perfect_yatzy/([\w./]+\.(?:py|js))\)", row))


RUN = """
    "run": Kind(
        lambda pattern, counts: (
            sum((counts[:, i : i + pattern.length] > 0).all(axis=1) for i in range(7 - pattern.length)) > 0, 0
        ),
        lambda pattern: f"{pattern.length} in a row",
        {"length": KindField("face", "For \\"run\\": how many dice.")},
    ),
"""
BOX = """id = "runs"\nname = "Runs"\nextends = "yatzy"\n
[categories.chance]\nname = "Run of Four"\npoints = 25\n"""
BY_CONTAINS = "patterns = [ { contains = [1, 2, 3, 4] }, { contains = [2, 3, 4, 5] }, { contains = [3, 4, 5, 6] } ]"


def test_a_new_pattern(copy: Copy, tmp_path: Path) -> None:
    """A kind of pattern that the game describes in another way too: both have the same chances
    and the same value.
    """
    copy.edit("core/patterns.py", "\nKINDS = {", after=RUN.rstrip())
    copy.edit("core/patterns.py", "    only: tuple[int, ...] = ()", "    length: int = 0\n")
    assert copy.changed <= named_files("a new pattern")
    new, known = tmp_path / "new.toml", tmp_path / "known.toml"
    new.write_text(BOX + 'pattern = "run"\nlength = 4\n', encoding="utf-8")
    known.write_text(BOX + f'pattern = "contains"\n{BY_CONTAINS}\n', encoding="utf-8")
    for question in (
        ("odds", "11122"),
        ("score", "12234"),
        ("hold", "12234"),
        ("expect", "--no-spread"),
    ):
        answers = [copy.run(*question, "--rules", str(rules)) for rules in (new, known)]
        assert answers[0] == answers[1].replace("known.toml", "new.toml")
    assert "4 in a row: 25 points" in copy.run("rules", "show", str(new))
    assert '"length"' in copy.run("rules", "schema")


FEATURES = (
    "rl",
    "web",
    "cluster",
    "two_players",
    "field",
    "prices",
    "ratings",
    "play",
    "policies",
    "cli",
    "service",
)
CORE_TESTS = (
    "core/test_backward_induction.py::test_each_mechanic_alone",
    "core/test_backward_induction.py::test_golden_hashes_and_any_number_of_threads",
    "core/test_table_file.py::test_a_missing_table_is_solved_unless_forbidden",
)
# Imports every module; packages of extras may be missing, modules of this package may not.
IMPORT_ALL = """
import importlib, pkgutil
import perfect_yatzy
for module in pkgutil.walk_packages(perfect_yatzy.__path__, "perfect_yatzy."):
    try:
        importlib.import_module(module.name)
    except ImportError as error:
        assert not (error.name or "perfect_yatzy").startswith("perfect_yatzy"), error
"""
HOLD = (
    "import perfect_yatzy; print(perfect_yatzy.open_strategy('yatzy').holds('', '33456')[0].dice)"
)


def removed_with(feature: str) -> list[str]:
    """What goes with a feature, by the table of solver/README.md."""
    text = (ROOT / "solver" / "README.md").read_text(encoding="utf-8")
    table = text.split("## What can be removed")[1].split("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert [row.split(" | ")[0] for row in rows] == [f"| {name}" for name in FEATURES]
    return re.findall(r"\]\(perfect_yatzy/([\w./]+)\)", rows[FEATURES.index(feature)])


@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_can_be_removed(copy: Copy, feature: str) -> None:
    """The other modules can be imported, the tests of the core pass, and holds are answered."""
    removed = removed_with(feature)
    for name in removed:
        copy.remove(name)
    assert feature in removed or feature == "ratings"  # they are part of play
    if "cli" not in removed:
        modules = [re.match(r"cli/commands/(\w+)\.py", name) for name in removed]
        for module in filter(None, modules):
            copy.remove_lines("cli/__init__.py", f': "{module[1]}",\n')
        help_text = copy.run("--help")
        assert copy.run("hold", "33456").startswith("Hold 3 3 ")
        assert all(copy.run(word, "--help") for word in commands_of(help_text))
    assert copy.python("-c", HOLD) == "(3, 3)\n"
    copy.python("-c", IMPORT_ALL)
    tests = [str(ROOT / "tests" / test) for test in CORE_TESTS]
    report = copy.python("-m", "pytest", "-p", "no:cacheprovider", *tests)
    assert re.search(r"^\d+ passed", report, re.MULTILINE), report


def commands_of(help_text: str) -> list[str]:
    """The commands that the help lists."""
    return re.findall(r"^  ([a-z]+)  +[A-Z]", help_text, re.MULTILINE)


def values(text: str) -> list[float]:
    """The numbers with decimals in a text."""
    return [float(number) for number in re.findall(r"\d+\.\d+", text)]


BONUS_POINTS = """class PaidBonus(PolicyQuantity):
    name = "bonuspoints"

    def full_cards(self) -> Values:
        return final_bonus(self.space)


"""


MAKE_BONUS_POINTS = """def _bonus_points(rules, means):
    from ..objectives.policy_quantities import PaidBonus

    return PaidBonus(rules, means(rules))


"""


def test_a_new_stored_quantity(copy: Copy, tiny: str) -> None:
    """The points of the upper bonus: as often as the chance of the bonus says, each time all of
    them.
    """
    copy.edit("objectives/policy_quantities.py", "class Variance(PolicyQuantity):\n", BONUS_POINTS)
    copy.edit("tablebase/quantities.py", "class Quantity(NamedTuple):\n", MAKE_BONUS_POINTS)
    quantity = 'Quantity("bonuspoints", _bonus_points, True, "Bonus points of {rules}", "Sum of {rules}: {value}"),\n'
    copy.edit("tablebase/quantities.py", '        Quantity(\n            "bonus",', quantity)
    assert copy.changed == named_files("a new stored quantity")
    assert "Bonus points of tiny" in copy.run("solve", tiny, "--what", "bonuspoints", "--estimate")
    points = values(copy.run("solve", tiny, "--what", "bonuspoints").splitlines()[0])[0]
    chance = values(copy.run("solve", tiny, "--what", "bonus").splitlines()[0])[0]
    assert points == pytest.approx(5 * chance, abs=1e-8)
    assert "bonuspoints" in copy.run("tables")
    sharded = copy.run("solve", tiny, "--what", "bonuspoints", "--shards", "--force")
    assert values(sharded.splitlines()[0])[0] == points


EVEN_SCORE = """class EvenScore(ScoreObjective):
    name = "even"
    monotone = False
    def row_lengths(self) -> Ints:
        return Utility(self.rules, self.utility, self.start).row_lengths()
    def score_range(self, length: Ints) -> tuple[Ints, Ints]:
        return np.zeros_like(length), length
    def utility(self, total: Ints) -> Floats:
        return (total % 2 == 0).astype(np.float64)


"""


def test_a_new_objective(copy: Copy, tiny: str) -> None:
    """The chance of an even final score: more points are not always better. The public function
    for a utility agrees.
    """
    copy.edit("objectives/scores.py", "class Utility(ScoreObjective):\n", EVEN_SCORE)
    assert copy.changed <= named_files("a new objective")
    program = """
import sys, perfect_yatzy as y
from perfect_yatzy.objectives.scores import EvenScore
from perfect_yatzy.core.backward_induction import solve_objective
rules = y.load_rules(sys.argv[1])
objective = EvenScore(rules)
table = solve_objective(objective)
own = table[objective.places.rows_slice(0, 0, 1)][0]
print(own, y.maximise(rules, lambda score: (score % 2 == 0).astype(float)).value(""))
"""
    own, other = map(float, copy.python("-c", program, tiny).split())
    assert own == pytest.approx(other, abs=1e-6)
    assert 0.5 < own < 1


def test_a_new_column(copy: Copy, tiny: str, tmp_path: Path) -> None:
    """It stands in the CSV of the command."""
    column = '            "is_even": self.final_scores % 2 == 0,\n'
    copy.edit(
        "strategy/simulation.py", '            "final_score": self.final_scores,\n', after=column
    )
    assert copy.changed == named_files("a new column in the CSV of simulated games")
    games_file = tmp_path / "games.csv"
    copy.run("simulate", "-r", tiny, "-n", "5", "-o", str(games_file))
    head, *games = games_file.read_text(encoding="utf-8").splitlines()
    assert head.split(",")[-2:] == ["final_score", "is_even"]
    for game in games:
        score, is_even = game.split(",")[-2:]
        assert (
            is_even.lower() in ("true", "1")
            if int(score) % 2 == 0
            else is_even.lower() in ("false", "0")
        )


def test_a_new_policy(copy: Copy, tiny: str) -> None:
    """A guess that is the same for all states takes the most points of each turn."""
    flat = "ValueFunction(place.rules, lambda states: np.full(len(states.filled), 7.0), place.card)"
    entry = f'    ("flat", lambda place: NamedPolicy({flat}, "Flat")),\n'
    copy.edit("policies/named.py", '    ("most-points", _most_points),\n', after=entry)
    assert copy.changed == named_files("a new policy")
    flat, most = (
        copy.run("evaluate", name, "-r", tiny, "--json") for name in ("flat", "most-points")
    )
    assert json.loads(flat)["mean"] == json.loads(most)["mean"]


def test_a_new_tie_rule(copy: Copy, tiny: str) -> None:
    """A tie that counts a third lies a third of the way from a loss to a win."""
    rule = (
        '    "third": TieRule(1 / 3, "a third of a win", "{chance} to win (a tie is a third)"),\n'
    )
    copy.edit("strategy/tie_rules.py", '    "win": TieRule(', rule)
    assert copy.changed <= named_files("another tie rule")
    last = (
        "score",
        "34",
        "--rolls-left",
        "0",
        "-r",
        tiny,
        "-c",
        "threes=0 fours=4",
        "--opponent",
        "11",
        "--json",
    )
    chances = [
        json.loads(copy.run(*last, "--ties", rule))["chance"] for rule in ("loss", "third", "win")
    ]
    assert chances == [0, pytest.approx(1 / 3), 1]  # 4 points on the card and 7 more: a tie
    assert "a third of a win" in copy.run(*last[:-1], "--ties", "third")


def test_a_new_command(copy: Copy) -> None:
    hello = 'import click\n\n\n@click.command()\ndef hello() -> None:\n    """Say hello."""\n    click.echo("hello")\n'
    copy.new("cli/commands/hello.py", hello)
    copy.edit("cli/__init__.py", '        "play": "play",\n', '        "hello": "hello",\n')
    assert copy.changed - {"cli/commands/hello.py"} == named_files("a new command")
    assert copy.run("hello") == "hello\n"
    assert "Say hello." in copy.run("--help")


def test_a_new_view(copy: Copy, tiny: str, tmp_path: Path) -> None:
    line = ' f"{len(review.decisions)} decisions in all",'
    copy.edit("cli/views/review_text.py", "    return [*summary_lines(rules, review),", after=line)
    assert copy.changed <= named_files("a new view of a review")
    game = tmp_path / "games.jsonl"
    copy.run("simulate", "-r", tiny, "-n", "1", "-o", str(game))
    assert re.search(r"^\d+ decisions in all$", copy.run("review", str(game)), re.MULTILINE)


def test_a_new_language(copy: Copy) -> None:
    """Spanish: two messages and the names of boxes."""
    folder = copy.folder / "perfect_yatzy" / "locale"
    known = {"expected final score {points}": "puntos esperados {points}"}
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))["texts"]
    copy.new(
        "locale/es/LC_MESSAGES/perfect_yatzy.json",
        json.dumps([known.get(text, "") for text in texts]),
    )
    swedish = (PACKAGE / "game/names/sv.toml").read_text(encoding="utf-8")
    copy.new("game/names/es.toml", swedish.replace('chance = ["', 'chance = ["Suerte", "'))
    spanish = copy.run("score", "33456", "--lang", "es", "--rolls-left", "0", "--all")
    assert "Suerte" in spanish
    assert "puntos esperados" in spanish


TOO_LONG = """        from .limits import MAX_PATH
        if len(scope["path"]) > MAX_PATH:
            await send_error(send, 414, "too-long", "the address is too long")
            return
"""


def test_a_new_limit(copy: Copy) -> None:
    """The length of an address."""
    copy.edit("web/limits.py", "MAX_BODY_SECONDS = ", "MAX_PATH = 40\n")
    copy.edit(
        "web/middleware.py", "        if not self.is_known_host(host_name(host)):\n", TOO_LONG
    )
    assert copy.changed <= named_files("a new limit of the server")
    program = """
from starlette.testclient import TestClient
from perfect_yatzy.web.app import create_app
client = TestClient(create_app(), base_url="http://localhost")
print(client.get("/api/rules").status_code, client.get("/" + 40 * "x").status_code)
"""
    assert copy.python("-c", program).split() == ["200", "414"]


# In bytes, of which seven languages are 240,000, and the docstrings 175,000; 1,200,000 are wanted.
LARGEST_WHEEL = 1_360_000
LEFT_OUT = shutil.ignore_patterns(
    ".git",
    ".venv",
    "build",
    "dist",
    "*.egg-info",
    "__pycache__",
    ".*_cache",
    "*.npy",
    "*.mo",
    "texts.json",
    "perfect_yatzy.json",
    "messages",
)


def build(source: Path, out: Path, umask: int = 0o022) -> dict[str, Path]:
    """Source distribution and wheel of a source folder by its backend, without a network."""
    out.mkdir()
    program = f"import backend; print(backend.build_sdist({str(out)!r})); print(backend.build_wheel({str(out)!r}))"
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(source / ".ci"), os.environ.get("PYTHONPATH", "")])
    }
    command = [sys.executable, "-c", program]
    subprocess.run(command, cwd=source, env=env, umask=umask, capture_output=True, check=True)
    return {path.suffix: path for path in out.iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Path]]:
    """Two builds: of two copies with other times, modes and places."""
    if int(need("setuptools").__version__.partition(".")[0]) < 77:
        assert not CI
        pytest.skip("setuptools is older than 77 (make test-all installs a newer one)")
    need("zopfli")
    found = []
    for name, umask in (("one", 0o022), ("another-place", 0o077)):
        folder = tmp_path_factory.mktemp(name)
        source = Path(
            shutil.copytree(ROOT, folder / name, ignore=LEFT_OUT, copy_function=shutil.copyfile)
        )
        for path in (".ci/package", ".ci/lowest", ".ci/run", ".ci/bounds"):
            (source / path).chmod(0o755 & ~umask)
        found.append(build(source, folder / "dist", umask))
    return found


def test_two_builds_have_the_same_bytes_and_the_source_has_what_its_tests_need(
    built: list[dict[str, Path]],
) -> None:
    one, other = built
    assert set(one) == {".gz", ".whl"}
    for kind, path in one.items():
        digests = {hashlib.sha256(each.read_bytes()).hexdigest() for each in (path, other[kind])}
        assert len(digests) == 1, kind
        assert path.name == other[kind].name
    with tarfile.open(built[0][".gz"]) as source:
        names = {name.partition("/")[2] for name in source.getnames()}
    assert {
        ".ci/backend.py",
        ".ci/golden.py",
        "tests/data/golden.json",
        "tests/web/engine_driver.mjs",
    } <= names
    assert {"pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "Makefile"} <= names
    assert not [name for name in names if name.endswith((".npy", ".pyc")) or ".venv" in name]


def test_the_wheel_has_the_package_alone_and_each_file_as_recorded(
    built: list[dict[str, Path]],
) -> None:
    with zipfile.ZipFile(built[0][".whl"]) as wheel:
        names = wheel.namelist()
        info = f"perfect_yatzy-{__version__}.dist-info/"
        assert {name.partition("/")[0] + "/" for name in names} == {"perfect_yatzy/", info}
        kinds = {
            "py",
            "toml",
            "js",
            "css",
            "html",
            "json",
            "svg",
            "png",
            "txt",
            "mo",
            "po",
            "typed",
            "webmanifest",
        }
        assert {name.rpartition(".")[2] for name in names if not name.startswith(info)} <= kinds
        # The source has no compiled catalogues. The texts are there once, and once translated.
        compiled = [name for name in names if name.startswith("perfect_yatzy/locale/")]
        assert len(compiled) == 1 + 2 * (len(LANGUAGES) - 1)
        assert not [name for name in names if "/static/messages/" in name]
        assert built[0][".whl"].stat().st_size <= LARGEST_WHEEL
        rows = [*csv.reader(wheel.read(f"{info}RECORD").decode().splitlines())]
        assert sorted(row[0] for row in rows) == sorted(names)
        for name, digest, size in rows:
            if name == f"{info}RECORD":
                continue
            content = wheel.read(name)
            padded = digest.removeprefix("sha256=") + "="
            assert (hashlib.sha256(content).digest(), len(content)) == (
                urlsafe_b64decode(padded),
                int(size),
            ), name


def test_the_sbom_names_the_wheel_and_its_dependencies(built: list[dict[str, Path]]) -> None:
    with zipfile.ZipFile(built[0][".whl"]) as wheel:
        (name,) = (each for each in wheel.namelist() if "/sboms/" in each)
        document = json.loads(wheel.read(name))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"].values()
    asked = [*project["dependencies"], *(each for group in optional for each in group)]
    assert re.fullmatch(r"perfect_yatzy-[0-9.]+\.dist-info/sboms/perfect-yatzy\.cdx\.json", name)
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    own = document["metadata"]["component"]
    assert (own["name"], own["version"]) == ("perfect-yatzy", __version__)
    assert [each["name"] for each in document["components"]] == [
        re.split(r"[<>=]", each)[0] for each in asked
    ]
    refs = [each["bom-ref"] for each in document["components"]]
    assert document["dependencies"] == [{"ref": own["bom-ref"], "dependsOn": refs}]
    assert len({own["bom-ref"], *refs}) == len(refs) + 1

"""`yatzy site`: what it writes, and the site in a real browser, with and without a network."""

import json
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy import Strategy
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.web.site.folder import check_folder, service_worker
from support.browser import Visitor, looks_right
from support.command import Run, printed, refusal
from support.engine import make_site, random_positions
from support.flips import flip
from support.server import BASE, static_host

HOLD = {"rules": "yatzy-forced", "dice": "33456"}
LINK = "#rules=yatzy-forced"
FIRST_LOAD = 4_000_000  # bytes, for Yatzy


@pytest.fixture(scope="module")
def built(service: QueryService, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    make_site(folder, service, ["yatzy-forced"])
    return folder


@pytest.fixture
def forced_site(built: Path, tmp_path: Path) -> Path:
    """A site that a test may change."""
    return Path(shutil.copytree(built, tmp_path / "site"))


def test_the_command_writes_a_site_and_updates_it(run: Run, built: Path, tmp_path: Path) -> None:
    """Of an unchanged site the bytes stay the same, so it is not fetched again."""
    folder = tmp_path / "public"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    assert "use --force" in refusal(run, "site", str(folder), "yatzy-forced", "--puzzles", "0")
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    written = printed(run, "site", str(folder), "yatzy-forced", "--puzzles", "1", "--force")
    assert re.search(r"yatzy-forced +[0-9.]+ kB", written)
    first = {path.name for path in (folder / "data" / "yatzy-forced").iterdir()}
    kinds = {"rules", "values", "deviations", "bonus", "distribution", "puzzles"}
    assert {name.partition("-")[0] for name in first} == kinds
    printed(run, "site", str(folder), "yatzy-forced", "--puzzles", "0")  # its own site: no --force
    second = {path.name for path in (folder / "data" / "yatzy-forced").iterdir()}
    assert second == {name for name in first if not name.startswith("puzzles")}
    assert (folder / "notes.txt").read_text() == "mine"
    files = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()} - {
        Path("notes.txt")
    }
    assert files == {path.relative_to(built) for path in built.rglob("*") if path.is_file()}
    assert len(files) > 20
    for path in files:
        assert (folder / path).read_bytes() == (built / path).read_bytes(), path


def test_a_site_is_repaired_and_games_are_removed(
    service: QueryService, built: Path, tmp_path: Path
) -> None:
    """A damaged file of the same size is written again; others are not touched."""
    folder = Path(shutil.copytree(built, tmp_path / "site"))
    # a game that was removed
    shutil.copytree(folder / "data" / "yatzy-forced", folder / "data" / "other-game")
    files = {path.relative_to(built) for path in built.rglob("*") if path.is_file()}
    damaged = [
        *(folder / "data" / "yatzy-forced").iterdir(),
        folder / "site.json",
        folder / "sw.js",
    ]
    for path in damaged:
        flip(path, path.stat().st_size * 4)
    written = {path: (folder / path).stat().st_mtime_ns for path in files}
    check_folder(folder, force=False)  # the description is damaged, and still that of a site
    make_site(folder, service, ["yatzy-forced"])
    assert {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()} == files
    assert all((folder / path).read_bytes() == (built / path).read_bytes() for path in files)
    changed = {path for path in files if (folder / path).stat().st_mtime_ns != written[path]}
    assert changed == {path.relative_to(folder) for path in damaged}
    assert not (folder / "data" / "other-game").exists()


def test_the_command_needs_no_web_framework(built: Path, tmp_path: Path, store: Path) -> None:
    blocked = "import sys; sys.modules.update(dict.fromkeys(('fastapi', 'starlette', 'pydantic', 'uvicorn', 'h11')));"
    command = f"{blocked} from perfect_yatzy.cli import main; main()"
    folder = str(tmp_path / "site")
    args = [sys.executable, "-c", command, "site", folder, "yatzy-forced", "--puzzles", "0"]
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "site.json").read_bytes() == (built / "site.json").read_bytes()


def test_a_site_that_cannot_be_made_is_refused(run: Run, tmp_path: Path) -> None:
    said = refusal(run, "site", str(tmp_path / "site"), "giant")
    assert "giant has 47 categories; a site can have games of up to 30" in said
    assert not (tmp_path / "site").exists() or not any((tmp_path / "site").iterdir())
    (tmp_path / "file").write_text("")  # which is no folder
    refusal(run, "site", str(tmp_path / "file"), "yatzy-forced")


def test_the_page_chooses_the_engine_and_names_no_other_site(forced_site: Path) -> None:
    html = (forced_site / "index.html").read_text()
    assert html.count('<meta name="perfect-yatzy-engine"') == 1
    assert 'name="perfect-yatzy-engine" content="browser"' in html
    assert html.count('rel="manifest"') == 1
    manifest = json.loads((forced_site / "manifest.webmanifest").read_text())
    for icon in manifest["icons"]:
        content = (forced_site / icon["src"]).read_bytes()
        if icon["type"] == "image/png":
            width = int.from_bytes(content[16:20])
            assert content.startswith(b"\x89PNG")
            assert icon["sizes"] == f"{width}x{width}"
    for path in forced_site.rglob("*"):
        if path.suffix in (".js", ".css", ".html", ".webmanifest"):
            links = re.findall(r"(?:https?:)?//[a-z0-9-]+\.[a-z]{2,}", path.read_text())
            assert [link for link in links if "www.w3.org" not in link] == [], path
            assert 'src="/' not in path.read_text()
            assert 'href="/' not in path.read_text()


@pytest.fixture
def page(browser: Any) -> Any:
    return browser.new_context(viewport={"width": 390, "height": 844}).new_page()


def visit(page: Any, address: str) -> None:
    page.goto("about:blank")
    page.goto(address + LINK)


def included(name: str) -> str:
    """Whether a file that the page gets is that of the second version."""
    return f"fetch('{name}').then((r) => r.text()).then((text) => text.includes('second version'))"


def ask(page: Any, path: str, body: dict[str, Any]) -> Any:
    """The answer of the engine; an error as its code."""
    return page.evaluate(
        """([path, body]) => loaded("engine/client").then((engine) => engine.ask(path, body))
             .catch((error) => error.code)""",
        [path, body],
    )


def kept(page: Any) -> None:
    """Wait until the service worker and the data of the game are there."""
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    page.wait_for_function("navigator.serviceWorker.controller")
    page.wait_for_selector("html[data-offline='ready']", state="attached")


@pytest.mark.full
def test_offline_after_the_first_visit(forced_site: Path, page: Any) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    with static_host(forced_site) as host:
        visit(page, host.address)
        kept(page)
        online = ask(page, "hold", HOLD)
        assert len(online["holds"]) > 10
        host.is_down = True
        for cut in (True, False):  # the network of the phone, then the server alone
            page.context.set_offline(cut)
            visit(page, host.address)
            page.wait_for_selector("main", state="visible")
            assert ask(page, "hold", HOLD) == online
            assert (
                ask(page, "expect", {"rules": "yatzy-forced", "card": {"ones": 3}})["distribution"][
                    "lowest"
                ]
                >= 3
            )
            assert ask(page, "rules", {"lang": "sv"})[0]["id"] == "yatzy-forced"
    assert problems == []


@pytest.mark.full
def test_the_menu_offers_to_install_the_page_where_the_browser_can(
    forced_site: Path, page: Any
) -> None:
    with static_host(forced_site) as host:
        page.goto(host.address)
        page.wait_for_selector("html[data-ready]", state="attached")
        page.click("#menu-button")
        assert page.locator("#install").is_hidden()
        page.evaluate(
            """dispatchEvent(Object.assign(new Event("beforeinstallprompt", { cancelable: true }),
                 { prompt: () => { document.title = "asked"; } }))"""
        )
        page.click("#install")
        assert page.title() == "asked"
        page.evaluate("dispatchEvent(new Event('appinstalled'))")
        assert page.locator("#install").is_hidden()


@pytest.mark.full
def test_a_site_without_the_rules_of_a_link_says_so(forced_site: Path, page: Any) -> None:
    with static_host(forced_site) as host:
        page.goto(host.address + "#rules=maxi")
        page.wait_for_selector("main", state="visible")
        notice = (
            "The rules “maxi” are not available on this page, which shows Forced Yatzy instead."
        )
        assert notice in page.text_content("#notice")
        assert page.text_content("#game-name") == "Forced Yatzy"
        assert "server" not in page.locator("footer").inner_text()
        assert page.locator("#example").is_hidden()  # it is one of Yatzy


# The milliseconds that each of twelve questions takes.
QUESTIONS = """loaded("engine/client").then(async ({ ask }) => {
  const times = [];
  for (const face of [1, 2, 3, 4, 5, 6]) for (const rolls_left of [1, 2]) {
    const start = performance.now();
    await ask("hold", { dice: [1, 2, 3, 4, face], rolls_left });
    times.push(performance.now() - start);
  }
  return times;
})"""


@pytest.fixture
def yatzy_site(service: QueryService, tmp_path: Path) -> Path:
    make_site(tmp_path, service, ["yatzy"], values_only=True)
    return tmp_path


@pytest.mark.full
def test_yatzy_loads_little_and_once(yatzy: Strategy, yatzy_site: Path, page: Any) -> None:
    with static_host(yatzy_site) as host:
        page.goto(host.address)
        found = ask(page, "hold", {"dice": "33456"})
        moved = data_moved(host)
        assert host.bytes_sent < FIRST_LOAD
        assert len(page.evaluate(QUESTIONS)) == 12
        assert data_moved(host) == moved > 0
    assert found["expected_final_score"] == pytest.approx(
        yatzy.holds("", "33456")[0].value, abs=1e-6
    )


@pytest.mark.slow
def test_yatzy_loads_soon(yatzy_site: Path, page: Any) -> None:
    """Within 20 s, ten times the figure of the README; a question takes a tenth of that, so it
    is no second load.
    """
    with static_host(yatzy_site) as host:
        page.goto(host.address)
        ask(page, "hold", {"dice": "33456"})
        seconds = page.evaluate("performance.now() / 1000")
        milliseconds = statistics.median(page.evaluate(QUESTIONS))
    print(f"first load {host.bytes_sent:,} bytes, {seconds:.2f} s; a hold {milliseconds:.1f} ms")
    assert seconds < 20
    assert milliseconds < 1000 * seconds / 10


@pytest.mark.full
def test_the_advice_needs_six_requests_and_waits_for_nothing_else(
    forced_site: Path, page: Any
) -> None:
    """On a slow line the table comes first; what later questions need comes after it."""
    with static_host(forced_site) as host:
        page.goto(host.address + LINK + "&dice=33456&rolls_left=2")
        page.wait_for_selector("#ranking[aria-busy='false'] li", state="attached")
        kept(page)
        sent = [path.partition(BASE)[2] for path, _ in host.sent]
    kinds = [re.sub(r"-[0-9a-f]{12}|yatzy-forced/", "", name) for name in sent]
    data = ("data/rules-en.bin", "data/rules.bin", "data/values.bin")
    first = ("", "engine/worker.js", "site.json", *data)  # some of them at once, in any order
    assert sorted(kinds[: len(first)]) == sorted(first)
    assert {"data/bonus.bin", "data/deviations.bin", "sw.js"} <= set(kinds[len(first) :])


@pytest.mark.full
def test_boxes_are_counted_and_the_page_says_how_much_is_loaded(
    forced_site: Path, page: Any
) -> None:
    """The values are held back half way: the card shows what the dice pay, and a box is taken.

    Their loading begins before the question that needs them, with what is kept for later visits.
    """
    table = next((forced_site / "data" / "yatzy-forced").glob("values-*.bin"))
    half, size = table.stat().st_size // 2, table.stat().st_size
    with static_host(forced_site) as host:
        host.paused[table.name] = half
        page.goto(host.address + LINK)
        Visitor(page, host.address).wait_for(
            lambda: any(path.endswith(table.name) for path, _ in host.sent)
        )
        page.goto(host.address + LINK + "&dice=33456&rolls_left=2")
        page.wait_for_selector("#card .row button", state="attached")
        loaded = [f"{count / 1e6:.1f}" for count in (half, size)]
        page.wait_for_selector(f"#bars:has-text('{loaded[0]} of {loaded[1]} MB')")
        assert page.inner_text("#answer").split("\n") == ["One moment", "loading the advice"]
        looks_right(Visitor(page, host.address), "loading")
        page.click("#card .row button >> nth=0")  # the first box of a forced order: ones
        assert page.evaluate(
            "loaded('store/state').then(({ state }) => state.players[0].card)"
        ) == {"ones": 0}
        page.evaluate("loaded('store/state').then(({ undo }) => undo())")
        host.paused.clear()
        page.wait_for_selector("#ranking[aria-busy='false'] li", state="attached")
        assert "MB" not in page.inner_text("#table")


def data_moved(host: Any) -> int:
    """Bytes of the table that a host has sent."""
    return sum(size for path, size in host.sent if "/values-" in path)


@pytest.mark.full
def test_a_large_table_is_read_in_pages_and_again_later(
    service: QueryService, tmp_path: Path, page: Any
) -> None:
    make_site(tmp_path, service, ["yahtzee"], values_only=True, in_pages=True)
    positions = random_positions(service.rules("yahtzee"), 14, seed=9)
    first, second = (body for _, body in positions if len(body["card"]) in (3, 9))
    expected = [service.answer({"query": "score"} | body)["best"] for body in (first, second)]
    with static_host(tmp_path) as host:
        page.goto(host.address)
        assert ask(page, "score", first)["best"]["category"] == expected[0]["category"]
        assert 0 < data_moved(host) < 300_000
        host.is_down = True
        assert ask(page, "score", second) == "network"
        host.is_down = False
        host.sent.clear()
        assert ask(page, "score", second)["best"]["category"] == expected[1]["category"]
        assert 0 < data_moved(host) < 300_000
        host.has_ranges = False
        # From the middle of a game, whose pages nothing has asked for.
        card = {
            "threes": 9,
            "fives": 15,
            "four-of-a-kind": 0,
            "full-house": 25,
            "small-straight": 30,
            "chance": 20,
        }
        assert (
            ask(page, "score", {"rules": "yahtzee", "card": card, "dice": "22446"})
            == "range-unsupported"
        )


@pytest.mark.full
def test_an_answer_that_is_no_description_does_not_replace_the_kept_one(
    forced_site: Path, page: Any
) -> None:
    """A page of a host under maintenance, with status 200; also a description with one changed
    byte.
    """
    description = forced_site / "site.json"
    with static_host(forced_site) as host:
        visit(page, host.address)
        kept(page)
        online, intact = ask(page, "hold", HOLD), description.read_bytes()
        for other in (
            b"<!doctype html><title>Maintenance</title>",
            b"{}",
            intact.replace(b"data/", b"data.", 1),
        ):
            description.write_bytes(other)
            visit(page, host.address)
            assert ask(page, "hold", HOLD) == online
    page.context.set_offline(True)
    visit(page, host.address)
    assert ask(page, "hold", HOLD) == online


@pytest.mark.full
def test_a_page_says_that_there_is_a_new_version_and_loads_it(
    forced_site: Path, service: QueryService, page: Any
) -> None:
    with static_host(forced_site) as host:
        visit(page, host.address)
        kept(page)
        visit(page, host.address)
        kept(page)
        assert page.is_hidden("#update")
        index, worker = forced_site / "index.html", forced_site / "sw.js"
        index.write_text(index.read_text() + "<!-- second version -->")
        names = json.loads(worker.read_text().split("const FILES = ")[1].split(";\n")[0])
        files = {name: (forced_site / name).read_bytes() for name in names}
        worker.write_bytes(service_worker(files))
        visit(page, host.address)
        page.wait_for_selector("#update", state="visible")
        assert "second version" not in page.content()
        page.click("#reload")
        page.wait_for_function(
            "[...document.childNodes].some((node) => node.nodeValue?.includes('second version'))"
            " || document.documentElement.outerHTML.includes('second version')"
        )
        kept(page)
        assert page.is_hidden("#update")


@pytest.mark.full
def test_a_new_version_replaces_the_old_one_as_a_whole(
    forced_site: Path, service: QueryService, page: Any
) -> None:
    with static_host(forced_site) as host:
        visit(page, host.address)
        kept(page)
        for name, mark in (
            ("index.html", "<!-- second version -->"),
            ("engine/worker.js", "// second version"),
        ):
            path = forced_site / name
            path.write_text(path.read_text() + mark)
        names = json.loads(
            (forced_site / "sw.js").read_text().split("const FILES = ")[1].split(";\n")[0]
        )
        files = {name: (forced_site / name).read_bytes() for name in names}
        (forced_site / "sw.js").write_bytes(service_worker(files))
        page.reload()
        registration = "navigator.serviceWorker.getRegistration().then((found) => found"
        page.evaluate(f"{registration}.update().then(() => null))")
        page.wait_for_function(f"{registration}.waiting !== null)")
        # the page that is open stays with its version
        assert not page.evaluate(included("engine/worker.js"))
        visit(page, host.address)
        for name in ("engine/worker.js", "index.html"):
            page.wait_for_function(included(name))
        page.wait_for_function(
            "caches.keys().then((names) => names.filter((name) => name.startsWith('perfect-yatzy-page-')).length === 1)"
        )

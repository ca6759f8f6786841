"""The documentation site: the documents, pictures of real results, the API reference.

``make docs`` writes it to build/docs; a warning is an error. A link to a file that is no document,
such as a module, becomes its text.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from itertools import combinations_with_replacement
from pathlib import Path
from urllib.parse import unquote

from documents import DOCUMENTS, ROOT
from perfect_yatzy import distribution, open_strategy

PAGES, SITE = ROOT / "build" / "docs-pages", ROOT / "build" / "docs"
SOURCES = [*DOCUMENTS, *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md"))]
COLOUR = "#00897b"


def page(source: Path) -> str:
    """The text of a document, with links between pages only."""

    def link(found: re.Match[str]) -> str:
        text, target, anchor = found.groups()
        path = Path(os.path.normpath(source.parent / target))
        path = path / "README.md" if path.is_dir() else path
        if path in SOURCES or path.suffix == ".svg":
            return f"[{text}]({os.path.relpath(path, source.parent)}{anchor or ''})"
        return text

    lines = source.read_text(encoding="utf-8").replace('src=".github/', 'src="pictures/')
    lines = re.sub(r"`([\w./]*(?:README|\w+)\.md)`", lambda found: named(found, source), lines)
    return re.sub(r"\[([^]\n]*)\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)", link, lines)


def named(found: re.Match[str], source: Path) -> str:
    """The name of a document as a link to its page, where it is one from the root of the
    checkout.
    """
    path = ROOT / found[1]
    return (
        f"[{found[0]}]({os.path.relpath(path, source.parent)})"
        if path in SOURCES and source != path
        else found[0]
    )


def bars(values: list[float], labels: list[str], title: str) -> str:
    """Bars from left to right with labels below, as SVG."""
    width, height, top = 640, 240, max(values)
    step = width / len(values)
    drawn = [
        f'<rect x="{i * step + step / 10:.1f}" y="{height - height * value / top:.1f}" width="{step * 0.8:.1f}" '
        f'height="{height * value / top:.1f}"/>'
        for i, value in enumerate(values)
    ]
    texts = [
        f'<text x="{(i + 0.5) * step:.1f}" y="{height + 18}">{label}</text>'
        for i, label in enumerate(labels)
    ]
    return drawing(width, height + 50, title, f'<g fill="{COLOUR}">{"".join(drawn)}</g>', *texts)


def drawing(width: int, height: int, title: str, *parts: str) -> str:
    style = 'font-family="sans-serif" font-size="13" text-anchor="middle" fill="#808080"'
    caption = f'<text x="{width / 2}" y="{height - 8}">{title}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -14 {width} {height + 14}" {style}>'
        f"<title>{title}</title>{''.join(parts)}{caption}</svg>\n"
    )


def lattice() -> str:
    """The sets of up to two dice that may be held, each above those with a die less."""
    rows = [[*combinations_with_replacement(range(1, 7), count)] for count in (0, 1, 2)]
    place = {
        held: (640 * (i + 0.5) / len(row), 250 - 110 * count)
        for count, row in enumerate(rows)
        for i, held in enumerate(row)
    }
    lines = [
        f'<line x1="{x:.0f}" y1="{y}" x2="{place[below][0]:.0f}" y2="{place[below][1]}"/>'
        for held, (x, y) in place.items()
        for below in {held[:i] + held[i + 1 :] for i in range(len(held))}
    ]
    dots = [
        f'<circle cx="{x:.0f}" cy="{y}" r="14" fill="{COLOUR}"/>'
        f'<text x="{x:.0f}" y="{y + 4}" font-size="11" fill="#ffffff">{"".join(map(str, held)) or "–"}</text>'
        for held, (x, y) in place.items()
    ]
    title = "the dice held: none, one, two; a line adds one die"
    return drawing(
        640, 300, title, f'<g stroke="#808080" stroke-width="0.6">{"".join(lines)}</g>', *dots
    )


def pictures() -> dict[str, str]:
    """Name -> picture, from results that are computed now."""
    yatzy = open_strategy("yatzy")
    layers = [yatzy.space.layer_slice(filled) for filled in range(15, -1, -1)]
    states = [float(layer.stop - layer.start) for layer in layers]
    found, tens = distribution(yatzy), range(100, 350, 10)
    chances = [
        float(sum(found.chances[(found.scores >= low) & (found.scores < low + 10)])) for low in tens
    ]
    lost = json.loads(run("evaluate", "most-points", "--json"))["losses"]["turns"]
    series = (ROOT / "benchmarks" / "runs" / "series.tsv").read_text(encoding="utf-8")
    names, *rows = [line.split("\t") for line in series.splitlines()]
    ratios = [row[names.index("ratio")] for row in rows[-20:]]
    return {
        "series": bars([float(ratio) for ratio in ratios], ratios, "ratio of times, by run"),
        "lattice": lattice(),
        "layers": bars(
            states, [str(count) for count in range(16)], "states by the number of open boxes"
        ),
        "distribution": bars(
            chances, [str(low) if low % 50 == 0 else "" for low in tens], "final score"
        ),
        "losses": bars(
            lost, [str(turn) for turn in range(1, 16)], "points lost in each turn, from the first"
        ),
    }


def run(*words: str) -> str:
    """What the command prints."""
    command = [sys.executable, "-m", "perfect_yatzy", *words]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", check=True
    ).stdout


def main() -> None:
    """Gather the pages and build the site."""
    for folder in (PAGES, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    for source in SOURCES:
        target = PAGES / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page(source), encoding="utf-8")
    for name, picture in pictures().items():
        (PAGES / "solver" / "docs" / f"{name}.svg").write_text(picture, encoding="utf-8")
    (PAGES / "pictures").mkdir()
    for picture in (ROOT / ".github").glob("*.png"):
        shutil.copy(picture, PAGES / "pictures")
    api = ["pdoc", "--docformat", "numpy", "--output-directory", str(PAGES / "api"), *sys.argv[1:]]
    subprocess.run([sys.executable, "-W", "error", "-m", *api], check=True)
    modules = [f"- [`{name}`](api/{name.replace('.', '/')}.html)" for name in sys.argv[1:]]
    text = "# Python API\n\nEvery public name, with its parameters, what it returns, and its errors.\n\n"
    (PAGES / "api.md").write_text(text + "\n".join(modules) + "\n", encoding="utf-8")
    for file in ("worker.js", "tables.css"):
        shutil.copy(ROOT / ".ci" / file, PAGES)
    # Without --quiet, which hides warnings from the count of `strict`.
    build = [sys.executable, "-m", "mkdocs", "build", "--config-file", ".ci/mkdocs.yml"]
    subprocess.run(build, check=True, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    finish()


def finish() -> None:
    """Let the search ask no other host; check that every link of every page leads to a file."""
    (SITE / "404.html").unlink()
    wrong = []
    for path in SITE.rglob("*.html"):
        worker = os.path.relpath(SITE / "worker.js", path.parent)
        text = path.read_text(encoding="utf-8").replace(
            "https://unpkg.com/iframe-worker/shim", worker
        )
        path.write_text(text, encoding="utf-8")
        links = re.findall(r'(?:href|src)="(?!https?:|data:|[#$])([^"#?]+)', text)
        others = re.findall(r'<(?:script|link|img)[^>]+(?:href|src)="(https?:[^"]*)"', text)
        wrong += [f"{path}: {link}" for link in links if not (path.parent / unquote(link)).exists()]
        wrong += [f"{path}: {link}" for link in others if "canonical" not in link]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()

"""Pictures of the README: the page on a phone, and the printed card.

Needs the extras `plot` (for Pillow) and `web`, and Chromium. Without an argument it draws both.

.venv/bin/python .ci/pictures.py [page] [card]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

from PIL import Image
from PIL.PngImagePlugin import PngInfo
from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parent.parent / ".github"
PORT = 8797
POSITION = "#rules=yatzy&card=ones%3D3+sixes%3D24+chance%3D22&dice=33456&left=2"
MAX_BYTES = 150_000
YATZY = [sys.executable, "-m", "perfect_yatzy"]
A6 = {"width": 397, "height": 559}  # in pixels of 1/96 inch
# The margins of the paper, which a picture of the page has not, and the first side alone.
FIRST_SIDE = "body { padding: 6mm } .sheet + .sheet { display: none }"
CARD = [*YATZY, "guide", "yatzy", "--card", "--hold-rules", "5", "--lang", "en"]


def page(target: Path) -> None:
    """The page in the middle of a turn, at the size of a phone."""
    with subprocess.Popen(
        [*YATZY, "serve", "--port", str(PORT)], stdout=subprocess.DEVNULL
    ) as server:
        try:
            for _ in range(300):
                try:
                    urlopen(f"http://127.0.0.1:{PORT}/api/languages").close()
                    break
                except OSError:
                    time.sleep(0.2)
            with sync_playwright() as driver:
                browser = driver.chromium.launch(
                    executable_path=shutil.which("chromium"), args=["--no-sandbox"]
                )
                shown = browser.new_page(
                    viewport={"width": 390, "height": 740}, device_scale_factor=1.5
                )
                shown.goto(f"http://127.0.0.1:{PORT}/{POSITION}")
                shown.wait_for_selector("#ranking[aria-busy='false'] li", state="attached")
                shown.screenshot(path=str(target))
                browser.close()
        finally:
            server.terminate()


def card(target: Path) -> None:
    """The first side of the card, as it is printed.

    The text of the card is kept in the file, by which a test sees whether the picture is current.
    """
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        html = Path(folder) / "card.html"
        subprocess.run([*CARD, "-o", str(html)], check=True)
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        shown = browser.new_page(viewport=A6, device_scale_factor=1.5)
        shown.emulate_media(media="print")
        shown.goto(html.as_uri())
        shown.add_style_tag(content=FIRST_SIDE)
        shown.screenshot(path=str(target))
        browser.close()
    text = subprocess.run(CARD, check=True, capture_output=True, encoding="utf-8").stdout
    description = PngInfo()
    description.add_itxt("Description", text)
    with Image.open(target) as picture:
        picture.load()
        picture.save(target, pnginfo=description, optimize=True)


DRAWN = {"page": page, "card": card}


def main() -> None:
    """Draw what is named, and see that it stays small."""
    for name in sys.argv[1:] or DRAWN:
        target = FOLDER / f"{name}.png"
        DRAWN[name](target)
        size = target.stat().st_size
        print(f"{target}: {size} bytes")
        if size > MAX_BYTES:
            raise SystemExit(f"{target} is larger than {MAX_BYTES} bytes")


if __name__ == "__main__":
    main()

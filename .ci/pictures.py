"""Pictures of the README: the page on a phone, and the printed card.

Needs the extras `web` and `pdf`, Chromium and pdftoppm (poppler-utils).

.venv/bin/python .ci/pictures.py
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parent.parent / ".github"
PORT = 8797
POSITION = "#rules=yatzy&card=ones%3D3+sixes%3D24+chance%3D22&dice=33456&left=2"
MAX_BYTES = 150_000
YATZY = [sys.executable, "-m", "perfect_yatzy"]


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
    """The card to carry, as it is printed."""
    with tempfile.TemporaryDirectory() as folder:
        pdf = Path(folder) / "card.pdf"
        subprocess.run(
            [*YATZY, "guide", "yatzy", "--card", "--hold-rules", "5", "-o", str(pdf)], check=True
        )
        subprocess.run(
            ["pdftoppm", "-r", "110", "-png", "-singlefile", str(pdf), str(target.with_suffix(""))],
            check=True,
        )


def main() -> None:
    """Draw both, and see that they stay small."""
    for name, draw in (("page", page), ("card", card)):
        target = FOLDER / f"{name}.png"
        draw(target)
        size = target.stat().st_size
        print(f"{target}: {size} bytes")
        if size > MAX_BYTES:
            raise SystemExit(f"{target} is larger than {MAX_BYTES} bytes")


if __name__ == "__main__":
    main()

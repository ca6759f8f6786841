"""The requests of the server's README, in curl, Python and JavaScript, sent to a running server."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import perfect_yatzy
from perfect_yatzy import Strategy
from support.need import need_program

README = Path(perfect_yatzy.__file__).parent / "web" / "README.md"
ADDRESS = "http://127.0.0.1:8765/"


def examples(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def run(command: list[str], text: str = "") -> str:
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, timeout=120).stdout


def test_requests_with_curl_are_answered_as_the_readme_shows(address: str) -> None:
    """Each answer has the fields of the JSON below its request, also that of an error."""
    curl, text = need_program("curl"), README.read_text(encoding="utf-8")
    pairs = re.findall(r"```sh\ncurl (-H .*?)\n```\n\n(?:[^`]*\n\n)?```json\n(.*?)```", text, re.DOTALL)
    assert len(pairs) == 3
    for command, shown in pairs:
        found = json.loads(run([curl, "-s", *shlex.split(command.replace(ADDRESS, address))]))
        assert json.loads(shown).items() <= found.items()


def test_the_examples_in_python_and_javascript_run(address: str, yatzy: Strategy) -> None:
    (python,) = examples("py")
    printed = run([sys.executable, "-c", python.replace(ADDRESS, address)])
    card = "ones=3 sixes=24 chance=22"
    hold, *others = yatzy.holds(card, "33456", rolls_left=1)
    assert printed.split("] ")[0] == str(list(hold.dice))[:-1]
    assert float(printed.split("] ")[1]) == others[0].loss
    (script,) = examples("js")
    printed = run([need_program("node"), "--input-type=module", "-"], script.replace(ADDRESS, address))
    best = yatzy.categories("ones=3 chance=22", "22555")[0]
    assert printed.split() == [best.category, str(best.points)]

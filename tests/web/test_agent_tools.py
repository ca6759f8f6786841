"""The tools for agents, asked by the client of their own package, beside the answers of the service
that the command prints.
"""

import asyncio
import json
import os
import sys
from typing import Any

import pytest
from perfect_yatzy.errors import install_command
from support.command import Run, printed
from support.human import human
from support.need import need

pytestmark = pytest.mark.full

CARD = "ones=3 sixes=24 chance=22"
# The arguments of a tool, and the words of the command that asks the same.
QUESTIONS: list[tuple[str, dict[str, Any], str]] = [
    ("hold", {"dice": "33456"}, "hold 33456 --all"),
    ("hold", {"dice": [3, 3, 4, 5, 6], "rolls_left": 1, "card": CARD}, f"hold 33456 --rolls-left 1 --all --card '{CARD}'"),
    ("hold", {"dice": "11122", "rules": "yatzy-forced"}, "hold 11122 --rules yatzy-forced --all"),
    ("hold", {"dice": "66612", "rules": "yatzy-forced", "goal": 160}, "hold 66612 --rules yatzy-forced --goal 160 --all"),
    ("score", {"dice": "22555", "card": CARD}, f"score 22555 --all --card '{CARD}'"),
    ("score", {"dice": "22555", "card": {"ones": 3}}, "score 22555 --all --card ones=3"),
    ("expect", {"card": CARD}, f"expect --card '{CARD}'"),
    ("expect", {"rules": "yatzy-forced"}, "expect --rules yatzy-forced --spread"),
    ("odds", {"dice": "11122"}, "odds 11122"),
    ("odds", {"card": CARD}, f"odds --card '{CARD}'"),
]  # fmt: skip


def asked(calls: list[tuple[str, dict[str, Any]]], *more: str) -> tuple[list[Any], list[Any]]:
    """The tools, and the results of some calls, from one process of the command."""
    need("mcp")
    from mcp import Client, StdioServerParameters

    async def ask() -> tuple[list[Any], list[Any]]:
        words = ["-m", "perfect_yatzy", "mcp", *more]
        async with Client(
            StdioServerParameters(command=sys.executable, args=words, env={**os.environ})
        ) as client:
            listed = await client.list_tools()
            return listed.tools, [await client.call_tool(name, fields) for name, fields in calls]

    return asyncio.run(ask())


def test_ten_questions_have_the_answers_of_the_command(run: Run) -> None:
    import shlex

    tools, results = asked([(name, fields) for name, fields, _words in QUESTIONS])
    assert [tool.name for tool in tools] == ["hold", "score", "expect", "odds", "review", "rules"]
    for (_name, _fields, words), result in zip(QUESTIONS, results, strict=True):
        expected = json.loads(printed(run, *shlex.split(words), "--json"))
        assert not result.is_error
        assert result.structured_content == expected, words
        assert json.loads(result.content[0].text) == expected


def test_reviews_rules_and_errors(run: Run, forced: Any) -> None:
    from perfect_yatzy.play.review import review

    game = human(forced, 1)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("review", {"game": game.to_json()}),
        ("rules", {}),
        ("rules", {"rules": "yatzy"}),
        ("hold", {"dice": "33457"}),
        ("hold", {"dice": "33456", "colour": "red"}),
        ("hold", {}),
        ("review", {"game": {"rules": "yatzy"}}),
        ("review", {"game": game.to_json(), "player": len(game.players)}),
    ]
    _tools, (graded, listed, one, *wrong) = asked(calls)
    assert graded.structured_content["points_lost"] == pytest.approx(
        review(forced, game).points_lost
    )
    assert {"yatzy", "maxi"} <= {each["id"] for each in listed.structured_content["rule_sets"]}
    (rules,) = one.structured_content["rule_sets"]
    assert [box["id"] for box in rules["categories"]][:2] == ["ones", "twos"]
    said = ("7", "colour", "dice is missing", "schema", f"player is {len(game.players)}")
    for result, words in zip(wrong, said, strict=True):
        assert result.is_error
        assert words in result.content[0].text
        assert "\n" not in result.content[0].text


def test_without_the_package_one_line_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    monkeypatch.delitem(sys.modules, "perfect_yatzy.web.agent_tools", raising=False)
    found = run("mcp")
    assert found.returncode == 1
    assert found.stderr == f"yatzy: mcp needs mcp; install with: {install_command('mcp')}\n"

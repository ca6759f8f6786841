"""Scripts that use the modules of the page in Node, without a browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import perfect_yatzy
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.web import rule_sets

from .engine import run_node

STATIC = Path(perfect_yatzy.__file__).parent / "web" / "static"
DRIVER = Path(__file__).with_name("page_modules.mjs")
# A page that has loaded its rules.
STARTED = """
const state = await load("state"), game = await load("game"), sets = await load("rulesets");
web.answers.rules = (wanted) => (wanted.get("rules") ? RULES.filter((each) => each.id === wanted.get("rules")) : RULES);
await sets.loadRuleSets("en");
await state.start();
const byId = (id) => document.getElementById(id), s = () => state.state, roll = (...dice) => dice.forEach((face) => game.addDie(face));
"""


def run(script: str, *rules: str) -> Any:
    """What a script returns; the page has these rule sets."""
    known = [rule_sets.rule_set_json(load_rules(spec)) for spec in rules]
    return json.loads(
        run_node(DRIVER, STATIC, f"const RULES = {json.dumps(known)};\n{STARTED if rules else ''}{script}")
    )

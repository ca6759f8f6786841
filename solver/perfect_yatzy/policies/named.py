"""Policies by name, as a command line or a request gives them.

======================  =============================================================================================
``perfect``             perfect play for the mean
``most-points``         plays each turn for its points alone, whatever they leave for later
``prices``              the price sheet of the rules (`yatzy learn`), with the turn computed exactly
``hold-rules``          the price sheet with its rules for the holds, which need no computing
``hold-rules:5``        the same with a shorter list of rules that the sheet has
``level:3``             the computer player of a level, who makes mistakes (:mod:`.levels`)
``goal:280``            perfect play for the chance of 280 points
``FILE.json``           the price sheet of a strategy sheet
``FILE.npy``            a value function: one number for each state, in the order of a table
``FILE.py:NAME``        a Python function of a card, see :class:`perfect_yatzy.FunctionPolicy`
======================  =============================================================================================
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np

from .._messages import _
from ..errors import StateError, shown
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard
from ..model.policies import Policy
from ..strategy.opening import open_strategy
from ..strategy.strategy import Strategy
from ..tablebase.store import Progress
from .evaluation import Evaluation, evaluate
from .hold_policy import HoldRulePolicy
from .levels import Level, calibrated_level, parse_level
from .policy import FunctionPolicy, ValueFunction
from .soft_policy import SoftPolicy
from .strategy_sheet import StrategySheet, find_sheet

NAMES = (
    "perfect",
    "most-points",
    "prices",
    "hold-rules",
    "hold-rules:5",
    "level:3",
    "goal:280",
    "FILE.json",
    "FILE.npy",
    "FILE.py:FUNCTION",
)


@dataclass(frozen=True)
class NamedPolicy:
    """A policy, and what to call it in a sentence."""

    policy: Policy | Strategy
    title: str


@dataclass(frozen=True)
class Setting:
    """Where a policy plays: the game, the card it starts from, the folder of the tables, the number of threads."""

    rules: RuleSet
    card: Scorecard
    tables: str | os.PathLike[str] | None = None
    threads: int | None = None
    progress: Progress | None = None


def named_policy(text: str, setting: Setting) -> NamedPolicy:
    """The policy of a name; see the module."""
    if text in _BUILT_IN:
        return _BUILT_IN[text](setting)
    if goal := re.fullmatch(r"goal:(\d{1,5})", text):
        return _goal(int(goal[1]), setting)
    if size := re.fullmatch(r"hold-rules:(\d{1,3})", text):
        return _hold_rules(setting, int(size[1]))
    if level := re.fullmatch(r"level:(\w{1,20})", text):
        return _level(parse_level(level[1]), setting)
    path, _unused, name = text.rpartition(":")
    if path.endswith(".py") and name:
        return NamedPolicy(FunctionPolicy(setting.rules, _function(path, name), setting.card), f"{name} of {path}")
    if text.endswith(".npy"):
        return NamedPolicy(ValueFunction(setting.rules, _values(text), setting.card), text)
    if text.endswith(".json"):
        return _prices(StrategySheet.load(text, setting.rules), setting, text)
    raise StateError(
        _("policy is {text}; must be one of {names}").format(text=shown(text), names=", ".join(NAMES)), field="policy"
    )


def evaluate_named(text: str, setting: Setting) -> tuple[str, Evaluation]:
    """The title of the policy of a name, and its exact evaluation from the card on; errors as for both."""
    named = named_policy(text, setting)
    found = evaluate(
        named.policy,
        points=setting.card.total,
        tables=setting.tables,
        threads=setting.threads,
        progress=setting.progress,
    )
    return named.title, found


def policy_file(text: str) -> str:
    """The file that the name of a policy mentions; empty if it mentions none."""
    path, _, name = text.rpartition(":")
    if path.endswith(".py") and name:
        return path
    return text if text.endswith((".npy", ".json")) else ""


def _perfect(setting: Setting) -> NamedPolicy:
    strategy = open_strategy(setting.rules, setting.tables, threads=setting.threads, progress=setting.progress)
    whole = ValueFunction(setting.rules, strategy.values, setting.card)
    return NamedPolicy(whole, "Perfect play")


def _most_points(setting: Setting) -> NamedPolicy:
    def nothing_later(states: Any) -> Any:
        return np.zeros(len(states.filled))

    return NamedPolicy(ValueFunction(setting.rules, nothing_later, setting.card), "The most points in each turn")


def _sheet(setting: Setting) -> StrategySheet:
    sheet = find_sheet(setting.rules, setting.tables)
    if sheet is None:
        raise StateError(
            _("{key} has no price sheet yet; make one with: yatzy learn {key}").format(key=setting.rules.key),
            field="policy",
        )
    return sheet


def _price_sheet(setting: Setting) -> NamedPolicy:
    return _prices(_sheet(setting), setting, "The price sheet")


def _hold_rules(setting: Setting, size: int | None = None) -> NamedPolicy:
    sheet = _sheet(setting)
    if not sheet.holds:
        raise StateError(_("the sheet of {key} has no hold rules").format(key=setting.rules.key), field="policy")
    sheet = sheet if size is None else sheet.with_rules(size)
    policy = HoldRulePolicy(sheet.holds, sheet.prices, setting.card.state)
    return NamedPolicy(policy, f"{len(sheet.holds)} hold rules and the price sheet")


def _prices(sheet: StrategySheet, setting: Setting, title: str) -> NamedPolicy:
    return NamedPolicy(ValueFunction(setting.rules, sheet.prices.values(), setting.card), title)


def _level(level: Level, setting: Setting) -> NamedPolicy:
    rules = setting.rules
    strategy = open_strategy(rules, setting.tables, threads=setting.threads, progress=setting.progress)
    temperature = calibrated_level(strategy, level, threads=setting.threads).temperature
    title = f"The computer player of level {level.number} ({level.name})"
    return NamedPolicy(SoftPolicy(strategy, temperature, setting.card), title)


def _goal(goal: int, setting: Setting) -> NamedPolicy:
    from ..strategy.score_strategy import reach

    strategy = reach(
        setting.rules, goal, setting.card, setting.tables, threads=setting.threads, progress=setting.progress
    )
    return NamedPolicy(strategy, f"Perfect play for {goal} or more")


_BUILT_IN: dict[str, Callable[[Setting], NamedPolicy]] = {
    "perfect": _perfect,
    "most-points": _most_points,
    "prices": _price_sheet,
    "hold-rules": _hold_rules,
}


def _values(path: str) -> Any:
    """The array of a .npy file."""
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise StateError(_("cannot read {path}: {error}").format(path=path, error=error), field="policy") from error


def _function(path: str, name: str) -> Callable[..., Any]:
    """A function of a Python file, which is run."""
    spec = spec_from_file_location(f"_policy_{Path(path).stem}", path)
    if spec is None or spec.loader is None or not Path(path).is_file():
        raise StateError(_("{path} is not a Python file").format(path=path), field="policy")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        raise StateError(_("{path} has no function {name}").format(path=path, name=name), field="policy")
    found: Callable[..., Any] = function
    return found

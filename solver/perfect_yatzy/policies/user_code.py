"""Policies that a user wrote in Python: which contract a function has, and what is said when it fails.

The name of its only parameter says what a function takes: ``observations`` (:class:`perfect_yatzy.BatchPolicy`),
``turn`` (:class:`perfect_yatzy.FunctionPolicy`), else a :class:`perfect_yatzy.TurnPosition`, as an object or a
class with ``act(position)`` does.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from .._messages import _
from ..errors import SolverError, StateError
from ..game.notation import CardText
from ..game.rule_loader import load_rules
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard
from .batch_policy import BatchPolicy
from .player import player_of
from .policy import CardTurn, FunctionPolicy, parameter_name


class UserCode:
    """A function of a user, or an object with ``act``; an exception in it is told with its line and its question."""

    def __init__(self, found: Any, path: str) -> None:
        self.function: Callable[[Any], Any] = player_of(found() if isinstance(found, type) else found)
        self.path = path

    def act(self, question: Any) -> Any:
        """The answer of the function."""
        try:
            return self.function(question)
        except SolverError:
            raise
        except Exception as error:
            raise _failure(self.path, error, _question(question)) from error

    __call__ = act


def _failure(path: str, error: Exception, question: str) -> StateError:
    """What a user is told about an exception in a file: the last line of the file that was running."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename) == Path(path)] or frames
    text = _(
        "{path}, line {line}, in {name}: {error}; asked about {question}",
        path=path,
        line=own[-1].lineno,
        name=own[-1].name,
        error="".join(traceback.format_exception_only(error)).strip(),
        question=question,
    )
    return StateError(text, code="policy-failed", field="policy")


def _question(asked: Any) -> str:
    if isinstance(asked, CardTurn):
        return f"filled={asked.filled}, upper={asked.upper.tolist()}"
    return f"filled={asked['filled'][0].tolist()}" if isinstance(asked, dict) else repr(asked)


def policy_of(found: Any, rules: str | RuleSet | None, start: CardText | Scorecard = "") -> Any:
    """The policy of a function by the name of its parameter, see the module; anything else as it is.

    StateError if a policy has other rules than those given.
    """
    own = getattr(found, "rules", None)
    if rules is not None and isinstance(own, RuleSet) and own.fingerprint != load_rules(rules).fingerprint:
        raise StateError(f"the policy is for {own.key}, not for {load_rules(rules).key}", field="rules")
    rules = rules or "yatzy"
    name = parameter_name(found.function if isinstance(found, UserCode) else found)
    if name == "turn":
        return FunctionPolicy(rules, found, start)
    return BatchPolicy(rules, found, start) if name == "observations" else found


def file_attribute(path: str, name: str) -> Any:
    """A function, class or object of a Python file, which is run."""
    spec = spec_from_file_location(f"_policy_{Path(path).stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise StateError(_("cannot read {path}: {error}", path=path, error=error), field="policy") from error
    found = getattr(module, name, None)
    if not callable(getattr(found, "act", found)):
        raise StateError(_("{path} has no function {name}").format(path=path, name=name), field="policy")
    return found

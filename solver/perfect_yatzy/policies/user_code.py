"""Run policies that a user wrote, in Python or as another program, and say why they fail."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from threading import local
from typing import Any, NoReturn
from weakref import finalize

import numpy as np
import numpy.typing as npt

from .._files import open_file
from ..core.dice import Ints, lattice
from ..core.rules import RuleSet
from ..errors import SolverError, StateError, reason_of, shown
from ..game.legal_actions import Action, ActionText, TurnPosition, numbered_action
from ..game.limits import MAX_LINE_BYTES, parse_json
from ..game.notation import CardText
from ..game.rule_loader import load_rules
from ..game.scorecard import Scorecard
from ..words import _
from .policy import (
    STOP,
    CardTurn,
    FunctionPolicy,
    legal_holds,
    parameter_name,
    player_of,
    row_and_lane,
)

Agent = Callable[[dict[str, Any]], npt.ArrayLike]


class Observations(dict[str, Any]):
    """Observations by name. Those of `functions` are computed when they are first read."""

    def __init__(self, arrays: dict[str, Ints], functions: dict[str, Callable[[], Any]]) -> None:
        super().__init__(arrays)
        self._functions = functions

    def __missing__(self, name: str) -> Any:
        self[name] = self._functions[name]()
        return self[name]


class BatchPolicy(FunctionPolicy):
    """The policy of an agent that answers many observations at once.

    Parameters
    ----------
    rules, start
        As for :class:`FunctionPolicy`.
    agent
        Takes a dict of int64 arrays with one row for each observation, as the vector environment of
        :mod:`perfect_yatzy.rl` returns them: ``filled`` (n, categories), ``upper`` (n, 1), ``counts`` (n, faces),
        ``rolls_left`` (n, 1), ``joker_paid`` (n, 1). Two more are computed when the agent reads them: ``action_mask``
        (n, actions) int8, 1 for each legal action; and ``points`` (n, categories), the points of the dice in each
        category that may take them, -1 in the others. Some arrays are read-only. Returns the number of an action
        (:func:`perfect_yatzy.action_number`) for each, ``(n,)`` integers. Upper sums that cannot lead to different
        results are given as one of them. The agent is called by one thread at a time, with the observations of one
        card, and must give the same answer for the same observation.

    Raises
    ------
    RulesError
        If the rules save rolls.
    StateError
        If no game can reach the start. Later, if the agent returns another shape or an action that
        is not legal.
    """

    parameter = "observations"

    def __init__(
        self, rules: str | RuleSet, agent: Agent, start: CardText | Scorecard = ""
    ) -> None:
        super().__init__(rules, agent, start)

    def ask(self, turn: CardTurn) -> tuple[Ints, Ints]:
        """Return the actions of the agent on a card, as :meth:`FunctionPolicy.ask` does.

        Categories are those of each stage.
        """
        # There is one observation for each number of rerolls left, each roll and each lane, in this
        # order.
        shape = (turn.n_rerolls + 1, len(turn.allowed), len(turn.upper))
        rolls_left, counts = _by_lanes(turn.rules.dice, turn.rules.faces, shape)
        n = len(counts)
        boxes = turn.allowed.shape[1]
        arrays = {
            "filled": np.broadcast_to(turn.filled >> np.arange(boxes) & 1, (n, boxes)),
            "upper": np.broadcast_to(turn.upper, shape).reshape(n, 1),
            "counts": counts,
            "rolls_left": rolls_left,
            "joker_paid": np.broadcast_to(np.int64(turn.joker_paid), (n, 1)),
        }

        def points() -> Ints:
            by_roll = np.where(turn.allowed, turn.points, -1)[:, None]
            return np.broadcast_to(by_roll, (*shape, boxes)).reshape(n, boxes)

        functions = {"action_mask": lambda: _masks(turn, shape), "points": points}
        numbers = self._asked(arrays, functions).reshape(shape)
        first_category = turn.dice.first_roll  # actions are numbered holds first
        is_hold = numbers < first_category
        illegal = numbers < 0
        illegal[0] |= is_hold[0]  # without rerolls left no dice are held
        if illegal.any():
            stage, roll, lane = np.argwhere(illegal)[0]
            raise StateError(self._refused(turn, "action", numbers[stage, roll, lane], roll, lane))
        # Where dice are held the category is checked, but not used. It is the one without rerolls left,
        # which is legal.
        categories = np.where(is_hold, numbers[0], numbers) - first_category
        return categories, np.where(is_hold, numbers, STOP)[1:]

    def _refused(self, turn: CardTurn, kind: str, number: int, roll: int, lane: int) -> str:
        """Return the message as the agent numbers its actions: categories after the holds."""
        number += turn.dice.first_roll if kind == "category" else 0
        return super()._refused(turn, "action", number, roll, lane)

    def _asked(self, arrays: dict[str, Ints], functions: dict[str, Callable[[], Any]]) -> Ints:
        """Return the numbers of the actions of the agent, ``(n,)``."""
        with self.lock:
            answer = np.asarray(self.function(Observations(arrays, functions)))
        n = len(arrays["counts"])
        if answer.shape != (n,) or answer.dtype.kind not in "iu":
            shape = f"{answer.shape} of {answer.dtype}"
            raise StateError(
                f"the agent returned an array of shape {shape}; must be ({n},) integers"
            )
        return answer

    def act(self, position: TurnPosition) -> Action:
        """Return the action of the agent in one position, as :meth:`.policy.Acting.act` does."""
        row, lane = row_and_lane(self.space, position.state)
        upper = self.space.layout.lane_upper[self.space.layout.lane_sets[row], lane]
        arrays = {name: array[None] for name, array in position.observation().items()}
        # Of upper sums that make no difference the agent sees the one of :meth:`ask`.
        arrays["upper"] = np.array([[int(upper)]])

        def points() -> Ints:
            paid = {box: points for box, (points, _bonus) in position.categories().items()}
            return np.array([[paid.get(box.id, -1) for box in self.rules.categories]])

        functions = {"action_mask": lambda: position.action_mask()[None], "points": points}
        number = int(self._asked(arrays, functions)[0])
        action = numbered_action(self.rules, number)
        if action not in position.legal_actions():
            raise StateError(
                f"the agent returned action {number}, {shown(action)}, which is not legal"
            )
        return action


@lru_cache(maxsize=64)
def _by_lanes(dice: int, faces: int, shape: tuple[int, int, int]) -> tuple[Ints, Ints]:
    """Return the observations ``rolls_left`` and ``counts`` of a card.

    They depend on its number of lanes alone.
    """
    stages, rolls, lanes = shape
    grid = lattice(dice, faces)
    rolls_left = np.repeat(np.arange(stages), rolls * lanes)[:, None]
    by_roll = np.repeat(grid.counts[grid.first_roll :].astype(np.int64), lanes, axis=0)
    counts = np.tile(by_roll, (stages, 1))
    rolls_left.flags.writeable = counts.flags.writeable = False  # they are cached for other cards
    return rolls_left, counts


def _masks(turn: CardTurn, shape: tuple[int, int, int]) -> npt.NDArray[np.int8]:
    """Return the legal actions of all observations of a card, ``(n, actions)`` int8."""
    stages, _rolls, lanes = shape
    # These are the holds of fewer than all dice, because to hold all is no action.
    n_holds = turn.dice.first_roll
    holds = legal_holds(turn.rules.dice, turn.rules.faces)[:, :n_holds]
    mask = np.concatenate([holds, turn.allowed], axis=1).astype(np.int8)
    by_stage = np.repeat(mask[None], stages, axis=0)  # (stages, rolls, actions)
    by_stage[0, :, :n_holds] = 0  # without rerolls left no dice are held
    # The observations are in the order of stages, rolls and lanes.
    return np.repeat(by_stage[:, :, None], lanes, axis=2).reshape(-1, mask.shape[1])


class ExitRefused(Exception):
    """An attempt of a user's code to end this process."""


_running = local()  # its `process` is the one in which this thread runs code of a user
_end_at_once = os._exit


def _exit(status: int) -> NoReturn:
    """Raise ExitRefused, in the place of `os._exit`.

    So code of a user cannot end this process without a word. A process that it has forked may end.
    """
    if getattr(_running, "process", None) == os.getpid():
        raise ExitRefused(f"os._exit({status!r})")
    _end_at_once(status)


@contextmanager
def no_exit() -> Iterator[None]:
    """Run code of a user in this block."""
    before = getattr(_running, "process", None)
    _running.process = os.getpid()
    os._exit = _exit
    try:
        yield
    finally:
        _running.process = before


class UserCode:
    """A function of a user, or an object with ``act``.

    An exception in it is reported with its line and its question.
    """

    def __init__(self, code: Any, path: str) -> None:
        # Of a class an object is made.
        self.function: Callable[[Any], Any] = player_of(code() if isinstance(code, type) else code)
        self.path = path

    def act(self, question: Any) -> Any:
        """Return the answer of the function."""
        try:
            with no_exit():
                return self.function(question)
        except SolverError:
            raise
        except (Exception, SystemExit) as error:
            frames = traceback.extract_tb(error.__traceback__)
            own = [frame for frame in frames if Path(frame.filename) == Path(self.path)]
            last = (own or frames)[-1]  # the innermost one in the file of the user
            text = _("{path}, line {line}, in {name}: {error}; asked about {question}")
            text = text.format(
                path=self.path,
                line=last.lineno,
                name=last.name,
                error="".join(traceback.format_exception_only(error)).strip(),
                question=_question_text(question),
            )
            raise StateError(text, code="policy-failed", field="policy") from error

    __call__ = act


def _question_text(question: Any) -> str:
    """Return what a policy was asked about, in short."""
    if isinstance(question, CardTurn):
        return f"filled={question.filled}, upper={question.upper.tolist()}"
    if isinstance(question, dict):
        return f"filled={question['filled'][0].tolist()}"
    return repr(question)


def policy_of(given: Any, rules: str | RuleSet | None, start: CardText | Scorecard = "") -> Any:
    """Return the policy of a function of ``turn`` or ``observations``, and all else as it is.

    Raises StateError for a policy of other rules than `rules`.
    """
    own = getattr(given, "rules", None)
    if rules is not None and isinstance(own, RuleSet):
        wanted = load_rules(rules)
        if own.fingerprint != wanted.fingerprint:
            raise StateError(f"the policy is for {own.key}, not for {wanted.key}", field="rules")
    name = parameter_name(given.function if isinstance(given, UserCode) else given)
    if name == "turn":
        return FunctionPolicy(rules or "yatzy", given, start)
    if name == "observations":
        return BatchPolicy(rules or "yatzy", given, start)
    return given


def file_attribute(path: str, name: str) -> Any:
    """Return a function, class or object of a Python file, which is run."""
    spec = spec_from_file_location(f"_policy_{Path(path).stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    try:
        open_file(path).close()  # refuses a pipe, which would be waited for
        with no_exit():
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        reason = reason_of(error, path)
        raise StateError(
            _("cannot read {path}: {error}", path=path, error=reason), field="policy"
        ) from error
    attribute = getattr(module, name, None)
    if not callable(getattr(attribute, "act", attribute)):
        raise StateError(
            _("{path} has no function {name}").format(path=path, name=name), field="policy"
        )
    return attribute


class ProcessError(SolverError):
    """The program cannot be started, has ended, or wrote something that is not an answer."""

    default_code = "process-failed"


class ProcessPlayer:
    """A running program that chooses the actions. It is a context manager that ends the program.

    It reads positions and writes actions, one JSON object a line, which are the requests and
    answers of ``yatzy hold --jsonl`` and ``yatzy score --jsonl`` (:mod:`perfect_yatzy.service`)::

        {"query": "hold", "rules": "yatzy", "card": {"ones": 3}, "dice": [3, 3, 4, 5, 6], "rolls_left": 2, "id": 1}
        {"best": {"hold": [3, 3]}, "id": 1}

    Of an answer only ``best`` is read: ``hold``, the dice to hold, or ``category``, the id of the
    category to take. The same without ``best`` is enough: ``{"hold": [3, 3]}`` or ``{"category":
    "chance"}``. To hold all dice is to stop: the program is then asked for the category.
    """

    def __init__(self, command: str) -> None:
        self.command = command
        self._sent = 0
        try:
            # Windows splits it itself.
            arguments = shlex.split(command) if os.name == "posix" else command
            self._process = subprocess.Popen(
                arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        except (OSError, ValueError, IndexError) as error:
            reason = reason_of(error, command)
            raise ProcessError(f"cannot start {shown(command)}: {reason}") from error
        # This also ends the program of a player that is not used as a context manager.
        self._end = finalize(self, _end, self._process)

    def __enter__(self) -> ProcessPlayer:
        return self

    def __exit__(self, *_error: object) -> None:
        self._end()

    def __call__(self, position: TurnPosition) -> ActionText:
        """Return the action of the program in a position."""
        self._sent += 1
        answer = self._exchange(json.dumps(self._request(position)))
        return self._action(answer)

    act = __call__

    def _request(self, position: TurnPosition) -> dict[str, Any]:
        """Return the request for the action in a position."""
        rules = position.rules
        card = position.card
        assert isinstance(card, Scorecard)
        request = {
            "query": "hold" if position.rolls_left else "score",
            "rules": rules.key,
            "card": {rules.categories[c].id: points for c, points in card.points.items()},
            "dice": [*position.dice],
            "rolls_left": position.rolls_left,
            "id": self._sent,
        }
        if rules.saved_rolls:
            request["saved"] = position.state.saved
        if card.bonus_points:
            request["bonus_points"] = card.bonus_points
        return request

    def _exchange(self, line: str) -> bytes:
        """Send a line, and wait for one."""
        stdin = self._process.stdin
        stdout = self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(line.encode() + b"\n")
            stdin.flush()
        except OSError as error:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=2)
            # The program still runs. One that has ended may have answered before.
            if self._process.returncode is None:
                raise ProcessError(
                    f"{self.command} does not read requests: {error.strerror}"
                ) from error
        answer = stdout.readline(MAX_LINE_BYTES)
        if not answer.endswith(b"\n"):
            status = self._process.poll()
            ended = (
                f"ended with exit code {status}" if status is not None else "wrote no complete line"
            )
            raise ProcessError(f"{self.command} {ended} after request {self._sent}")
        return answer

    def _action(self, line: bytes) -> ActionText:
        """Return the action of an answer."""
        try:
            answer = parse_json(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            text = shown(line.decode(errors="replace").rstrip())
            raise ProcessError(f"{self.command} answered {text}; must be a JSON object")
        if "error" in answer:
            raise ProcessError(f"{self.command} answered with an error: {answer['error']}")
        best = answer.get("best", answer)
        if isinstance(best, dict):
            if best.get("category") is not None:
                return str(best["category"])
            hold = best.get("hold")
            if isinstance(hold, list | str):
                return hold
        raise ProcessError(
            f"{self.command} answered {shown(answer)}; must have a hold or a category"
        )


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program: close its input, wait, and kill it if it goes on."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(OSError):
        process.stdin.close()
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()

"""A player that is another program: it reads positions and writes actions, one JSON object a line.

The lines are the requests and answers of ``yatzy hold --jsonl`` and ``yatzy score --jsonl``
(:mod:`perfect_yatzy.service`)::

    {"query": "hold", "rules": "yatzy", "card": {"ones": 3}, "dice": [3, 3, 4, 5, 6], "rolls_left": 2, "id": 1}
    {"best": {"hold": [3, 3]}, "id": 1}

Of an answer only ``best`` is read: ``hold``, the dice to hold, or ``category``, the id of the category to take. The
same without ``best`` is enough: ``{"hold": [3, 3]}`` or ``{"category": "chance"}``. To hold all dice is to stop: the
program is then asked for the category.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from contextlib import suppress
from types import TracebackType
from typing import Any
from weakref import finalize

from ..errors import SolverError, shown
from ..game.action_numbers import ActionText
from ..game.legal_actions import TurnPosition
from ..game.limits import MAX_LINE_BYTES, parse_json
from ..game.scorecard import Scorecard


class ProcessError(SolverError):
    """The program cannot be started, has ended, or wrote something that is not an answer."""

    default_code = "process-failed"


class ProcessPlayer:
    """A running program that chooses the actions; a context manager that ends it."""

    def __init__(self, command: str) -> None:
        self.command, self._sent = command, 0
        try:
            arguments = shlex.split(command) if os.name == "posix" else command  # Windows splits it itself
            self._process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except (OSError, ValueError, IndexError) as error:
            raise ProcessError(f"cannot start {shown(command)}: {error}") from error
        self._end = finalize(self, _end, self._process)  # also of a player that is not a context manager

    def __enter__(self) -> ProcessPlayer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def __call__(self, position: TurnPosition) -> ActionText:
        """The action of the program in a position."""
        assert isinstance(position.card, Scorecard)
        self._sent += 1
        request: dict[str, Any] = {
            "query": "hold" if position.rolls_left else "score",
            "rules": position.rules.key,
            "card": {position.rules.categories[c].id: points for c, points in position.card.points.items()},
            "dice": list(position.dice),
            "rolls_left": position.rolls_left,
            "id": self._sent,
        }
        if position.rules.saved_rolls:
            request["saved"] = position.state.saved
        if position.card.bonus_points:
            request["bonus_points"] = position.card.bonus_points
        return self._action(self._exchange(json.dumps(request)))

    act = __call__

    def _exchange(self, line: str) -> bytes:
        """Send a line, and wait for one."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(line.encode() + b"\n")
            stdin.flush()
        except OSError as error:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=2)
            if self._process.returncode is None:  # one that has ended may have answered before
                raise ProcessError(f"{self.command} does not read requests: {error.strerror}") from error
        answer = stdout.readline(MAX_LINE_BYTES)
        if not answer.endswith(b"\n"):
            status = self._process.poll()
            ended = f"ended with exit code {status}" if status is not None else "wrote no complete line"
            raise ProcessError(f"{self.command} {ended} after request {self._sent}")
        return answer

    def _action(self, line: bytes) -> ActionText:
        """The action of an answer."""
        try:
            answer = parse_json(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise ProcessError(
                f"{self.command} answered {shown(line.decode(errors='replace').rstrip())}; must be a JSON object"
            )
        if "error" in answer:
            raise ProcessError(f"{self.command} answered with an error: {answer['error']}")
        best = answer.get("best", answer)
        if isinstance(best, dict):
            if best.get("category") is not None:
                return str(best["category"])
            if isinstance(hold := best.get("hold"), list | str):
                return hold
        raise ProcessError(f"{self.command} answered {shown(answer)}; must have a hold or a category")


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

"""Paths and types for tests that run the command, and a check of error messages."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from perfect_yatzy.errors import StateError
from perfect_yatzy.strategy.strategy import Strategy

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def refused_in_a_line(call: Callable[[Strategy], object], strategy: Strategy, message: str) -> None:
    """Check that a call raises StateError with the message, in one line."""
    with pytest.raises(StateError) as caught:
        call(strategy)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)

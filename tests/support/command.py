"""The command as a user runs it, and how a refusal looks."""

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
    """What is asked is refused as an error of ours, in one line that says so."""
    with pytest.raises(StateError) as caught:
        call(strategy)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)

"""The command in this process and as a process of its own, and a check of error messages."""

import io
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def run_here(*args: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """Run the command in this process, with streams like those of a process.

    It installs no signal handler: who ends the tests by a signal while a command runs ends the
    tests.
    """
    from perfect_yatzy import __main__ as entry

    streams = {
        name: io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")
        for name, text in (("stdin", stdin), ("stdout", ""), ("stderr", ""))
    }
    code: object = 0
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ({"NO_COLOR": "1"} | env).items():
            patch.setenv(name, value)
        patch.setattr(sys, "argv", ["yatzy", *args])
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        patch.setattr(entry, "signal", Mock())
        try:
            entry.run()
        except SystemExit as stop:
            code = stop.code
        except BaseException:
            code = 1
            traceback.print_exc()
    said = []
    for name in ("stdout", "stderr"):
        streams[name].flush()
        said.append(streams[name].buffer.getvalue().decode())  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(args, int(code or 0), *said)  # type: ignore[call-overload]


def run_process(*args: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    command, env = (
        [sys.executable, "-m", "perfect_yatzy", *args],
        os.environ | {"NO_COLOR": "1"} | env,
    )
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, env=env, check=False
    )


def printed(run: Run, *words: str, **rest: Any) -> str:
    """What the command prints where it succeeds."""
    out = run(*words, **rest)
    assert out.returncode == 0, (words, out.stderr)
    return str(out.stdout)


def refusal(run: Run, *words: str, code: int = 2, **rest: Any) -> str:
    """What the command says when it refuses: one line and an exit code, without an answer."""
    out = run(*words, **rest)
    assert (out.returncode, out.stdout, out.stderr.count("\n")) == (code, "", 1), (words, out)
    return out.stderr

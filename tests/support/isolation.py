"""A plugin of pytest: what one test leaves behind decides no other.

After each test the signal handlers, the environment, the working folder, the language, the hooks of
`sys` and what else `PARTS` lists are again what they were before it. A test that leaves a thread, a
process, a file or a socket fails. What a fixture of a wider scope makes may stay as long as the
fixture; a fixture that leaves something fails the last test that used it. At the end of each file
the collector runs, so that what it finds is told of this file, and variables of the package's
modules are again what they were at its start.
"""

from __future__ import annotations

import gc
import gettext
import os
import signal
import stat
import sys
import sysconfig
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import pytest

from .processes import children, has_children, name_of
from .waiting import wait_until

PACKAGE = "perfect_yatzy"
MOMENT = 30.0  # seconds in which threads and processes that were told to end must have ended
RESTLESS = {
    "chromium",
    "cluster",
}  # fixtures that open and close things while tests use them: looked at when they end
# Folders and files whose tests may leave something behind, and what. No other may.
MAY_LEAVE = {
    "cluster": "Dask ends its threads, processes and sockets in its own time",
    "test_campaigns.py": "the client of schemathesis keeps the thread of its event loop",
}
OF_PACKAGES = tuple(f"file {sysconfig.get_path(name)}{os.sep}" for name in ("purelib", "platlib"))
SIGNALS = [int(number) for number in signal.Signals]
Part = tuple[
    Callable[[], Any], Callable[[Any], object]
]  # how a part of a process is read and written


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}


def _set_environment(wanted: dict[str, str]) -> None:
    for name in _environment().keys() - wanted.keys():
        del os.environ[name]
    os.environ.update(wanted)


def _folder() -> str | None:
    try:
        return os.getcwd()
    except FileNotFoundError:  # it was removed
        return None


def _handlers() -> list[Any]:
    return [signal.getsignal(number) for number in SIGNALS]


def _set_handlers(wanted: list[Any]) -> None:
    for number, handler in zip(SIGNALS, wanted, strict=True):
        if handler is not None and signal.getsignal(number) != handler:
            signal.signal(number, handler)


def _language() -> str:
    from perfect_yatzy.words import current_language

    return current_language()


def _set_language(wanted: str) -> None:
    from perfect_yatzy.words import set_language

    set_language(wanted)


def _said() -> set[str]:
    from perfect_yatzy import words

    return words._said.copy()


def _set_said(wanted: set[str]) -> None:
    from perfect_yatzy import words

    words._said.clear()
    words._said.update(wanted)


def _set_tracemalloc(wanted: bool) -> None:
    (tracemalloc.start if wanted else tracemalloc.stop)()


def _set_gc(wanted: bool) -> None:
    (gc.enable if wanted else gc.disable)()


def attribute(owner: Any, name: str) -> Part:
    """An attribute, such as a hook."""
    return lambda: getattr(owner, name), lambda wanted: setattr(owner, name, wanted)


def contents(found: list[Any]) -> Part:
    """The elements of a list."""
    return found.copy, lambda wanted: found.__setitem__(slice(None), wanted)


PARTS: dict[str, Part] = {
    "environment": (_environment, _set_environment),
    "working folder": (_folder, os.chdir),
    "signal handlers": (_handlers, _set_handlers),
    "language": (_language, _set_language),
    "lines that are said once": (_said, _set_said),
    "words of gettext": (gettext.textdomain, gettext.textdomain),
    "arguments": attribute(sys, "argv"),
    "path": contents(sys.path),
    **{name: attribute(sys, name) for name in ("stdin", "stdout", "stderr")},
    **{
        name: attribute(sys, name)
        for name in ("excepthook", "unraisablehook", "displayhook", "breakpointhook")
    },
    "threading.excepthook": attribute(threading, "excepthook"),
    "trace function": (sys.gettrace, sys.settrace),
    "profile function": (sys.getprofile, sys.setprofile),
    "collector": (gc.isenabled, _set_gc),
    "memory tracing": (tracemalloc.is_tracing, _set_tracemalloc),
}


def state() -> dict[str, Any]:
    """The parts of this process."""
    return {name: read() for name, (read, _) in PARTS.items()}


def restore(wanted: dict[str, Any]) -> None:
    """Write the parts that are not as wanted."""
    for name, (read, write) in PARTS.items():
        if read() != wanted[name]:
            write(wanted[name])


def variables() -> dict[ModuleType, dict[str, Any]]:
    """The variables of the modules of the package that are loaded."""
    names = [name for name in sys.modules if name.partition(".")[0] == PACKAGE]
    return {
        module: dict(vars(module))
        for name in names
        if isinstance(module := sys.modules[name], ModuleType)
    }


def restore_variables(wanted: dict[ModuleType, dict[str, Any]]) -> None:
    """Bind variables of modules as before; those of modules that were loaded meanwhile stay."""
    for module, values in wanted.items():
        now = vars(module)
        for name, value in values.items():
            if now.get(name) is not value:
                setattr(module, name, value)


@dataclass(frozen=True)
class Held:
    """What a process holds that ends only when somebody ends it."""

    threads: frozenset[threading.Thread]
    processes: frozenset[int]
    files: frozenset[tuple[int, int, int]]  # number, and device and inode of what is open under it

    def __sub__(self, other: Held) -> Held:
        return Held(
            self.threads - other.threads, self.processes - other.processes, self.files - other.files
        )

    def __or__(self, other: Held) -> Held:
        return Held(
            self.threads | other.threads, self.processes | other.processes, self.files | other.files
        )

    def __bool__(self) -> bool:
        return bool(self.threads or self.processes or self.files)

    def __str__(self) -> str:
        threads = sorted(f"thread {thread.name}" for thread in self.threads)
        return ", ".join(
            [*threads, *map(name_of, sorted(self.processes)), *map(opened, sorted(self.files))]
        )


NOTHING = Held(frozenset(), frozenset(), frozenset())


def opened(file: tuple[int, int, int]) -> str:
    """What is open under a number: the path of a file, the addresses of a socket."""
    number = file[0]
    with suppress(OSError, ImportError):
        import socket

        if stat.S_ISSOCK(os.fstat(number).st_mode):
            with socket.socket(fileno=os.dup(number)) as one:
                return f"socket {one.getsockname()}"
    with suppress(OSError):
        return f"file {os.readlink(f'/proc/self/fd/{number}')}"
    return f"file number {number}"


def numbers_of_files() -> list[int]:
    """The numbers under which something may be open."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            return [*map(int, os.listdir(folder))]
    return [*range(256)]


def held() -> Held:
    """What this process holds now."""
    files = set()
    for number in numbers_of_files():
        with suppress(OSError):  # that of the list itself
            status = os.fstat(number)
            files.add((number, status.st_dev, status.st_ino))
    processes = children(os.getpid()) if has_children() else set()
    return (
        Held(frozenset(threading.enumerate()), frozenset(processes), frozenset(files))
        - of_multiprocessing()
    )


def of_multiprocessing() -> Held:
    """The process by which `multiprocessing` counts what is shared; it lives as long as this
    one.
    """
    tracker = sys.modules.get("multiprocessing.resource_tracker")
    if tracker is None or tracker._resource_tracker._pid is None:
        return NOTHING
    number = tracker._resource_tracker._fd
    status = os.fstat(number)
    file = (number, status.st_dev, status.st_ino)
    return Held(frozenset(), frozenset([tracker._resource_tracker._pid]), frozenset([file]))


@dataclass
class Fixtures:
    """What fixtures of a wider scope than a test hold, as long as they live."""

    made: dict[pytest.FixtureDef[Any], Held] = field(default_factory=dict)
    told: Held = NOTHING  # what was reported or allowed

    def kept(self) -> Held:
        """What is held by fixtures that live, and what was reported."""
        kept = self.told
        for each in self.made.values():
            kept |= each
        return kept

    def left_since(self, before: Held) -> Held:
        """What is held since then, and neither by fixtures nor by other packages, such as their
        fonts.
        """
        left = held() - before - self.kept()
        return replace(
            left,
            files=frozenset(
                file for file in left.files if not opened(file).startswith(OF_PACKAGES)
            ),
        )

    def check(self, who: str, before: Held, is_allowed: bool) -> None:
        """Fail if somebody has left something since then, also after a moment. What is allowed is
        noted, so that no later test or fixture is blamed for it.
        """
        left = self.left_since(before)
        if is_allowed:
            self.told |= left
            return
        # perhaps only until the collector runs, which complains if that should not be
        if left.files:
            gc.collect()
        if left:
            with suppress(AssertionError):
                wait_until(lambda: not self.left_since(before), seconds=MOMENT)
            left = self.left_since(before)
        if left:
            self.told |= left
            pytest.fail(f"{who} leaves behind: {left}", pytrace=False)


FIXTURES = Fixtures()


def may_leave(request: pytest.FixtureRequest) -> bool:
    """Whether the tests of a request may leave something behind; fixtures of a session may not."""
    path = getattr(request, "path", None)
    return path is not None and bool({path.name, path.parent.name} & MAY_LEAVE.keys())


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Any:
    """Note what a fixture of a wider scope makes; when it has ended, nothing of that may be
    left.
    """
    if fixturedef.scope == "function":
        return (yield)
    before, is_allowed = held(), may_leave(request)

    def ended() -> None:
        FIXTURES.made.pop(fixturedef, None)
        FIXTURES.check(f"the fixture {fixturedef.argname}", before, is_allowed)

    fixturedef.addfinalizer(ended)  # the last one
    try:
        return (yield)
    finally:
        FIXTURES.made[fixturedef] = FIXTURES.left_since(before)


@pytest.fixture(scope="module", autouse=True)
def isolated_file() -> Iterator[None]:
    """Restore this process and the variables of the package after each file of tests."""
    before, values = state(), variables()
    yield
    restore(before)
    restore_variables(values)
    gc.collect()


@pytest.fixture(autouse=True)
def isolated_test(request: pytest.FixtureRequest, isolated_file: None) -> Iterator[None]:
    """Restore this process after each test, and fail the test if it leaves something behind."""
    before, holding = state(), held()
    yield
    restore(before)
    for fixture in FIXTURES.made:
        if fixture.argname in RESTLESS.intersection(request.fixturenames):
            FIXTURES.made[fixture] |= FIXTURES.left_since(holding)
    FIXTURES.check("this test", holding, may_leave(request))

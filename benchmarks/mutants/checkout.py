"""A copy of the checkout, in which bugs are planted and tests run."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .changes import Change
from .nearest_tests import NEAREST, PACKAGE

LEFT_OUT = (
    ".git",
    ".venv",
    "build",
    "dist",
    "__pycache__",
    ".*_cache",
    ".hypothesis",
    ".coverage*",
    "*.egg-info",
    "*.np[yz]",
    "*.shards",
)
# Variables that would lead a test to files outside of the copy, or change what it does.
SETTINGS = ("XDG_", "PYTEST_", "YATZY_", "NUMBA_", "COV")
FOLDERS = {"HOME": "home", "TMPDIR": "tmp", "NUMBA_CACHE_DIR": "kernels"}
PASSED, NO_TESTS = 0, 5  # exit codes of pytest
POLL_SECONDS = 0.5


class Stopped(Exception):
    """The campaign ends early."""


@dataclass(frozen=True)
class PytestRun:
    """What a run of tests showed.

    Attributes
    ----------
    has_passed : bool
        Whether no test failed.
    is_out_of_time : bool
        Whether it was ended because nothing happened any more.
    failed : tuple of str
        The tests that failed, or the files that could not be loaded; none if the process ended.
    output : str
        What pytest printed.
    """

    has_passed: bool
    is_out_of_time: bool
    failed: tuple[str, ...]
    output: str


class Checkout:
    """A copy of the checkout.

    Parameters
    ----------
    root : Path
        The checkout.
    folder : Path
        A new folder, for the copy and for all files that its tests write.
    patience : float
        Seconds without a finished test after which a run is ended.
    stop : threading.Event
        Ends a run: an exception of the kind Stopped.
    """

    def __init__(self, root: Path, folder: Path, patience: float, stop: threading.Event) -> None:
        self.path, self.patience, self.stop = folder / "checkout", patience, stop
        self.cache, self.output = folder / "cache", folder / "output.txt"
        shutil.copytree(root, self.path, ignore=shutil.ignore_patterns(*LEFT_OUT))
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)
        }
        for variable, name in FOLDERS.items():
            (folder / name).mkdir()
            self.environment[variable] = str(folder / name)
        package = self.path / PACKAGE.parent
        self.environment["PYTHONPATH"] = os.pathsep.join(
            filter(None, [str(package), os.environ.get("PYTHONPATH")])
        )
        self.planted = 0

    def test_files(self, patterns: Sequence[str], changed: str, ring: int) -> list[str]:
        """The files of tests in folders, each once, in an order that finds a failure soon.

        First those that name the changed module, then those of each pattern; of these, first
        those that take least time.
        """
        times = self.path / "tests" / "times.json"
        seconds = json.loads(times.read_text()).get(str(ring), {}) if times.exists() else {}
        module = re.compile(rf"\b{PurePosixPath(changed).stem.removesuffix('_kernel')}\b")
        order: dict[str, tuple[bool, int, float, str]] = {}
        for place, pattern in enumerate(patterns):
            for named in self.path.glob(pattern):
                for path in named.rglob("test_*.py") if named.is_dir() else [named]:
                    file = path.relative_to(self.path).as_posix()
                    is_about = module.search(path.read_text()) is not None
                    taken = seconds.get(file.removeprefix("tests/"), 0.0)
                    order.setdefault(file, (not is_about, place, taken, file))
        return sorted(order, key=order.__getitem__)

    def copy_kernels(self) -> None:
        """Begin with the kernels that were compiled from the sources as they are."""
        from perfect_yatzy._kernel_cache import cache_path, old_caches

        compiled, old = cache_path(), set(old_caches())
        copy = Path(self.environment["NUMBA_CACHE_DIR"], compiled.name)
        copy.mkdir()
        for path in compiled.glob("*"):
            if path not in old:
                shutil.copy2(path, copy)

    @contextmanager
    def with_change(self, change: Change) -> Iterator[None]:
        """Plant a change, and remove it at the end."""
        path = self.path / change.path
        times = path.stat()
        self.planted += 1
        changed_at = int(times.st_mtime) + self.planted
        path.write_bytes(change.changed)
        # Compiled files belong to the time of their source. Each change has one of its own.
        os.utime(path, (changed_at, changed_at))
        try:
            yield
        finally:
            path.write_bytes(change.source)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def run_tests(self, *options: str) -> PytestRun:
        """Run pytest up to the first failure."""
        record = self.cache / "v" / "cache" / "lastfailed"
        record.unlink(missing_ok=True)
        code = self.run("-m", "pytest", "-x", "-v", "-o", f"cache_dir={self.cache}", *options)
        return PytestRun(
            has_passed=code in (PASSED, NO_TESTS),
            is_out_of_time=code is None,
            failed=tuple(json.loads(record.read_text())) if record.exists() else (),
            output=self.output.read_text(errors="replace"),
        )

    def run(self, *arguments: str) -> int | None:
        """Run Python in the copy; its exit code, or None if nothing happened for too long."""
        with self.output.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=self.path,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                return self.wait_for(process)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # and the processes that it has left
                process.wait()

    def wait_for(self, process: subprocess.Popen[bytes]) -> int | None:
        """The exit code of a process; None if its output has not grown for too long."""
        size, waited = -1, 0.0
        while (code := process.poll()) is None:
            if self.stop.wait(POLL_SECONDS):
                raise Stopped
            waited += POLL_SECONDS
            if (now := self.output.stat().st_size) != size:
                size, waited = now, 0.0
            elif waited > self.patience:
                return None
        return code

    def check(self, *options: str) -> None:
        """Raise RuntimeError unless the tests exist, can be loaded, and use the package here."""
        missing = {
            tests
            for listed in NEAREST.values()
            for tests in listed
            if not any(self.path.glob(tests))
        }
        if missing:
            raise RuntimeError(f"nearest_tests.py names what does not exist: {sorted(missing)}")
        self.run("-c", "import perfect_yatzy; print(perfect_yatzy.__file__)")
        found = self.output.read_text(errors="replace").strip()
        if Path(found) != self.path / PACKAGE / "__init__.py":
            raise RuntimeError(f"tests would not use the package of the copy: {found}")
        run = self.run_tests("--collect-only", *options)
        if not run.has_passed:
            raise RuntimeError(f"the tests cannot be loaded without a planted bug:\n{run.output}")

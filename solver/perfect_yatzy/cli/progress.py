"""Progress of long work on standard error.

On a terminal it is a bar, and elsewhere a line every SILENCE seconds at most.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ..core.rules import RuleSet
from ..service.budget import Pace
from ..settings import Progress
from ..words import (
    N_,
    NOT_STORED,
    _,
    duration,
    gigabytes,
    ngettext,
    number_text,
    number_word,
    was_said,
)
from .text_width import columns_of, left

if TYPE_CHECKING:
    from ..cluster.session import Cluster

SILENCE = 30.0  # seconds
LONG_RECORD = 20 << 20  # bytes of recorded games for which a terminal shows a progress bar
LONG_SIMULATION = 300_000  # games for which a terminal shows a progress bar
STAGES = N_("relaxation"), N_("fit"), N_("simulation"), N_("bound")  # of an approximate solution
STAGE_COLUMNS = 12  # of the longest name of a stage
STAGE_STEPS = 1000  # of the bar of a stage, of which a share is known

_told = 0.0  # when the last line was printed


def stderr_is_terminal() -> bool:
    """Return whether standard error is a terminal. It may be closed."""
    return sys.stderr is not None and sys.stderr.isatty()


def tell(line: str, began: float | None = None) -> None:
    """Print a line.

    A line about work that `began` at a time is printed only SILENCE seconds after that and after
    the last line.
    """
    global _told
    now = time.monotonic()
    if began is None or now - max(_told, began) >= SILENCE:
        _told = now
        click.echo(line, err=True)


def progress(label: str) -> Progress:
    """Return a function that shows the progress of work in any unit, as a bar or as lines.

    The bar has the time left, and is shown from the first report to the last.
    """
    if stderr_is_terminal():
        return _bar(label)
    pace = Pace()
    began = time.monotonic()

    def report(done: int, total: int) -> None:
        if total and done < total:
            tell(f"yatzy: {share_text(label, done / total, pace.left(done / total))}", began)

    return report


def evaluating(number: int = 1) -> Progress:
    """Return the progress of the evaluation of so many policies."""
    return progress(
        ngettext("Evaluating {count} policy", "Evaluating {count} policies", number, count=number)
    )


def _bar(label: str) -> Progress:
    """Return a function that shows progress as a bar, which it makes when it is called first."""
    bar: Any = None
    pace = Pace()
    shown = 0  # what the bar shows as done

    def report(done: int, total: int) -> None:
        nonlocal bar, shown
        seconds_left = pace.left(done / total) if total else None
        if bar is None:
            from shutil import get_terminal_size

            # The rest is the label, brackets, share and time: a longer line would not be replaced.
            room = get_terminal_size().columns - columns_of(label) - 20
            settings: dict[str, Any] = {
                "width": max(1, min(30, room)),
                "show_eta": False,
                "item_show_func": lambda text: text,
            }
            bar = click.progressbar(length=total, label=label, file=sys.stderr, **settings)
        bar.update(done - shown, clock_text(seconds_left) if done < total else "")
        shown = done
        if done == total:
            bar.render_finish()

    return report


def share_text(label: str, share: float, seconds_left: float | None) -> str:
    """Return what is being done, the share that is done, and the time left if it is known."""
    facts = {"label": label, "share": number_text(100 * share)}
    if seconds_left is None:
        return _("{label}: {share} % done", **facts)
    return _("{label}: {share} % done, {time} left", **facts, time=duration(seconds_left))


def clock_text(seconds: float | None) -> str:
    """Return a time as ``2:05`` or ``1:02:05``, or an empty text if it is not known."""
    if seconds is None:
        return ""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def solve_progress(rules: RuleSet, announcement: str | None = None) -> Progress:
    """Return the progress of a solve.

    An `announcement` of a long solve is printed at once, with how to stop it.
    """
    shown = progress(_("Solving {rules}", rules=rules.key))
    is_told = False
    if announcement is not None:
        tell(_("yatzy: {announcement} (stop with Ctrl+C)", announcement=announcement))
    if announcement is not None or stderr_is_terminal():
        return shown

    def report(done: int, total: int) -> None:
        nonlocal is_told
        # This is said with the first report, which there is not if the table is stored.
        if not is_told and not was_said(NOT_STORED):
            tell(_("yatzy: solving {rules}; the table will be stored", rules=rules.key))
        is_told = True
        shown(done, total)

    return report


def progress_if_long(label: str, is_long: bool) -> Progress:
    """Return the progress of work, which a terminal shows only if it takes some seconds."""
    if is_long or not stderr_is_terminal():
        return progress(label)
    return lambda done, total: None


class StageProgress:
    """Progress of an approximate solution: each of its stages, and what is known so far."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.stage = ""  # the present one
        self.began = time.monotonic()
        self.pace = Pace()
        self.bar: Progress | None = None  # of the stage, on a terminal

    def __call__(self, stage: str, done: float, known: Mapping[str, float]) -> None:
        """Report a stage, and the share of it that is done.

        `known` has the ``mean``, ``half_width`` and ``bound`` as far as they are known.
        """
        name = _(stage)  # marked elsewhere
        label = f"  {left(name, STAGE_COLUMNS)}"
        if stage != self.stage:
            self.stage = stage
            self.began = time.monotonic()
            self.pace = Pace()
            self.bar = _bar(label) if stderr_is_terminal() else None
        if self.bar:
            self.bar(int(STAGE_STEPS * done), STAGE_STEPS)
        elif done >= 1:
            took = number_text(time.monotonic() - self.began, 1)
            tell("  ".join([f"{label}{took:>7} s", *known_texts(known)]))
        else:
            text = share_text(f"{self.label}, {name}", done, self.pace.left(done))
            tell("; ".join([f"yatzy: {text}", *known_texts(known)]), self.began)


def known_texts(known: Mapping[str, float]) -> list[str]:
    """Return what is known of the mean and the bound of an approximate strategy, in words."""
    texts = []
    if "mean" in known:
        mean = number_text(known["mean"], 2)
        error = number_text(known["half_width"], 2)
        texts.append(_("the strategy scores {mean} ± {error}", mean=mean, error=error))
    if "bound" in known:
        bound = number_text(known["bound"] + 0.005, 2)  # not rounded down
        texts.append(_("no strategy scores more than {bound}", bound=bound))
    return texts


def workers_line(cluster: Cluster) -> str:
    """Return the number of workers, their threads and memory, and the dashboard, in words."""
    workers = cluster.engine.workers
    limits = sorted({facts.memory_limit for facts in workers if facts.memory_limit})
    n_workers = len(workers)
    n_threads = sum(facts.threads for facts in workers)
    parts = [
        ngettext("one worker", "{count} workers", n_workers, count=number_word(n_workers)),
        ngettext("one thread", "{count} threads", n_threads, count=number_word(n_threads)),
    ]
    if limits:
        parts.append(_("each with up to {size} of memory", size=gigabytes(limits[0])))
    line = ", ".join(parts)
    if not cluster.dashboard:
        return line
    return _("{workers}; dashboard {address}", workers=line, address=cluster.dashboard)

"""Charts of a distribution: a histogram of text, and a picture drawn by matplotlib (extra `plot`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..._files import replacing
from ..._messages import _, number_text
from ...errors import MissingPackage, SolverError
from ...game.notebook import histogram_bins
from .wording import alternatives

BLOCKS = " ▏▎▍▌▋▊▉█"
PICTURE_SUFFIXES = (".png", ".svg", ".pdf")


def histogram(lowest: int, chances: Sequence[float], rows: int = 14, width: int = 44) -> list[str]:
    """The chances of the `lowest` score and those after it as bars, without tails below one in ten thousand."""
    starts, bins, bin_width = histogram_bins(lowest, chances, rows)
    highest_chance = max(bins)
    lines = []
    for start, chance in zip(starts, bins, strict=True):
        label = f"{start}" if bin_width == 1 else f"{start}-{start + bin_width - 1}"
        percent = number_text(100 * chance, 1) if chance >= 0.0005 else f"<{number_text(0.1, 1)}" if chance else "0"
        lines.append(f"  {label:>9}  {percent:>5} %  {bar(chance / highest_chance, width)}".rstrip())
    return lines


def bar(share: float, width: int) -> str:
    """A bar of a share of `width` columns, in eighths of a column."""
    eighths = round(8 * width * share)
    return "█" * (eighths // 8) + (BLOCKS[eighths % 8] if eighths % 8 else "")


class PlotError(SolverError):
    """A picture cannot be drawn or written."""

    exit_code = 1


def check_picture(path: str) -> None:
    """Raise PlotError or MissingPackage unless a picture can be drawn to this file."""
    if Path(path).suffix.lower() not in PICTURE_SUFFIXES:
        text, suffixes = _("cannot draw to {path}; the file name must end in {suffixes}"), PICTURE_SUFFIXES
        raise PlotError(text.format(path=path, suffixes=alternatives(suffixes)))
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingPackage("--plot", "matplotlib", extra="plot") from error


@contextmanager
def picture(path: str) -> Iterator[Any]:
    """Draw with the module :mod:`matplotlib.pyplot`; at the end its figure replaces the file, or an old one stays."""
    check_picture(path)
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    try:
        yield plt
        with replacing(Path(path).resolve()) as file:  # no partial picture on a full disk
            plt.savefig(file, dpi=150, format=Path(path).suffix[1:].lower())
    except OSError as error:
        raise PlotError(_("cannot write {path}: {reason}", path=path, reason=error.strerror)) from error
    finally:
        plt.close()


def plot(
    path: str, title: str, lowest: int, chances: Sequence[float], goal_chances: Sequence[float] | None = None,
    goal: int | None = None,
) -> None:  # fmt: skip
    """Draw a distribution, and the chance of at least each score, also of each as the goal (`goal_chances`)."""
    with picture(path) as plt:
        scores = range(lowest, lowest + len(chances))
        at_least = [min(1.0, sum(chances[i:])) for i in range(len(chances))]
        _figure, (upper, lower) = plt.subplots(2, 1, figsize=(8, 7), sharex=True, layout="constrained")
        upper.fill_between(scores, [100 * c for c in chances], step="mid", color="#4477aa", linewidth=0)
        upper.set(title=title, ylabel=_("chance of this score, %"), ylim=(0, None))
        lower.plot(scores, [100 * c for c in at_least], color="#4477aa", label=_("maximising the expected score"))
        if goal_chances is not None:
            percent, label = [100 * c for c in goal_chances], _("with this score as goal")
            lower.plot(scores, percent, color="#cc6677", linestyle="--", label=label)
            lower.legend()
        lower.set(xlabel=_("final score"), ylabel=_("chance of at least this score, %"), ylim=(0, 101))
        for axes in (upper, lower):
            axes.grid(alpha=0.3)
            if goal is not None:
                axes.axvline(goal, color="#888888", linewidth=1)
        visible = [s for s, c in zip(scores, chances, strict=True) if c > 1e-6]
        lower.set_xlim(min(visible), max(visible))

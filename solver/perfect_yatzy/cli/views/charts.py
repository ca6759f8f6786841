"""Distributions to look at: a small histogram for the terminal, and a picture drawn by matplotlib (extra `plot`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import MissingPackage, SolverError

BLOCKS = " ▏▎▍▌▋▊▉█"
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500)
PICTURES = (".png", ".svg", ".pdf")


def histogram(lowest: int, chances: Sequence[float], rows: int = 14, width: int = 44) -> list[str]:
    """Lines of a histogram of consecutive scores; bins are round, and tails below one in ten thousand are cut."""
    low, high = lowest, lowest + len(chances) - 1
    tail = 0.0
    while low < high and tail + chances[low - lowest] < 1e-4:
        tail += chances[low - lowest]
        low += 1
    tail = 0.0
    while high > low and tail + chances[high - lowest] < 1e-4:
        tail += chances[high - lowest]
        high -= 1
    step = next((s for s in STEPS if (high - low) // s < rows), 1000)
    first = low // step
    bins = [0.0] * (high // step - first + 1)
    for score in range(low, high + 1):
        bins[score // step - first] += chances[score - lowest]
    most = max(bins)
    lines = []
    for i, chance in enumerate(bins):
        begin = (first + i) * step
        label = f"{begin}" if step == 1 else f"{begin}-{begin + step - 1}"
        eighths = round(8 * width * chance / most)
        bar = "█" * (eighths // 8) + (BLOCKS[eighths % 8] if eighths % 8 else "")
        share = f"{100 * chance:.1f}" if chance >= 0.0005 else "<0.1" if chance else "0"
        lines.append(f"  {label:>9}  {share:>5} %  {bar}".rstrip())
    return lines


class PlotError(SolverError):
    """A picture could not be drawn or written."""

    exit_code = 1


def check_picture(path: str) -> None:
    """Raise PlotError unless a picture can be drawn to such a file."""
    if Path(path).suffix.lower() not in PICTURES:
        raise PlotError(f"{path} is no picture file; its name must end in {', '.join(PICTURES)}")
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingPackage("--plot", "matplotlib") from error


def plot(
    path: str,
    title: str,
    lowest: int,
    chances: Sequence[float],
    goals: Sequence[float] | None = None,
    mark: int | None = None,
) -> None:
    """Draw a distribution and the chance of every score or more.

    Parameters
    ----------
    path
        File to write; its ending says in which format.
    lowest, chances
        Consecutive final scores under mean play.
    goals
        Chances of the same scores or more if one plays for just that score.
    mark
        A score to mark, such as the goal asked for.

    Raises
    ------
    PlotError
        Without matplotlib, or if the file cannot be written.
    """
    check_picture(path)
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    scores = range(lowest, lowest + len(chances))
    reached = [min(1.0, sum(chances[i:])) for i in range(len(chances))]
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 7), sharex=True, layout="constrained")
    above.fill_between(scores, [100 * c for c in chances], step="mid", color="#4477aa", linewidth=0)
    above.set(title=title, ylabel="chance of the score, %", ylim=(0, None))
    below.plot(scores, [100 * c for c in reached], color="#4477aa", label="playing for the mean")
    if goals is not None:
        below.plot(scores, [100 * c for c in goals], color="#cc6677", linestyle="--", label="playing for that score")
        below.legend()
    below.set(xlabel="final score", ylabel="chance of so much or more, %", ylim=(0, 101))
    for axes in (above, below):
        axes.grid(alpha=0.3)
        if mark is not None:
            axes.axvline(mark, color="#888888", linewidth=1)
    seen = [s for s, c in zip(scores, chances, strict=True) if c > 1e-6]
    below.set_xlim(min(seen), max(seen))
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise PlotError(f"cannot write {path}: {error.strerror}") from error
    finally:
        plt.close(figure)


def expected(answer: dict[str, Any]) -> tuple[int, list[float]]:
    """Lowest score and chances of an answer of `yatzy expect`."""
    found = answer["distribution"]
    return found["lowest"], found["chances"]

"""The cost of a solve as text."""

from __future__ import annotations

from ...game.rules import RuleSet
from ...model.estimates import duration, gigabytes
from ...tablebase.solve_estimate import SharedEstimate, SolveEstimate
from .wording import plural

TITLES = {
    "mean": "Expected scores",
    "goals": "Chances of all goals",
    "variance": "Variances of the final score",
    "bonus": "Chances of the upper bonus",
}


def size(count: float) -> str:
    """A number of bytes: ``2.7 kB``, ``7.7 MB``, ``52.1 GB``, ``28,719 TB``."""
    if count >= 1e13:
        return f"{count / 1e12:,.0f} TB"
    return gigabytes(count) if count >= 1e9 else f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"


def estimate_lines(
    rules: RuleSet,
    cost: SolveEstimate,
    first: SolveEstimate | None,
    free: tuple[int | None, int | None],
    *,
    solved: bool,
    verbose: bool,
) -> list[str]:
    """Lines for `yatzy solve --estimate`.

    Parameters
    ----------
    first
        Of the table of means, if it is solved first.
    free
        Bytes of memory and of disk that this machine has; None if it does not say.
    solved
        Whether the table exists.
    verbose
        Whether to list the layers, and the time by the number of workers.
    """
    lines = [f"{TITLES[cost.objective]} of {rules.key}: an estimate, nothing is solved", ""]
    lines += _rows(_facts(cost))
    lines += _rows([("This machine", _missing(cost, *free))])
    if first:
        lines += _rows([("Before", f"the table of means, {size(first.bytes)} and {duration(first.seconds)}")])
    if solved:
        lines += _rows([("Stored", "the table is solved already")])
    if verbose and cost.layers:
        lines += ["", *_layer_lines(cost)]
        if cost.shared:
            lines += ["", *_scaling_lines(cost)]
    return lines


def _rows(facts: list[tuple[str, str]]) -> list[str]:
    return [f"{name:<16}{text}" for name, text in facts]


def _facts(cost: SolveEstimate) -> list[tuple[str, str]]:
    memory = f"{size(cost.memory)} for {'each worker' if cost.workers else 'the process'}"
    if cost.shared:
        memory += f", of which a task holds up to {size(cost.shared.task_memory)}"
    who = plural(cost.workers, "worker") if cost.workers else plural(cost.threads, "thread")
    facts = [
        ("States", f"{cost.states:,}"),
        ("Table", f"{size(cost.bytes)}, {cost.values:,} values of {cost.dtype}"),
        ("Memory", memory),
        ("Processor time", duration(cost.processor_seconds)),
        ("Time", f"{duration(cost.seconds)} with {who}"),
    ]
    shared = cost.shared
    if shared:
        copies = shared.read / cost.bytes
        facts += [
            ("Disk", size(cost.disk)),
            ("Shards", f"{shared.shards:,} of up to {size(shared.largest_shard)}"),
            ("Read", f"{size(shared.read)} from the layers below, {copies:.1f} times the table"),
            ("Written", size(shared.written)),
            ("Useful workers", _useful_workers(cost, shared)),
            ("Shortest time", f"{duration(shared.shortest_seconds)}, with a worker for each shard of a layer"),
        ]
    return facts


def _useful_workers(cost: SolveEstimate, shared: SharedEstimate) -> str:
    number, seconds = next(pair for pair in shared.scaling if pair[0] == shared.useful_workers)
    if shared.useful_workers == shared.scaling[-1][0]:
        return f"up to {number:,}, one for each shard of the largest layer"
    busy = min(1.0, cost.processor_seconds / (number * seconds))
    return (
        f"up to {number:,}, at work for {100 * busy:.0f} % of the time; more wait for the last shard of each layer, "
        f"most with {plural(shared.limiting_layer, 'box', 'boxes')} filled"
    )


def _missing(cost: SolveEstimate, memory: int | None, disk: int | None) -> str:
    """What the machine has, and what is too little."""
    wanted = cost.memory * max(1, cost.workers)
    parts, lacks = [], []
    for name, free, needed in (("memory", memory, wanted), ("disk", disk, cost.disk)):
        if free is not None:
            parts.append(f"{size(free)} of {name}")
            lacks += [name] if free < needed else []
    if not parts:
        return "unknown"
    verdict = f"too little {' and '.join(lacks)}" if lacks else "enough"
    if lacks == ["memory"] and not cost.shared:
        verdict += "; --shards needs less"
    return f"{' and '.join(parts)} free: {verdict}"


def _layer_lines(cost: SolveEstimate) -> list[str]:
    """One line for each layer, in the order in which they are solved."""
    heads = ["filled", "cards", "table", "processor", "time"]
    if cost.shared:
        heads += ["shards", "read", "longest shard"]
    table = [heads]
    for layer in cost.layers:
        cells = [str(layer.filled), f"{layer.cards:,}", size(layer.bytes), _seconds(layer.processor_seconds)]
        cells.append(_seconds(layer.seconds))
        if cost.shared:
            cells += [f"{layer.shards:,}", size(layer.read), _seconds(layer.longest_seconds)]
        table.append(cells)
    return _columns(table)


def _scaling_lines(cost: SolveEstimate) -> list[str]:
    """The time and the share of work by the number of workers."""
    assert cost.shared
    table = [["workers", "time", "at work"]]
    for number, seconds in cost.shared.scaling:
        busy = cost.processor_seconds / (number * seconds)
        table.append([f"{number:,}", _seconds(seconds), f"{100 * min(1.0, busy):.0f} %"])
    return _columns(table)


def _seconds(seconds: float) -> str:
    """A time in a column: ``0.03 s``, ``12.4 s``, ``3,400 s``."""
    return f"{seconds:,.0f} s" if seconds >= 100 else f"{seconds:.1f} s" if seconds >= 1 else f"{seconds:.2f} s"


def _columns(table: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(map(str.rjust, cells, widths)) for cells in table]

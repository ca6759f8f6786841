"""Tables as text: what a solve costs, and which tables are stored."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ..._messages import _, ngettext, number_text
from ...game.rules import RuleSet
from ...model.estimates import duration, gigabytes
from ...model.quantities import QUANTITIES
from ...tablebase.inventory import TableEntry, short_names
from ...tablebase.solve_estimate import SharedEstimate, SolveEstimate
from .wording import columns, grouped, size_text


def size(count: float) -> str:
    """A number of bytes: ``2.7 kB``, ``7.7 MB``, ``52.1 GB``, ``28,719 TB``."""
    if count >= 1e13:
        return f"{grouped(count / 1e12)} TB"
    if count >= 1e9:
        return gigabytes(count)
    return f"{number_text(count / 1e6, 1)} MB" if count >= 1e5 else f"{number_text(count / 1e3, 1)} kB"


def estimate_lines(
    rules: RuleSet, cost: SolveEstimate, first: SolveEstimate | None, free: tuple[int | None, int | None], *,
    solved: bool, verbose: bool,
) -> list[str]:  # fmt: skip
    """Lines for `yatzy solve --estimate`; `first`: means that are missing; `free`: bytes of memory and disk."""
    memory, number = _("{size} for each worker") if cost.workers else "{size}", cost.workers or cost.threads
    time = ngettext("{time} with {count} thread", "{time} with {count} threads", number)
    if cost.workers:
        time = ngettext("{time} with {count} worker", "{time} with {count} workers", number)
    table = _("{size}, {count} values of {dtype}")
    facts = [
        (_("States"), grouped(cost.states)),
        (_("Table"), table.format(size=size(cost.bytes), count=grouped(cost.values), dtype=cost.dtype)),
        (_("Memory"), memory.format(size=size(cost.memory))),
        (_("Processor time"), duration(cost.processor_seconds)),
        (_("Time"), time.format(time=duration(cost.seconds), count=grouped(number))),
        *(_sharing(cost, cost.shared) if cost.shared else []),
        (_("This machine"), _machine(cost, *free)),
    ]
    if first:
        before = _("the table of means, {size} and {time}", size=size(first.bytes), time=duration(first.seconds))
        facts.append((_("Before"), before))
    if solved:
        facts.append((_("Stored"), _("the table is solved already")))
    width = max(16, *(len(name) + 2 for name, _text in facts))
    title = _(QUANTITIES[cost.objective].estimate, rules=rules.key)  # marked elsewhere
    lines = [title, "", *(f"{name:<{width}}{text}" for name, text in facts)]
    if verbose and cost.layers:
        lines += ["", *_layer_lines(cost)]
    return lines


def _sharing(cost: SolveEstimate, shared: SharedEstimate) -> list[tuple[str, str]]:
    """What shards add: their number, the traffic, and how many workers are of use."""
    number = shared.useful_workers
    useful = _(
        "up to {count}, at work for {busy} % of the time; more wait for the last shard of each layer, "
        "most where {filled} boxes are filled"
    )
    if number == shared.most_workers:
        useful = _("up to {count}, one for each shard of the largest layer")
    busy = number_text(100 * min(1.0, cost.processor_seconds / (number * shared.useful_seconds)))
    shards, largest, held = grouped(shared.shards), size(shared.largest_shard), size(shared.task_memory)
    read, times = size(shared.read), number_text(shared.read / cost.bytes, 1)
    shortest = duration(shared.shortest_seconds)
    return [
        (_("Disk"), size(cost.disk)),
        (_("Shards"), _("{count} of up to {size}; a task holds up to {held}", count=shards, size=largest, held=held)),
        (_("Read"), _("{size} from the layers below, {times} times the table", size=read, times=times)),
        (_("Written"), size(shared.written)),
        (_("Useful workers"), useful.format(count=grouped(number), busy=busy, filled=shared.limiting_layer)),
        (_("Shortest time"), _("{time}, with a worker for each shard of a layer", time=shortest)),
    ]


def _machine(cost: SolveEstimate, memory: int | None, disk: int | None) -> str:
    """What this machine has, and whether that suffices."""
    if memory is None or disk is None:
        return _("free memory and disk space are unknown")
    free = _("{memory} of memory and {disk} of disk free", memory=size(memory), disk=size(disk))
    verdict = {
        (False, False): _("enough"),
        (False, True): _("too little disk"),
        (True, False): _("too little memory") if cost.shared else _("too little memory; --shards needs less"),
        (True, True): _("too little memory and disk"),
    }[memory < cost.memory * max(1, cost.workers), disk < cost.disk]
    return f"{free}: {verdict}"


def _layer_lines(cost: SolveEstimate) -> list[str]:
    """One line for each layer, in the order in which they are solved."""

    def seconds(value: float) -> str:
        return f"{number_text(value, 0 if value >= 100 else 1 if value >= 1 else 2, grouped=True)} s"

    heads = _("filled"), _("cards"), _("table"), _("processor"), _("time"), _("shards"), _("read"), _("longest shard")
    rows = [
        (
            str(layer.filled), grouped(layer.cards), size(layer.bytes), seconds(layer.processor_seconds),
            seconds(layer.seconds), grouped(layer.shards), size(layer.read), seconds(layer.longest_seconds),
        )
        for layer in cost.layers
    ]  # fmt: skip
    shown = len(heads) if cost.shared else 5
    return columns([row[:shown] for row in (heads, *rows)], *">" * shown, indent="")


def stored_tables_lines(entries: list[TableEntry], folder: Path) -> list[str]:
    """Lines for `yatzy tables`: for each table the name that --remove takes; then their number and size."""
    now, names, rows = time.time(), short_names(entries), []
    for entry in entries:
        age = _age_text(now - entry.written)
        state = age if entry.finished else _("{age}, unfinished", age=age)
        rows.append((names[entry.name], size_text(entry.bytes), state))
    lines = columns(rows, "<", ">8", "<", indent="") if rows else []
    facts = {"count": len(entries), "size": size_text(sum(entry.bytes for entry in entries)), "folder": folder}
    total = ngettext(
        "{count} table, {size}, in {folder}", "{count} tables, {size}, in {folder}", len(entries), **facts
    )
    return [*lines, total]


def stored_tables_json(entries: list[TableEntry], folder: Path) -> dict[str, Any]:
    """The same as plain JSON values; sizes in bytes, ``written`` in seconds since 1970."""
    tables = [
        {"name": each.name, "rules": each.key, "what": each.objective, "finished": each.finished}
        | {"bytes": each.bytes, "written": round(each.written)}
        for each in entries
    ]
    return {"folder": str(folder), "bytes": sum(entry.bytes for entry in entries), "tables": tables}


def _age_text(seconds: float) -> str:
    days, hours, minutes = (int(seconds // unit) for unit in (86_400, 3600, 60))
    if days:
        return ngettext("{count} day ago", "{count} days ago", days, count=days)
    if hours:
        return ngettext("{count} hour ago", "{count} hours ago", hours, count=hours)
    if minutes:
        return ngettext("{count} minute ago", "{count} minutes ago", minutes, count=minutes)
    return _("just now")

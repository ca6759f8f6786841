"""What `yatzy site` has written, as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..._messages import _
from .stored_tables import size_text


def site_lines(folder: Path, folders: Sequence[str], sizes: Mapping[str, int]) -> list[str]:
    """The sizes of a site: the page, and the data of each game.

    Parameters
    ----------
    folders
        Folders of the rule sets below ``data``.
    sizes
        Name of each file -> its size in bytes.
    """
    rows = [(name, sum(size for file, size in sizes.items() if file.startswith(f"data/{name}/"))) for name in folders]
    rows.insert(0, (_("page"), sum(sizes.values()) - sum(size for _, size in rows)))
    width = max(len(name) for name, _ in rows)
    lines = [f"  {name:<{width}}  {size_text(size):>9}" for name, size in rows]
    written = _("Wrote {folder}, {size}").format(folder=folder, size=size_text(sum(sizes.values())))
    return [written, *lines]

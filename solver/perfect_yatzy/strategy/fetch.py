"""Take a solved table from a folder or a static web host, such as another machine's tables folder.

The two files are copied beside the tables. They are renamed into place only after :func:`.verify.verify` has checked
their hashes, their rules, Bellman's equation and the published value; otherwise nothing is stored.
"""

from __future__ import annotations

import os
import tempfile
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

from .._files import replace
from ..errors import StateError, TableError, _
from ..game.rules import RuleSet
from ..model.checked_values import DIGEST_BYTES, block_count
from ..model.objectives import Objective
from ..tablebase.locks import folder_lock
from ..tablebase.memory import check_space, writing_to
from ..tablebase.store import Folder, has_table, table_path
from ..tablebase.table_file import HEADER_BYTES
from ..tablebase.table_info import MAX_SIDECAR, rebuild_hint
from .verify import verify

SECONDS = 30.0  # without a byte from the host
CHUNK = 1 << 20  # bytes


def fetch(rules: RuleSet, source: str, tables: Folder = None) -> Path:
    """Store the table of a rule set's means from a folder or URL, unless it is solved; the path of its file."""
    path, objective = table_path(rules, tables), Objective(rules)
    if has_table(rules, tables):
        raise TableError(_("{rules} is already solved: {path}").format(rules=rules.key, path=path))
    size = objective.size * objective.store.itemsize
    size += HEADER_BYTES + block_count(size) * DIGEST_BYTES
    check_space(path.parent, size)
    with writing_to(path.parent), tempfile.TemporaryDirectory(prefix=".fetched-", dir=path.parent) as folder:
        new = Path(folder) / path.name
        for file, most in ((new.with_suffix(".json"), MAX_SIDECAR), (new, size)):
            copy(f"{source.rstrip('/')}/{file.name}", file, most)
        try:
            reason = "; ".join(check.detail for check in verify(rules, folder) if not check.passed)
        except TableError as error:
            reason = str(error).replace(f"; {rebuild_hint(objective, new)}", "").replace(f"{folder}{os.sep}", "")
        if reason:
            text = _("nothing was stored, because what {source} has is not right: {reason}")
            raise TableError(text.format(source=source, reason=reason))
        with folder_lock(path.parent):
            replace(new, path)
            replace(new.with_suffix(".json"), path.with_suffix(".json"))  # last: without it there is no table
    return path


def copy(origin: str, target: Path, most: int) -> None:
    """Copy a file of a folder or host; one that is longer than it can be is cut, which its check then finds."""
    try:
        if (remote := "://" in origin) and urlsplit(origin).scheme not in ("http", "https"):
            raise StateError(_("a table is fetched from a folder, or from a host by http or https"))
        with urlopen(origin, timeout=SECONDS) if remote else open(origin, "rb") as file, open(target, "wb") as copied:
            while (left := most + 1 - copied.tell()) > 0 and (part := file.read(min(CHUNK, left))):
                copied.write(part)
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TableError(_("cannot read the table {path}: {reason}").format(path=origin, reason=reason)) from error

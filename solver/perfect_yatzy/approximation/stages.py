"""The finished stages of an approximate solution, so that an interrupted one is resumed::

    NAME.part         locked while the solution is being made
    NAME.part.json    settings, and a record of each finished stage, with the checksum of its arrays
    NAME.part.layer   the arrays of the finished stages, as an NPZ archive

The names are those of an unfinished table, so `yatzy tables` lists and removes them. Stages made with other settings,
rules or another version of the package are not used.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from .._files import try_lock
from .._version import __version__
from ..errors import TableError
from ..game.rules import RuleSet
from ..strategy.fitted_file import Arrays, packed, unpacked, write_files
from ..tablebase.locks import open_part
from ..tablebase.memory import check_space, writing_to
from ..tablebase.store import table_path
from ..tablebase.table_info import DAMAGED, checked_fields, with_checksum
from ..tablebase.table_writer import part_path

SPACE = 64 << 20  # bytes that must be free


class Stages:
    """The stages of one solution; a context manager that holds its lock."""

    def __init__(
        self, rules: RuleSet, objective: str, tables: str | os.PathLike[str] | None, settings: dict[str, Any]
    ) -> None:
        path = table_path(rules, tables, objective)
        self.part = part_path(path)
        self.record_file, self.array_file = path.with_suffix(".part.json"), path.with_suffix(".part.layer")
        self.settings = {"fingerprint": rules.fingerprint, "perfect_yatzy": __version__} | settings
        self.records: dict[str, Any] = {}
        self.arrays: Arrays = {}
        check_space(path.parent, SPACE)
        with writing_to(path.parent):
            self.descriptor = open_part(self.part)
        if try_lock(self.descriptor) is False:
            os.close(self.descriptor)
            raise TableError(f"another process is making the approximate strategy of {rules.key}; wait for it")
        self._read()

    def __enter__(self) -> Stages:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.descriptor)

    def _read(self) -> None:
        """The stages of an earlier run with the same settings; none if the files are missing or damaged."""
        with suppress(OSError, *DAMAGED):
            fields = checked_fields(self.record_file.read_bytes())
            content = self.array_file.read_bytes()
            if fields["settings"] == self.settings and fields["sha256"] == hashlib.sha256(content).hexdigest():
                self.arrays, self.records = unpacked(content), fields["stages"]

    def __contains__(self, stage: str) -> bool:
        return stage in self.records

    def get(self, stage: str) -> tuple[dict[str, Any], Arrays]:
        """Record and arrays of a finished stage."""
        prefix = f"{stage}/"
        own = {name.removeprefix(prefix): a for name, a in self.arrays.items() if name.startswith(prefix)}
        return self.records[stage], own

    def put(self, stage: str, record: dict[str, Any], arrays: Arrays) -> None:
        """Store a finished stage."""
        self.records[stage] = record
        self.arrays |= {f"{stage}/{name}": array for name, array in arrays.items()}
        content, digest = packed(self.arrays)
        fields = {"settings": self.settings, "stages": self.records, "sha256": digest}
        with writing_to(self.part.parent):
            write_files((self.array_file, content), (self.record_file, with_checksum(fields)))

    def remove(self) -> None:
        """Delete the files, once the solution is stored."""
        for path in (self.record_file, self.array_file, self.part):
            Path(path).unlink(missing_ok=True)

"""Writes a table layer by layer, so that a killed solve leaves either no files or a part that can
be resumed::

    NAME.part         header and values of the layers done so far; locked while it is written
    NAME.part.layer   the checkpoint: the newest layer, unrounded, and how far the part is complete

Finishing adds the block digests, renames the part to `NAME.npy` and writes the sidecar `NAME.json`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import ExitStack, suppress
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

import numpy as np

from .. import _files
from .._files import HAS_LOCKS, claim, folder_lock, is_same_file, replace, replacing
from ..core import table_info
from ..core.checked_values import BlockHasher
from ..core.objectives import Objective
from ..core.resources import check_space, writing_to
from ..core.table_file import HEADER_BYTES, npy_header
from ..core.table_info import DAMAGED, TableInfo, part_path, shards_folder
from ..core.table_slices import Values
from ..errors import TableError
from .checkpoint import checkpoint_path, remove_checkpoint, store_layer, stored_layer
from .work_identity import WorkIdentity, sources_of_table

CHUNK = 1 << 20  # values handled at a time where a whole table may be larger than memory


class TableWriter:
    """Writes one table.

    Use :meth:`add` for each layer, then :meth:`finish`, and :meth:`close` in any case. If another
    process or thread has locked the part (`contended`), or there are no locks, the table is written
    to a private file, which cannot be resumed.
    """

    def __init__(self, folder: Path, objective: Objective) -> None:
        self.folder = folder
        self.objective = objective
        self.rules = objective.rules
        self.dtype = objective.store
        self.path = folder / f"{table_info.table_stem(objective.rules, objective.name)}.npy"
        self.part = part_path(self.path)
        self.checkpoint_file = checkpoint_path(self.path)
        self.header = npy_header(self.dtype, objective.size)
        self.hasher = BlockHasher()  # of all layers so far
        self.written = 0  # values of them
        self.rounding = objective.error
        self.start_value: float | None = None  # by the newest layer
        check_space(folder, objective.size * self.dtype.itemsize)
        self.private = False  # whether a file of its own is written, not the part
        self.contended = False  # whether another process or thread has the part
        self.finished = False
        self.held = ExitStack()  # the lock of the part, where that is not of an open file
        with writing_to(folder):
            self.file = self._claim()

    def _claim(self) -> BinaryIO:
        """Open the part and lock it, or a private file if another process or thread has the part."""
        if HAS_LOCKS:
            descriptor, locked = claim(self.part)
            if locked:
                return os.fdopen(descriptor, "a+b")
            os.close(descriptor)
            self.contended = locked is False  # None: this file cannot be locked
        elif not self.held.enter_context(_files.locked_if_free(self.part)):
            self.contended = True
        self.private = True
        descriptor, self.part = _files.open_hidden(self.path)
        _files.try_lock(descriptor)  # tells others that the file is in use
        return os.fdopen(descriptor, "w+b")

    def resume(self) -> tuple[int, Values] | None:
        """Continue an unfinished solve.

        Returns the filled categories and the values of its newest layer, or None if there is none.
        """
        if self.private or not os.path.exists(self.checkpoint_file):
            return None
        identity = WorkIdentity.of_table(self.objective)
        checkpoint = stored_layer(self.checkpoint_file, identity)
        if checkpoint is None:
            return None
        newest, fields = checkpoint
        try:
            with _files.open_file(self.part) as part:
                header = part.read(HEADER_BYTES)
            filled, written = int(fields["filled"]), int(fields["written"])
            stored = np.memmap(
                self.part, dtype=self.dtype, mode="r", offset=HEADER_BYTES, shape=(written,)
            )
            hasher = BlockHasher()
            hasher.update(stored.data)
            if (header, hasher.hexdigest()) != (self.header, fields["part_sha256"]):
                return None
        except (OSError, *DAMAGED):
            return None
        self.rounding = float(fields["rounding"])
        self.written = written
        self.hasher = hasher
        with writing_to(self.folder):
            self.file.truncate(HEADER_BYTES + written * self.dtype.itemsize)
            self.file.seek(0, os.SEEK_END)
        return filled, newest

    def add(self, layer: Values) -> None:
        """Append the next layer."""
        stored = layer.astype(self.dtype, copy=False)
        if self.dtype != layer.dtype:
            for start in range(0, len(layer), CHUNK):
                error = np.abs(stored[start : start + CHUNK] - layer[start : start + CHUNK]).max()
                self.rounding = max(self.rounding, float(error))
        with writing_to(self.folder):
            if not self.written:  # the first layer of a new table
                if not self.private:
                    remove_checkpoint(self.path)
                self.file.truncate(0)
                self.file.write(self.header)
            self.file.write(stored.data)
        self.hasher.update(stored.data)
        self.written += len(layer)
        self.start_value = self.objective.start_value(layer)

    def checkpoint(self, filled: int, layer: Values) -> None:
        """Record that the table is complete up to this layer, the newest.

        A later solve can resume here.
        """
        if self.private:
            return
        with writing_to(self.folder):
            self.file.flush()
            os.fsync(self.file.fileno())
        with suppress(TableError):  # what cannot be stored is solved again
            store_layer(
                self.checkpoint_file,
                WorkIdentity.of_table(self.objective),
                layer,
                part_sha256=self.hasher.hexdigest(),
                filled=filled,
                written=self.written,
                rounding=self.rounding,
            )

    def finish(self, seconds: float) -> TableInfo:
        """Put the table in its place and write its sidecar."""
        digests = self.hasher.block_digests()
        info = TableInfo(
            **table_info.table_fields(
                self.rules,
                self.objective.name,
                self.objective.store,
                self.objective.size,
                sources_of_table(self.objective),
            ),
            format=table_info.FORMAT,
            start_value=self.start_value,
            rounding=self.rounding,
            sha256=self.hasher.hexdigest(),
            blocks_sha256=hashlib.sha256(digests).hexdigest(),
            seconds=round(seconds, 3),
        )
        with writing_to(self.folder):
            self.file.write(digests)
            self.file.flush()
            os.fsync(self.file.fileno())
            self._publish(info)
        self.private = False
        self.finished = True
        return info

    def _publish(self, info: TableInfo) -> None:
        """Rename the files into place.

        A reader that meets one new file waits for the lock and reads again.
        """
        sidecar = self.path.with_suffix(".json")
        with folder_lock(self.folder), replacing(sidecar) as file:
            file.write(table_info.with_checksum(asdict(info)))
            # The sidecar of other values must not remain next to these if the process is killed
            # here. One of the same values may, and then the table is never missing.
            if not _describes_same_values(sidecar, info):
                sidecar.unlink(missing_ok=True)
            if self.private:
                # nobody waits for its lock, and Windows does not rename an open file
                self.file.close()
            else:
                remove_checkpoint(self.path)
            if self.private or is_same_file(self.file.fileno(), self.part):
                replace(self.part, self.path)
            else:
                # Another process has removed the part, and its path may lead to one that somebody
                # else has begun since. Whoever removes a part holds the lock of the folder, as this
                # writer does now.
                with replacing(self.path) as copy:
                    self.file.seek(0)
                    shutil.copyfileobj(self.file, copy, CHUNK)
            shutil.rmtree(shards_folder(self.path), ignore_errors=True)

    def close(self) -> None:
        """Release the file and its lock.

        The layers of the last checkpoint remain for a later solve.
        """
        if self.private:
            with suppress(OSError):
                self.file.close()  # before it is removed, for Windows
            self.part.unlink(missing_ok=True)
        elif not self.finished and not os.path.exists(self.checkpoint_file):
            # Without a checkpoint the part is of no use. It is removed while it is locked.
            self.part.unlink(missing_ok=True)
        with suppress(OSError):  # what a full disk did not take when it was written
            self.file.close()
        self.held.close()
        if self.contended:
            # This writer may have created the part when another thread only looked whether it is
            # locked.
            part = part_path(self.path)
            with suppress(OSError), folder_lock(self.folder), _files.locked_if_free(part) as free:
                if free and part.stat().st_size == 0:
                    part.unlink()


def _describes_same_values(sidecar: Path, info: TableInfo) -> bool:
    """Return whether a sidecar on disk is undamaged and that of the values of a new one."""
    with suppress(OSError, *DAMAGED):
        fields = table_info.checked_fields(_files.read_file(sidecar, table_info.MAX_SIDECAR))
        names = ("format", "dtype", "values", "sha256")
        return all(fields[name] == getattr(info, name) for name in names)
    return False

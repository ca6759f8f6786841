"""Writes a table layer by layer, so that a killed solve leaves either no files or a part that can be resumed::

    NAME.part         header and values of the layers done so far; locked while it is written
    NAME.part.json    the checkpoint: how far the part is complete, with its hashes
    NAME.part.layer   the newest layer, unrounded, where the table stores fewer bits than are computed with

Finishing adds the block digests, renames the part to `NAME.npy` and writes the sidecar `NAME.json`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

import numpy as np

from .._files import HAS_LOCKS, open_hidden, replace, replacing, try_lock
from .._version import __version__
from ..model.checked_values import BlockHasher
from ..model.objectives import Objective, Values
from .locks import folder_lock, is_same_file, locked_if_free, open_part
from .memory import check_space, writing_to
from .table_file import CHUNK, HEADER_BYTES, npy_header, sha256_of
from .table_info import (
    DAMAGED,
    FORMAT,
    TableInfo,
    checked_fields,
    part_path,
    shards_folder,
    table_fields,
    table_stem,
    with_checksum,
)


class TableWriter:
    """Writes one table; use :meth:`add` for each layer, then :meth:`finish`, and :meth:`close` in any case.

    If another process or thread has locked the part (`contended`), or there are no locks, the table is written to a
    private file, which cannot be resumed.
    """

    def __init__(self, folder: Path, objective: Objective) -> None:
        self.folder, self.rules, self.objective = folder, objective.rules, objective
        self.dtype = objective.store
        self.path = folder / f"{table_stem(objective.rules, objective.name)}.npy"
        self.part = part_path(self.path)
        self.checkpoint_file = self.path.with_suffix(".part.json")
        self.unrounded_layer_file = self.path.with_suffix(".part.layer")
        self.header = npy_header(self.dtype, objective.size)
        self.hasher = BlockHasher()
        self.written = 0
        self.rounding = objective.error
        self.start_value: float | None = None
        check_space(folder, objective.size * self.dtype.itemsize)
        self.private = self.contended = self.finished = False
        with writing_to(folder):
            self.file = self._claim()

    def _claim(self) -> BinaryIO:
        """Open the part and lock it; if another process or thread has it, a private file instead."""
        while HAS_LOCKS:
            descriptor = open_part(self.part)
            if not (locked := try_lock(descriptor)):
                os.close(descriptor)
                self.contended = locked is False
                break
            # Between opening and locking the other process may have renamed this very file to the finished table.
            if is_same_file(descriptor, self.part):
                return os.fdopen(descriptor, "a+b")
            os.close(descriptor)
        self.private = True
        descriptor, self.part = open_hidden(self.path)
        try_lock(descriptor)  # tells others that the file is in use
        return os.fdopen(descriptor, "w+b")

    def resume(self) -> tuple[int, Values] | None:
        """Continue an earlier, unfinished solve."""
        if self.private:
            return None
        try:
            fields = checked_fields(self.checkpoint_file.read_bytes())
            # The layers of one table must come from one version of the arithmetic.
            expected = (FORMAT, self.rules.fingerprint, __version__)
            same = (fields["format"], fields["fingerprint"], fields["version"]) == expected
            with open(self.part, "rb") as part:
                same = same and part.read(HEADER_BYTES) == self.header
            filled, written = int(fields["filled"]), int(fields["written"])
            stored = np.memmap(self.part, dtype=self.dtype, mode="r", offset=HEADER_BYTES, shape=(written,))
            size = written - self.objective.layer_slice(filled).start
            last = stored[-size:].astype(self.objective.compute)
            if self.dtype != self.objective.compute:
                last = np.fromfile(self.unrounded_layer_file, dtype=self.objective.compute)
            hasher = BlockHasher()
            self._hash(hasher, stored)
            whole = len(last) == size and fields["sha256"] == hasher.hexdigest()
            if not (same and whole and fields["layer_sha256"] == sha256_of(last)):
                return None
            rounding = float(fields["rounding"])
        except (OSError, *DAMAGED):
            return None
        self.hasher, self.written, self.rounding = hasher, written, rounding
        with writing_to(self.folder):
            self.file.truncate(HEADER_BYTES + written * self.dtype.itemsize)
            self.file.seek(0, os.SEEK_END)
        return filled, last

    @staticmethod
    def _hash(hasher: BlockHasher, values: Values) -> None:
        for start in range(0, len(values), CHUNK):
            hasher.update(np.ascontiguousarray(values[start : start + CHUNK]).data)

    def add(self, layer: Values) -> None:
        """Append the next layer."""
        stored = self.objective.as_stored(layer, self.written)
        if self.dtype != layer.dtype and self.objective.rounds:
            for start in range(0, len(layer), CHUNK):
                error = np.abs(stored[start : start + CHUNK] - layer[start : start + CHUNK]).max()
                self.rounding = max(self.rounding, float(error))
        with writing_to(self.folder):
            if not self.written:
                if not self.private:
                    self.checkpoint_file.unlink(missing_ok=True)
                self.file.truncate(0)
                self.file.write(self.header)
            self.file.write(stored.data)
        self._hash(self.hasher, stored)
        self.written += len(layer)
        self.start_value = self.objective.start_value(layer)

    def checkpoint(self, filled: int, layer: Values) -> None:
        """Record that the table is complete up to this layer, the newest, so that a later solve can resume here."""
        if self.private:
            return
        fields = {
            "format": FORMAT,
            "fingerprint": self.rules.fingerprint,
            "version": __version__,
            "filled": filled,
            "written": self.written,
            "rounding": self.rounding,
            "sha256": self.hasher.hexdigest(),
            "layer_sha256": sha256_of(layer),
        }
        with writing_to(self.folder):
            self.file.flush()
            os.fsync(self.file.fileno())
            if self.dtype != layer.dtype:
                with replacing(self.unrounded_layer_file) as file:
                    file.write(layer.data)
            with replacing(self.checkpoint_file) as file:
                file.write(with_checksum(fields))

    def finish(self, seconds: float) -> TableInfo:
        """Put the table in its place and write its sidecar."""
        digests = self.hasher.block_digests()
        info = TableInfo(
            **table_fields(self.objective),
            format=FORMAT,
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
        self.private, self.finished = False, True
        return info

    def _publish(self, info: TableInfo) -> None:
        """Rename the files into place. A reader that meets one new file waits for the lock and reads again."""
        sidecar = self.path.with_suffix(".json")
        with folder_lock(self.folder), replacing(sidecar) as file:
            file.write(with_checksum(asdict(info)))
            # The sidecar of other values must not remain next to these if the process is killed here. One of the same
            # values may, and then the table is never missing.
            same = False
            with suppress(OSError, *DAMAGED):
                fields = checked_fields(sidecar.read_bytes())
                same = all(fields[name] == getattr(info, name) for name in ("format", "dtype", "values", "sha256"))
            if not same:
                sidecar.unlink(missing_ok=True)
            if not self.private:
                self.checkpoint_file.unlink(missing_ok=True)
                self.unrounded_layer_file.unlink(missing_ok=True)
            self._rename()
            shutil.rmtree(shards_folder(self.path), ignore_errors=True)

    def _rename(self) -> None:
        """Put the part in the place of the table; a copy, if another process has removed the part meanwhile."""
        # The path may then lead to a part that somebody else has begun since. Whoever removes a part holds the lock
        # of the folder, as this writer does now.
        if self.private:
            self.file.close()  # nobody waits for its lock, and Windows does not rename an open file
        if self.private or is_same_file(self.file.fileno(), self.part):
            replace(self.part, self.path)
            return
        with replacing(self.path) as file:
            self.file.seek(0)
            shutil.copyfileobj(self.file, file, CHUNK)

    def close(self) -> None:
        """Release the file and its lock; the layers of the last checkpoint remain for a later solve."""
        if self.private:
            self.file.close()
        begun = self.finished or self.written or self.checkpoint_file.exists()
        if self.private or not (begun or os.fstat(self.file.fileno()).st_size):
            self.part.unlink(missing_ok=True)
        self.file.close()
        if self.contended:
            # This writer may have created the part when another thread only looked whether it is locked.
            part = part_path(self.path)
            with suppress(OSError), folder_lock(self.folder), locked_if_free(part) as free:
                if free and part.stat().st_size == 0:
                    part.unlink()

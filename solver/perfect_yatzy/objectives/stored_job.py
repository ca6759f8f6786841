"""Jobs whose views lie in memory, so that a kernel takes them by their address.

To unpack the arrays of a job takes longer than to evaluate a turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.extending import NativeValue, intrinsic, unbox

from ..core.jit import is_compiled, jit
from ..core.lanes import ceil_div
from ..core.simd import WORD, StoredType, emit_views, view_type

WORD_BYTES = 8


@unbox(StoredType)
def _address_of_number(kind: Any, number: Any, context: Any) -> Any:
    """Emit the address that a whole number of Python stands for."""
    word = context.pyapi.long_as_longlong(number)
    return NativeValue(context.builder.inttoptr(word, ir.IntType(8).as_pointer()))


@intrinsic
def write_views(typingctx: Any, address: Any, arrays: Any) -> Any:
    """Write the views of a job to an address, unless that is 0, and return their size in bytes."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        job_views = emit_views(context, builder, signature.args[1], args[1])
        has_address = builder.icmp_unsigned("!=", args[0], ir.Constant(WORD, 0))
        with builder.if_then(has_address):
            place = builder.inttoptr(args[0], job_views.type.as_pointer())
            builder.store(job_views, place, align=8)
        return ir.Constant(WORD, context.get_abi_sizeof(job_views.type))

    return types.int64(types.int64, arrays), codegen


@jit
def store_views(address, job):
    """Call :func:`write_views` for Python."""
    return write_views(address, job)


class StoredJob:
    """A job whose views lie in memory.

    To unpack the arrays of a job takes longer than to evaluate a turn; a kernel that is called
    often takes `address`, an argument of the type `kind`. The arrays live as long as this object.
    """

    def __init__(self, job: Any) -> None:
        self.job = job
        self.kind = stored_type(job)
        if self.kind not in _SIZES:
            _SIZES[self.kind] = store_views(0, job)
        words = ceil_div(_SIZES[self.kind], WORD_BYTES)
        self._memory = np.zeros(words, dtype=np.int64)
        self.address: int = self._memory.ctypes.data
        store_views(self.address, job)


_KINDS: dict[Any, StoredType] = {}  # by :func:`_structure`
_SIZES: dict[StoredType, int] = {}  # bytes of the views


def stored_type(job: Any) -> StoredType:
    """Return the type of a stored job, from the job."""
    key = _structure(job)
    if key not in _KINDS:
        _KINDS[key] = StoredType(view_type(typeof(job)))
    return _KINDS[key]


def can_be_stored(job: Any) -> bool:
    """Return whether a job can be stored without compiling anything."""
    return is_compiled(store_views, (types.int64, typeof(job)))


def _structure(value: Any) -> Any:
    """Return what decides the type of a job to numba, which is found faster than the type."""
    if isinstance(value, tuple):
        return type(value), *map(_structure, value)
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, value.flags.num
    return type(value)

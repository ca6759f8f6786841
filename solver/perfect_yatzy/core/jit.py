"""The decorators of every kernel: compile a function, and dispatch by the kind of an argument.

Compiled functions are stored on the disk (:mod:`perfect_yatzy._kernel_cache`).
"""

from __future__ import annotations

import gc
from typing import Any

import numba
from numba import config
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import overload

from .._kernel_cache import RepairingCache, disk_cache
from ..errors import SolverError

if config.DISABLE_JIT:
    raise SolverError("NUMBA_DISABLE_JIT is set, and the kernels only run compiled; unset it")


def jit(function: Any, inline: bool = False) -> Any:
    """Compile a function that releases the interpreter lock, so that threads run in parallel.

    The machine code is stored in the disk cache. With `inline` it becomes a part of each caller,
    because a call copies the pointers of all arrays of a job.
    """
    options = {
        "nogil": True,
        "error_model": "numpy",
        "no_cfunc_wrapper": True,
        "forceinline": inline,
    }
    compiled = numba.njit(**options)(function)
    cache = disk_cache(function)
    if cache is None:
        return compiled
    compiled._cache = cache

    def compile_locked(signature: Any) -> Any:
        # numba's own lock first: a thread that waits for a file must not hold what the thread with
        # the file needs.
        with global_compiler_lock:
            collects = gc.isenabled()
            gc.disable()  # what the compiler allocates is no garbage until it ends
            try:
                # Python cannot call a function of views: without its wrapper it compiles in two
                # thirds of the time.
                compiled.targetoptions["no_cpython_wrapper"] = "View(" in str(signature)
                # calls load_overload() and save_overload()
                return type(compiled).compile(compiled, signature)
            finally:
                compiled._cache.release()
                if collects:
                    gc.enable()

    compiled.compile = compile_locked
    return compiled


def is_compiled(function: Any, signature: tuple[Any, ...], *, in_memory: bool = False) -> bool:
    """Return whether a function is ready for arguments of these types. It is ready in the memory of
    this process or, unless only that counts, in the disk cache.
    """
    if signature in function.overloads:
        return True
    cache = function._cache
    if in_memory or not isinstance(cache, RepairingCache):
        return False
    return cache.stores(signature, function.targetctx.codegen())


def by_kind(argument: int = 0) -> Any:
    """Declare a function that each kind of one argument, a named tuple, implements.

    ``@function.of(Kind, ...)`` implements it for some kinds, ``@function.of()`` for all others.
    `argument` is the position of the argument.
    """

    def declare(function: Any) -> Any:
        implementations: dict[Any, Any] = {}  # by kind; None: for all others

        def implementation_for(*types: Any) -> Any:
            kind = getattr(types[argument], "instance_class", None)
            return implementations.get(kind, implementations.get(None))

        def of(*kinds: Any) -> Any:
            def implement(implementation: Any) -> Any:
                implementations.update(dict.fromkeys(kinds or [None], implementation))
                return implementation

            return implement

        overload(function, strict=False)(implementation_for)
        function.of = of
        return function

    return declare

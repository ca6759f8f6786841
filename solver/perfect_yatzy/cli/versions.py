"""`yatzy --version --verbose`: what a report of a bug needs; in English, as those are."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from .._files import HAS_LOCKS

PACKAGES = ("numpy", "numba", "llvmlite", "click", "dask", "distributed", "fastapi", "uvicorn", "pyarrow", "fpdf2")


def versions() -> Iterator[str]:
    """Lines with the versions, the machine, the tables."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    import llvmlite.binding

    from ..errors import SolverError
    from ..kernels.jit import cache_path
    from ..tablebase.backward_induction import default_threads
    from ..tablebase.inventory import stored
    from ..tablebase.memory import available_memory
    from ..tablebase.store import tables_folder
    from .views.tables import stored_tables_lines

    yield f"python     {platform.python_version()} ({platform.python_implementation()}), {sys.executable}"
    for package in PACKAGES:
        try:
            yield f"{package:10} {version(package)}"
        except PackageNotFoundError:
            yield f"{package:10} not installed"
    yield f"system     {platform.platform()}"
    cpu = os.environ.get("NUMBA_CPU_NAME") or llvmlite.binding.get_host_cpu_name()
    yield f"processor  {cpu}, {default_threads()} threads"
    free = available_memory()
    yield f"memory     {'unknown' if free is None else f'{free >> 20} MiB free'}"
    yield f"files      {'with' if HAS_LOCKS else 'without'} locks, names in {sys.getfilesystemencoding()}"
    yield f"output     {sys.stdout.encoding}{', a terminal' if sys.stdout.isatty() else ''}"
    yield f"kernels    {cache_path()}"
    try:
        yield from (f"tables     {line}" for line in stored_tables_lines(stored(), tables_folder()))
    except SolverError as error:
        yield f"tables     {error}"
